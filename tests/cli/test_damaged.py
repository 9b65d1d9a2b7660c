"""Files that another hand changed are refused in three lines that name file and key; no signal."""

import copy
import json
import shutil

import murmur

RUNTIME, USAGE, INPUT = 1, 2, 3
RUNS = murmur.ROOT / "tests/fixtures/runs"
REMOVED = object()
WRONG = {"removed": REMOVED, "null": None, "text": "x", "empty list": [], "nested list": [[[]]],
         "object": {}, "huge": 1e300, "negative": -7, "too large": "1e999", "NaN": "NaN",
         "true": True}


def places(value, path=()):
    """Every key of a JSON value, down to the first element of lists."""
    found = [path] if path else []
    if isinstance(value, dict):
        for key in value:
            found += places(value[key], (*path, key))
    if isinstance(value, list):
        for k in range(min(1, len(value))):
            found += places(value[k], (*path, k))
    return found


def changed(value, path, to):
    """The text of a JSON value with one place changed or removed."""
    value = copy.deepcopy(value)
    at = value
    for key in path[:-1]:
        at = at[key]
    raw = to if isinstance(to, str) and to != "x" else None
    if to is REMOVED:
        del at[path[-1]]
    else:
        at[path[-1]] = "<raw>" if raw else to
    text = json.dumps(value)
    return text.replace('"<raw>"', raw) if raw else text


