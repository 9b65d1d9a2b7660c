#!/usr/bin/env python3
"""border.py: what Python costs: the import, a velocity on a prepared field, an epoch of training beside
the command line's, turn by turn. Prints JSON.

Usage: PYTHONPATH=build/release/python MURMUR=build/release/murmur /usr/bin/python3 bench/border.py
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

PROGRAM = os.environ.get("MURMUR", "build/release/murmur")


def import_seconds(rounds=15):
    text = ("import numpy, time; began = time.perf_counter(); import murmur;"
            "print(time.perf_counter() - began)")
    took = [float(subprocess.run([sys.executable, "-c", text], capture_output=True, text=True,
                                 check=True).stdout) for _ in range(rounds)]
    return {"best": min(took), "median": statistics.median(took)}


def velocity_microseconds():
    """Of one particle, whose sums cost nothing: what is left is the border."""
    import murmur

    field = murmur.Field(n=1, d=2, engine="reference", threads=1)
    x, v = murmur.Swarm(field.x).x, field.velocity()
    turns = []
    for _ in range(30):
        began = time.perf_counter()
        for _ in range(2000):
            field.velocity(x, 0.0, v)
        turns.append((time.perf_counter() - began) / 2000 * 1e6)
    return {"best": min(turns), "median": statistics.median(turns)}


def epoch_seconds(rounds=3):
    import murmur

    words = {"epochs": 1, "threads": 1}
    python, program = [], []
    with tempfile.TemporaryDirectory() as folder:
        for k in range(rounds):
            began = time.perf_counter()
            murmur.train(out=f"{folder}/p{k}", progress=False, **words)
            python.append(time.perf_counter() - began)
            began = time.perf_counter()
            subprocess.run([PROGRAM, "train", "-q", *[f"{a}={b}" for a, b in words.items()], "-o",
                            f"{folder}/c{k}"], check=True, capture_output=True)
            program.append(time.perf_counter() - began)
    return {"python": python, "program": program, "ratio_of_best": min(python) / min(program)}


def main():
    told = {"import_beyond_numpy_s": import_seconds(), "velocity_us": velocity_microseconds()}
    if "--no-train" not in sys.argv:
        told["epoch_s"] = epoch_seconds()
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
