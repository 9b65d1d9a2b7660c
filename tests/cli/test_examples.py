"""test_examples.py: every example of every --help runs as it is written."""

import gzip
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

import numpy as np

import murmur
from test_digits import png
from test_trace import FAMILIES, TOKENIZER, write_safetensors

MNIST = pathlib.Path(os.environ.get("MURMUR_DATA") or murmur.ROOT / "data/mnist")
TEXTS = "the cat sat\nthe dog sat\n"
# Runs that examples work on: small ones, with the names that the examples use.
PREPARED = (
    "simulate n=12 T=1 -o runs/flock-0-1",
    "simulate n=12 T=1 seed=1 -o runs/flock-1-1",
    "simulate n=12 d=2 T=1 name=circle -o runs/circle-0-1",
    "simulate n=12 d=2 T=1 name=circle seed=1 -o runs/circle-1-1",
    "train heads=2 blocks=4 hidden=8 epochs=1 -o runs/digits-0-1",
    "train task=same blocks=2 hidden=8 epochs=1 samples=256 -o runs/same-0-1",
    "train task=sense blocks=2 hidden=8 epochs=1 samples=256 -o runs/sense-0-1",
    "landscape d=2 beta=4 n=8 starts=2 -o runs/landscape-0-1",
    "trace models/gpt2 'the cat sat' -o runs/trace-0-1",
)
# What the examples of one command need beside these.
OF_COMMAND = {
    "meanfield": ("meanfield d=2 noise=1 T=0.1 -o runs/mine",),
    "open": (
        "render runs/flock-0-1 --plot energy -o figure.svg",
        "render runs/flock-0-1 --size 320x320 --seconds 0.5 --fps 10",
        "render runs/flock-0-1 --size 320x320 --seconds 0.5 --fps 10 -o film.mp4",
    ),
}
# Reproductions that train, or draw many figures: run by the long tests.
MINUTES = re.compile(r"murmur reproduce .*(--all|swarm-table|flock-argument|\d{4}\.\d{5} --quick)")
SERVERS = ("murmur studio",)  # they run until they are stopped


def has(program):
    return shutil.which(program) is not None


def reason_to_skip(line):
    """Why this example cannot run here; empty where it can."""
    if "cuda" in line:
        return "it needs a GPU"
    if line.startswith(("mpirun", "srun")):
        return "it needs MPI"
    if line.startswith("murmur submit") and "--dry-run" not in line:
        return "it needs a Slurm cluster"
    if "model fetch" in line:
        return "it needs the network"
    if "models=FOLDER" in line:
        return "it needs trained transformers"
    if MINUTES.match(line) and not murmur.LONG:
        return "it takes minutes: a long test"
    if "--open" in line:
        return "it opens a browser"
    if ".mp4" in line and not has("ffmpeg"):
        return "it needs ffmpeg"
    return ""


def examples_of(command):
    """The command lines among the examples of --help, without comments that end them."""
    lines, joins = [], False
    for line in command["examples"].splitlines():
        if joins:
            lines[-1] = lines[-1][:-1] + line.strip()
        elif line.startswith("  ") and ("murmur " in line):
            lines.append(line.strip())
        else:
            continue
        joins = lines[-1].endswith("\\")
    return lines


def tokenizer():
    """One that knows the words of the examples, and a word for every id of a model."""
    known = ["?", "the", "cat", "sat", "dog", "a", "b", "c", "d", "is", "to", "on", "mat"]
    words = known + [f"word{k}" for k in range(len(known), 256)]
    model = {**TOKENIZER["model"], "vocab": {word: k for k, word in enumerate(words)}}
    return {**TOKENIZER, "model": model}


