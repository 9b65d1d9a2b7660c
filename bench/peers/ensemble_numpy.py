#!/usr/bin/python3
"""Times the ensemble kernel and numpy on one core, turn by turn, and prints their ratio.

usage: ensemble_numpy.py BUILD/bench/bench_ensemble
"""
import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import subprocess
import sys
import tempfile
import time

import numpy as np

REPETITIONS = 9
COUNT, N, DT = 1024, 32, 0.1
OUR_STEPS = 300  # of one flight of ours, with its start and its end, divided by so many
THEIR_STEPS = 20  # likewise of numpy, without start and end


def numpy_layer(x, beta):
    """x_i <- normalise(x_i + dt sum_j a_ij x_j), a_ij = softmax_j(beta <x_i, x_j>), all swarms."""
    weights = beta * (x @ x.transpose(0, 2, 1))
    weights -= weights.max(axis=2, keepdims=True)
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=2, keepdims=True)
    x = x + DT * (weights @ x)
    return x / np.sqrt((x * x).sum(axis=2, keepdims=True))


def compare(program, d, beta):
    start = np.random.default_rng(0).standard_normal((COUNT, N, d))
    start /= np.linalg.norm(start, axis=2, keepdims=True)
    ours, theirs = [], []
    x = start
    with tempfile.NamedTemporaryFile() as file:
        start.tofile(file.name)
        child = subprocess.Popen(
            [program, file.name, *map(str, (COUNT, N, d, beta, DT, OUR_STEPS))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        child.stdout.readline()
        for _ in range(REPETITIONS):
            child.stdin.write("\n")
            child.stdin.flush()
            ours.append(float(child.stdout.readline()) / OUR_STEPS)
            begin = time.thread_time()
            for _ in range(THEIR_STEPS):
                x = numpy_layer(x, beta)
            theirs.append((time.thread_time() - begin) / THEIR_STEPS)
        child.stdin.close()
        child.wait()
        for _ in range(OUR_STEPS - REPETITIONS * THEIR_STEPS):
            x = numpy_layer(x, beta)
        difference = np.abs(np.fromfile(file.name).reshape(COUNT, N, d) - x).max()
    a, b = min(ours), min(theirs)
    print(f"{COUNT} swarms  n={N}  d={d:<4} beta={beta:<3g} {1e6 * a:8.0f} us a step   "
          f"numpy {1e6 * b:8.0f}   ratio {b / a:5.1f}   differ by {difference:.1e}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # the child inherits the core
    for d, beta in [(2, 1), (2, 4), (2, 9), (2, 25), (3, 4), (8, 4), (32, 4), (128, 4)]:
        compare(sys.argv[1], d, beta)
