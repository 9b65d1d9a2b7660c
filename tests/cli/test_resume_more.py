"""Searches, scans and reproductions: killed at any instant they go on to the bytes of a whole run."""

import json
import random
import shutil
import signal
import time
import unittest

import murmur

KILLS = 40 if murmur.LONG else 4
KEYS = {"what", "done", "of", "fraction", "speed", "speed_of", "seconds_left", "live"}

# Each takes a second or more on one core.
SEARCHES = {
    "equal masses": ("d=3", "n=24", "starts=60", "beta=3", "perceptron=gradient:2", "threads=1"),
    "free masses": ("d=2", "starts=12", "beta=20", "perceptron=gradient:3", "direction=descent",
                    "kernel=scaled", "masses=free", "threads=1"),
    "scan": ("d=2", "betas=0.5:60:12", "perceptron=gradient:3", "direction=descent",
             "kernel=scaled", "threads=1"),
}


def kept(run):
    """What a search promises: everything it found, but for the name of the directory."""
    files = {}
    for name in ("points.json", "scan.json", "scan.csv", "atoms.npy"):
        if (run / name).exists():
            files[name] = (run / name).read_bytes()
    for name in ("points.json", "scan.json"):
        if name in files:
            found = json.loads(files[name])
            found.pop("run")
            files[name] = json.dumps(found)
    return files


class Landscape(murmur.Case):
    def setUp(self):
        super().setUp()
        self.random = random.Random(5)

    def undisturbed(self, words):
        began = time.time()
        self.murmur("landscape", *words, "-q", "-o", "whole", "--force")
        return kept(self.folder / "whole"), time.time() - began

    def check(self, words, strike):
        expected, seconds = self.undisturbed(words)
        self.assertGreaterEqual(len(expected), 2)
        run, struck = self.folder / "run", 0
        for _ in range(20 * KILLS):
            words_now = ("--resume", "run") if run.exists() else (*words, "-o", "run")
            process = self.start("landscape", *words_now, "-q", "--checkpoint", "0")
            if struck < KILLS:
                time.sleep(self.random.uniform(0, 0.7 * seconds))
                process.send_signal(strike)
            _, err = process.communicate(timeout=murmur.PATIENCE)
            self.assertEqual(err, "", "nothing to complain about")
            if process.returncode == 0 and struck >= KILLS:
                break
            if process.returncode == 0:
                shutil.rmtree(run)  # it was too quick: once more from the start
                continue
            checkpointed = () if strike == signal.SIGKILL else (128 + strike,)
            self.assertIn(process.returncode, (*checkpointed, -strike))  # - : not yet listening
            struck += 1
            if run.exists():
                # done: the signal came when the search was over and its tables were printed
                self.assertIn(murmur.status(run), ("running", "interrupted", "done"))
                self.murmur("runs", "show", "run")
        self.assertEqual(murmur.status(run), "done")
        self.assertEqual(kept(run), expected)
        shutil.rmtree(run)
        shutil.rmtree(self.folder / "whole")

    def test_killed(self):
        for name, words in SEARCHES.items():
            with self.subTest(name):
                self.check(words, signal.SIGKILL)

    def test_interrupted(self):
        for name, words in SEARCHES.items():
            with self.subTest(name):
                self.check(words, signal.SIGINT)

    def test_interrupt_says_how_to_go_on(self):
        for strike, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            process = self.start("landscape", *SEARCHES["equal masses"], "starts=100000", "-o",
                                 "run", "--force")
            while not (self.folder / "run").exists():
                time.sleep(0.01)
            time.sleep(0.5)
            process.send_signal(strike)
            out, err = process.communicate(timeout=murmur.PATIENCE)
            self.assertEqual((process.returncode, out), (code, "run\n"))
            self.assertIn("stopped after a checkpoint; continue with\n  murmur landscape --resume run",
                          err)
            self.assertEqual(murmur.status(self.folder / "run"), "interrupted")
            self.assertTrue((self.folder / "run/checkpoint.safetensors").exists())

    def test_what_was_found_is_not_searched_again(self):
        words = ("d=2", "n=12", "starts=30", "threads=1")
        process = self.start("landscape", *words, "-o", "run", "--progress", "json",
                             "--checkpoint", "0")
        for line in process.stderr:
            if json.loads(line)["done"] >= 5:
                break
        process.kill()
        process.communicate()
        done = self.murmur("runs", "resume", "run", "--progress", "json")
        lines = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
        self.assertGreaterEqual(lines[0]["done"], 4)
        self.assertEqual(lines[-1]["done"], 30)

    def test_finished(self):
        first = self.murmur("landscape", "d=2", "n=8", "starts=8", "-o", "run").stdout
        before = murmur.tree(self.folder / "run")
        for words in (("landscape", "--resume", "run"), ("runs", "resume", "run")):
            again = self.murmur(*words)
            self.assertEqual(again.stdout, first)
            self.assertIn("already finished", again.stderr)
            self.assertEqual(murmur.tree(self.folder / "run"), before)

    def test_refused(self):
        self.murmur("landscape", "d=2", "n=8", "starts=4", "-o", "run", "-q")
        self.simulate("flight", "n=4", "T=1")
        self.refused(2, "landscape", "--resume", "run", "beta=5", what="takes no parameters")
        self.refused(2, "landscape", "--resume", "run", "-o", "other", what="stays in its run")
        self.refused(3, "landscape", "--resume", "flight", what="made by murmur simulate",
                     do="murmur simulate --resume")
        self.refused(3, "simulate", "--resume", "run", what="made by murmur landscape",
                     do="murmur landscape --resume")


