"""A run knows what it is: changed settings, inputs and outputs are refused, and nothing is cut."""

import json
import pathlib
import shutil
import signal
import tempfile
import time

import numpy as np

import bars
import murmur

VERIFICATION, USAGE, INPUT = 7, 2, 3  # exit codes
WORDS = ("n=8", "d=2", "beta=9", "T=1", "save=every:0.25")


def flip(path, at=-3):
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(bytes(content))


class Settings(murmur.Case):
    def check(self, command, run, changes, *more):
        """Each change of config.toml is refused, and shown, whether the run is to go on or not."""
        config = run / "config.toml"
        text = config.read_text()
        for old, new in changes:
            with self.subTest(f"{command}: {old} -> {new}"):
                config.write_text(text)
                murmur.edit(config, old, new)
                shown = f"{old} was made, {new} is there now".replace("(", r"\(")
                for words in ((command, "--resume", run.name), ("runs", "resume", run.name),
                              (command, "--resume", run.name, *more)):
                    self.refused(INPUT, *words, what=shown, where=r"config\.toml:\d+",
                                 do="restore")

    def test_simulation(self):
        run = self.simulate("run", *WORDS)
        self.check("simulate", run,
                   (("beta = 9.0", "beta = 1.0"), ('dynamics = "SA"', 'dynamics = "USA"'),
                    ("rtol = 1e-08", "rtol = 1e-03"), ("seed = 0", "seed = 1"),
                    ('init = "uniform"', 'init = "caps"'),
                    ('save = "every:0.25"', 'save = "every:0.5"'), ("T = 1.0", "T = 2.0"),
                    ("T = 1.0", "T = 0.5")), "T=3")

    def test_an_interrupted_simulation(self):
        process = self.start("simulate", "n=200", "method=rk4", "dt=0.01", "T=1000", "-o", "run",
                             "--checkpoint", "0.02")
        run = self.folder / "run"
        while not (run / "checkpoint.safetensors").exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.communicate()
        self.check("simulate", run, (("beta = 4.0", "beta = 2.0"),))

    def test_every_change_is_counted(self):
        run = self.simulate("run", *WORDS)
        murmur.edit(run / "config.toml", "beta = 9.0", "beta = 1.0")
        murmur.edit(run / "config.toml", "seed = 0\n", "")
        self.refused(INPUT, "simulate", "--resume", "run", what="and 1 more line")

    def test_mean_field(self):
        self.murmur("meanfield", "d=2", "beta=5", "init=mode:3:1e-4", "T=0.1", "-q", "-o", "run")
        self.check("meanfield", self.folder / "run",
                   (("beta = 5.0", "beta = 1.0"), ("noise = 0.0", "noise = 0.1"),
                    ('init = "mode:3:1e-4"', 'init = "mode:2:1e-4"')), "T=0.2")

    def test_landscape(self):
        self.murmur("landscape", "d=2", "n=8", "starts=3", "beta=4", "-q", "-o", "run")
        self.check("landscape", self.folder / "run", (("beta = 4.0", "beta = 2.0"),))

    def test_sweep(self):
        self.murmur("sweep", "beta=1,2", "n=4", "d=2", "T=0.5", "-q", "-o", "run")
        self.check("sweep", self.folder / "run", (("n = 4", "n = 5"), ("seed = 0", "seed = 1")))

    def test_comments_are_free(self):
        run = self.simulate("run", *WORDS)
        murmur.edit(run / "config.toml", "beta = 9.0\n", "# sharp\n  beta = 9.0\n\n")
        self.murmur("simulate", "--resume", "run", "T=2")
        self.murmur("runs", "verify", "run")

    def test_inputs(self):
        self.save("x.npy", murmur.unit_points(6, 3))
        run = self.simulate("run", "init=x.npy", "T=1")
        points = run / "inputs/points.npy"
        kept = points.read_bytes()
        np.save(points, murmur.unit_points(6, 3, seed=1))
        self.refused(INPUT, "simulate", "--resume", "run", "T=2",
                     what="points.npy is not the input", where="points.npy")
        self.refused(INPUT, "simulate", "--resume", "run")
        points.unlink()
        self.refused(INPUT, "simulate", "--resume", "run", "T=2", what="is gone")
        points.write_bytes(kept)
        np.save(run / "inputs/masses.npy", np.ones(6))
        self.refused(INPUT, "simulate", "--resume", "run", "T=2", what="was not there")
        (run / "inputs/masses.npy").unlink()
        self.murmur("simulate", "--resume", "run", "T=2")

    def test_the_checkpoint_of_another_run(self):
        run, other = self.simulate("run", *WORDS), self.simulate("other", *WORDS, "beta=4")
        shutil.copy(other / "checkpoint.safetensors", run)
        self.refused(INPUT, "simulate", "--resume", "run", "T=2", what="of another run",
                     where="checkpoint")

    def test_digests_are_kept(self):
        run = self.simulate("run", *WORDS)
        told = murmur.manifest(run)
        self.assertEqual(told["settings"]["text"], (run / "config.toml").read_text())
        self.assertEqual(told["settings"]["before"], [])
        self.assertEqual(list(told["inputs"]), ["points.npy"])
        self.murmur("simulate", "--resume", "run", "T=2")
        longer = murmur.manifest(run)
        self.assertEqual(longer["settings"]["before"], [told["settings"]["sha256"]])
        self.assertIn("T = 2.0\n", longer["settings"]["text"])
        self.assertNotIn("next", longer["settings"])
        self.murmur("runs", "verify", "run")

    def test_older_runs_go_on_with_a_warning(self):
        run, whole = self.simulate("run", *WORDS), self.simulate("whole", *WORDS, "T=2")
        murmur.forget_digests(run)
        done = self.murmur("simulate", "--resume", "run", "T=2")
        self.assertEqual(done.stderr.splitlines()[0].split(":")[0], "warning")
        self.assertEqual(done.stderr.count("older than the digests"), 1)
        self.assertEqual(murmur.promised(run) == murmur.promised(whole), True)
        again = self.murmur("simulate", "--resume", "run", "T=3")
        self.assertNotIn("warning", again.stderr)

    def test_an_extension_that_was_killed_goes_on(self):
        """Between two writes config.toml is the old or the new one, and the manifest knows both."""
        whole = murmur.promised(self.simulate("whole", *WORDS, "T=2"))
        old = self.simulate("old", *WORDS)
        new = self.simulate("new", *WORDS)
        self.murmur("simulate", "--resume", "new", "T=2")
        after = murmur.manifest(new)["settings"]
        for config in (old / "config.toml", new / "config.toml"):
            run = self.folder / "run"
            shutil.copytree(old, run)
            told = murmur.manifest(run)
            told["status"] = "running"
            told["sha256"] = {}
            told["settings"]["next"] = {"sha256": after["sha256"], "text": after["text"]}
            (run / "manifest.json").write_text(json.dumps(told))
            shutil.copy(config, run / "config.toml")
            self.murmur("simulate", "--resume", "run", "T=2")
            self.assertEqual(murmur.promised(run) == whole, True)
            self.murmur("runs", "verify", "run")
            shutil.rmtree(run)


