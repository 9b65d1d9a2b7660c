"""murmur landscape as a user meets it: the table, the JSON, the run directory, and what it refuses."""

import json
import math

import numpy as np

import murmur

INPUT = 3


class Landscape(murmur.Case):
    def points(self, *words):
        return json.loads(self.murmur("landscape", *words, "--json", "-q", "-o", "found",
                                          "--force").stdout)

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

    def test_a_run_repeats_itself(self):
        words = ("d=3", "n=12", "starts=6", "beta=2", "perceptron=gradient:2", "activation=gelu")
        first = self.points(*words, "threads=1")["points"]
        self.assertEqual(first, self.points(*words, "threads=2")["points"])
        again = json.loads(self.murmur("landscape", "found/config.toml", "--json", "-q", "-o",
                                           "again").stdout)
        self.assertEqual(first, again["points"])

    def test_table(self):
        done = self.murmur("landscape", "d=2", "n=8", "starts=8", "-q")
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0].split()[:3], ["energy", "atoms", "heaviest"])
        self.assertGreaterEqual(len(lines), 2)
        self.assertTrue((self.folder / "runs/landscape-0-1/figures/landscape.svg").exists())

    def test_wrong_requests(self):
        for words, told in (("beta=-1", "beta"), ("beta=0", "beta"), ("n=0", "n"), ("d=1", "d"),
                            ("n=5000", "2000"), ("kernel=soft", "kernel"), ("starts=0", "starts"),
                            ("masses=heavy", "masses"), ("perceptron=gaussian:4", "potential"),
                            ("beta=900", "overflows"), ("tolerance=0", "tolerance"),
                            ("direction=up", "direction")):
            with self.subTest(words):
                self.refused(INPUT, "landscape", words, what=told)
        self.save("u_in.npy", np.eye(3)[:2])
        self.save("u_out.npy", np.eye(3)[:, :2])
        self.refused(INPUT, "landscape", "d=2", "perceptron=u_*.npy")
        self.refused(INPUT, "landscape", "betta=4", do="did you mean beta")
        self.assertFalse((self.folder / "runs").exists())


if __name__ == "__main__":
    murmur.main()
