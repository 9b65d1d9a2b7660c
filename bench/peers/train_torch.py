#!/usr/bin/python3
"""Times torch training the published digit swarm: forward, backward and update of real batches.

Ten shared blocks, d = 3, 512 hidden units, one head, batches of 256 flocks of MNIST's 5 and 6,
padded to the longest flock and masked, as the companion code does it. The fastest batch counts;
making tensors of pictures does not.

usage: train_torch.py DATA THREADS|cuda [BATCHES [BATCH]]   DATA: a folder with MNIST's idx files
"""
import gzip
import json
import os
import pathlib
import struct
import sys
import time

BLOCKS, D, HIDDEN, BATCH, RESIDUAL = 10, 3, 512, 256, 0.1
WARM = 2  # batches before the clock starts


def read_idx(folder, name):
    import numpy as np

    path = pathlib.Path(folder) / name
    raw = path.read_bytes() if path.exists() else gzip.open(f"{path}.gz").read()
    axes = raw[3]
    shape = struct.unpack(f">{axes}I", raw[4 : 4 + 4 * axes])
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * axes).reshape(shape)


def flocks(folder):
    """(n, 3) points and class of each 5 and 6 of the training set."""
    import numpy as np

    pictures = read_idx(folder, "train-images-idx3-ubyte")
    labels = read_idx(folder, "train-labels-idx1-ubyte")
    found = []
    for index in np.flatnonzero((labels == 5) | (labels == 6)):
        row, column = np.nonzero(pictures[index] > 127.5)
        points = np.zeros((len(row), D), np.float32)
        points[:, 0] = 20 * (column / 27 - 0.5)
        points[:, 1] = -20 * (row / 27 - 0.5)
        found.append((points, int(labels[index] == 6)))
    return found


def main(folder, threads, batches, size):
    import torch

    device = "cuda" if threads == "cuda" else "cpu"
    if device == "cpu":
        torch.set_num_threads(int(threads))
    torch.manual_seed(0)

    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.attention = torch.nn.MultiheadAttention(D, 1, batch_first=True)
            self.will = torch.nn.Sequential(
                torch.nn.Linear(D, HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, D))

        def forward(self, x, absent):
            x = x + RESIDUAL * self.attention(x, x, x, key_padding_mask=absent,
                                              need_weights=False)[0]
            return x + RESIDUAL * self.will(x)

    def collate(chosen):
        longest = max(len(points) for points, _ in chosen)
        x = torch.zeros(len(chosen), longest, D)
        absent = torch.ones(len(chosen), longest, dtype=torch.bool)
        for k, (points, _) in enumerate(chosen):
            x[k, : len(points)] = torch.from_numpy(points)
            absent[k, : len(points)] = False
        label = torch.tensor([label for _, label in chosen])
        return x.to(device), absent.to(device), label.to(device)

    def update(x, absent, label):
        for _ in range(BLOCKS):
            x = block(x, absent)
        distance = (x - targets[label][:, None, :]).norm(dim=2)
        loss = distance.masked_fill(absent, 0).mean()
        adam.zero_grad()
        loss.backward()
        adam.step()
        if device == "cuda":
            torch.cuda.synchronize()

    block = Block().to(device)
    adam = torch.optim.Adam(block.parameters(), lr=1e-3)
    targets = torch.tensor([[-10.0, -10, -10], [-10, -10, 10]], device=device)
    every = flocks(folder)
    order = torch.randperm(len(every)).tolist()
    ready = [collate([every[k] for k in order[b * size : (b + 1) * size]])
             for b in range(min(batches + WARM, len(every) // size))]
    for batch in ready[:WARM]:
        update(*batch)
    seconds = []
    for batch in ready[WARM:]:
        start = time.perf_counter()
        update(*batch)
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"images_per_second": round(size / min(seconds), 1), "threads": threads}))


if __name__ == "__main__":
    if not 3 <= len(sys.argv) <= 5:
        sys.exit(__doc__)
    # Freed tensors stay mapped on the processor: half of torch's time here.
    if sys.argv[2] != "cuda" and "MALLOC_MMAP_MAX_" not in os.environ:
        os.environ.update(OMP_NUM_THREADS=sys.argv[2], MALLOC_MMAP_MAX_="0",
                          MALLOC_TRIM_THRESHOLD_="100000000000", MALLOC_TOP_PAD_="1000000000")
        os.execv(sys.executable, [sys.executable, *sys.argv])
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 10,
         int(sys.argv[4]) if len(sys.argv) > 4 else BATCH)
