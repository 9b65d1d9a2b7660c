"""Trains tiny swarms: what they tell, equal bytes after any kill and for any threads, refusals."""

import json
import pathlib
import random
import shutil
import signal
import struct
import tempfile
import time

import numpy as np

import bars
import murmur

USAGE, INPUT = 2, 3  # exit codes
KILLS = 60 if murmur.LONG else 8
SMALL = ("digits=3,7", "blocks=2", "hidden=16", "batch=20")
PARAMETERS = 163
PER_EPOCH = 18  # updates: 400 bars less a tenth kept back, 20 at a time
CHANCEFUL = ("seconds", "images_per_second")  # what a summary may say differently each time


def parameters_of(model):
    """The number of trained parameters in a safetensors file."""
    content = model.read_bytes()
    length = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:8 + length])
    return sum(int(np.prod(tensor["shape"])) for name, tensor in header.items()
               if name not in ("__metadata__", "targets"))


def promised(run):
    """The files of a training that must not depend on kills, threads or resumes."""
    kept = {name: (run / name).read_bytes() for name in (*murmur.PROMISED, "model.safetensors")}
    summary = json.loads((run / "summary.json").read_text())
    kept["summary"] = {key: summary[key] for key in summary if key not in CHANCEFUL}
    return kept


class Training(murmur.Case):
    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="murmur-train-", dir=murmur.SCRATCH))
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)
        cls.data = bars.save(cls.shared / "bars")

    def words(self, *more):
        return ("train", f"data={self.data}", *SMALL, *more)

    def train(self, name, *more):
        self.murmur(*self.words(*more, "-q", "-o", name))
        return self.folder / name

    def same(self, got, expected, told):
        got, expected = promised(got), promised(expected)
        self.assertEqual(got["summary"], expected["summary"], told)
        for name, content in expected.items():
            self.assertEqual(got[name] == content, True, f"{name} {told}")

    def interrupted(self, strike, *more):
        """What a training of some seconds says when it is stopped after its first checkpoint."""
        process = self.start(*self.words("epochs=200", *more, "--checkpoint", "0.02", "-o", "run"))
        while process.poll() is None and not (self.folder / "run/checkpoint.safetensors").exists():
            time.sleep(0.005)
        process.send_signal(strike)
        out, err = process.communicate(timeout=murmur.PATIENCE)
        self.assertEqual(process.returncode, 128 + strike, out + err)
        return out, err


