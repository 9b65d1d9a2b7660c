#!/usr/bin/env python3
"""border.py: what Python costs: the import, a velocity on a prepared field, a million particles that cross,
memory over ten thousand flights, an epoch of training beside the command line's, turn by turn, by the wall
and by the processor's own clock. Prints JSON.

Usage: PYTHONPATH=build/release/python MURMUR=build/release/murmur /usr/bin/python3 bench/border.py
"""
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

PROGRAM = os.environ.get("MURMUR", "build/release/murmur")


def import_seconds(rounds=15):
    text = ("import numpy, time; began = time.perf_counter(), time.process_time(); import murmur;"
            "print(time.perf_counter() - began[0], time.process_time() - began[1])")
    took = [subprocess.run([sys.executable, "-c", text], capture_output=True, text=True,
                           check=True).stdout.split() for _ in range(rounds)]
    wall, processor = ([float(row[k]) for row in took] for k in (0, 1))
    return {"best": min(wall), "median": statistics.median(wall),
            "processor_median": statistics.median(processor)}


def velocity_microseconds():
    """Of one particle, whose sums cost nothing: what is left is the border."""
    import murmur

    field = murmur.Field(n=1, d=2, engine="reference", threads=1)
    x, v = field.x, field.velocity()
    turns = []
    for _ in range(30):
        began = time.perf_counter()
        for _ in range(2000):
            field.velocity(x, 0.0, v)
        turns.append((time.perf_counter() - began) / 2000 * 1e6)
    return {"best": min(turns), "median": statistics.median(turns)}


def million_seconds():
    """Of a million particles into a Swarm and through a velocity: where they lie, and with copies."""
    import murmur
    import numpy as np

    n = 1_000_000
    rows = np.random.default_rng(0).normal(size=(n, 3))
    columns, out = np.asfortranarray(rows), np.empty((3, n)).T
    field = murmur.Field(n=n, d=3, habitat="space", dynamics="none", perceptron="gaussian:1",
                         activation="relu", threads=1)
    acts = {"swarm_in_place": lambda: murmur.Swarm(columns, copy=False),
            "swarm_copied": lambda: murmur.Swarm(rows),
            "velocity_in_place": lambda: field.velocity(columns, 0.0, out),
            "velocity_copied": lambda: np.ascontiguousarray(field.velocity(rows))}
    took = {name: [] for name in acts}
    for _ in range(7):
        for name, act in acts.items():
            began = time.process_time()
            act()
            took[name].append(time.process_time() - began)
    return {name: min(all_of_it) for name, all_of_it in took.items()}


def flight_bytes(flights=10_000):
    """How much more memory the process has after so many flights than before."""
    import murmur

    def fly(times):
        for k in range(times):
            murmur.simulate(n=8, T=0.5, save="every:0.1", seed=k)

    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    fly(1000)
    before = resident()
    fly(flights)
    return resident() - before


def now(who):
    used = resource.getrusage(who)
    return time.perf_counter(), used.ru_utime + used.ru_stime


def since(began, who):
    return tuple(b - a for a, b in zip(began, now(who)))


def epoch_seconds(rounds=3):
    import murmur

    words = {"recipe": "best", "epochs": 1, "threads": 1}
    python, program = [], []  # (wall, processor)
    with tempfile.TemporaryDirectory() as folder:
        for k in range(rounds):
            began = now(resource.RUSAGE_SELF)
            murmur.train(out=f"{folder}/p{k}", progress=False, **words)
            python.append(since(began, resource.RUSAGE_SELF))
            began = now(resource.RUSAGE_CHILDREN)
            subprocess.run([PROGRAM, "train", "-q", *[f"{a}={b}" for a, b in words.items()], "-o",
                            f"{folder}/c{k}"], check=True, capture_output=True)
            program.append(since(began, resource.RUSAGE_CHILDREN))
    ratios = [min(p[k] for p in python) / min(c[k] for c in program) for k in (0, 1)]
    return {"python": python, "program": program, "ratio_wall": ratios[0],
            "ratio_processor": ratios[1]}


def main():
    told = {"import_beyond_numpy_s": import_seconds(), "velocity_us": velocity_microseconds(),
            "million_processor_s": million_seconds(), "bytes_over_10000_flights": flight_bytes()}
    if "--no-train" not in sys.argv:
        told["epoch_s"] = epoch_seconds()
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
