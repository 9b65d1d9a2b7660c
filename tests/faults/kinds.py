"""kinds.py: the kinds of run that the faults are tried on: tiny commands, and what they promise."""

import dataclasses
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/cli"))

PROGRAM = pathlib.Path(os.environ.get("MURMUR") or ROOT / "build/release/murmur").resolve()
LIBRARY = pathlib.Path(os.environ.get("FAULTS_LIBRARY")
                       or PROGRAM.parent / "tests/libmurmur_faults.so").resolve()
SCRATCH = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # memory: syncs cost nothing
RUN = "run"  # the name of every run, in a folder of its own
FRAMES = ("trajectory.npy", "times.npy", "observables.csv")
OPENINGS = ("murmur: ", "  where: ", "  do:    ")  # of the three lines of an error
SECONDS = 600  # longer than any of these runs takes; more is a program that hangs


@dataclasses.dataclass(frozen=True)
class Kind:
    """A command that takes some hundredths of a second, and the files that it promises."""

    name: str
    words: tuple
    files: tuple
    checkpoints: bool = True  # whether it takes --checkpoint; a sweep keeps cells instead
    other: str = "seed=1"  # makes another run of the same kind

    def command(self, *more, checkpoint=None):
        seconds = ("--checkpoint", checkpoint) if checkpoint and self.checkpoints else ()
        return (self.name, *self.words, *more, *seconds, "-q", "-o", RUN)

    def resume(self, checkpoint=None):
        seconds = ("--checkpoint", checkpoint) if checkpoint and self.checkpoints else ()
        return (self.name, "--resume", RUN, *seconds, "-q")


def all_kinds(data):
    """By name; `data` is a folder of pictures for the training."""
    kinds = (
        Kind("simulate", ("n=6", "d=2", "beta=6", "T=1.5", "merge=0.2", "save=every:0.125",
                          "engine=reference"), FRAMES),
        Kind("train", (f"data={data}", "digits=3,7", "blocks=1", "hidden=4", "batch=6",
                       "epochs=3", "threads=1"), (*FRAMES, "model.safetensors", "summary.json")),
        Kind("sweep", ("beta=1,4", "n=4", "d=2", "replicas=2", "T=1", "times=2", "threads=1",
                       "method=layers", "dt=0.5"),
             ("sweep.csv", "front.csv", "failures.jsonl", "cells/000000.csv", "cells/000001.csv"),
             checkpoints=False),
        Kind("meanfield", ("beta=4", "init=mode:2:0.1", "modes=16", "T=0.5", "save=every:0.05"),
             (*FRAMES, "density.npy", "grid.npy", "phases.json"), other="T=0.25"),
        Kind("landscape", ("d=4", "n=4", "starts=6", "threads=1"), ("points.json", "atoms.npy")),
    )
    return {kind.name: kind for kind in kinds}


def save_data(folder):
    """A few pictures of bars to learn from; returns the folder."""
    import bars  # numpy is needed for this alone
    import numpy as np
    folder.mkdir()
    for part, count, seed in (("train", 24, 1), ("test", 6, 2)):
        pictures, labels = bars.draw(count, seed)
        np.save(folder / f"{part}_images.npy", pictures)
        np.save(folder / f"{part}_labels.npy", labels)
    return folder


def environment(**extra):
    """Nothing of the caller's that could change a run; no gnuplot, so that nothing is spawned."""
    home = os.environ.get("HOME", "/")
    return {"PATH": "/nonexistent", "HOME": home, "OPENBLAS_NUM_THREADS": "1", "LC_ALL": "C",
            **{name: str(value) for name, value in extra.items()}}


@dataclasses.dataclass
class Ended:
    code: int  # below 0: by a signal; None: it did not end
    err: str

    def lines(self):
        """stderr without what tells of a figure that is not drawn, unless there is nothing else."""
        lines, kept, undrawn = self.err.splitlines(), [], []
        while lines:
            if lines[0].startswith("murmur: ") and " not drawn: " in lines[0]:
                undrawn = lines[:3]
                del lines[:3]
            else:
                kept.append(lines.pop(0))
        return kept or undrawn

    def refusal(self):
        """The first line of an error told in exactly three; else None."""
        lines = self.lines()
        told = len(lines) == 3 and all(line.startswith(opening) and line[len(opening):].strip()
                                       for line, opening in zip(lines, OPENINGS))
        return lines[0] if self.code not in (0, None) and self.code > 0 and told else None


def run_program(words, folder, env=None):
    """The program in a folder, to its end."""
    process = subprocess.Popen([PROGRAM, *words], cwd=folder, env=env or environment(),
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, close_fds=False)
    try:
        _, err = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return Ended(None, "")
    return Ended(process.returncode, err.decode(errors="replace"))


def watching(folder, trace, **more):
    """The environment of a program whose calls below `folder` are watched."""
    return environment(LD_PRELOAD=LIBRARY, FAULTS_BELOW=folder, FAULTS_TRACE=trace, **more)


def outcome(kind, folder):
    """What a finished run promises, by name; a missing file is None."""
    run, kept = folder / RUN, {}
    for name in kind.files:
        try:
            kept[name] = (run / name).read_bytes()
        except FileNotFoundError:
            kept[name] = None
    if kept.get("summary.json"):
        summary = json.loads(kept["summary.json"])
        kept["summary.json"] = {key: value for key, value in summary.items()
                                if key not in ("seconds", "images_per_second")}
    if kind.name == "simulate":
        lines = (run / "events.jsonl").read_text().splitlines()
        kept["merges"] = [line for line in lines if '"merge"' in line]
    return kept


def wrong_with(kind, folder, expected, may_leave=False):
    """Why a run that ended well is not the one expected; None where it is. Files half-written by a
    process that was killed are gone, unless they may be left."""
    run = folder / RUN
    try:
        manifest = json.loads((run / "manifest.json").read_text())
        got = outcome(kind, folder)
    except (OSError, ValueError) as problem:
        return f"not readable: {problem}"
    for name, content in expected.items():
        if got.get(name) != content:
            return f"{name} differs"
    if manifest["status"] != "done":
        return f"the manifest says {manifest['status']}"
    for name, digest in manifest["sha256"].items():
        if hashlib.sha256((run / name).read_bytes()).hexdigest() != digest:
            return f"the digest of {name} is wrong"
    left = [path.name for path in run.rglob(".*")  # of a tool that drew, a part may stay
            if ".part-" in path.name and path.parent.name != "figures"]
    return f"{left[0]} was left" if left and not may_leave else None


def is_finished(folder):
    """Whether a run is there that says it is done."""
    try:
        return json.loads((folder / RUN / "manifest.json").read_text())["status"] == "done"
    except (OSError, ValueError):
        return False


def clear(folder):
    """Empties a folder."""
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)


def put_tree(folder, tree):
    """Writes {path: bytes, or None for a folder} below a folder."""
    for path in sorted(tree):  # a folder comes before what it holds
        if tree[path] is None:
            os.mkdir(f"{folder}/{path}")
        else:
            with open(f"{folder}/{path}", "wb") as file:
                file.write(tree[path])


def get_tree(folder):
    folder = pathlib.Path(folder)
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
            for path in folder.rglob("*")}


def run_in(tree, place):
    """The files of a run in a tree, by their names within it."""
    return {path[len(place) + 1:]: content for path, content in tree.items()
            if path.startswith(place + "/") and content is not None}


def check_tools():
    for path, how in ((PROGRAM, "MURMUR"), (LIBRARY, "FAULTS_LIBRARY")):
        if not path.is_file():
            raise SystemExit(f"there is no {path}; build it, or set {how} to its path")
