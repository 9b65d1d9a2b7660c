"""murmur.py: runs the program for the tests, each in a folder of its own that is thrown away."""

import json
import os
import pathlib
import resource
import shutil
import subprocess
import tempfile
import time
import unittest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: small matrices only
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("MURMUR") or ROOT / "build/release/murmur").resolve()
LONG = os.environ.get("MURMUR_LONG") == "1"
PART = os.environ.pop("MURMUR_PART", "1/1")  # k/n: of each class every n-th test, from the k-th
SCRATCH = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # memory: syncs cost nothing
PATIENCE = 900  # seconds until a test that hangs is ended: no test measures with it
PROMISED = ("trajectory.npy", "times.npy", "observables.csv")  # equal bytes, whatever happened


def environment(**extra):
    """The caller's environment without its parameters, so that only `extra` speaks."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("MURMUR")}
    clean.pop("NO_COLOR", None)
    return {**clean, **extra}


def unit_points(n, d, seed=0):
    """n points of the unit sphere of R^d, (n, d)."""
    x = np.random.default_rng(seed).standard_normal((n, d))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def tree(folder):
    """Every path below a folder with its bytes; None for a folder. What readers remember is left out."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(pathlib.Path(folder).rglob("*")) if path.name != "compared.json"
    }


def promised(run):
    """The files of a run that must not depend on kills, threads or resumes."""
    kept = {name: (run / name).read_bytes() for name in PROMISED}
    lines = (run / "events.jsonl").read_text().splitlines()
    kept["merges"] = [line for line in lines if json.loads(line)["event"] == "merge"]
    return kept


def trajectory(run):
    return np.load(run / "trajectory.npy")


def frames_and_times(run):
    return np.load(run / "trajectory.npy"), np.load(run / "times.npy")


def status(run):
    return json.loads((run / "manifest.json").read_text())["status"]


def manifest(run):
    return json.loads((run / "manifest.json").read_text())


def edit(path, old, new):
    """Puts `new` in the place of `old`, which must be there, in a text file."""
    text = path.read_text()
    assert old in text, (old, text)
    path.write_text(text.replace(old, new))


def forget_digests(run):
    """Makes a run look as those did that were written before settings and inputs had digests."""
    told = manifest(run)
    for key in ("settings", "inputs"):
        told.pop(key)
    (run / "manifest.json").write_text(json.dumps(told, indent=2))
    path = run / "checkpoint.safetensors"
    if path.exists():
        content = path.read_bytes()
        length = int.from_bytes(content[:8], "little")
        header = json.loads(content[8:8 + length])
        header["__metadata__"] = {"sha256": header["__metadata__"]["sha256"]}
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
        path.write_bytes(len(text).to_bytes(8, "little") + text + content[8 + length:])


def wait_until(true, what="the event"):
    """Waits for a condition, however busy the machine is."""
    end = time.monotonic() + PATIENCE
    while not true():
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not come within {PATIENCE} s")
        time.sleep(0.01)


def handles(process, sign):
    """Whether a process that runs has a handler for a signal: before, the signal just kills it."""
    assert process.poll() is None, "the process has ended"
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    (caught,) = [line.split()[1] for line in status.splitlines() if line.startswith("SigCgt")]
    return bool(int(caught, 16) >> (sign - 1) & 1)


def processor_seconds(who=resource.RUSAGE_CHILDREN):
    """Processor time of all processes that have been waited for: a busy machine does not change it."""
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def processor_seconds_of(process):
    """Processor time of a process that still runs."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="murmur-cli-", dir=SCRATCH))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def start(self, *words, env=None, cwd=None, **options):
        """A process of the program in this test's folder; it does not outlive the test."""
        process = subprocess.Popen(
            [str(PROGRAM), *map(str, words)],
            cwd=cwd or self.folder,
            env=environment(**(env or {})),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )
        self.addCleanup(self._end, process)
        return process

    @staticmethod
    def _end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def murmur(self, *words, code=0, env=None, **options):
        """Runs the program to its end and checks the exit code; returns what it wrote."""
        process = self.start(*words, env=env, **options)
        out, err = process.communicate(timeout=PATIENCE)
        done = subprocess.CompletedProcess(process.args, process.returncode, out, err)
        if code is not None:
            self.assertEqual(done.returncode, code, f"\n$ {' '.join(done.args)}\n{out}{err}")
        return done

    def ends_soon(self, process, sign, seconds):
        """Sends a signal; until its end the process uses so much processor time at most. What it wrote."""
        before, used = processor_seconds(), processor_seconds_of(process)
        process.send_signal(sign)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertLess(processor_seconds() - before - used, seconds)
        return out, err

    def simulate(self, name, *words, **options):
        """A run in this test's folder; returns its directory."""
        self.murmur("simulate", *words, "-o", name, **options)
        return self.folder / name

    def save(self, name, array):
        np.save(self.folder / name, array)
        return name

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def refused(self, code, *words, what=".", where=".", do=".", env=None, **options):
        """The program refuses in three lines and leaves the folder as it was."""
        before = tree(self.folder)
        done = self.murmur(*words, code=None, env=env, **options)
        told = f"\n$ {' '.join(done.args)}\nexit {done.returncode}\n{done.stdout}{done.stderr}"
        lines = done.stderr.splitlines()
        self.assertEqual(done.returncode, code, told)
        self.assertEqual(len(lines), 3, "an error is three lines" + told)
        for line, opening, expected in zip(
            lines, ("murmur: ", "  where: ", "  do:    "), (what, where, do)
        ):
            self.assertTrue(line.startswith(opening), told)
            self.assertTrue(line[len(opening):].strip(), "an empty line" + told)
            self.assertRegex(line, expected, told)
        self.assertEqual(done.stdout, "", "a refusal is no data" + told)
        self.assertEqual(tree(self.folder), before, "files changed" + told)
        return done


class Loader(unittest.TestLoader):
    """Finds the tests of MURMUR_PART."""

    def getTestCaseNames(self, case):
        part, parts = map(int, PART.split("/"))
        return super().getTestCaseNames(case)[part - 1::parts]


class Result(unittest.TextTestResult):
    """Also prints the processor time of each test that takes more than a second of it."""

    def startTest(self, test):
        self.before = processor_seconds() + processor_seconds(resource.RUSAGE_SELF)
        super().startTest(test)

    def stopTest(self, test):
        used = processor_seconds() + processor_seconds(resource.RUSAGE_SELF) - self.before
        if used > 1:
            self.stream.writeln(f"    {used:.1f} s of processor time")
        super().stopTest(test)


class Runner(unittest.TextTestRunner):
    resultclass = Result


def main():
    if not PROGRAM.is_file():
        raise SystemExit(f"there is no program at {PROGRAM}; build it, or set MURMUR to its path")
    unittest.main(verbosity=2, testLoader=Loader(), testRunner=Runner)
