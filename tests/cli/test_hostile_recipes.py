"""Pictures come from anywhere: none of their recipes writes anywhere but where the user said.

MURMUR_ATTACKS=N draws N recipes instead of a few, MURMUR_SEED=S others."""

import json
import os
import pathlib
import re
import signal

import hostile
import murmur

COUNT = int(os.environ.get("MURMUR_ATTACKS") or (2000 if murmur.LONG else 60))
SEED = int(os.environ.get("MURMUR_SEED") or 20261119)
INPUT = 3


def processes_below(folder):
    """Numbers of processes whose words name a folder."""
    found = []
    for path in pathlib.Path("/proc").iterdir():
        try:
            if path.name.isdigit() and str(folder).encode() in (path / "cmdline").read_bytes():
                found.append(int(path.name))
        except OSError:  # it is gone
            pass
    return found


class Hostile(murmur.Case):
    def setUp(self):
        super().setUp()
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.home = {"TMPDIR": str(self.temporary), "HOME": str(self.folder / "home")}

    def open(self, picture, *words, code=None):
        return self.murmur("open", picture, *words, code=code, env=self.home)

    def plant(self, recipe, ending=".svg", name="bad"):
        """A picture with a recipe; returns its name."""
        path = self.folder / (name + ending)
        path.write_bytes(hostile.carrier(ending, json.dumps(recipe).encode()))
        return path.name

    def user(self):
        """What a user has here: a finished run, one to go on with, a sweep, pictures."""
        self.murmur("simulate", "-q", "n=4", "T=1", "-o", "runs/flock-0-1")
        self.murmur("sweep", "-q", "n=4", "T=0.2", "beta=1,2", "-o", "grid",
                    env={"PATH": "/nowhere"})
        (self.folder / "precious.png").write_bytes(b"precious")
        (self.folder / "precious.svg").write_bytes(b"precious")
        (self.folder / "home").mkdir()
        names = ("runs/flock-0-1", "flock-0-1", "grid", "precious.png", "precious.svg", "runs",
                 "runs/flock-0-1/trajectory.npy", "new.png", "home")
        return [*names, *(str(self.folder / name) for name in names[:4])]


class Attacks(Hostile):
    def test_drawn_recipes(self):
        """Whatever a recipe says: a documented exit code, no signal, and nothing of the user's changes."""
        attacks = hostile.Attacks(SEED, self.user())
        before = murmur.tree(self.folder)
        codes = {}
        for k in range(COUNT):
            ending, content = attacks.picture()
            (self.folder / ("bad" + ending)).write_bytes(content)
            out = self.folder / ("out" + ending)
            for words in ((), ("-o", out.name, "-q")):
                done = self.open("bad" + ending, *words)
                told = f"attack {k} of seed {SEED}: {content!r}\n{done.stdout}{done.stderr}"
                self.assertIn(done.returncode, (0, 1, 2, 3, 4, 6, 7), told)
                self.assertNotIn("unexpected", done.stderr, told)
                for text in (done.stdout, done.stderr):
                    self.assertNotIn("\x1b", text, told)
                    self.assertNotIn("\0", text, told)
                if done.returncode not in (0, 7):
                    self.assertGreaterEqual(len(done.stderr.splitlines()), 3, told)
                if not words:
                    self.assertIn(done.returncode, (0, 3), told)
            codes[done.returncode] = codes.get(done.returncode, 0) + 1
            (self.folder / ("bad" + ending)).unlink()
            out.unlink(missing_ok=True)
            self.assertEqual(murmur.tree(self.folder), before, told)
        self.assertEqual(processes_below(self.temporary), [])
        print(f"{COUNT} hostile recipes, exit codes {dict(sorted(codes.items()))}", flush=True)


