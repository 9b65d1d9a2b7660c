#!/usr/bin/python3
"""Times PyTorch on a GPU: velocities in Gpairs a second, and a step of many small swarms.

usage: velocity_torch.py
"""
import torch

REPETITIONS = 5


def best(work):
    """The least milliseconds of several, by the GPU's own clock."""
    for _ in range(2):
        work()
    least = float("inf")
    for _ in range(REPETITIONS):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        work()
        end.record()
        torch.cuda.synchronize()
        least = min(least, start.elapsed_time(end))
    return least


def naive(x, beta):
    """All scores at once, in blocks of rows that fit the memory."""
    out = torch.empty_like(x)
    for i in range(0, len(x), 8192):
        out[i:i + 8192] = torch.softmax(beta * (x[i:i + 8192] @ x.T), dim=1) @ x
    return out


def step(x):
    """A step of the method `layers` of swarms (count, n, d)."""
    drift = torch.softmax(4.0 * x @ x.transpose(1, 2), dim=2) @ x
    return torch.nn.functional.normalize(x + 1e-3 * drift, dim=2)


def ensembles():
    x = torch.nn.functional.normalize(
        torch.randn(1024, 32, 2, device="cuda", dtype=torch.float64), dim=2)
    compiled = torch.compile(step, mode="reduce-overhead")

    def many(work):
        y = x
        for _ in range(100):
            y = work(y).clone() if work is compiled else work(y)

    for name, work in ("eager", step), ("compiled", compiled):
        print(f"1024 swarms, n = 32, d = 2, {name}: {best(lambda: many(work)) * 10:.1f} us a step",
              flush=True)


def main():
    torch.backends.cuda.matmul.allow_tf32 = False
    print(torch.__version__, torch.cuda.get_device_name())
    ensembles()
    compiled = torch.compile(naive)
    for n, d, dtype in ((65536, 3, torch.float32), (262144, 3, torch.float32),
                        (65536, 8, torch.float32), (65536, 64, torch.float32),
                        (65536, 128, torch.float32), (65536, 256, torch.float32),
                        (65536, 1024, torch.float32), (65536, 64, torch.bfloat16),
                        (16384, 3, torch.float64)):
        x = torch.nn.functional.normalize(torch.randn(n, d, device="cuda"), dim=1).to(dtype)
        rates = {}
        for name, work in (
                ("naive", lambda: naive(x, 4.0)), ("compiled", lambda: compiled(x, 4.0)),
                ("fused", lambda: torch.nn.functional.scaled_dot_product_attention(
                    x[None, None], x[None, None], x[None, None], scale=4.0))):
            try:
                if n > 100000 and name != "fused":
                    continue
                rates[name] = n * n / best(work) * 1e-6
            except Exception as error:  # a kernel that does not take this type
                rates[name] = str(error)[:60]
        print(n, d, dtype, {k: f"{v:.0f}" if isinstance(v, float) else v for k, v in rates.items()},
              flush=True)


if __name__ == "__main__":
    main()
