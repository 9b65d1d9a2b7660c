"""Kill it at any instant, go on, and the bytes are those of a run that was never disturbed."""

import random
import shutil
import signal
import time

import numpy as np

import murmur

KILLS = 200 if murmur.LONG else 12

# Each takes about a second of computing on one core, and the merging ones meet early and late.
FLIGHTS = {
    "dopri5": ("n=150", "d=3", "beta=6", "T=20", "save=every:0.1", "engine=reference"),
    "dopri5 merging": ("n=120", "d=2", "beta=9", "T=400", "merge=1e-4", "rtol=1e-7",
                       "save=every:1", "engine=reference"),
    "rk4": ("n=100", "d=3", "method=rk4", "dt=0.02", "T=12", "save=every:0.1",
            "engine=reference"),
    "rk4 merging": ("n=100", "d=3", "method=rk4", "dt=0.02", "T=12", "merge=1e-3", "beta=2",
                    "save=every:0.1", "engine=reference"),
    "layers": ("n=120", "d=3", "method=layers", "dt=0.01", "T=25", "save=every:0.25",
               "perceptron=gaussian:8", "engine=reference"),
    "simd f32": ("n=200", "d=3", "precision=f32", "method=rk4", "dt=0.05", "T=10",
                 "save=every:0.1", "engine=simd"),
    "log times": ("n=120", "d=3", "beta=9", "T=20", "save=log:100", "engine=reference"),
}


class Resume(murmur.Case):
    def setUp(self):
        super().setUp()
        self.random = random.Random(20)

    def undisturbed(self, words):
        began = time.time()
        run = self.simulate("whole", *words)
        return murmur.promised(run), time.time() - began

    def disturbed(self, words, strike, kills, seconds):
        """Starts, strikes at random instants and resumes until done; the number of strikes made."""
        run, struck = self.folder / "run", 0
        while True:
            words_now = ("--resume", "run") if run.exists() else (*words, "-o", "run")
            process = self.start("simulate", *words_now, "-q", "--checkpoint", "0.02")
            if struck < kills:
                time.sleep(self.random.uniform(0, seconds))
                process.send_signal(strike)
            _, err = process.communicate(timeout=murmur.PATIENCE)
            self.assertEqual(err, "", "nothing to complain about")
            if process.returncode == 0:
                return struck
            checkpointed = () if strike == signal.SIGKILL else (128 + strike,)
            self.assertIn(process.returncode, (*checkpointed, -strike))  # - : not yet listening
            struck += 1
            if run.exists():
                self.readable(run)

    def readable(self, run):
        """Whatever instant it stopped at: whole frames, as many as times, on the sphere."""
        frames, times = np.load(run / "trajectory.npy", mmap_mode="r"), np.load(run / "times.npy")
        self.assertIn(len(times) - len(frames), (0, 1))
        self.assertTrue((np.diff(times) > 0).all())
        if len(frames):
            norms = np.linalg.norm(np.asarray(frames[-1], float), axis=1)
            self.assertLess(np.abs(norms - 1).max(), 1e-6)

    def check(self, flight, strike, kills):
        """At least so many strikes, over as many runs as that takes."""
        words, struck = FLIGHTS[flight], 0
        expected, seconds = self.undisturbed(words)
        if "merging" in flight:
            self.assertGreater(len(expected["merges"]), 10, "the test needs merges")
        for _ in range(10 * kills):
            struck += self.disturbed(words, strike, kills - struck, 0.9 * seconds)
            self.assertEqual(murmur.status(self.folder / "run"), "done")
            got = murmur.promised(self.folder / "run")
            for name, content in expected.items():
                self.assertEqual(got[name] == content, True, f"{name} after {struck} strikes")
            left = [path for path in self.folder.iterdir() if path.name.startswith(".")]
            self.assertLessEqual(len(left), struck)  # a kill before a run appears: its scaffold
            shutil.rmtree(self.folder / "run")
            if struck >= kills:
                return
        self.fail(f"only {struck} of {kills} strikes hit a run")

    def test_killed(self):
        flights = tuple(FLIGHTS)
        share = -(-KILLS // len(flights))
        for flight in flights:
            with self.subTest(flight):
                self.check(flight, signal.SIGKILL, share)
                self.clear()

    def test_terminated(self):
        for flight in FLIGHTS:
            with self.subTest(flight):
                self.check(flight, signal.SIGTERM, 40 if murmur.LONG else 4)
                self.clear()

    def test_interrupted_then_killed(self):
        """Kills after a checkpoint: the files are cut back to it, not to the start."""
        for flight in ("dopri5 merging", "rk4"):
            with self.subTest(flight):
                words = FLIGHTS[flight]
                expected, seconds = self.undisturbed(words)
                process = self.start("simulate", *words, "-o", "run", "-q")
                murmur.wait_until((self.folder / "run").exists)
                time.sleep(seconds / 3)
                process.send_signal(signal.SIGINT)
                process.communicate()
                self.assertIn(process.returncode, (130, 0))
                self.disturbed(words, signal.SIGKILL, 3, seconds / 2)
                self.assertEqual(murmur.promised(self.folder / "run") == expected, True)
                self.clear()

    def test_interrupt_says_how_to_go_on(self):
        process = self.start("simulate", "n=200", "method=rk4", "dt=0.01", "T=1000", "-o", "run")
        while not (self.folder / "run").exists():
            time.sleep(0.01)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=murmur.PATIENCE)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(out, "run\n")
        self.assertIn("--resume run", err)
        self.assertEqual(murmur.status(self.folder / "run"), "interrupted")
        self.assertTrue((self.folder / "run/checkpoint.safetensors").exists())

    def test_interrupted_before_the_first_step(self):
        expected, _ = self.undisturbed(FLIGHTS["dopri5"])
        for _ in range(3):
            self.disturbed(FLIGHTS["dopri5"], signal.SIGTERM, 2, 0.02)
            self.assertEqual(murmur.promised(self.folder / "run") == expected, True)
            shutil.rmtree(self.folder / "run")

    def clear(self):
        for name in ("run", "whole"):
            shutil.rmtree(self.folder / name, ignore_errors=True)