class Training(murmur.Case):
    def setUp(self):
        super().setUp()
        data = pathlib.Path(tempfile.mkdtemp(prefix="murmur-trust-", dir=murmur.SCRATCH))
        self.addCleanup(shutil.rmtree, data, ignore_errors=True)
        self.words = (f"data={bars.save(data / 'bars')}", "digits=3,7", "blocks=2", "hidden=16")

    def test_changed_settings(self):
        process = self.start("train", *self.words, "epochs=400", "--checkpoint", "0.02", "-o", "run")
        run = self.folder / "run"
        while process.poll() is None and not (run / "checkpoint.safetensors").exists():
            time.sleep(0.005)
        process.send_signal(signal.SIGTERM)
        process.communicate()
        Settings.check(self, "train", run,
                       (('digits = "3,7"', 'digits = "3,8"'), ('rate = "0.01"', 'rate = "0.02"'),
                        ("seed = 0", "seed = 1")))

    def test_a_model_is_compared_before_it_is_believed(self):
        """Of a training, and of a simulation that keeps a copy of the model it was given."""
        data = self.words[0]
        self.murmur("train", *self.words, "epochs=1", "-o", "run", "-q")
        self.murmur("simulate", "model=run", "init=test:0", data, "-o", "flight", "-q")
        reads = lambda run: (("classify", run, "images=test:0", data),
                             ("simulate", f"model={run}", "init=test:0", data, "-o", "again"))
        for words in reads("run"):
            self.murmur(*words, "-q")
        for run, file in (("run", "model.safetensors"), ("flight", "inputs/model.npy")):
            kept = (self.folder / run / file).read_bytes()
            flip(self.folder / run / file)
            for words in reads(run):
                with self.subTest(words):
                    self.refused(INPUT, *words, what="not as the run left it|not the input the run was made with",
                                 where=file)
            (self.folder / run / file).write_bytes(kept)


