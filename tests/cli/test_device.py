"""Simulates and trains on a GPU where there is one: as on the processor; elsewhere refused."""

import json
import pathlib
import shutil
import tempfile

import numpy as np

import bars
import murmur

INPUT, TOOL = 3, 6  # exit codes
SMALL = ("digits=3,7", "blocks=2", "hidden=16", "batch=20", "epochs=4", "-q")


SWARM = ("simulate", "n=300", "d=3", "beta=4", "method=rk4", "dt=0.05", "save=every:0.5", "-q")


class Engine(murmur.Case):
    """engine=cuda, or its refusal; and a run that another engine goes on with."""

    def last(self, run):
        return np.load(self.folder / run / "trajectory.npy")[-1]

    def test_simulate(self):
        done = self.murmur(*SWARM, "T=2", "engine=cuda", "-o", "gpu", code=None)
        if done.returncode != 0:
            self.assertEqual(done.returncode, TOOL, done.stderr)
            self.assertIn("use engine=auto", done.stderr)
            self.assertEqual(len(done.stderr.strip().splitlines()), 3, done.stderr)
            self.assertFalse((self.folder / "gpu").exists())
            return
        self.murmur(*SWARM, "T=2", "engine=simd", "-o", "cpu")
        self.assertLess(np.abs(self.last("gpu") - self.last("cpu")).max(), 1e-11)
        for begun, other in (("cuda", "simd"), ("simd", "cuda")):
            self.go_on_with(begun, other)

    def test_other_engine(self):
        self.go_on_with("simd", "reference")
        self.go_on_with("reference", "simd")

    def go_on_with(self, begun, other):
        run = f"{begun}-{other}"
        self.murmur(*SWARM, "T=1", f"engine={begun}", "-o", run)
        done = self.murmur("simulate", "--resume", run, "T=2", f"engine={other}")
        self.assertIn("bits may differ", done.stderr)
        events = (self.folder / run / "events.jsonl").read_text().splitlines()
        told = [json.loads(line) for line in events if "engine_now" in line][-1]
        self.assertTrue(told["engine_before"].startswith(begun), told)
        self.assertTrue(told["engine_now"].startswith(other), told)
        self.assertIn(f'engine = "{other}"', (self.folder / run / "config.toml").read_text())
        self.murmur(*SWARM, "T=2", f"engine={begun}", "-o", run + "-whole")
        apart = np.abs(self.last(run) - self.last(run + "-whole")).max()
        self.assertLess(apart, 1e-11)

    def test_resume_refusals(self):
        self.murmur(*SWARM, "T=1", "engine=simd", "-o", "run")
        self.refused(INPUT, "simulate", "--resume", "run", "T=2", "beta=9", do="another engine")
        self.refused(INPUT, "simulate", "--resume", "run", "engine=abacus", what="abacus")
        done = self.murmur("simulate", "--resume", "run", "T=2", "engine=cuda", code=None)
        self.assertIn(done.returncode, (0, TOOL), done.stderr)
        self.murmur("simulate", "--resume", "run", "T=3", "engine=simd")


class Device(murmur.Case):
    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="murmur-device-", dir=murmur.SCRATCH))
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)
        cls.data = bars.save(cls.shared / "bars")

    def test_cuda(self):
        words = ("train", f"data={self.data}", *SMALL)
        done = self.murmur(*words, "device=cuda", "-o", "gpu", code=None)
        if done.returncode != 0:
            self.assertEqual(done.returncode, TOOL, done.stderr)
            self.assertIn("use device=cpu", done.stderr)
            self.assertFalse((self.folder / "gpu").exists())
            return
        self.murmur(*words, "-o", "cpu")
        gpu, cpu = (json.loads((self.folder / name / "summary.json").read_text())["test_accuracy"]
                    for name in ("gpu", "cpu"))
        self.assertAlmostEqual(gpu, cpu, delta=0.05)

    def test_refusals(self):
        self.refused(INPUT, "train", "device=gpu", "--dry-run", what="device")
        self.refused(INPUT, "train", "device=cuda", "dropout=0.1", "--dry-run", do="device=cpu")


if __name__ == "__main__":
    murmur.main()
