#!/usr/bin/python3
"""Times the simd engine and numpy on one core, turn by turn, and prints their ratio.

usage: velocity_numpy.py BUILD/bench/bench_velocity
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
BLOCK = 2048  # targets: 2,048 x n scores fit the caches best


def numpy_velocity(x, beta):
    """v_i = P_i sum_j a_ij x_j, a_ij = softmax_j(beta <x_i, x_j>), by blocks of targets."""
    v = np.empty_like(x)
    for i in range(0, len(x), BLOCK):
        rows = x[i : i + BLOCK]
        weights = (rows * x.dtype.type(beta)) @ x.T
        weights -= weights.max(axis=1, keepdims=True)
        np.exp(weights, out=weights)
        mean = (weights @ x) / weights.sum(axis=1, keepdims=True)
        v[i : i + BLOCK] = mean - (mean * rows).sum(axis=1, keepdims=True) * rows
    return v


def compare(program, n, d, beta, precision):
    x = np.random.default_rng(0).standard_normal((n, d))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    typed = x.astype(np.float32 if precision == "f32" else np.float64)
    ours, theirs = [], []
    with tempfile.NamedTemporaryFile() as file:
        x.tofile(file.name)
        child = subprocess.Popen(
            [program, file.name, str(n), str(d), str(beta), precision],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        engine = child.stdout.readline().strip()
        for _ in range(REPETITIONS):
            child.stdin.write("\n")
            child.stdin.flush()
            ours.append(float(child.stdout.readline()))
            start = time.thread_time()
            v = numpy_velocity(typed, beta)
            theirs.append(time.thread_time() - start)
        child.stdin.close()
        child.wait()
        difference = np.abs(np.fromfile(file.name).reshape(n, d) - v).max()
    a, b = min(ours), min(theirs)
    print(f"{engine:16} n={n:<6} d={d:<4} beta={beta:<4g} {n * n / a / 1e9:7.3f} Gpairs/s   "
          f"numpy {n * n / b / 1e9:7.4f}   ratio {b / a:6.1f}   differ by {difference:.1e}",
          flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # the child inherits the core
    for n, d, beta, precision in [(16384, 3, 4, "f32"), (16384, 3, 4, "f64"), (16384, 2, 4, "f32"),
                                  (8192, 64, 4, "f32"), (8192, 64, 4, "f64")]:
        compare(sys.argv[1], n, d, beta, precision)