class Verify(murmur.Case):
    def checks(self, *words, code):
        told = json.loads(self.murmur("runs", "verify", *words, "--json", code=code).stdout)
        return [[c for c in run["checks"] if not c["agrees"]] for run in told], told

    def test_right_runs(self):
        self.simulate("runs/one", *WORDS)
        self.simulate("runs/two", *WORDS, "seed=1")
        done = self.murmur("runs", "verify", "one", "two")
        self.assertRegex(done.stdout, r"(?s)^runs/one: (\d+) of \1 agree\nruns/two: ")
        wrong, told = self.checks("one", "two", code=0)
        self.assertEqual(wrong, [[], []])
        names = {check["file"] for check in told[0]["checks"]}
        self.assertLessEqual({"config.toml", "inputs/points.npy", "trajectory.npy", "times.npy",
                              "observables.csv", "events.jsonl", "checkpoint.safetensors"}, names)

    def test_every_file_is_compared(self):
        run = self.simulate("run", *WORDS)
        for name in ("config.toml", "inputs/points.npy", "trajectory.npy", "times.npy",
                     "observables.csv", "events.jsonl", "checkpoint.safetensors"):
            with self.subTest(name):
                kept = (run / name).read_bytes()
                flip(run / name)
                wrong, _ = self.checks("run", code=VERIFICATION)
                self.assertIn(name, {check["file"] for check in wrong[0]})
                (run / name).write_bytes(kept)
        self.murmur("runs", "verify", "run")

    def test_the_line_that_changed_is_shown(self):
        run = self.simulate("run", *WORDS)
        murmur.edit(run / "config.toml", "beta = 9.0", "beta = 1.0")
        told = self.murmur("runs", "verify", "run", code=VERIFICATION).stdout
        self.assertIn("beta = 9.0 was made, beta = 1.0 is there now", told)

    def test_half_a_trajectory(self):
        run = self.simulate("run", *WORDS)
        frames = np.load(run / "trajectory.npy")
        content = (run / "trajectory.npy").read_bytes()
        half = len(frames) // 2
        header = content[:128].replace(f"{len(frames):20d}".encode(), f"{half:20d}".encode())
        (run / "trajectory.npy").write_bytes(header + content[128:128 + frames[:half].nbytes])
        self.assertEqual(np.load(run / "trajectory.npy").shape, (half, 8, 2))
        told = self.murmur("runs", "verify", "run", code=VERIFICATION).stdout
        self.assertIn(f"marked done, but it holds {half} of {len(frames)} frames", told)

    def test_marked_done(self):
        process = self.start("simulate", "n=200", "method=rk4", "dt=0.01", "T=1000", "-o", "run",
                             "--checkpoint", "0.02")
        run = self.folder / "run"
        while not (run / "checkpoint.safetensors").exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.communicate()
        self.murmur("runs", "verify", "run")
        murmur.edit(run / "manifest.json", '"interrupted"', '"done"')
        told = self.murmur("runs", "verify", "run", code=VERIFICATION).stdout
        self.assertRegex(told, r"marked done, but it ends at t = .* of 1000")

    def test_killed(self):
        """Frames up to the last checkpoint have digests in it, whatever came after."""
        process = self.start("simulate", "n=200", "method=rk4", "dt=0.01", "T=1000", "-o", "run",
                             "save=every:0.01", "--checkpoint", "0.02")
        run = self.folder / "run"
        while not (run / "checkpoint.safetensors").exists():
            time.sleep(0.01)
        told = self.murmur("runs", "verify", "run").stdout
        self.assertIn("being written", told)
        process.kill()
        process.communicate()
        self.murmur("runs", "verify", "run")
        flip(run / "trajectory.npy", 200)
        self.murmur("runs", "verify", "run", code=VERIFICATION)
        self.refused(INPUT, "simulate", "--resume", "run", what="not as the run left it",
                     where="trajectory.npy")

    def test_damage_is_refused_everywhere(self):
        run = self.simulate("run", *WORDS)
        flip(run / "trajectory.npy")
        for words in (("simulate", "--resume", "run", "T=2"), ("simulate", "--resume", "run"),
                      ("export", "run", "-o", "out.csv"), ("measure", "run"),
                      ("render", "run", "--plot", "energy", "-o", "energy.svg"),
                      ("report", "run", "--no-film"), ("runs", "diff", "run", "run"),
                      ("runs", "branch", "run", "beta=1", "T=2", "-o", "twig")):
            with self.subTest(" ".join(words)):
                self.refused(INPUT, *words, what="trajectory.npy is not as the run left it",
                             where="trajectory.npy", do="verify")

    def test_what_readers_remember_is_not_believed(self):
        run = self.simulate("run", *WORDS)
        self.assertTrue((run / "compared.json").exists())
        copy = self.folder / "copy"
        shutil.copytree(run, copy)
        self.murmur("measure", "copy")  # other numbers of files: compared again, and remembered
        before = (copy / "compared.json").read_text()
        self.assertNotEqual(before, (run / "compared.json").read_text())
        self.murmur("measure", "copy")
        self.assertEqual((copy / "compared.json").read_text(), before)
        flip(copy / "times.npy")
        self.refused(INPUT, "measure", "copy")
        looks = json.loads(before)
        status = (copy / "times.npy").stat()
        looks["times.npy"] = [status.st_size, status.st_ino, status.st_mtime_ns, status.st_ctime_ns]
        (copy / "compared.json").write_text(json.dumps(looks))
        self.murmur("measure", "copy")  # a memory that lies is believed by those who only read
        self.murmur("runs", "verify", "copy", code=VERIFICATION)
        self.refused(INPUT, "export", "copy", "-o", "out.csv")
        self.refused(INPUT, "simulate", "--resume", "copy", "T=2")