class Telling(Training):
    def test_dry_run(self):
        told = self.murmur(*self.words("epochs=3", "--dry-run")).stdout
        self.assertIn('digits = "3,7"\n', told)
        self.assertIn(f'data = "{self.data}"\n', told)
        self.assertIn('rate = "0.01"\n', told)  # what the recipe says, in numbers
        self.assertEqual(told.splitlines()[-1], f"# {PARAMETERS} parameters, 2 blocks, 3 epochs")
        told = json.loads(self.murmur(*self.words("epochs=3", "--dry-run", "--json")).stdout)
        self.assertEqual((told["parameters"], told["epochs"]), (PARAMETERS, 3))
        self.assertEqual(list(self.folder.iterdir()), [])
        self.write("dry.toml", told["config"])
        self.murmur("train", "dry.toml", "-q", "-o", "described")
        self.same(self.folder / "described", self.train("direct", "epochs=3"), "by a file")

    def test_summary(self):
        done = self.murmur(*self.words("epochs=12", "seed=4", "--json", "-q", "-o", "run"))
        self.assertEqual(done.stderr, "")
        told, run = json.loads(done.stdout), self.folder / "run"
        self.assertEqual((told["run"], told["status"]), ("run", "done"))
        self.assertEqual((told["epochs"], told["seed"]), (12, 4))
        self.assertEqual(told["parameters"], parameters_of(run / "model.safetensors"))
        self.assertGreater(told["seconds"], 0)
        self.assertGreaterEqual(told["test_accuracy"], 0.9)
        self.assertGreaterEqual(told["validation_accuracy"], 0.9)
        images = told["images_per_second"] * told["seconds"]
        self.assertAlmostEqual(images, 12 * PER_EPOCH * 20, delta=1e-6 * images)
        kept = json.loads((run / "summary.json").read_text())
        for key in ("test_accuracy", "validation_accuracy", "images_per_second", "epochs",
                    "seconds", "seed", "parameters"):
            self.assertEqual(kept[key], told[key], key)
        self.assertEqual(kept["test_count"], 60)
        self.assertEqual(kept["test_correct"] / 60, told["test_accuracy"])
        self.assertRegex(kept["data_sha256"], "^[0-9a-f]{64}$")
        self.assertEqual(murmur.status(run), "done")

    def test_epochs_are_frames(self):
        run = self.train("run", "epochs=4")
        frames, times = murmur.frames_and_times(run)
        self.assertEqual(frames.shape, (5, 2, 3))  # one mean boid of each class
        self.assertEqual(list(times), [0, 1, 2, 3, 4])
        table = np.genfromtxt(run / "observables.csv", delimiter=",", names=True)
        self.assertEqual(list(table["t"]), [0, 1, 2, 3, 4])
        self.assertTrue(np.isfinite(table["validation_accuracy"]).all())
        for name in ("loss", "train_accuracy", "gradient"):  # nothing learned before the first
            self.assertEqual(list(np.isnan(table[name])), [True] + 4 * [False], name)
        summary = json.loads((run / "summary.json").read_text())
        self.assertEqual(table["validation_accuracy"][-1], summary["validation_accuracy"])

    def test_nothing_kept_back(self):
        done = self.murmur(*self.words("epochs=1", "validation=0", "--json", "-o", "run"))
        self.assertIsNone(json.loads(done.stdout)["validation_accuracy"])

    def test_the_seed_matters(self):
        first = promised(self.train("first", "epochs=1"))
        other = promised(self.train("other", "epochs=1", "seed=1"))
        self.assertNotEqual(first["model.safetensors"], other["model.safetensors"])


class Recurrent(Training):
    """reader=recurrent: one network of about as many parameters in the swarm's place."""

    def test_learns_and_is_listed(self):
        done = self.murmur(*self.words("reader=recurrent", "epochs=12", "--json", "-q", "-o", "run"))
        told, run = json.loads(done.stdout), self.folder / "run"
        self.assertGreaterEqual(told["test_accuracy"], 0.9)  # which bars are upright is easy
        self.assertEqual(told["parameters"], parameters_of(run / "model.safetensors"))
        self.assertLess(abs(told["parameters"] - PARAMETERS), 15)
        plan = self.murmur(*self.words("reader=recurrent", "--dry-run", "--json")).stdout
        self.assertEqual(json.loads(plan)["parameters"], told["parameters"])
        row = json.loads(self.murmur("runs", "--runs", ".", "--json").stdout)[0]
        self.assertEqual((row["reader"], row["test_accuracy"]), ("recurrent", told["test_accuracy"]))
        self.assertIn("recurrent network", self.murmur("runs", "--runs", ".").stdout)

    def test_same_bytes_after_a_stop_and_for_any_threads(self):
        words = ("reader=recurrent", "epochs=200")
        whole = self.train("whole", *words, "threads=2")
        self.interrupted(signal.SIGTERM, *words[:1], "threads=1")
        self.murmur("train", "--resume", "run", "-q")
        self.same(self.folder / "run", whole, "after a stop")

    def test_refusals(self):
        run = self.train("run", "reader=recurrent", "epochs=1")
        for words in (("classify", run, "images=test:0"), ("report", run), ("simulate", f"model={run}")):
            self.refused(INPUT, *words, what="recurrent network", do="reader=recurrent")
        self.refused(INPUT, *self.words("reader=recurent"), what="reader", do="recurrent")
        for word in ("dropout=0.1", "loss=target", "settle=1", "deeper=2", "device=cuda"):
            self.refused(INPUT, *self.words("reader=recurrent", word, "-o", "x"), what=word.split("=")[0])
        self.assertFalse((self.folder / "x").exists())