class Extension(murmur.Case):
    def check(self, shorter, longer, *words):
        """To T by steps, and there at once."""
        self.murmur("simulate", *words, f"T={shorter[0]}", "-o", "run")
        for T in (*shorter[1:], longer):
            self.murmur("simulate", "--resume", "run", f"T={T}")
        whole = self.simulate("whole", *words, f"T={longer}")
        got, expected = murmur.promised(self.folder / "run"), murmur.promised(whole)
        self.assertEqual(len(np.load(self.folder / "run/times.npy")),
                         len(np.load(whole / "times.npy")))
        for name, content in expected.items():
            self.assertEqual(got[name] == content, True, f"{name} differs from a direct run")
        self.assertEqual((self.folder / "run/config.toml").read_text(),
                         (whole / "config.toml").read_text())

    def test_dopri5(self):
        self.check((2, 3.5), 6, "n=32", "beta=6", "save=every:0.25")

    def test_dopri5_many_ends(self):
        """Wherever the end falls within a step."""
        ends = [k / 16 for k in range(1, 48)]
        self.check(ends, 3, "n=24", "d=2", "beta=25", "rtol=1e-5", "atol=1e-5", "save=every:0.0625")

    def test_dopri5_ends_within_a_step_that_was_first_rejected(self):
        """A slow drift meets a steep wall: a step before it is cut, and the end falls there."""
        self.save("w_in.npy", np.array([[0.0, 50]]))
        self.save("w_in_bias.npy", np.array([-15.0]))
        self.save("w_out.npy", np.array([[0.0], [-20]]))
        self.save("w_out_bias.npy", np.array([0, 0.1]))
        ends = [k / 16 for k in range(32, 56)]
        self.check(ends, 3.5, "init=points:1,0", "dynamics=none", "perceptron=w_*.npy",
                   "save=every:0.0625")

    def test_ends_that_are_not_binary_fractions(self):
        """3 * 0.05 is not 0.15; the frame at the old end is neither doubled nor a bit off."""
        self.check((0.05, 0.15, 0.3, 0.35), 0.7, "n=8", "save=every:0.05")

    def test_fixed_ends_that_are_not_binary_fractions(self):
        self.check((0.05, 0.15, 0.3, 0.35), 0.7, "n=8", "save=every:0.05", "method=rk4", "dt=0.05")

    def test_dopri5_after_a_very_short_run(self):
        """The first step is not to depend on how far the first run went."""
        self.check((2**-17,), 2**-8, "n=24", "beta=4", f"save=every:{2**-17}")

    def test_dopri5_merging(self):
        self.check((5, 20), 100, "n=32", "d=2", "beta=9", "merge=1e-4", "save=every:1")

    def test_fixed_steps(self):
        for method in ("rk4", "euler", "layers"):
            with self.subTest(method):
                self.check((1, 1.5), 3, "n=16", f"method={method}", "dt=0.05", "save=every:0.25",
                           "--force")

    def test_fixed_steps_merging(self):
        self.check((2, 5), 12, "n=64", "d=2", "method=rk4", "dt=0.05", "merge=1e-3",
                   "save=every:0.5")

    def test_of_an_interrupted_run(self):
        words = ("n=150", "beta=6", "save=every:0.5", "engine=reference")
        process = self.start("simulate", *words, "T=20", "-o", "run", "-q")
        murmur.wait_until((self.folder / "run").exists)
        time.sleep(0.4)
        process.send_signal(signal.SIGTERM)
        process.communicate()
        self.murmur("simulate", "--resume", "run", "T=30")
        whole = self.simulate("whole", *words, "T=30")
        self.assertEqual(murmur.promised(self.folder / "run") == murmur.promised(whole), True)


    def test_killed_while_extending(self):
        words = ("n=120", "beta=6", "save=every:0.5", "engine=reference")
        whole = murmur.promised(self.simulate("whole", *words, "T=30"))
        self.simulate("run", *words, "T=2")
        for _ in range(4):
            process = self.start("simulate", "--resume", "run", "T=30", "-q")
            time.sleep(random.uniform(0, 0.3))
            process.kill()
            process.communicate()
        self.murmur("simulate", "--resume", "run", "T=30")
        self.assertEqual(murmur.promised(self.folder / "run") == whole, True)


