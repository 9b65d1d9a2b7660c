"""Times one kind of work in numpy and in PyTorch, on one core, for the table of `murmur bench`.

usage: table.py WORK X.npy OUT.npy BETA REPETITIONS
WORK is `velocity` or `retract`. X holds the points (n, d), for retract the points and what is added
to them (2, n, d). Prints one JSON object: seconds of the best repetition by the name of the peer, and
the versions. OUT gets numpy's result, so that it can be compared.
"""
import json
import os
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

try:
    import numpy as np
except ImportError:
    print(json.dumps({}))
    sys.exit(0)

try:
    import torch

    torch.set_num_threads(1)
except ImportError:
    torch = None

BLOCK = 1024  # targets whose scores numpy and torch hold at a time


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


def torch_softmax(x, beta):
    parts = []
    for i in range(0, len(x), BLOCK):
        rows = x[i : i + BLOCK]
        mean = torch.softmax(beta * (rows @ x.T), dim=1) @ x
        parts.append(mean - (mean * rows).sum(1, keepdim=True) * rows)
    return torch.cat(parts)


def torch_fused(x, beta):
    y = x[None, None]
    scale = beta * x.shape[1] ** 0.5  # it divides by sqrt(d)
    mean = torch.nn.functional.scaled_dot_product_attention(scale * y, y, y)[0, 0]
    return mean - (mean * x).sum(1, keepdim=True) * x


def numpy_retract(pair, _):
    y = pair[0] + 0.1 * pair[1]
    return y / np.sqrt((y * y).sum(axis=1, keepdims=True))


def torch_retract(pair, _):
    y = pair[0] + 0.1 * pair[1]
    return y / torch.sqrt((y * y).sum(1, keepdim=True))


def best(work, repetitions, clock=time.thread_time, wait=lambda: None):
    seconds = []
    for _ in range(repetitions):
        wait()
        start = clock()
        work()
        wait()
        seconds.append(clock() - start)
    return min(seconds)


def main(work, points, out, beta, repetitions):
    x, beta, repetitions = np.load(points), float(beta), int(repetitions)
    in_numpy = numpy_velocity if work == "velocity" else numpy_retract
    np.save(out, in_numpy(x, beta))
    told = {"numpy": best(lambda: in_numpy(x, beta), repetitions), "numpy_version": np.__version__}
    if torch is not None:
        ways = [torch_retract] if work == "retract" else [torch_softmax]
        if work == "velocity" and hasattr(torch.nn.functional, "scaled_dot_product_attention"):
            ways.append(torch_fused)
        with torch.no_grad():
            y = torch.from_numpy(x)
            told["torch"] = min(best(lambda: way(y, beta), repetitions) for way in ways)
            if torch.cuda.is_available():
                y = y.cuda()
                for way in ways:
                    way(y, beta)  # what is compiled or planned at the first call
                told["torch_gpu"] = min(
                    best(lambda: way(y, beta), repetitions, time.perf_counter,
                         torch.cuda.synchronize) for way in ways)
        told["torch_version"] = torch.__version__
    print(json.dumps(told))


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
