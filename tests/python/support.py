"""support.py: what the tests of the Python package share: where things are, and random experiments."""
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("MURMUR", ROOT / "build/release/murmur")).resolve().parent
PROGRAM = BUILD / "murmur"
PACKAGE = BUILD / "python"
LONG = os.environ.get("MURMUR_LONG") == "1"
sys.path.insert(0, str(PACKAGE))
for name in [n for n in os.environ if n.startswith("MURMUR") and n not in ("MURMUR", "MURMUR_LONG")]:
    if name != "MURMUR_DATA":
        del os.environ[name]


class Folder(unittest.TestCase):
    """A test in an empty folder of its own."""

    def setUp(self):
        self.before = os.getcwd()
        self.folder = tempfile.TemporaryDirectory(prefix="murmur-test-")
        os.chdir(self.folder.name)

    def tearDown(self):
        os.chdir(self.before)
        self.folder.cleanup()


def program(*words, code=0):
    """Runs the program; its stdout."""
    done = subprocess.run([str(PROGRAM), *map(str, words)], capture_output=True, text=True)
    assert done.returncode == code, (words, done.returncode, done.stderr)
    return done.stdout


def python(text, *, timeout=900, **environment):
    """Runs another Python with the package on its path."""
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=timeout,
                          env={**os.environ, "PYTHONPATH": str(PACKAGE), **environment})


def bare():
    """An environment with the package alone, and a sanitizer where there is one."""
    kept = ("LD_PRELOAD", "ASAN_OPTIONS", "UBSAN_OPTIONS", "PYTHONMALLOC")
    return {"PYTHONPATH": str(PACKAGE), "PATH": "/usr/bin:/bin",
            **{name: os.environ[name] for name in kept if name in os.environ}}


def fly(times):
    """Flights one after another, with all that a user may do on the way, right and wrong."""
    import numpy as np

    import murmur

    field = murmur.Field(n=8)
    out = np.empty((3, 8)).T
    for k in range(times):
        run = murmur.simulate(n=8, T=0.5, save="every:0.1", seed=k)
        field.velocity(run.x[-1])
        field.velocity(murmur.Swarm(np.asfortranarray(run.x[-1])), 0.0, out)
        if k % 10 == 0:
            murmur.simulate(n=4, T=0.2, external=murmur.External("own", lambda t, x: -x))
            flow = murmur.Flow(init=out / np.linalg.norm(out, axis=1, keepdims=True), T=1).step(2)
            flow.branch(beta=2).step(), flow.resume(T=2).step()
            flow.advance(frames=1, watch=lambda f: f.x is None)
            for wrong in (lambda: murmur.simulate(n=-1), lambda: field.velocity(out, 0.0, out),
                          lambda: murmur.Swarm(np.eye(3), copy="no"), lambda: field.velocity("x"),
                          lambda: flow.advance(watch=lambda f: 1 / 0)):
                try:
                    wrong()
                except (murmur.MurmurError, ZeroDivisionError):
                    pass


def resident():
    """Bytes of memory that this process has."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def random_experiment(number):
    """The parameters of experiment `number`: always the same, and always valid."""
    draw = random.Random(number)
    dynamics = draw.choice(["SA", "SA", "USA", "causal", "hardmax", "sinkhorn", "euclidean"])
    sphere = dynamics not in ("hardmax", "euclidean")
    method = draw.choice(["dopri5", "dopri5", "tsit5", "rk4", "euler", "layers"])
    p = {"n": draw.randint(1, 24), "d": draw.randint(2, 5), "dynamics": dynamics, "method": method,
         "beta": round(draw.uniform(0.2, 6), 3), "T": draw.choice([0.5, 1.0, 2.0]),
         "seed": draw.randint(0, 10**6)}
    if method in ("rk4", "euler", "layers"):
        p["dt"] = draw.choice([0.1, 0.05])
        p["save"] = draw.choice(["every:0.1", "final"])
    else:
        p["save"] = draw.choice(["every:0.25", "log:7", "final"])
        if draw.random() < 0.3:
            p["rtol"] = 1e-6
    if draw.random() < 0.3 and dynamics in ("SA", "USA", "causal"):
        p["heads"] = draw.randint(1, 3)
        p["query"] = draw.choice(["gaussian", "identity"])
        p["value"] = draw.choice(["identity", "gaussian", "minus-identity"])
    if draw.random() < 0.2 and dynamics == "USA":
        p["clock"] = draw.choice(["U2", "U3"])
    if draw.random() < 0.2 and sphere:
        p["perceptron"] = draw.choice(["gaussian:4", "gradient:3"])
        p["activation"] = draw.choice(["relu", "gelu", "tanh"])
    if draw.random() < 0.2 and dynamics == "SA":
        p["normalisation"] = draw.choice(["post", "sqrt", "ngpt:2", "pre", "peri"])
    if draw.random() < 0.2 and method in ("euler", "layers"):
        p["noise"] = 0.05
    if draw.random() < 0.15 and method == "dopri5" and dynamics == "SA" and "normalisation" not in p:
        p["merge"] = 1e-3
    if draw.random() < 0.2 and dynamics != "sinkhorn":
        p["engine"] = draw.choice(["reference", "simd"])
    if draw.random() < 0.15 and p.get("engine") == "simd" and "merge" not in p:
        p["precision"] = "f32"
    if draw.random() < 0.2:
        p["self"] = False
    if draw.random() < 0.2:
        p["threads"] = draw.randint(1, 3)
    if draw.random() < 0.15 and sphere and p.get("normalisation") is None:
        p["init"] = draw.choice(["hemisphere", "cap:0.7", "clusters:2:0.1"])
    return p