class NothingIsCut(murmur.Case):
    """Runs without digests: what is there is still compared with what will be written."""

    def check(self, old, new, what):
        run = self.simulate("run", *WORDS, "--force")
        murmur.forget_digests(run)
        (run / "checkpoint.safetensors").unlink()
        murmur.edit(run / "config.toml", old, new)
        before = murmur.tree(run)
        done = self.murmur("simulate", "--resume", "run", "T=3", code=INPUT)
        self.assertRegex(done.stderr, what)
        self.assertEqual(murmur.tree(run), before)

    def test_other_shapes(self):
        changes = (("d = 2", "d = 3"), ('engine = "reference"\nprecision = "f64"',
                                        'engine = "simd"\nprecision = "f32"'))
        for old, new in changes:
            with self.subTest(new):
                self.check(old, new, "trajectory.npy holds frames of")

    def test_other_columns(self):
        self.check('reach = "all"', 'reach = "past"', "observables.csv holds the columns")

    def test_a_table_with_other_names(self):
        run = self.simulate("run", *WORDS)
        murmur.forget_digests(run)
        told = murmur.manifest(run)
        told["sha256"] = {}
        told["status"] = "running"
        (run / "manifest.json").write_text(json.dumps(told))
        murmur.edit(run / "observables.csv", "clusters", "flocks")
        before = murmur.tree(run)
        self.murmur("simulate", "--resume", "run", "T=3", code=INPUT)
        self.assertEqual(murmur.tree(run), before)


