"""Swarms that tell whether two pictures are of one class: trained, asked, drawn, resumed."""

import json
import signal
import time

import numpy as np

import murmur
from test_train import Training, promised

USAGE, INPUT = 2, 3  # exit codes
SMALL = ("task=same", "digits=3,7", "blocks=2", "hidden=16", "batch=20", "samples=200")
PAIRS = 8192  # of the test


class Same(Training):
    def words(self, *more):
        return ("train", f"data={self.data}", *SMALL, *more)

    def test_epochs_and_summary(self):
        run = self.train("run", "epochs=3")
        frames, times = murmur.frames_and_times(run)
        self.assertEqual(frames.shape, (4, 2, 3))  # same, different
        self.assertEqual(list(times), [0, 1, 2, 3])
        summary = json.loads((run / "summary.json").read_text())
        self.assertEqual(summary["test_count"], PAIRS)
        self.assertIn('task = "same"', (run / "config.toml").read_text())

    def test_isolation_is_never_right_on_more_than_three_of_four(self):
        """A theorem of the test set: it holds for every swarm without interaction."""
        for seed in range(3):
            run = self.train("run", "epochs=4", "interaction=none", f"seed={seed}", "--force")
            summary = json.loads((run / "summary.json").read_text())
            self.assertLessEqual(summary["test_correct"], 3 * PAIRS // 4)

    def test_same_bytes_for_any_threads(self):
        one = promised(self.train("one", "epochs=2", "threads=1"))
        for threads in (2, 3):
            many = promised(self.train("many", "epochs=2", f"threads={threads}", "--force"))
            self.assertEqual(many == one, True, f"by {threads} threads")
        other = promised(self.train("other", "epochs=2", "seed=1"))
        self.assertNotEqual(other["model.safetensors"], one["model.safetensors"])

    def test_same_bytes_after_a_stop(self):
        whole = promised(self.train("whole", "epochs=60"))
        words = self.words("epochs=60", "--checkpoint", "0.02", "-q", "-o", "run")
        process, stopped = self.start(*words), 0
        while True:
            while process.poll() is None and not (self.folder / "run/checkpoint.safetensors").exists():
                time.sleep(0.005)
            time.sleep(0.05)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=murmur.PATIENCE)
            if process.returncode == 0:
                break
            stopped += 1
            process = self.start("train", "--resume", "run", "--checkpoint", "0.02", "-q")
            if stopped == 4:
                process.communicate(timeout=murmur.PATIENCE)
                break
        self.assertGreater(stopped, 0)
        self.assertEqual(promised(self.folder / "run") == whole, True)

    def test_classify(self):
        run = self.train("run", "epochs=2")
        told = self.murmur("classify", run, "images=test")
        lines = [line.split() for line in told.stdout.splitlines()]
        self.assertEqual([int(line[0]) for line in lines], list(range(PAIRS)))
        self.assertEqual({line[1] for line in lines} <= {"same", "different"}, True)
        truth = [line[5] for line in lines]
        self.assertEqual(truth, ["same", "different", "different", "same"] * (PAIRS // 4))
        right = sum(line[1] == line[5] for line in lines)
        summary = json.loads((run / "summary.json").read_text())
        self.assertEqual(right, summary["test_correct"])
        rows = json.loads(self.murmur("classify", run, "images=test:4-6", "--json").stdout)
        self.assertEqual([row["index"] for row in rows], [4, 5, 6])
        self.assertEqual([row["label"] for row in rows], ["same", "different", "different"])
        self.assertEqual(set(rows[0]["scores"]), {"same", "different"})
        for row, line in zip(rows, lines[4:7]):
            self.assertEqual(row["verdict"], line[1])

    def test_two_pictures_of_ones_own(self):
        run = self.train("run", "epochs=1")
        labels = np.load(self.data / "test_labels.npy")
        for left, right in ((0, 1), (2, 0)):
            told = self.murmur("classify", run, f"images=test:{left}+test:{right}").stdout.split()
            self.assertEqual(told[5], "same" if labels[left] == labels[right] else "different")
        pictures = np.load(self.data / "test_images.npy")
        np.save(self.folder / "one.npy", pictures[0])
        mine = self.murmur("classify", run, "images=one.npy+test:1").stdout.split()
        self.assertEqual(len(mine), 5)  # of the first picture's class nothing is known
        known = self.murmur("classify", run, "images=test:0+test:1").stdout.split()
        self.assertEqual(mine, known[:5])

    def test_flights_and_pictures(self):
        run = self.train("run", "epochs=1")
        self.murmur("simulate", f"model={run}", f"data={self.data}", "init=test:5", "-q", "-o", "five")
        frames, _ = murmur.frames_and_times(self.folder / "five")
        self.assertTrue((frames[0, :, 2] == 0).all())
        self.assertTrue((np.abs(np.abs(frames[0, :, 0]) - 5.5) <= 5).all())
        told = json.loads(self.murmur("classify", run, "images=test:5", "--json", "-q").stdout)[0]
        score = frames[-1].mean(axis=0)[0] * -1  # the target of `same` is (-10, 0, 0)
        self.assertAlmostEqual(told["scores"]["same"], score, delta=1e-4 * abs(score) + 1e-5)
        self.murmur("classify", run, "images=test:5", "-q", "--no-film", "-o", "kept")
        again, _ = murmur.frames_and_times(self.folder / "kept")
        self.assertTrue((again[0] == frames[0]).all())
        self.assertTrue((self.folder / "kept/figures/flight.png").exists())
        self.murmur("report", run, "--no-film", "-q")
        page = (run / "report.html").read_text()
        self.assertIn("are the same", page)
        self.assertIn(f"of {PAIRS} test pairs", page)

    def test_refusals(self):
        run = self.train("run", "epochs=1")
        self.refused(INPUT, "classify", run, "images=train:3", do="LEFT.RIGHT")
        self.refused(INPUT, "classify", run, f"images=test:{PAIRS}", what=f"no pair {PAIRS}")
        self.refused(INPUT, "classify", run, "images=test:0-3+test:1", what="4 pictures")
        self.refused(USAGE, "classify", run, "images=test:0-12", "-o", "kept", what="at most 12")
        for init in ("train:3", f"test:{PAIRS}"):
            self.refused(INPUT, "simulate", f"model={run}", f"data={self.data}", f"init={init}",
                         "-o", "flight", what="init")


if __name__ == "__main__":
    murmur.main()
