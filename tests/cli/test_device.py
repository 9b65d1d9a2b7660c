"""Trains on a GPU where there is one: as good as on the processor; elsewhere refused."""

import json
import pathlib
import shutil
import tempfile

import bars
import murmur

INPUT, TOOL = 3, 6  # exit codes
SMALL = ("digits=3,7", "blocks=2", "hidden=16", "batch=20", "epochs=4", "-q")


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