class Refused(Hostile):
    GOOD = {"murmur": "1", "commit": "x", "seed": 0, "command": "c", "config": "n = 4\nT = 0.1\n"}
    MAKE = ["simulate", "@config"]
    FILE = {"file": "figures/end.svg"}

    def check(self, recipe, what="."):
        """Shown or made again: refused in three lines, and nothing changes."""
        for ending in hostile.ENDINGS:
            picture = self.plant({**self.GOOD, **recipe}, ending)
            before = murmur.tree(self.folder)
            for words in ((), ("-o", "new" + ending)):
                done = self.open(picture, *words, code=INPUT)
                self.assertEqual(len(done.stderr.splitlines()), 3, done.stderr)
                self.assertRegex(done.stderr.splitlines()[0], what)
            self.assertEqual(murmur.tree(self.folder), before)
            (self.folder / picture).unlink()

    def test_flags_in_one_word(self):
        self.user()
        for words in (["-qo", "precious.svg"], ["-qoprecious.svg"], ["-vqo", "x"], ["--force=true"],
                      ["--out=x"], ["--resume", "grid"], ["--runs", "x"], ["-o", "x"]):
            with self.subTest(words):
                self.check({"make": [self.MAKE, ["render", "@run", *words]]}, "where to write")

    def test_unknown_flags_and_parameters(self):
        for words in (["--ou", "x"], ["--verify", "x"], ["--help"], ["-h"], ["--page", "x"],
                      ["--light=true"]):
            with self.subTest(words):
                self.check({"make": [self.MAKE, ["render", "@run", *words]]}, "unknown flag")
        self.check({"make": [self.MAKE, ["render", "@run", "out=x"]]}, "unknown parameter out")
        self.check({"make": [self.MAKE, ["render", "@run", "--size", "--light"]]}, "no value")

    def test_every_flag_is_on_a_list(self):
        """A new flag of a command that draws is one that recipes keep, or one that they leave out."""
        without_picture = {"--help", "-h", "--verify", "--tolerance", "--names"}
        steps = {"render": ["render", "@run"], "report": ["report", "@run"],
                 "classify": ["classify", "@run"], "reproduce": ["reproduce", "equiangular"],
                 "trace": ["trace", "model", "text"], "import": ["import", "states.npy"]}
        for command, step in steps.items():
            told = self.murmur(command, "--help").stdout
            flags = set(re.findall(r"(?:^  |,)(--?[a-z][a-z-]*)", told, re.MULTILINE))
            self.assertLessEqual({"--out", "-o", "--quiet"}, flags)
            make = [step] if command in ("reproduce", "trace", "import") else [self.MAKE, step]
            for flag in flags - without_picture:
                picture = self.plant({**self.GOOD, **self.FILE, "make": [*make[:-1], [*step, flag, "1"]]})
                with self.subTest(command, flag=flag):
                    self.assertNotIn("unknown flag", self.open(picture).stderr)

    def test_control_characters(self):
        for word in ("--out\0", "--resume\0", "-o\0x", "beta=1\0", "a\nb", "\x1b[2J", "\x7f"):
            with self.subTest(word):
                self.check({"make": [self.MAKE, ["render", "@run", word]]}, "control characters")
        self.check({"make": [["simulate\0", "@config"]], **self.FILE})

    def test_named_runs(self):
        self.user()
        for step in (["report", "runs/flock-0-1"], ["report", "flock-0-1"], ["render", "grid"],
                     ["render", str(self.folder / "grid")], ["render", "@run", "grid"],
                     ["classify", "runs/flock-0-1"], ["classify", str(self.folder / "grid")]):
            for steps in ([step], [self.MAKE, step]):
                with self.subTest(steps):
                    self.check({"make": steps, **self.FILE})

    def test_runs_that_are_not_made_from_settings(self):
        self.user()
        for step in (["simulate", "grid"], ["simulate", "n=4"], ["train", "grid"],
                     ["simulate", "@config", "n=4"], ["sweep", "n=4"]):
            with self.subTest(step):
                self.check({"make": [step], **self.FILE}, "not made from its settings")
        self.check({"make": [self.MAKE, self.MAKE], **self.FILE}, "two runs")
        self.check({"make": [self.MAKE]}, "does not contain its path")

    def test_names(self):
        make = [self.MAKE, ["render", "@run"]]
        for run in ("..", ".", "a/b", "", "a\0b", "a\nb", "x" * 300):
            with self.subTest(run=run):
                self.check({"make": make, "run": run}, "name of a folder")
        for file in ("../x.svg", "/etc/x.svg", "figures/../../x.svg", "a\0.svg"):
            with self.subTest(file=file):
                self.check({"make": make, "file": file})
        self.check({"make": make, "file": "config.toml"}, "another kind")


class Ends(Hostile):
    """The commands of a recipe and their folder end with the program that was asked."""

    SLOW = {**Refused.GOOD, "config": "n = 400\nT = 1e6\nmethod = \"rk4\"\ndt = 0.001\n",
            "make": [Refused.MAKE, ["render", "@run"]]}

    def begin(self):
        """The program while a command of the recipe is under way."""
        picture = self.plant(self.SLOW, ".png")
        process = self.start("open", picture, "-o", "new.png", "-q", env=self.home)
        murmur.wait_until(lambda: process.poll() is not None
                          or list(self.temporary.glob("murmur-*/made/run/manifest.json")), "a run")
        self.assertIsNone(process.poll(), "it has ended")
        return process

    def wait_for_none(self):
        murmur.wait_until(lambda: not processes_below(self.temporary), "the end of all processes")

    def test_signals(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(number.name):
                process = self.begin()
                process.send_signal(number)
                process.communicate(timeout=60)
                self.assertEqual(process.returncode, 128 + number)
                self.wait_for_none()
                self.assertEqual(list(self.temporary.iterdir()), [])
                self.assertFalse((self.folder / "new.png").exists())

    def test_a_kill(self):
        process = self.begin()
        process.kill()
        process.communicate(timeout=60)
        self.wait_for_none()


if __name__ == "__main__":
    murmur.main()
