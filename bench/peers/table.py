"""Times one kind of work in numpy and in PyTorch for the table of `murmur bench`.

usage: table.py WORK X.npy OUT.npy BETA REPETITIONS MACHINE
WORK is `velocity` or `retract`. X holds the points (n, d), for retract the points and what is
added to them (2, n, d). MACHINE is `core`, numpy and torch on one core, or `gpu`, torch on the GPU.
Prints one JSON object: seconds of the best repetition by the name of the peer, and the versions. OUT
gets the result of numpy, or of torch on the GPU, so that it can be compared.
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

BLOCK = 1024  # targets whose scores are held at a time; a GPU holds eight times as many


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
    block = 8 * BLOCK if x.is_cuda else BLOCK
    for i in range(0, len(x), block):
        rows = x[i : i + block]
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


def torch_ways(work):
    if work == "retract":
        return [torch_retract]
    fused = hasattr(torch.nn.functional, "scaled_dot_product_attention")
    return [torch_softmax, torch_fused] if fused else [torch_softmax]


def on_the_core(work, x, out, beta, repetitions):
    in_numpy = numpy_velocity if work == "velocity" else numpy_retract
    np.save(out, in_numpy(x, beta))
    told = {"numpy": best(lambda: in_numpy(x, beta), repetitions), "numpy_version": np.__version__}
    if torch is not None:
        y = torch.from_numpy(x)
        told["torch"] = min(best(lambda: way(y, beta), repetitions) for way in torch_ways(work))
        told["torch_version"] = torch.__version__
    return told


def on_the_gpu(work, x, out, beta, repetitions):
    if torch is None or not torch.cuda.is_available():
        return {}
    y = torch.from_numpy(x).cuda()
    np.save(out, torch_ways(work)[0](y, beta).cpu().numpy())
    seconds = []
    for way in torch_ways(work):
        way(y, beta)  # what is planned at the first call
        seconds.append(best(lambda: way(y, beta), repetitions, time.perf_counter,
                            torch.cuda.synchronize))
    return {"torch_gpu": min(seconds), "torch_version": torch.__version__}


def main(work, points, out, beta, repetitions, machine):
    measure = on_the_gpu if machine == "gpu" else on_the_core
    if torch is not None:
        torch.set_grad_enabled(False)
    print(json.dumps(measure(work, np.load(points), out, float(beta), int(repetitions))))


if __name__ == "__main__":
    if len(sys.argv) != 7:
        sys.exit(__doc__)
    main(*sys.argv[1:])