class Reproduce(murmur.Case):
    NAME = "low-rank"

    def result(self, runs):
        """Tables, verdicts and figures' numbers, but for the folder they name."""
        folder = self.folder / runs / self.NAME
        files = {path.name: path.read_bytes() for path in folder.glob("*.csv")}
        found = json.loads((folder / "result-quick.json").read_text())
        found.pop("folder")
        return files, found, json.loads((folder / "record-quick.json").read_text())

    def test_killed_and_interrupted(self):
        words = ("reproduce", self.NAME, "--quick")
        began = time.time()
        self.murmur(*words, "--runs", "whole", code=None)
        seconds = time.time() - began
        expected = self.result("whole")
        chance = random.Random(7)
        for strike, code in ((signal.SIGKILL, -9), (signal.SIGINT, 130), (signal.SIGTERM, 143)):
            shutil.rmtree(self.folder / "runs", ignore_errors=True)
            process = self.start(*words)
            while not (self.folder / "runs" / self.NAME).exists() and process.poll() is None:
                time.sleep(0.005)  # from then on it is listening
            time.sleep(chance.uniform(0, 0.5) * seconds)
            process.send_signal(strike)
            out, err = process.communicate(timeout=murmur.PATIENCE)
            if process.returncode in (0, 7):
                continue  # it was quicker this time
            self.assertEqual((process.returncode, out), (code, ""), err)
            if strike != signal.SIGKILL:
                self.assertIn(f"continue with\n  murmur reproduce --resume {self.NAME} --quick\n", err)
            self.murmur(*words, "--resume", code=None)
            self.assertEqual(self.result("runs"), expected)

    def test_what_is_finished_is_read_back(self):
        words = ("reproduce", "long-context", "--quick")
        first = self.murmur(*words, code=None)
        folder = self.folder / "runs/long-context"
        before = {path: path.stat().st_mtime_ns for path in folder.glob("*.csv")}
        tree = murmur.tree(folder)
        again = self.murmur(*words, "--resume", code=None)
        self.assertEqual((again.returncode, again.stdout), (first.returncode, first.stdout))
        self.assertIn("kept from before", again.stderr)
        self.assertEqual({path: path.stat().st_mtime_ns for path in before}, before)
        self.assertEqual(murmur.tree(folder), tree, "drawn again from what was kept, to the byte")
        other = self.murmur(*words, "--resume", "seeds=1", code=None)
        self.assertNotIn("kept from before", other.stderr)

    def test_all_says_how_to_go_on(self):
        words = ("reproduce", "--all", "--quick", "--progress", "json")
        process = self.start(*words)
        line = json.loads(next(line for line in process.stderr if line.startswith("{")))
        self.assertLessEqual(KEYS, set(line))
        self.assertEqual((line["what"], line["done"]), ("figures", 0))
        self.assertGreater(line["of"], 20)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=murmur.PATIENCE)
        self.assertEqual((process.returncode, out), (130, ""), err)
        self.assertIn("stopped after a checkpoint; continue with\n"
                      "  murmur reproduce --resume --all --quick --progress json\n", err)

    @unittest.skipUnless(murmur.LONG, "every figure takes minutes")
    def test_all_killed_again_and_again(self):
        words = ("reproduce", "--all", "--quick", "-q")
        for kills in range(1, 9):
            process = self.start(*words, "--resume")
            while process.poll() is None and len(self.records()) < 3 * kills:
                time.sleep(0.05)
            process.kill()
            process.communicate()
        kept = {path: path.stat().st_mtime_ns for path in self.records()}
        self.assertGreaterEqual(len(kept), 20)
        process = self.start(*words, "--resume", "--json")
        out, err = process.communicate(timeout=1800)
        self.assertIn(process.returncode, (0, 7), err)
        self.assertEqual({path: path.stat().st_mtime_ns for path in kept}, kept)
        self.assertEqual(len(json.loads(out)), len(self.records()))
        self.assertTrue((self.folder / "runs/reproduce-quick.html").exists())

    def records(self):
        return sorted(self.folder.glob("runs/*/record-quick.json"))


