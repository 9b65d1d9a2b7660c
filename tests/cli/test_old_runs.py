"""test_old_runs.py: run directories of earlier versions still open, go on, are drawn and reported."""

import hashlib
import json
import shutil

import numpy as np

import murmur

RUNS = murmur.ROOT / "tests/fixtures/runs"
KINDS = {  # fixture -> the command that made it, and its status
    "simulate": ("simulate", "interrupted"),
    "simulate-merge": ("simulate", "interrupted"),
    "train": ("train", "interrupted"),
    "meanfield": ("meanfield", "interrupted"),
    "sweep": ("sweep", "interrupted"),
    "landscape": ("landscape", "done"),
}


def table(path):
    return np.genfromtxt(path, delimiter=",", names=True)


def merges(run):
    lines = (run / "events.jsonl").read_text().splitlines()
    return [line for line in lines if json.loads(line)["event"] == "merge"]


class OldRuns(murmur.Case):
    def setUp(self):
        super().setUp()
        (self.folder / "data").mkdir()
        shutil.copytree(RUNS / "pictures", self.folder / "data/mnist")

    def copied(self, name):
        run = self.folder / "runs" / name
        shutil.copytree(RUNS / name, run)
        return run

    def whole(self, name):
        """The same run without an interruption, made now from its config.toml."""
        command = KINDS[name][0]
        self.murmur(command, RUNS / name / "config.toml", "-q", "-o", "whole")
        return self.folder / "whole"

    def assert_same_table(self, one, other):
        a, b = table(one), table(other)
        self.assertEqual(a.dtype.names, b.dtype.names)
        for column in a.dtype.names:
            np.testing.assert_allclose(a[column], b[column], rtol=1e-7, atol=1e-9, err_msg=column)

    def test_listed_and_shown(self):
        for name in KINDS:
            self.copied(name)
        rows = {row["run"]: row for row in json.loads(self.murmur("runs", "--json").stdout)}
        self.assertEqual(set(rows), {f"runs/{name}" for name in KINDS})
        for name, (command, status) in KINDS.items():
            row = rows[f"runs/{name}"]
            self.assertEqual((row["command"], row["status"]), (command, status))
            shown = self.murmur("runs", "show", name).stdout
            self.assertIn(f"command   {command}\n", shown)
            self.assertIn((RUNS / name / "config.toml").read_text(), shown)
            self.murmur("runs", "diff", name, name)

    def test_simulations_go_on_to_the_bytes_of_a_whole_run(self):
        expected = json.loads((RUNS / "sha256.json").read_text())
        for name in ("simulate", "simulate-merge"):
            with self.subTest(name):
                run, whole = self.copied(name), self.whole(name)
                self.murmur("simulate", "--resume", run)
                self.assertEqual(murmur.status(run), "done")
                for file, digest in expected[name].items():
                    for made in (run, whole):
                        got = hashlib.sha256((made / file).read_bytes()).hexdigest()
                        self.assertEqual(got, digest, f"{file} of {made.name}")
                self.assert_same_table(run / "observables.csv", whole / "observables.csv")
                self.assertEqual(merges(run), merges(whole))
                self.assertEqual(len(merges(run)), 5 if name == "simulate-merge" else 0)
                shutil.rmtree(whole)

    def test_a_simulation_goes_on_past_its_end_and_is_drawn(self):
        run = self.copied("simulate")
        self.murmur("runs", "resume", run, "T=10.5")
        self.assertEqual(np.load(run / "times.npy")[-1], 10.5)
        self.murmur("render", run, "--plot", "energy", "-o", "energy.svg")
        self.murmur("export", run, "-o", "flight.csv")
        self.murmur("measure", run, "--json")
        self.murmur("report", run, "--no-film")
        self.assertTrue((run / "report.html").exists())

    def test_a_training_goes_on(self):
        run = self.copied("train")
        before = (run / "observables.csv").read_text()
        self.murmur("train", "--resume", run)
        self.assertEqual(murmur.status(run), "done")
        after = (run / "observables.csv").read_text()
        self.assertTrue(after.startswith(before), "epochs that were done stay")
        self.assertEqual(len(after.splitlines()), 32, "names, the start and 30 epochs")
        summary = json.loads((run / "summary.json").read_text())
        whole = self.whole("train")
        again = json.loads((whole / "summary.json").read_text())
        for key in ("epochs", "parameters", "data_sha256", "test_count"):
            self.assertEqual(summary[key], again[key])
        shapes = [np.load(made / "trajectory.npy").shape for made in (run, whole)]
        self.assertEqual(*shapes)
        self.murmur("report", run, "--no-film")

    def test_a_mean_field_goes_on(self):
        run, whole = self.copied("meanfield"), self.whole("meanfield")
        self.murmur("meanfield", "--resume", run)
        self.assertEqual(murmur.status(run), "done")
        for name in ("density.npy", "times.npy", "grid.npy", "trajectory.npy"):
            np.testing.assert_allclose(np.load(run / name), np.load(whole / name), rtol=1e-7,
                                       atol=1e-9, err_msg=name)
        self.assert_same_table(run / "observables.csv", whole / "observables.csv")
        self.murmur("report", run)

    def test_a_sweep_goes_on(self):
        run = self.copied("sweep")
        before = (run / "cells/000000.csv").read_bytes()
        self.murmur("sweep", "--resume", run)
        self.assertEqual(murmur.status(run), "done")
        self.assertEqual((run / "cells/000000.csv").read_bytes(), before, "what was done stays")
        self.assert_same_table(run / "sweep.csv", self.whole("sweep") / "sweep.csv")

    def test_a_landscape_is_reported(self):
        run = self.copied("landscape")
        kept = (run / "points.json").read_bytes()
        self.murmur("report", run)
        self.assertIn("by scale", (run / "report.html").read_text(), "certified by the old rule")
        self.assertEqual((run / "points.json").read_bytes(), kept)


if __name__ == "__main__":
    murmur.main()
