"""Crowds on the circle through their moments: what is refused, how fast, and always the same bytes."""

import json
import signal
import time

import numpy as np

import murmur

INPUT = 3
CROWD = ("n=20000", "d=2", "beta=4", "engine=moments")


def numbers(run):
    return json.loads((run / "manifest.json").read_text())["numbers"]


class Moments(murmur.Case):
    def test_refused(self):
        for words, name in ((("d=6",), "five coordinates"), (("d=2", "dynamics=causal"), "the past"),
                            (("d=2", "self=false"), "j = i"),
                            (("d=2", "dynamics=hardmax", "habitat=sphere"), "hardmax"),
                            (("d=2", "dynamics=hardmax"), "hardmax")):
            for command in ("simulate", "velocity"):
                self.refused(INPUT, command, "engine=moments", *words, what=f"no series for .*{name}",
                             where="engine = moments", do="SA and USA with up to five coordinates")
        self.refused(INPUT, "simulate", "engine=moments:1e-16", "d=3", what="cannot be that accurate",
                     where="tolerance = 1e-16", do="1e-13")
        self.refused(INPUT, "simulate", "engine=moments:1e-12", "d=3", "beta=1e5",
                     what="scores of up to 1e.05", where="engine = moments:1e-12", do="moments:")
        self.refused(INPUT, "simulate", "engine=moments:few", "d=3", what="not a tolerance",
                     where="moments:few", do="moments:1e-12")
        self.refused(INPUT, "simulate", "engine=moments", "d=2", "precision=f32",
                     what="always double", where="precision = f32", do="precision=f64")

    def test_velocity(self):
        found = {}
        for engine in ("moments", "reference"):
            for law in ("SA", "USA"):
                self.murmur("velocity", "n=3000", "d=2", "beta=4", "init=cap:1.5",
                            f"dynamics={law}", f"engine={engine}", "-o", "v.npy", "--force")
                found[engine, law] = np.load(self.folder / "v.npy")
        for law, bound in ("SA", 1e-13), ("USA", 1e-11):
            apart = np.abs(found["moments", law] - found["reference", law]).max()
            self.assertLess(apart, bound)
            self.assertGreater(np.abs(found["reference", law]).max(), 0.1)

    def test_crowd(self):
        """Many times less work than by pairs, and the same flight."""
        used = {}
        for engine in ("moments", "simd"):
            before = murmur.processor_seconds()
            self.murmur("velocity", "n=100000", *CROWD[1:3], f"engine={engine}", "threads=1", "-o",
                        f"{engine}.npy")
            used[engine] = murmur.processor_seconds() - before
        self.assertLess(5 * used["moments"], used["simd"])

        short = ("T=0.5", "method=rk4", "dt=0.125", "save=every:0.25")
        swift = self.simulate("swift", *CROWD, *short)
        slow = self.simulate("slow", *CROWD, *short, "engine=simd")
        apart = np.abs(murmur.trajectory(swift) - murmur.trajectory(slow)).max()
        self.assertLess(apart, 1e-11)
        self.assertLess(numbers(swift)["pull_error"], 1e-10)
        self.assertNotIn("pull_error", numbers(slow))

    def test_auto(self):
        for n, d, precision, chosen in ((4096, 2, "f64", "moments"), (4095, 2, "f64", "simd"),
                                        (4096, 3, "f64", "moments"), (4095, 3, "f64", "simd"),
                                        (4096, 2, "f32", "simd")):
            told = self.murmur("simulate", f"n={n}", f"d={d}", f"precision={precision}",
                               "--dry-run", "--json")
            self.assertEqual(json.loads(told.stdout)["engine"], chosen)
        for beta, chosen in ((1, "moments"), (5, "moments"), (12, "simd")):
            told = self.murmur("simulate", "n=20000", "d=2", "dynamics=USA", f"beta={beta}",
                               "--dry-run", "--json")
            self.assertEqual(json.loads(told.stdout)["engine"], chosen)

    def test_says_where_it_knows_less(self):
        """USA in clock U1 pulls by up to e^beta, and errs in proportion."""
        words = ("simulate", "n=100", "d=2", "beta=12", "dynamics=USA", "engine=moments", "T=1e-4")
        told = self.murmur(*words, "-v", "-o", "run")
        self.assertRegex(told.stderr, r"at most \S+ \(estimated\), above the tolerance 1e-10; engine=simd")
        self.assertIn("pull_error", told.stderr)
        self.assertGreater(numbers(self.folder / "run")["pull_error"], 1e-10)
        quiet = self.murmur("simulate", "n=100", "d=2", "engine=moments", "T=1", "-o", "quiet")
        self.assertNotIn("tolerance", quiet.stderr)

    def test_a_requested_tolerance_is_not_exceeded_in_silence(self):
        """The bound of these forces is about 10^-13: below what is promised unasked, above 10^-13."""
        words = ("n=300", "d=2", "beta=3", "dynamics=USA", "engine=moments:1e-13")
        told = self.murmur("simulate", *words, "T=0.1", "-o", "run")
        self.assertLess(numbers(self.folder / "run")["pull_error"], 1e-10)
        self.assertRegex(told.stderr, r"\(estimated\), above the tolerance 1e-13")
        told = self.murmur("velocity", *words, "-o", "v.npy")
        self.assertRegex(told.stderr, r"\(estimated\), above the tolerance 1e-13")

    def test_velocity_prints_its_bound(self):
        words = ("velocity", "n=300", "d=3", "beta=4")
        told = self.murmur(*words, "engine=moments", "-o", "v.npy")
        self.assertRegex(told.stderr, r"error of a particle's sum of forces is at most \S+ \((certified|estimated)\)")
        self.assertNotIn("tolerance", told.stderr)
        bound = json.loads(self.murmur(*words, "engine=moments:1e-12", "--json").stdout)["error_bound"]
        self.assertGreater(bound["largest"], 0)
        self.assertLess(bound["largest"], 1e-12)
        self.assertEqual(bound["tolerance"], 1e-12)
        self.assertIn(bound["kind"], ("certified", "estimated"))
        self.assertNotIn("error_bound", json.loads(self.murmur(*words, "engine=simd", "--json").stdout))

    def test_far_from_the_origin(self):
        """A cloud at a distance of 10^6 is bounded by its width, and the bound holds."""
        points = np.random.default_rng(3).normal(size=(300, 3))
        near = {}
        for shift in (0, 1e3, 1e6):
            np.save(self.folder / "x.npy", points + shift)
            told = self.murmur("velocity", "x.npy", "habitat=space", "beta=1e-3", "engine=moments", "--json",
                               "-o", "v.npy", "--force")
            bound = json.loads(told.stdout)["error_bound"]
            self.assertLess(bound["largest"], 1e-8)
            near[shift] = bound["largest"]
        self.assertGreater(near[1e6], near[0])

    def test_threads(self):
        first = None
        for count in (1, 2, 5):
            run = self.simulate("run", "n=9000", "d=2", "beta=9", "engine=moments", "T=2",
                                "save=every:0.5", f"threads={count}", "--force")
            first = first or murmur.promised(run)
            self.assertEqual(murmur.promised(run) == first, True, f"{count} threads")

    def test_killed(self):
        """Merging, and weights drawn anew, cut short again and again."""
        flights = {
            "merging": ("n=3000", "beta=9", "T=40", "merge=1e-4", "rtol=1e-7", "save=every:0.5"),
            "redrawn": ("n=5000", "beta=4", "T=10", "value=gaussian", "redraw=1",
                        "save=every:0.25"),
        }
        for name, words in flights.items():
            with self.subTest(name):
                words = (*words, "d=2", "engine=moments")
                began = time.time()
                whole = self.simulate(f"whole-{name}", *words)
                self.strike(name, words, (time.time() - began) / 4)
                run = self.folder / name
                self.assertEqual(murmur.promised(run) == murmur.promised(whole), True)
                self.assertEqual(numbers(run)["pull_error"], numbers(whole)["pull_error"])
                if name == "merging":
                    self.assertGreater(len(murmur.promised(run)["merges"]), 10)

    def strike(self, name, words, seconds):
        """Kills -9 after every `seconds`, at least three times, and resumes until done."""
        run, strikes = self.folder / name, 0
        while True:
            words_now = ("--resume", name) if run.exists() else (*words, "-o", name)
            process = self.start("simulate", *words_now, "-q", "--checkpoint", "0.02")
            if strikes < 3:
                time.sleep(seconds)
                process.send_signal(signal.SIGKILL)
            _, err = process.communicate(timeout=murmur.PATIENCE)
            self.assertEqual(err, "")
            if process.returncode == 0:
                break
            self.assertEqual(process.returncode, -signal.SIGKILL)
            strikes += 1
        self.assertGreater(strikes, 0)


if __name__ == "__main__":
    murmur.main()