class Progress(murmur.Case):
    def lines(self, *words):
        done = self.murmur(*words, "--progress", "json", "-o", "run", "--force")
        lines = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
        self.assertTrue(lines, words)
        return lines

    def test_every_kind_tells_the_same(self):
        for what, words in (
            ("time", ("simulate", "n=60", "method=rk4", "dt=0.004", "T=10", "save=final")),
            ("time", ("meanfield", "d=2", "beta=5", "init=mode:3:1e-4", "modes=512", "T=14")),
            ("starts", ("landscape", "d=2", "n=6", "starts=3")),
            ("betas", ("landscape", *SEARCHES["scan"])),
            ("cells", ("sweep", "beta=1,4", "n=8", "d=2", "replicas=4", "T=2")),
        ):
            with self.subTest(words):
                for line in self.lines(*words):
                    self.assertLessEqual(KEYS, set(line))
                    self.assertEqual(line["what"], what)
                    self.assertAlmostEqual(line["fraction"], line["done"] / line["of"])
                    if line["seconds_left"] is not None:
                        self.assertGreaterEqual(line["seconds_left"], 0)

    def test_plain_lines(self):
        done = self.murmur("landscape", "d=2", "n=6", "starts=3", "--progress", "plain", "-o", "a")
        self.assertIn("0 / 3 starts    0 %", done.stderr)


class Kinds(murmur.Case):
    def test_a_kind_that_is_not_known_is_told(self):
        run = self.simulate("runs/strange", "n=4", "T=1")
        manifest = json.loads((run / "manifest.json").read_text())
        manifest["command"] = "dream"
        (run / "manifest.json").write_text(json.dumps(manifest))
        self.assertIn("dream: unknown to this murmur", self.murmur("runs").stdout)
        self.assertIn("dream", self.murmur("runs", "show", "strange").stdout)
        for words in (("runs", "resume", "strange"), ("runs", "diff", "strange", "strange"),
                      ("simulate", "--resume", "runs/strange"), ("report", "strange"),
                      ("render", "strange"), ("measure", "strange"),
                      ("export", "strange", "-o", "x.csv")):
            with self.subTest(words):
                self.refused(3, *words, what="does not know runs of the kind dream",
                             do="the version of murmur that created it")


if __name__ == "__main__":
    murmur.main()