class Threads(Training):
    def check(self, *words):
        one = self.train("one", *words, "threads=1", "--force")
        for threads in (2, 3):
            many = self.train("many", *words, f"threads={threads}", "--force")
            self.same(many, one, f"by {threads} threads")

    def test_same_bytes(self):
        self.check("epochs=3")

    def test_same_bytes_in_other_ways(self):
        for words in (("dropout=0.2",), ("d=6", "heads=2"), ("heads=2",),
                      ("heads=2", "head_width=2", "dropout=0.2"), ("readout=cls", "position=true"),
                      ("shared=false", "interaction=uniform"), ("recipe=published",),
                      ("recipe=settled", "affine=0.1", "warp=1"), ("d=6", "settle=1")):
            with self.subTest(words):
                self.check("epochs=1", *words)


class Resume(Training):
    def disturbed(self, words, strike, kills, seconds):
        """Strikes at random instants and resumes until done; how many strikes, how many of them
        left a checkpoint."""
        run, struck, checkpoints = self.folder / "run", 0, 0
        draw = random.Random(kills)
        while True:
            words_now = ("train", "--resume", "run") if run.exists() else (*words, "-o", "run")
            process = self.start(*words_now, "-q", "--checkpoint", "0.02")
            if struck < kills:
                time.sleep(draw.uniform(0, seconds))
                process.send_signal(strike)
            _, err = process.communicate(timeout=murmur.PATIENCE)
            self.assertEqual(err, "", "nothing to complain about")
            if process.returncode == 0:
                return struck, checkpoints
            checkpointed = () if strike == signal.SIGKILL else (128 + strike,)
            self.assertIn(process.returncode, (*checkpointed, -strike))  # - : not yet listening
            struck += 1
            checkpoints += (run / "checkpoint.safetensors").exists()

    def check(self, strike, kills, *more):
        """Kills at any instant, and the bytes are those of a training never disturbed."""
        began = time.time()
        whole = self.train("whole", *more)
        seconds, struck, checkpoints = time.time() - began, 0, 0
        for _ in range(10 * kills):
            made, kept = self.disturbed(self.words(*more), strike, kills - struck, 0.6 * seconds)
            struck, checkpoints = struck + made, checkpoints + kept
            self.same(self.folder / "run", whole, f"after {struck} strikes")
            shutil.rmtree(self.folder / "run")
            if struck >= kills and checkpoints > 0:
                return
        self.fail(f"{struck} of {kills} strikes hit a training, {checkpoints} after a checkpoint")

    def test_killed(self):
        self.check(signal.SIGKILL, KILLS, "epochs=60")

    def test_killed_with_dropout_and_free_blocks(self):
        self.check(signal.SIGKILL, KILLS // 2, "epochs=40", "dropout=0.2", "shared=false")

    def test_killed_while_it_averages(self):
        self.check(signal.SIGKILL, KILLS // 2, "epochs=40", "averaging=0.9", "affine=0.1", "warp=1", "settle=1")

    def test_terminated(self):
        self.check(signal.SIGTERM, KILLS // 2, "epochs=40")

    def test_other_threads_go_on(self):
        """A training begun by three threads is finished by one."""
        whole = self.train("whole", "epochs=200", "threads=2")
        self.interrupted(signal.SIGTERM, "threads=3")
        config = self.folder / "run/config.toml"
        config.write_text(config.read_text().replace('threads = "3"', 'threads = "1"'))
        self.murmur("train", "--resume", "run", "-q")
        self.same(self.folder / "run", whole, "by other threads")

    def test_interrupt_says_how_to_go_on(self):
        for strike in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(strike):
                out, err = self.interrupted(strike)
                self.assertEqual(out, "run\n")
                self.assertIn("continue with\n  murmur train --resume run\n", err)
                run = self.folder / "run"
                self.assertEqual(murmur.status(run), "interrupted")
                self.assertTrue((run / "checkpoint.safetensors").exists())
                for name in ("summary.json", "model.safetensors"):
                    self.assertFalse((run / name).exists(), name)
                shutil.rmtree(run)

    def test_interrupt_as_json(self):
        out, _ = self.interrupted(signal.SIGINT, "--json")
        self.assertEqual(json.loads(out), {"run": "run", "status": "interrupted"})

    def test_finished(self):
        run = self.train("run", "epochs=1")
        before = murmur.tree(run)
        done = self.murmur("train", "--resume", "run")
        self.assertEqual(done.stdout, "run\n")
        self.assertIn("already finished", done.stderr)
        told = json.loads(self.murmur("train", "--resume", "run", "--json").stdout)
        summary = json.loads((run / "summary.json").read_text())
        self.assertEqual(told["test_accuracy"], summary["test_accuracy"])
        self.assertEqual(murmur.tree(run), before)

    def test_refusals(self):
        self.simulate("flight", "n=4", "T=1")
        self.refused(INPUT, "train", "--resume", "flight", where="flight")
        self.train("run", "epochs=1")
        self.refused(INPUT, "simulate", "--resume", "run", do="murmur train --resume")
        self.refused(USAGE, "train", "--resume", "run", "epochs=2")
        self.refused(INPUT, "train", "--resume", "nowhere", where="nowhere")

    def test_other_pictures_are_refused(self):
        self.data = self.folder / "mine"
        shutil.copytree(self.shared / "bars", self.data)
        whole, run = self.train("whole", "epochs=200"), self.folder / "run"
        self.interrupted(signal.SIGINT)
        kept = (*murmur.PROMISED, "checkpoint.safetensors", "config.toml")
        before = {name: (run / name).read_bytes() for name in kept}
        pictures = np.load(self.data / "train_images.npy")
        pictures[0, 0, 0] = 255
        self.save("mine/train_images.npy", pictures)
        done = self.murmur("train", "--resume", "run", code=INPUT)
        self.assertRegex(done.stderr, r"^murmur: .*pictures.*\n  where: .+\n  do:    .+\n$")
        self.assertEqual(done.stdout, "")
        self.assertEqual(murmur.status(run), "interrupted")
        self.assertEqual({name: (run / name).read_bytes() for name in kept} == before, True)
        shutil.rmtree(self.data)
        self.refused(INPUT, "train", "--resume", "run", where="mine")
        shutil.copytree(self.shared / "bars", self.data)
        self.murmur("train", "--resume", "run", "-q")
        self.same(run, whole, "after other pictures were refused")


class Refusals(Training):
    def test_nonsense(self):
        for words in (("digits=5",), ("digits=5,5",), ("digits=0-12",), ("digits=",),
                      ("digits=a,b",), ("d=1",), ("heads=0",), ("head_width=0",), ("epochs=0",),
                      ("epochs=2.5",), ("batch=0",), ("rate=-1",), ("rate=0",), ("dropout=1",),
                      ("validation=0.95",), ("recipe=foo",), ("hidden=-1",), ("task=foo",), ("every=0",), ("samples=5",),
                      ("task=same", "samples=all"), ("blocks=0",),
                      ("threads=0",), ("seed=-1",)):
            with self.subTest(words):
                word = words[-1]
                self.refused(INPUT, *self.words(*words, "-o", "run"), what=word.split("=")[0],
                             where=word)

    def test_unknown_parameter(self):
        self.refused(INPUT, *self.words("epoch=3"), what="epoch", do="did you mean epochs")
        self.refused(INPUT, *self.words("beta=3"), what="beta")

    def test_taken_place(self):
        self.train("run", "epochs=1")
        again = self.words("epochs=1", "seed=1", "-q", "-o", "run")
        self.refused(USAGE, *again, where="run", do="--force")
        self.murmur(*again, "--force")
        self.assertEqual(json.loads((self.folder / "run/summary.json").read_text())["seed"], 1)

    def test_missing_data(self):
        self.refused(INPUT, "train", "data=nowhere", "-o", "run", where="nowhere")
        self.refused(INPUT, *self.words("digits=3,4", "-o", "run"), what="labelled 4")
        nowhere = {"HOME": "/nowhere", "XDG_DATA_HOME": ""}
        self.refused(INPUT, "train", "-o", "run", env=nowhere, do="data")
        shutil.copytree(self.data, self.folder / "mine")
        (self.folder / "mine/test_labels.npy").unlink()
        self.refused(INPUT, "train", "data=mine", *SMALL, "-o", "run", where="mine")


if __name__ == "__main__":
    murmur.main()