def prepare(folder):
    """The files and runs that examples name."""
    (folder / "runs").mkdir()
    (folder / "models").mkdir()
    for name, family in (("bert", "bert"), ("minilm", "bert"), ("gpt2", "llama"), ("vit", "vit")):
        shutil.copytree(FAMILIES / family, folder / "models" / name)
        (folder / "models" / name / "tokenizer.json").write_text(json.dumps(tokenizer()))
    shutil.copytree(folder / "models/gpt2", folder / "model")
    shutil.copy(FAMILIES / "bert/golden.safetensors", folder / "golden.safetensors")
    (folder / "texts.txt").write_text(TEXTS)
    (folder / "texts.jsonl").write_text('"the cat"\n"the dog"\n')
    (folder / "ids.jsonl").write_text("[1, 2]\n[1, 4]\n")
    (folder / "tokens.txt").write_text("a\nb\nc\nd\n")
    (folder / "words.csv").write_text("up,0,0,1\ndown,0,0,-1\nleft,1,0,0\n")
    points = np.stack([murmur.unit_points(4, 3, seed) for seed in range(3)])
    np.save(folder / "states.npy", points)
    write_safetensors(folder / "states.safetensors", {"states": points})
    np.save(folder / "hidden.npy", points)
    np.save(folder / "x.npy", points[0])
    (folder / "cat.png").write_bytes(png(np.full((28, 28), 99)))
    (folder / "page").mkdir()
    (folder / "page/index.html").write_text("<!doctype html><title>page</title>")
    (folder / ".config/fish/completions").mkdir(parents=True)
    pixels = np.fromfile(MNIST / "t10k-images-idx3-ubyte", np.uint8)
    pictures = pixels[16:].reshape(-1, 28, 28)
    for name, k in (("digit", 8), ("left", 8), ("right", 11)):
        (folder / f"{name}.png").write_bytes(png(pictures[k]))
    head = pixels[:4].tobytes() + (32).to_bytes(4, "big") + pixels[8:16].tobytes()
    (folder / "t10k-images-idx3-ubyte.gz").write_bytes(
        gzip.compress(head + pictures[:32].tobytes()))


class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not (MNIST / "t10k-images-idx3-ubyte").exists():
            raise unittest.SkipTest("examples read MNIST, which is not here")
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="murmur-examples-", dir=murmur.SCRATCH))
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)
        (cls.shared / "bin").mkdir()
        (cls.shared / "bin/murmur").symlink_to(murmur.PROGRAM)
        cls.prepared = cls.shared / "prepared"
        cls.prepared.mkdir()
        prepare(cls.prepared)
        for line in PREPARED:
            cls.shell(f"murmur {line} -q", cls.prepared)

    @classmethod
    def shell(cls, line, folder, check=True):
        extra = {"PATH": f"{cls.shared / 'bin'}:{os.environ['PATH']}", "MURMUR_DATA": str(MNIST),
                 "HOME": str(folder), "XDG_DATA_HOME": str(folder / "home")}
        done = subprocess.run(["bash", "-c", line], cwd=folder, env=murmur.environment(**extra),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=3000 if murmur.LONG else murmur.PATIENCE)
        if check and done.returncode != 0:
            raise AssertionError(f"$ {line}\nexit {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def serve(self, line, folder):
        """A server prints its address and ends with code 0 when it is asked to."""
        process = subprocess.Popen(
            ["bash", "-c", f"exec {line.replace('9000', '0')} --page page"], cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=murmur.environment(PATH=f"{self.shared / 'bin'}:{os.environ['PATH']}"))
        self.assertRegex(process.stdout.readline(), "127.0.0.1|localhost")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=murmur.PATIENCE)
        self.assertEqual(process.returncode, 0, line)

    def run_examples(self, command):
        lines = examples_of(command)
        self.assertGreaterEqual(len(lines), 2)
        folder = self.shared / command["name"]
        shutil.copytree(self.prepared, folder)
        for line in OF_COMMAND.get(command["name"], ()):
            self.shell(f"murmur {line} -q", folder)
        for line in lines:
            with self.subTest(line):
                reason = reason_to_skip(line)
                if reason:
                    print(f"skipped, {reason}: {line}", flush=True)
                elif line.startswith(SERVERS):
                    self.serve(line, folder)
                else:
                    self.shell(line, folder)
        shutil.rmtree(folder)


def add_tests():
    """One test for each command."""
    told = subprocess.run([str(murmur.PROGRAM), "explain", "--commands", "--json"], check=True,
                          capture_output=True, text=True, env=murmur.environment())
    for command in json.loads(told.stdout):
        def test(self, command=command):
            self.run_examples(command)
        setattr(Examples, f"test_{command['name']}", test)


if __name__ == "__main__":
    if murmur.PROGRAM.is_file():
        add_tests()
    murmur.main()