class Finished(murmur.Case):
    def test_resume_changes_nothing(self):
        run = self.simulate("run", "n=8", "T=1")
        before = murmur.tree(run)
        for words in (("simulate", "--resume", "run"), ("simulate", "--resume", "run", "T=1"),
                      ("runs", "resume", "run")):
            done = self.murmur(*words)
            self.assertEqual(done.stdout, "run\n")
            self.assertEqual(murmur.tree(run), before)

    def test_resume_does_not_hear_the_environment(self):
        run = self.simulate("run", "n=8", "T=1")
        before = murmur.tree(run)
        self.murmur("simulate", "--resume", "run", env={"MURMUR_T": "5", "MURMUR_BETA": "9"})
        self.assertEqual(murmur.tree(run), before)

    def test_resume_finds_its_inputs(self):
        """Given points, masses and matrices travel in the run; the first files may go."""
        words = self.given()
        whole = self.simulate("whole", *words, "T=2")
        self.simulate("run", *words, "T=1")
        for path in self.folder.glob("*.npy"):
            path.unlink()
        self.murmur("simulate", "--resume", "run", "T=2")
        self.assertEqual(murmur.promised(self.folder / "run") == murmur.promised(whole), True)

    def test_drawn_weights_are_kept_and_give_the_same_flow(self):
        """inputs/drawn_*.npy are the weights: given as files they make the same trajectory."""
        for heads in (1, 2):
            run = self.simulate(f"drawn-{heads}", "n=6", "d=3", "T=1", f"heads={heads}",
                                "query=gaussian", "key=goe", "value=psd", "perceptron=gaussian:4")
            kept = run / "inputs"
            self.assertEqual(sorted(path.stem for path in kept.iterdir()),
                             ["drawn_key", "drawn_perceptron_in", "drawn_perceptron_out",
                              "drawn_query", "drawn_value", "points"])
            again = self.simulate(
                f"given-{heads}", "n=6", "d=3", "T=1", f"query={kept}/drawn_query.npy",
                f"key={kept}/drawn_key.npy", f"value={kept}/drawn_value.npy",
                f"perceptron={kept}/drawn_perceptron_*.npy")
            for name in ("trajectory.npy", "times.npy"):
                self.assertEqual((run / name).read_bytes(), (again / name).read_bytes())
        redrawn = self.simulate("redrawn", "n=6", "d=3", "T=1", "value=gaussian", "redraw=0.25")
        self.assertEqual([path.stem for path in (redrawn / "inputs").iterdir()], ["points"])

    def given(self):
        self.save("x.npy", murmur.unit_points(6, 3) * (1 + 3e-6))
        self.save("m.npy", np.arange(1.0, 7))
        self.save("q.npy", np.random.default_rng(1).standard_normal((2, 2, 3)))
        self.save("w_in.npy", np.ones((4, 3)) / 3)
        self.save("w_out.npy", np.ones((3, 4)) / 4)
        return ("init=x.npy", "masses=m.npy", "query=q.npy", "key=q.npy", "perceptron=w_*.npy",
                "save=every:0.125")

    def test_killed_before_the_first_checkpoint(self):
        """From t = 0 again: the points and masses kept in inputs/ give back the same bits."""
        for words in (self.given(), ("init=x.npy", "save=every:0.125"),
                      ("n=6", "masses=m.npy", "save=every:0.125"),
                      ("init=points:0.6,0.8;0.8,0.6;0.28,0.96;1,1e-4", "save=every:0.125")):
            with self.subTest(words):
                run = self.simulate("run", *words, "T=2", "--force")
                expected = murmur.promised(run)
                (run / "checkpoint.safetensors").unlink()
                manifest = run / "manifest.json"
                manifest.write_text(manifest.read_text().replace('"done"', '"running"'))
                self.murmur("simulate", "--resume", "run")
                self.assertEqual(murmur.promised(run) == expected, True)

    def test_config_makes_the_run_again(self):
        for words in (("n=12", "T=1", "heads=2", "query=gaussian", "key=goe"), self.given(),
                      ("staircase", "T=0.001"), ("will", "n=9", "T=1"), ("kinetic", "T=3")):
            with self.subTest(words):
                run = self.simulate("run", *words, "--force")
                for source in ("run", "run/config.toml"):
                    again = self.simulate("again", source, "--force")
                    self.assertEqual(murmur.promised(again) == murmur.promised(run), True)
                    self.assertEqual((again / "config.toml").read_text(),
                                     (run / "config.toml").read_text())


if __name__ == "__main__":
    murmur.main()
