"""murmur landscape as a user meets it: the table, the JSON, the run directory, and what it refuses."""

import csv
import hashlib
import json
import math
import shutil
import signal
import time

import numpy as np

import murmur

INPUT = 3


def write_checkpoint(path, items):
    """Replaces the items of a landscape's checkpoint; its digest is right."""
    old = path.read_bytes()
    metadata = json.loads(old[8:8 + int.from_bytes(old[:8], "little")])["__metadata__"]
    tensors = {"numbers": np.array([x for item in items for x in item], "f8"),
               "sizes": np.array([len(item) for item in items], "i8")}
    header, data, digest = {}, b"", hashlib.sha256()
    for name, values in tensors.items():  # in the order of their names
        end = len(data) + values.nbytes
        header[name] = {"dtype": {"f": "F64", "i": "I64"}[values.dtype.kind], "shape": list(values.shape),
                        "data_offsets": [len(data), end]}
        data += values.tobytes()
        digest.update(name.encode() + values.tobytes())
    header["__metadata__"] = {**metadata, "sha256": digest.hexdigest()}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


class Landscape(murmur.Case):
    def points(self, *words):
        return json.loads(self.murmur("landscape", *words, "--json", "-q", "-o", "found",
                                          "--force").stdout)

    def test_a_best_measure_that_is_spread_is_said_so(self):
        words = ("landscape", "d=3", "beta=4.2", "perceptron=gradient:3", "activation=gelu",
                 "direction=descent", "masses=free", "n=110", "starts=4")
        done = self.murmur(*words, "-o", "found")
        self.assertIn("has more than 100 atoms, or none", done.stderr)
        found = json.loads((self.folder / "found/points.json").read_text())
        self.assertEqual(found["lost"] + sum(p["found"] for p in found["points"]), 4)
        self.assertGreaterEqual(found["lost"], 2)  # of the starts that look for it, none is repeated
        done = self.murmur(*words[:-1], "starts=1", "-o", "none", code=4)
        self.assertEqual(len(done.stderr.splitlines()), 3, done.stderr)
        self.assertIn("has more than 100 atoms, or none", done.stderr)

    def test_dirac_and_antipodal_pair(self):
        found = self.points("d=2", "beta=4", "n=24", "starts=40")
        best = found["points"][0]
        self.assertEqual(best["masses"], [1])
        self.assertAlmostEqual(best["energy"], math.exp(4) / 8, 9)
        self.assertTrue(best["certified"] and best["second_order"])
        pair = [p for p in found["points"] if p["masses"] == [0.5, 0.5]]
        self.assertEqual(len(pair), 1)
        self.assertAlmostEqual(np.dot(*pair[0]["atoms"]), -1, 12)
        self.assertEqual((pair[0]["zeros"], pair[0]["expected_zeros"], pair[0]["index"]), (1, 1, 1))
        for p in found["points"]:
            self.assertLessEqual(p["gradient_norm"], 1e-12)
            self.assertEqual(len(p["spectrum"]), 24)
            self.assertAlmostEqual(sum(p["masses"]), 1, 12)

    def test_minimiser_beside_a_perceptron(self):
        found = self.points("d=2", "beta=5", "perceptron=gradient:3", "direction=descent",
                            "kernel=scaled", "masses=free", "starts=6")
        best = found["points"][0]
        self.assertTrue(best["certified"] and best["second_order"])
        self.assertLessEqual(best["gap_bound"], 1e-8 * found["scale"])
        self.assertEqual(len(best["places"]), len(best["masses"]))
        atoms = np.load(self.folder / "found" / "atoms.npy")
        mine = atoms[atoms[:, 0] == 0]
        np.testing.assert_array_equal(mine[:, 1], best["masses"])
        np.testing.assert_array_equal(mine[:, 2:], best["atoms"])
        kept = json.loads((self.folder / "found" / "points.json").read_text())
        self.assertEqual(kept["points"], found["points"])

    def test_scores_with_a_matrix(self):
        np.save(self.folder / "scores.npy", [[1, 0], [0, -1.2]])
        typed = self.points("d=2", "beta=4", "query=matrix:1,0;0,-1.2", "n=8", "starts=12")
        best = typed["points"][0]
        self.assertAlmostEqual(best["energy"], math.cosh(4.8) / 8, 9)
        np.testing.assert_allclose(np.abs(best["atoms"]), [[0, 1], [0, 1]], atol=1e-9)
        self.assertTrue(best["certified"])
        self.assertAlmostEqual(best["shortfall"], 0, 9)
        self.assertAlmostEqual(typed["best"]["energy"], best["energy"], 9)
        self.assertEqual((typed["claim"], typed["matrix"]), ("local", [[1, 0], [0, -1.2]]))
        filed = self.points("d=2", "beta=4", "query=scores.npy", "n=8", "starts=12")
        self.assertEqual(filed["points"], typed["points"])
        again = json.loads(self.murmur("landscape", "found/config.toml", "--json", "-q", "-o",
                                           "again").stdout)
        self.assertEqual(again["points"], typed["points"])

    def test_a_matrix_that_is_not_symmetric_is_refused(self):
        done = self.murmur("landscape", "d=2", "query=matrix:1,1;0,1", code=INPUT)
        self.assertIn("not symmetric", done.stderr)
        self.assertIn("gradient of no energy", done.stderr)

    def test_a_run_repeats_itself(self):
        words = ("d=3", "n=12", "starts=6", "beta=2", "perceptron=gradient:2", "activation=gelu")
        first = self.points(*words, "threads=1")["points"]
        self.assertEqual(first, self.points(*words, "threads=2")["points"])
        again = json.loads(self.murmur("landscape", "found/config.toml", "--json", "-q", "-o",
                                           "again").stdout)
        self.assertEqual(first, again["points"])

    def test_a_checkpoint_that_does_not_fit_is_refused(self):
        self.murmur("landscape", "-q", "d=2", "n=4", "starts=3", "-o", "whole")
        found = ("points.json", "atoms.npy")
        for item in ([1, 5, 1, 1, 0, 0, 0, 0], [1, 0, 1], [1, 2, math.nan, 1, 0], [1, 2, 1, math.nan, 0],
                     [1, 2, 9, 1, 0], [1, 2, 1, 9, 9], [1, -5, 1], [math.nan, 2, 1], [1e300, 2, 1],
                     [20000, 20000] + [1 / 20000] * 20000):
            run = self.folder / "run"
            shutil.rmtree(run, ignore_errors=True)
            shutil.copytree(self.folder / "whole", run)
            manifest = json.loads((run / "manifest.json").read_text())
            (run / "manifest.json").write_text(json.dumps({**manifest, "status": "interrupted", "sha256": {}}))
            for name in found:
                (run / name).unlink(missing_ok=True)
            write_checkpoint(run / "checkpoint.safetensors", [item] * 3)
            self.murmur("landscape", "--resume", "run", "-q", code=3)

    def test_table(self):
        done = self.murmur("landscape", "d=2", "n=8", "starts=8", "-q")
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0].split()[:3], ["energy", "atoms", "heaviest"])
        self.assertGreaterEqual(len(lines), 2)
        self.assertTrue((self.folder / "runs/landscape-0-1/figures/landscape.svg").exists())

    SCAN = ("d=2", "betas=0.5:8:4", "perceptron=gradient:2", "direction=descent", "kernel=scaled")

    def test_scan(self):
        scan = self.points(*self.SCAN)["points"]
        np.testing.assert_allclose([p["beta"] for p in scan], 0.5 * 16 ** (np.arange(4) / 3))
        for p in scan:
            self.assertTrue(p["certified"] and p["second_order"])
            self.assertLessEqual(p["gap_bound"], 1e-8 * p["scale"])
            self.assertEqual(p["heaviest"], max(p["masses"]))
            angles = [place["angle"] for place in p["places"]]
            self.assertAlmostEqual(p["angle"], np.dot(p["masses"], angles), 12)
            active = [place["active"] for place in p["places"]]
            for name, least in (("active_mass", 1), ("all_active_mass", 2)):
                mass = sum(m for m, a in zip(p["masses"], active) if a >= least)
                self.assertAlmostEqual(p[name], mass, 12)
        alone = self.points(*self.SCAN[2:], "d=2", "beta=8", "masses=free", "starts=2")["points"]
        self.assertAlmostEqual(alone[0]["energy"], scan[-1]["energy"], 9)

    def test_tables_fit_the_terminal(self):
        """A scan has sixteen columns: those that do not fit follow below, behind beta again."""
        for words, heads in ((self.SCAN, ["beta", "beta"]), (("d=2", "n=8", "starts=8"), ["energy"])):
            lines = self.murmur("landscape", *words, "-q").stdout.split("certified:")[0].splitlines()
            self.assertLessEqual(max(map(len, lines)), 120)
            heads_told = [line.split() for line in lines if line.split()[:1] in (["beta"], ["energy"])]
            self.assertEqual([head[0] for head in heads_told], heads)
        scan = self.murmur("landscape", *self.SCAN, "-q").stdout
        for column in ("heaviest", "rounding", "certified", "crowd", "bound", "all active"):
            self.assertEqual(scan.split("certified:")[0].count(f" {column}"), 1, column)

    def test_what_a_scan_keeps(self):
        scan = self.points(*self.SCAN, "threads=1")["points"]
        found = self.folder / "found"
        self.assertEqual(json.loads((found / "scan.json").read_text())["points"], scan)
        with open(found / "scan.csv") as file:
            for row, p in zip(csv.DictReader(file), scan, strict=True):
                self.assertEqual(int(row["atoms"]), len(p["masses"]))
                for name in ("beta", "energy", "heaviest", "angle", "crowd", "crowd_bound"):
                    self.assertEqual(float(row[name]), p[name])
        atoms = np.load(found / "atoms.npy")
        np.testing.assert_array_equal(atoms[atoms[:, 0] == 3][:, 1], scan[3]["masses"])
        for ending in ("svg", "png"):
            self.assertTrue((found / f"figures/scan.{ending}").exists())
        self.assertEqual(scan, self.points("found/config.toml", "threads=2")["points"])

    def test_crowds_stay_below_their_bound(self):
        scan = self.points("d=2", "betas=1:4:3", "perceptron=gradient:2", "direction=descent")
        for p in scan["points"]:
            self.assertTrue(p["certified"])
            self.assertLessEqual(p["crowd"], p["crowd_bound"])
        self.assertLess(scan["points"][-1]["crowd_bound"], 1)

    def assert_meant(self, p):
        """A certificate says what it says, by the numbers beside it."""
        self.assertEqual(p["answer"] == "certified", p["certified"])
        self.assertEqual(p["answer"] == "refuted", p["refuted"])
        if p["certified"]:
            self.assertTrue(p["exhaustive"])
            self.assertLessEqual(p["gap"] + p["rounding"], p["gap_bound"])
            self.assertLessEqual(p["gap_bound"], p["tolerance"])
            self.assertLessEqual(p["tolerance"], 1.0001e-8 * abs(p["above_uniform"]))
            self.assertLess(p["above_uniform"], 0)
        if p["above_uniform"] > 1e-6:
            self.assertTrue(p["refuted"])
        if p["rounding"] > p["tolerance"]:
            self.assertFalse(p["certified"])

    def test_nothing_that_the_uniform_law_beats_is_certified(self):
        scan = self.points("d=2", "betas=5:26.4:3", "perceptron=gradient:2", "direction=descent")
        self.assertEqual(scan["claim"], "energy")
        for p in scan["points"]:
            with self.subTest(p["beta"]):
                self.assert_meant(p)
        self.assertTrue(scan["points"][0]["certified"])
        for p in scan["points"][1:]:  # e^beta hides what is at stake
            self.assertFalse(p["certified"], p["beta"])
        page = self.murmur("landscape", "--resume", "found").stdout
        self.assertIn("does not count", page)
        self.assertRegex(page, "no: (uniform|gap)|open: rounding")

    def test_no_two_energies_are_certified_side_by_side(self):
        found = self.points("d=2", "beta=22", "perceptron=gradient:2", "direction=descent",
                            "masses=free", "starts=4", "n=100")
        for p in found["points"]:
            self.assert_meant(p)
            self.assertFalse(p["certified"])

    def test_atoms_of_an_approximation(self):
        words = ("d=3", "beta=1", "perceptron=gradient:1", "direction=descent", "masses=free",
                 "starts=8", "n=24", "seed=0")
        found = self.points(*words)
        for p in found["points"]:
            self.assert_meant(p)
            self.assertTrue(p["moved_by_symmetry"])
        told = self.murmur("landscape", *words, "-q", "-o", "told").stdout
        self.assertRegex(told.splitlines()[1], r" ~\d+ ")
        self.assertIn("their number is that of an approximation", told)

    def test_report(self):
        for words, told in ((("d=2", "beta=4", "n=12", "starts=8"), "Critical points"),
                            (("d=3", "beta=3", "n=8", "starts=4", "perceptron=gradient:2"),
                             "Localisation"), (self.SCAN, "measures certified")):
            with self.subTest(words):
                self.points(*words)
                self.murmur("report", "found", "-q")
                page = (self.folder / "found/report.html").read_text()
                self.assertIn(told, page)
                self.assertIn("data:image/svg+xml", page)

    def test_a_signal_ends_a_search_soon(self):
        process = self.start("landscape", "n=300", "d=3", "starts=100000", "--progress", "plain")
        self.assertIn("0 / 100000 starts", process.stderr.readline())
        time.sleep(0.3)
        self.ends_soon(process, signal.SIGINT, 5)
        self.assertEqual(process.returncode, 128 + signal.SIGINT)
        self.assertEqual(murmur.status(self.folder / "runs/landscape-0-1"), "interrupted")

    def test_progress(self):
        done = self.murmur("landscape", "d=2", "n=6", "starts=3", "--progress", "json")
        lines = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
        self.assertEqual([line["done"] for line in lines], [0, 1, 2, 3])
        self.assertEqual({(line["of"], line["what"]) for line in lines}, {(3, "starts")})

    def test_wrong_scans(self):
        for words, told in ((("betas=4",), "betas"), (("betas=4:1:3",), "increasing range"),
                            (("betas=0:1:3",), "increasing range"), (("betas=1:4:1",), "2 to 10000"),
                            (("betas=1:4:2.5",), "2 to 10000"), (("betas=1:4:3:9",), "betas"),
                            (("betas=1:4:3", "masses=equal"), "masses"),
                            (("betas=1:4:3", "beta=2"), "beta"),
                            (("betas=1:4:3", "starts=4"), "starts"),
                            (("betas=1:900:3",), "overflows"),
                            (("betas=1:4:3", "direction=descent"), "uniform")):
            with self.subTest(words):
                self.refused(INPUT, "landscape", *words, what=told)

    def test_wrong_requests(self):
        for words, told in (("beta=-1", "beta"), ("beta=0", "beta"), ("beta=1e-9", "digits"), ("n=0", "n"), ("d=1", "d"),
                            ("n=5000", "2000"), ("kernel=soft", "kernel"), ("starts=0", "starts"),
                            ("masses=heavy", "masses"), ("perceptron=gaussian:4", "potential"),
                            ("beta=900", "overflows"), ("tolerance=0", "tolerance"),
                            ("direction=up", "direction")):
            with self.subTest(words):
                self.refused(INPUT, "landscape", words, what=told)
        self.save("u_in.npy", np.eye(3)[:2])
        self.save("u_out.npy", np.eye(3)[:, :2])
        self.refused(INPUT, "landscape", "d=2", "perceptron=u_*.npy", what="shape")
        self.refused(INPUT, "landscape", "betta=4", do="did you mean beta")
        self.assertFalse((self.folder / "runs").exists())


if __name__ == "__main__":
    murmur.main()