class Branch(murmur.Case):
    def test_a_branch(self):
        run = self.simulate("runs/trunk", *WORDS)
        done = self.murmur("runs", "branch", "trunk", "beta=1", "T=2", "-o", "twig")
        self.assertEqual(done.stdout, "twig\n")
        twig = self.folder / "twig"
        told = murmur.manifest(twig)
        parent = told["parent"]
        self.assertEqual(parent["run"], str(run.resolve()))
        self.assertEqual(parent["settings_sha256"], murmur.manifest(run)["settings"]["sha256"])
        times = np.load(twig / "times.npy")
        self.assertEqual(times[0], parent["t"])
        self.assertGreater(parent["t"], 0)
        self.assertEqual(times[-1], 2)
        self.assertTrue((np.diff(times) > 0).all())
        self.assertIn("beta = 1.0\n", (twig / "config.toml").read_text())
        self.assertEqual(murmur.status(twig), "done")
        self.murmur("runs", "verify", "twig", "trunk")
        self.assertIn("parent", self.murmur("runs", "show", "twig").stdout)
        self.murmur("runs", "resume", "twig", "T=3")
        self.assertEqual(np.load(twig / "times.npy")[-1], 3)

    def test_without_a_change_it_is_the_continuation(self):
        for words in (("n=16", "beta=6"), ("n=16", "method=rk4", "dt=0.05"),
                      ("n=16", "method=euler", "dt=0.05", "noise=0.1"),
                      ("n=32", "d=2", "beta=9", "merge=1e-3", "T=10", "save=every:1")):
            with self.subTest(words):
                words = ("T=1", "save=every:0.25", *words)
                run = self.simulate("run", *words, "--force")
                T = 2 * np.load(run / "times.npy")[-1]
                self.murmur("runs", "branch", "run", f"T={T:g}", "-o", "twig", "--force")
                self.murmur("simulate", "--resume", "run", f"T={T:g}")
                x, t = murmur.frames_and_times(self.folder / "run")
                y, s = murmur.frames_and_times(self.folder / "twig")
                self.assertGreater(len(s), 3)
                common = np.flatnonzero(np.isin(t, s[1:]))
                self.assertEqual(list(t[common]), list(s[1:]))
                np.testing.assert_array_equal(x[common], y[1:])

    def test_killed(self):
        self.simulate("run", "n=150", "beta=6", "T=1", "engine=reference", "save=every:0.1")
        words = ("runs", "branch", "run", "beta=2", "T=20", "-q", "--checkpoint", "0.02", "-o")
        self.murmur(*words, "whole")
        whole = murmur.promised(self.folder / "whole")
        for wait in (0, 0.05, 0.4):
            process = self.start(*words, "twig")
            while process.poll() is None and not (self.folder / "twig").exists():
                time.sleep(0.001)
            time.sleep(wait)
            process.kill()
            process.communicate()
            self.murmur("simulate", "--resume", "twig", "-q")
            self.assertEqual(murmur.promised(self.folder / "twig") == whole, True, wait)
            shutil.rmtree(self.folder / "twig")

    def test_without_its_checkpoint_it_begins_where_it_parted(self):
        self.simulate("run", *WORDS)
        self.murmur("runs", "branch", "run", "beta=1", "T=2", "-o", "twig")
        twig = self.folder / "twig"
        before = murmur.promised(twig)
        (twig / "checkpoint.safetensors").unlink()
        murmur.edit(twig / "manifest.json", '"done"', '"running"')
        self.murmur("simulate", "--resume", "twig")
        self.assertEqual(murmur.promised(twig) == before, True)
        (twig / "checkpoint.safetensors").unlink()
        flip(twig / "parting.safetensors")
        murmur.edit(twig / "manifest.json", '"done"', '"running"')
        self.refused(INPUT, "simulate", "--resume", "twig", where="parting")

    def test_refusals(self):
        run = self.simulate("run", *WORDS)
        branch = ("runs", "branch", "run")
        for word in ("n=9", "d=3", "init=caps", "masses=random"):
            self.refused(INPUT, *branch, word, "T=2", what=word)
        self.refused(INPUT, *branch, "beta=1", "T=0.1", what="is not after t")
        self.refused(INPUT, *branch, "method=rk4", "dt=0.07", "T=2.1", "save=final",
                     what="whole number of steps")
        self.refused(INPUT, *branch, "method=bdf", "T=2", what="bdf")
        self.refused(INPUT, *branch, "warp=9", what="warp")
        (run / "checkpoint.safetensors").unlink()
        self.murmur("measure", "run")  # which remembers what it found
        self.refused(INPUT, *branch, "beta=1", "T=2", what="no checkpoint")
        self.murmur("landscape", "d=2", "n=8", "starts=3", "beta=4", "-q", "-o", "hills")
        self.refused(INPUT, "runs", "branch", "hills", "beta=2", what="has no branches")
        self.murmur("meanfield", "d=2", "beta=5", "init=mode:3:1e-4", "T=0.1", "-q", "-o", "field")
        self.refused(INPUT, "runs", "branch", "field", "beta=2", what="has no branches")


if __name__ == "__main__":
    murmur.main()