class Damaged(murmur.Case):
    def told(self, done, allowed=(0, INPUT)):
        text = f"\n$ {' '.join(map(str, done.args))}\nexit {done.returncode}\n{done.stderr}"
        self.assertIn(done.returncode, allowed, text)
        self.assertNotIn("unexpected", done.stderr, text)
        if done.returncode == INPUT:
            self.assertEqual(len(done.stderr.splitlines()), 3, text)

    def mutate(self, path, *commands, required=(), ways=tuple(WRONG)):
        """Changes every place of a JSON file in every way, and asks each command about it."""
        whole = path.read_text()
        value = json.loads(whole)
        for place in places(value):
            for name in ways:
                path.write_text(changed(value, place, WRONG[name]))
                for words in commands:
                    with self.subTest(path.name, place=place, change=name, words=words):
                        done = self.murmur(*words, code=None, env={"PATH": "/nowhere"})
                        must = place in [(key,) for key in required] and name == "removed"
                        must = must or name in ("too large", "NaN")
                        self.told(done, (INPUT,) if must else (0, INPUT, 6))
        for text in ("", "{", "[]", "3", "null", '"x"', "[" * 100000, '{"a":' * 100000,
                     whole[:len(whole) // 2]):
            path.write_text(text)
            for words in commands:
                with self.subTest(path.name, text=text[:20], words=words):
                    self.told(self.murmur(*words, code=None, env={"PATH": "/nowhere"}),
                              (INPUT,))
        path.write_text(whole)


class Landscapes(Damaged):
    KEYS = ("lost", "points")

    def test_points(self):
        self.murmur("landscape", "d=2", "beta=3", "n=4", "starts=3", "perceptron=gradient:2",
                    "-o", "found", "-q")
        self.mutate(self.folder / "found/points.json", ("landscape", "--resume", "found"),
                    required=self.KEYS)

    def test_points_reported(self):
        """The page draws what it reads: a file in which two points have lost a field each."""
        self.murmur("landscape", "d=5", "beta=3", "n=4", "starts=3", "-o", "found", "-q")
        path = self.folder / "found/points.json"
        value = json.loads(path.read_text())
        for place in places(value):
            for name in ("removed", "empty list", "null", "huge"):
                path.write_text(changed(value, place, WRONG[name]))
                with self.subTest(place=place, change=name):
                    self.told(self.murmur("report", "found", code=None, env={"PATH": "/nowhere"}),
                              (INPUT, 6))

    def test_scan(self):
        self.murmur("landscape", "d=2", "betas=1:3:2", "n=4", "perceptron=gradient:2",
                    "direction=descent", "kernel=scaled", "-o", "found", "-q")
        self.mutate(self.folder / "found/scan.json", ("landscape", "--resume", "found"),
                    required=("points",))
        path = self.folder / "found/scan.json"
        value = json.loads(path.read_text())
        value["points"] = []
        path.write_text(json.dumps(value))
        self.told(self.murmur("report", "found", code=None), (INPUT,))


class MeanFields(Damaged):
    def test_phases(self):
        self.murmur("meanfield", "beta=5", "T=4", "-o", "run", "-q", env={"PATH": "/nowhere"})
        self.mutate(self.folder / "run/phases.json", ("report", "run"),
                    required=("t", "energy", "order", "phases"))


class Trainings(Damaged):
    def test_summary(self):
        (self.folder / "data").mkdir()
        shutil.copytree(RUNS / "pictures", self.folder / "data/mnist")
        shutil.copytree(RUNS / "train", self.folder / "runs/train")
        self.murmur("train", "--resume", "runs/train", "-q")
        self.mutate(self.folder / "runs/train/summary.json", ("train", "--resume", "runs/train"),
                    required=("test_accuracy", "epochs", "seed", "data"))


class Manifests(Damaged):
    WAYS = ("removed", "null", "empty list", "huge")

    def test_of_a_simulation(self):
        self.simulate("run", "n=4", "T=1", "-q")
        self.mutate(self.folder / "run/manifest.json", ("runs", "show", "run"),
                    ("simulate", "--resume", "run", "-v"), required=("status", "command"),
                    ways=self.WAYS)

    def test_of_a_sweep(self):
        self.murmur("sweep", "n=4", "T=1", "beta=1,2", "-o", "run", "-q", env={"PATH": "/nowhere"})
        self.mutate(self.folder / "run/manifest.json", ("sweep", "--resume", "run", "-q"),
                    required=("status", "command"), ways=self.WAYS)


    def test_the_key_is_named(self):
        self.simulate("run", "n=4", "T=1", "-q")
        path = self.folder / "run/manifest.json"
        value = json.loads(path.read_text())
        for place, to, why in ((("machine", "cores"), [], r"machine\.cores is not a number"),
                               (("argv",), [1], r"argv\[0\] is not a text"),
                               (("seed",), -1, "seed = -1 is not from 0 to"),
                               (("sha256",), REMOVED, "sha256 is missing")):
            with self.subTest(place):
                path.write_text(changed(value, place, to))
                self.refused(INPUT, "runs", "show", "run", what=why, where=r"manifest\.json",
                             do="restore")


class Arrays(Damaged):
    @staticmethod
    def npy(shape, data=b"", descr="<f8"):
        """An npy file that claims a shape, whatever it holds."""
        header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
        header += " " * (117 - len(header)) + "\n"
        return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data

    SHAPES = ("(4611686018427387904, 4)", "(2147483647, 2147483647)", "(3, 3000000000)",
              "(99999999999999999999, 3)", "(1000, 1000, 1000)", "(65536, 65536, 65536, 65536)",
              "(5, 3)", "(0, 18446744073709551615)", "(2147483648,)")

    def test_that_claim_more_than_they_hold(self):
        self.save("x.npy", murmur.unit_points(4, 3))
        for shape in self.SHAPES:
            for data in (b"", b"\0" * 96):
                (self.folder / "bad.npy").write_bytes(self.npy(shape, data))
                for words in ("simulate init=bad.npy", "measure bad.npy", "velocity init=bad.npy",
                              "simulate init=x.npy value=bad.npy",
                              "meanfield init=bad.npy", "measure x.npy --distance bad.npy"):
                    with self.subTest(words, shape=shape, held=len(data)):
                        done = self.murmur(*words.split(), code=None)
                        self.told(done, (INPUT, USAGE))

    def test_of_a_run(self):
        run = self.simulate("run", "n=4", "d=3", "T=1", "-q")
        for name in ("trajectory.npy", "times.npy", "inputs/points.npy"):
            whole = (run / name).read_bytes()
            for shape in (*self.SHAPES, "(4611686018427387904, 2, 2)",
                          "(7, 2147483647, 2147483647)", "(9, 0, 0)", "(9223372036854775807, 0, 3)", "(9, 4, 0)",
                          "(2000000000, 0, 3)"):
                (run / name).write_bytes(self.npy(shape, whole[128:]))
                for words in ("runs", "runs show run", "measure run", "report run",
                              "render run -o x.png --force", "export run -o x.csv --force"):
                    with self.subTest(words, name=name, shape=shape):
                        done = self.murmur(*words.split(), code=None, env={"PATH": "/nowhere"})
                        self.told(done, (0, INPUT, 6))
            (run / name).write_bytes(whole)


class Toml(Damaged):
    TEXTS = {
        "dotted key": "a" + ".a" * 50000 + " = 1\n",
        "dotted header": "[a" + ".a" * 50000 + "]\n",
        "quoted parts": '"a"' + '."a"' * 50000 + " = 1\n",
        "lists": "init = " + "[" * 50000 + "]" * 50000 + "\n",
        "open lists": "init = " + "[" * 50000,
        "inline tables": "a = " + "{a = " * 50000 + "1" + "}" * 50000 + "\n",
        "dotted inline tables": "a = " + "{a.b.c.d = " * 50000 + "1" + "}" * 50000 + "\n",
        "after a string": 'name = "a]#"\ninit = ' + "[" * 50000 + "\n",
        "after a long string": 'name = """a\n"b\\""""\ninit = ' + "[" * 50000 + "\n",
    }

    def test_deep(self):
        for name, text in self.TEXTS.items():
            with self.subTest(name):
                self.write("a.toml", text)
                for command in ("simulate", "sweep", "meanfield", "landscape", "train"):
                    done = self.murmur(command, "a.toml", code=None)
                    self.told(done, (INPUT,))
                    self.assertRegex(done.stderr, r"nested more than 64.*\n  where: .*:\d+:\d+\n")

    def test_brackets_in_strings_are_no_depth(self):
        deep = "[" * 100 + "." * 100
        self.write("a.toml", f"# {deep}\nname = 'x' # {deep}\nT = 1.5\nbeta = 2.25\n"
                   + "init = [" + ", ".join("[1.0, 0.0]" for _ in range(200)) + "]\n")
        self.murmur("simulate", "a.toml", "-q", "--dry-run")

    def test_a_run_in_the_listing(self):
        run = self.simulate("runs/run", "n=4", "T=1", "-q")
        for text in self.TEXTS.values():
            (run / "config.toml").write_text(text)
            for words in (("runs",), ("runs", "show", "run"), ("report", "runs/run"),
                          ("simulate", "--resume", "runs/run")):
                self.told(self.murmur(*words, code=None), (0, INPUT))


if __name__ == "__main__":
    murmur.main()
