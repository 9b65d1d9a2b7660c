"""Grids of flights: kill one at any instant, go on, and the table is that of a sweep left alone."""

import csv
import json
import random
import resource
import shutil
import signal
import time

import murmur

KILLS = 60 if murmur.LONG else 6
SMALL = ("beta=0.5:6:6", "d=2,8", "n=12", "replicas=16", "T=12", "method=layers", "dt=0.1",
         "times=21")
LARGE = (*SMALL[:3], "replicas=200", *SMALL[4:])
# A causal mask: not for the kernel of many swarms, so it flies one by one.
SINGLE = ("beta=1:5:3", "dynamics=causal", "n=10", "replicas=4", "T=3", "times=7")


def rows(run, name="sweep.csv"):
    with open(run / name, newline="") as file:
        return list(csv.DictReader(file))


class Sweep(murmur.Case):
    def sweep(self, name, *words, **options):
        self.murmur("sweep", *words, "-o", name, "--progress", "none", **options)
        return self.folder / name

    def tables(self, run):
        return [(run / name).read_bytes() for name in ("sweep.csv", "front.csv", "failures.jsonl")]

    def test_grid(self):
        run = self.sweep("map", *SMALL)
        table = rows(run)
        self.assertEqual(len(table), 12 * 21)
        self.assertEqual(list(table[0])[:4], ["beta", "d", "t", "replicas"])
        self.assertEqual(len(list((run / "cells").iterdir())), 12)
        by_cell = {(row["beta"], row["d"]) for row in table}
        self.assertEqual(len(by_cell), 12)
        for row in table:
            self.assertEqual(row["replicas"], "16")
            self.assertTrue(0 <= float(row["close_pairs"]) <= 1)
            self.assertTrue(1 <= float(row["clusters"]) <= 12)
            if row["t"] == "12":
                counts = dict(pair.split(":") for pair in row["cluster_counts"].split(";"))
                self.assertEqual(sum(map(int, counts.values())), 16)
                mean = sum(int(k) * int(v) for k, v in counts.items()) / 16
                self.assertAlmostEqual(mean, float(row["clusters"]))
        # Sharp sight keeps flocks apart: fewer pairs are close at the end for large beta.
        last = [float(row["close_pairs"]) for row in table if row["t"] == "12" and row["d"] == "2"]
        self.assertGreater(last[0], last[-1])
        for ending in ("svg", "png", "csv"):
            self.assertTrue((run / "figures" / f"close_pairs.{ending}").stat().st_size > 1000)
        self.assertEqual(murmur.status(run), "done")
        self.assertEqual(len(rows(run, "front.csv")), 12)

    def test_replicas_differ_and_agree_with_simulate(self):
        """Replica 0 of a cell that flies alone is the flight of murmur simulate."""
        run = self.sweep("one", "beta=2,3", "n=9", "d=3", "T=2", "method=rk4", "dt=0.1",
                         "times=3", "replicas=1", "engine=reference")
        flight = self.simulate("flight", "beta=3", "n=9", "d=3", "T=2", "method=rk4", "dt=0.1",
                               "save=every:1", "engine=reference")
        with open(flight / "observables.csv", newline="") as file:
            alone = list(csv.DictReader(file))
        cell = [row for row in rows(run) if row["beta"] == "3"]
        for mine, theirs in zip(cell, alone, strict=True):
            for name in ("mean_cos", "order", "close_pairs", "clusters"):
                self.assertEqual(float(mine[name]), float(theirs[name]))
            self.assertEqual(mine["mean_cos_se"], "")  # one replica has no spread
        many = self.sweep("many", "beta=2,3", "n=9", "d=3", "T=2", "method=rk4", "dt=0.1",
                          "times=3", "replicas=8", "engine=reference")
        self.assertTrue(all(float(row["mean_cos_se"]) > 0 for row in rows(many)))

    def test_together_is_as_one_by_one(self):
        """The kernel of many swarms and the engine of one see the same flights."""
        words = ("beta=1,4", "n=16", "d=3", "T=3", "method=layers", "dt=0.1", "times=4",
                 "replicas=16")
        together = rows(self.sweep("together", *words))
        apart = rows(self.sweep("apart", *words, "engine=reference"))
        for a, b in zip(together, apart, strict=True):
            for name in ("mean_cos", "mean_cos_se", "order"):
                self.assertAlmostEqual(float(a[name]), float(b[name]), delta=1e-6)

    def test_a_given_default_is_given(self):
        """Hard attention flies in R^d by itself, and on the sphere where that is asked for."""
        words = ("dynamics=hardmax", "n=6", "d=3", "T=2", "method=euler", "dt=0.1", "times=3",
                 "replicas=1", "engine=reference")
        for name, more in (("sphere", ("habitat=sphere",)), ("space", ())):
            with self.subTest(name):
                run = self.sweep(name, *words, *more)
                flight = self.simulate(f"{name}-flight", *words[:6], "save=every:1", words[-1],
                                       *more)
                with open(flight / "observables.csv", newline="") as file:
                    alone = list(csv.DictReader(file))
                for mine, theirs in zip(rows(run), alone, strict=True):
                    self.assertEqual(float(mine["mean_cos"]), float(theirs["mean_cos"]))
                self.murmur("sweep", *words, *more, "--resume", name)

    def test_threads(self):
        for kind, words in (("together", SMALL), ("alone", SINGLE)):
            with self.subTest(kind):
                one = self.sweep(f"one-{kind}", *words, "threads=1")
                two = self.sweep(f"two-{kind}", *words, "threads=2")
                self.assertEqual(self.tables(one), self.tables(two))

    def test_killed_and_resumed(self):
        for kind, words in (("together", (*LARGE, "refine=1")), ("alone", SINGLE)):
            with self.subTest(kind):
                chance = random.Random(kind)
                began = time.time()
                whole = self.sweep(f"whole-{kind}", *words)
                seconds = time.time() - began
                run, kills = self.folder / f"run-{kind}", 0
                while True:
                    more = ("--resume", run.name) if run.exists() else (*words, "-o", run.name)
                    process = self.start("sweep", *more, "-q")
                    if kills < KILLS:
                        time.sleep(chance.uniform(0, 0.7 * seconds))
                        process.send_signal(signal.SIGKILL)
                        kills += 1
                    _, err = process.communicate(timeout=murmur.PATIENCE)
                    self.assertEqual(err, "")
                    if process.returncode == 0:
                        break
                self.assertEqual(self.tables(whole), self.tables(run))
                self.assertEqual(murmur.status(run), "done")
                self.murmur("sweep", "--resume", run.name)  # finished: nothing to do
                self.assertEqual([p for p in run.rglob(".*")], [], "nothing half-written stays")

    def test_interrupted(self):
        words = ("beta=1:6:40", "n=40", "d=16", "replicas=64", "T=60", "method=layers", "dt=0.05")
        process = self.start("sweep", *words, "-o", "run")
        while not list(self.folder.glob("run/cells/*.csv")):
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=murmur.PATIENCE)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn("murmur sweep --resume run", err)
        self.assertEqual(murmur.status(self.folder / "run"), "interrupted")
        self.assertFalse((self.folder / "run/sweep.csv").exists())

    def test_identical_call_resumes_and_another_is_refused(self):
        self.sweep("run", *SMALL)
        before = self.tables(self.folder / "run")
        victims = sorted((self.folder / "run/cells").iterdir())[3:5]
        manifest = json.loads((self.folder / "run/manifest.json").read_text())
        manifest["status"] = "interrupted"
        (self.folder / "run/manifest.json").write_text(json.dumps(manifest))
        victims[0].unlink()
        victims[1].write_bytes(victims[1].read_bytes()[:-40])  # torn
        self.refused(3, "sweep", *SMALL[1:], "beta=1,2", "--resume", "run", what="not those")
        self.murmur("sweep", *SMALL, "--resume", "run")
        self.assertEqual(self.tables(self.folder / "run"), before)

    def test_failing_cell(self):
        """Unnormalised attention overflows at beta 800; the other cells are kept."""
        words = ("dynamics=USA", "beta=1,2,800", "n=8", "T=1", "method=rk4", "dt=0.1",
                 "replicas=4", "times=3")
        done = self.murmur("sweep", *words, "-o", "run", "--json", code=5)
        summary = json.loads(done.stdout)
        self.assertEqual((summary["cells"], summary["failed"]), (3, 1))
        run = self.folder / "run"
        failure = json.loads((run / "failures.jsonl").read_text())
        self.assertEqual((failure["beta"], failure["numerical"]), ("800", True))
        self.assertIn("beta=800", done.stderr)
        self.assertEqual({row["beta"] for row in rows(run)}, {"1", "2"})
        all_of_them = self.murmur("sweep", *words[:1], "beta=800,900", *words[2:], "-o", "none",
                                  code=4)
        self.assertIn("  do:    ", all_of_them.stderr)
        fast = self.murmur("sweep", *words[:1], "beta=800,1,2", *words[2:], "threads=1", "-o",
                           "fast", "--fail-fast", code=5)
        self.assertIn("--resume", fast.stderr)
        self.assertLess(len(list((self.folder / "fast/cells").iterdir())), 2)

    def test_cell_of_a_wrong_request(self):
        """T that is no multiple of dt fails its own cell only."""
        self.murmur("sweep", "T=1,1.05", "dt=0.1", "method=layers", "n=8", "replicas=2", "-o",
                    "run", code=5)
        failure = json.loads((self.folder / "run/failures.jsonl").read_text())
        self.assertEqual((failure["T"], failure["numerical"]), ("1.05", False))

    def test_drawing_is_not_what_finishes_a_sweep(self):
        """A file in the place of figures/ keeps the maps from being drawn; the numbers are kept."""
        run = self.sweep("run", *SMALL)
        before, map_before = self.tables(run), (run / "figures/close_pairs.svg").read_bytes()
        shutil.rmtree(run / "figures")
        (run / "figures").write_text("")
        (run / "sweep.csv").unlink()
        done = self.murmur("sweep", "--resume", "run", "-q")
        self.assertIn("not drawn", done.stderr)
        self.assertEqual(murmur.status(run), "done")
        self.assertEqual(self.tables(run), before)
        (run / "figures").unlink()
        self.murmur("sweep", "--resume", "run", "-q")
        self.assertEqual((run / "figures/close_pairs.svg").read_bytes(), map_before)

    def test_cell_too_large_for_memory(self):
        """The address space holds the small cell and not the large one."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))

        self.murmur("sweep", "n=500000,4", "d=1000", "T=0.1", "replicas=2", "method=layers",
                    "threads=1", "-o", "run", code=5, preexec_fn=limit)
        failure = json.loads((self.folder / "run/failures.jsonl").read_text())
        self.assertEqual((failure["n"], failure["numerical"]), ("500000", False))
        self.assertIn("memory", failure["what"])
        self.assertEqual({row["n"] for row in rows(self.folder / "run")}, {"4"})

    def test_many_particles_fly_one_by_one(self):
        """Above 1024 particles the kernel of many swarms, of n^2 numbers each, is left alone."""
        words = ("beta=1,2", "n=1025", "d=2", "T=0.1", "method=layers", "replicas=2", "times=2")
        alone = self.sweep("alone", *words, "engine=simd")
        self.assertEqual(self.tables(self.sweep("run", *words)), self.tables(alone))

    def test_evaluations_allowed(self):
        self.murmur("sweep", "beta=1,2", "n=8", "d=3", "T=5", "dt=0.1", "method=layers",
                    "replicas=2", "max_evaluations=3", "-o", "run", code=4)

    def test_edited_config_is_refused(self):
        run = self.sweep("run", *SMALL)
        config = run / "config.toml"
        text = config.read_text()
        for old, new in (("replicas = 16", "replicas = 8"), ("n = 12", "n = 13"),
                         ("dt = 0.1", "dt = 0.2")):
            with self.subTest(new):
                self.assertIn(old, text)
                config.write_text(text.replace(old, new))
                before = murmur.tree(run)
                self.refused(3, "sweep", "--resume", "run", what="other settings", do="restore")
                self.assertEqual(murmur.tree(run), before)
        config.write_text("# threads and comments are free\n" + text)
        self.murmur("sweep", "--resume", "run", "threads=1")

    def test_finished_sweep_is_made_whole_again(self):
        run = self.sweep("run", *SMALL, "refine=1")
        before, cells = self.tables(run), sorted((run / "cells").iterdir())
        self.assertGreater(len(cells), 12)
        for victim in (run / "sweep.csv", run / "front.csv", cells[3], cells[-1]):
            for torn in (False, True):
                with self.subTest(victim=victim.name, torn=torn):
                    kept = victim.read_bytes()
                    victim.unlink()
                    if torn:
                        victim.write_bytes(kept[: len(kept) // 2])
                    self.murmur("sweep", "--resume", "run", "-q")
                    self.assertEqual(victim.read_bytes(), kept)
                    self.assertEqual(self.tables(run), before)
                    self.assertEqual(murmur.status(run), "done")
        whole = murmur.tree(run)
        self.murmur("sweep", "--resume", "run", "-q")
        self.assertEqual(murmur.tree(run), whole)

    def test_finished_sweep_stays_finished(self):
        words = ("dynamics=USA", "beta=800,900,1", "n=8", "T=1", "method=rk4", "replicas=2")
        self.murmur("sweep", *words, "-o", "run", code=5)
        before = self.tables(self.folder / "run")
        self.murmur("sweep", "--resume", "run", "--fail-fast", "threads=1", code=5)
        self.assertEqual(self.tables(self.folder / "run"), before)
        self.assertEqual(murmur.status(self.folder / "run"), "done")

    def test_misspelt_word(self):
        """Refused once, wherever in the grid it stands; a word that some cell takes is not."""
        self.refused(3, "sweep", "beta=1:9:300", "dynamics={SA,FOO}", "-o", "run", what="FOO")
        self.refused(3, "sweep", "dynamics={SA,USA}", "init={uniform,unifrom}", "-o", "run",
                     what="unifrom")
        self.assertEqual(list(self.folder.iterdir()), [])
        self.murmur("sweep", "init={uniform,orthonormal}", "d=3,8", "n=6", "T=0.1", "replicas=1",
                    "-o", "run", code=5)
        self.assertEqual(len((self.folder / "run/failures.jsonl").read_text().splitlines()), 1)

    def test_commands_for_frames_refuse_a_sweep(self):
        self.sweep("run", *SINGLE)
        for words in (("render", "run", "-o", "a.png"), ("report", "run"), ("measure", "run")):
            with self.subTest(words[0]):
                self.refused(3, *words, what="is a sweep", do="sweep.csv")

    def test_refinement(self):
        words = ("beta=0.5:8.5:5", "d=64", "n=16", "replicas=8", "T=8", "method=layers", "dt=0.1",
                 "times=17")
        plain = rows(self.sweep("plain", *words))
        fine = rows(self.sweep("fine", *words, "refine=2"))
        before = {float(row["beta"]) for row in plain}
        after = sorted({float(row["beta"]) for row in fine})
        self.assertTrue(before < set(after))
        self.assertLess(len(after), 17)  # only where something happens
        self.assertEqual([float(r["beta"]) for r in fine], sorted(float(r["beta"]) for r in fine))
        kept = [row for row in fine if float(row["beta"]) in before]
        self.assertEqual(kept, plain)

    def test_refusals(self):
        for words, what in (
            (("beta=1:2:0",), "from 1 to"),
            (("beta=nan:2:3",), "finite"),
            (("beta=,",), "empty"),
            (("dynamics={}",), "empty"),
            (("beta=1,1",), "twice"),
            (("beta=1,1.0",), "twice"),
            (("n=8,4,0.8e1",), "twice"),
            (("replicas=0",), "out of range"),
            (("times=0",), "out of range"),
            (("beta=1:2:5000", "T=1:2:5000"), "million"),
            (("betta=1,2",), "no parameter"),
            (("T=1,2", "dt=0.3", "method=layers"), "whole number of steps"),
            (("observe=shape",), "not one of"),
            (("refine=3",), "no axis"),
            (("save=every:1", "beta=1,2"), "no frames"),
            (("d=2:9:3",), "whole"),
        ):
            with self.subTest(words=words):
                self.refused(3, "sweep", *words, what=what)
        self.refused(2, "sweep", "beta=1:2:3", "beta=4,5", what="twice")
        self.refused(3, "sweep", "beta=1,2", "betta=1", do="did you mean beta")
        self.refused(2, "sweep", "--fail-fast", "--keep-going", what="exclude")
        self.refused(3, "sweep", "--resume", "nowhere", what="not a run")

    def test_two_writers(self):
        words = ("beta=1:6:40", "n=40", "d=16", "replicas=64", "T=60", "method=layers", "dt=0.05")
        first = self.start("sweep", *words, "-o", "run", "-q")
        while not (self.folder / "run").exists():
            self.assertIsNone(first.poll())
            time.sleep(0.01)
        second = self.murmur("sweep", "--resume", "run", code=1)
        self.assertIn("another process", second.stderr)
        first.kill()

    def test_dry_run(self):
        done = self.murmur("sweep", *SMALL, "--dry-run", "--json")
        plan = json.loads(done.stdout)
        self.assertEqual((plan["cells"], plan["flights"]), (12, 192))
        # The first cell fails by its T; the sweep is one that flies all the same.
        done = self.murmur("sweep", "T=1.05,1", "dt=0.1", "method=layers", "n=8", "d=2",
                           "replicas=2", "--dry-run", "--json")
        plan = json.loads(done.stdout)
        self.assertAlmostEqual(plan["coordinate_pairs"], 2 * 8 * 8 * 2 * (1.05 + 1) / 0.1)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    murmur.main()
