#!/usr/bin/python3
"""Times torch training a digit swarm: forward, backward and update of real batches.

task=digits: the published swarm, ten shared blocks, d = 3, 512 hidden units, one head, batches of
256 flocks of MNIST's 5 and 6, padded to the longest and masked, as the companion code does it.
task=same: `murmur train task=same shared=false`, ten free blocks that see two digits side by side,
the mean read against two targets, cross-entropy, AdamW with clipped gradients. Written for speed:
  attention=plain   three matrix products and a softmax in place of torch's module
  packed            pairs of like length share a batch, the feed-forward sees present tokens alone
  chunk=N           gradients of N samples at a time are added up: activations stay in the cache

The fastest batch counts; making tensors does not. Processor time is that of all threads.

usage: train_torch.py DATA THREADS|cuda [BATCHES [BATCH]] [task=same] [attention=plain] [packed]
                      [chunk=N]             DATA: a folder with MNIST's idx files
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


def pairs(folder, count):
    """(n, 3) points and class of pairs: every other pixel of ink of two digits side by side."""
    import numpy as np

    chance = np.random.default_rng(0)
    digits = [[points[::2] for points, label in flocks(folder) if label == c] for c in (0, 1)]
    found = []
    for _ in range(count):
        same, one = chance.integers(2), chance.integers(2)
        sides = [digits[c][chance.integers(len(digits[c]))] * np.float32([0.5, 0.5, 0])
                 for c in (one, one if same else 1 - one)]
        points = np.concatenate([sides[0] - np.float32([5.5, 0, 0]),
                                 sides[1] + np.float32([5.5, 0, 0])])
        found.append((points, 0 if same else 1))
    return found


def main(folder, threads, batches, size, options):
    import torch

    task = options.get("task", "digits")
    plain, packed = options.get("attention") == "plain", "packed" in options
    chunk = int(options.get("chunk", size))

    device = "cuda" if threads == "cuda" else "cpu"
    if device == "cpu":
        torch.set_num_threads(int(threads))
    torch.manual_seed(0)

    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            if plain:
                self.project, self.mix = torch.nn.Linear(D, 3 * D), torch.nn.Linear(D, D)
            else:
                self.attention = torch.nn.MultiheadAttention(D, 1, batch_first=True)
            self.will = torch.nn.Sequential(
                torch.nn.Linear(D, HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, D))

        def forward(self, x, absent, bias, present):
            if plain:
                q, k, v = self.project(x).split(D, 2)
                weights = torch.baddbmm(bias, q, k.transpose(1, 2), alpha=D**-0.5).softmax(2)
                x = x + RESIDUAL * self.mix(torch.bmm(weights, v))
            else:
                x = x + RESIDUAL * self.attention(x, x, x, key_padding_mask=absent,
                                                  need_weights=False)[0]
            if not packed:
                return x + RESIDUAL * self.will(x)
            flat = x.reshape(-1, D)
            moved = self.will(flat.index_select(0, present))
            return flat.index_add(0, present, moved, alpha=RESIDUAL).view_as(x)

    def collate(chosen):
        longest = max(len(points) for points, _ in chosen)
        x = torch.zeros(len(chosen), longest, D)
        absent = torch.ones(len(chosen), longest, dtype=torch.bool)
        for k, (points, _) in enumerate(chosen):
            x[k, : len(points)] = torch.from_numpy(points)
            absent[k, : len(points)] = False
        label = torch.tensor([label for _, label in chosen])
        bias = torch.zeros(len(chosen), 1, longest).masked_fill(absent[:, None, :], -1e30)
        present = (~absent).flatten().nonzero()[:, 0]
        return tuple(part.to(device) for part in (x, absent, label, bias, present))

    def loss_of(x, absent, label, bias, present):
        for b in range(BLOCKS):
            x = blocks[b % len(blocks)](x, absent, bias, present)
        if task == "same":
            x = x.masked_fill(absent[:, :, None], 0).sum(1) / (~absent).sum(1, keepdim=True)
            scores = x @ targets.T / 10
            return torch.nn.functional.cross_entropy(scores, label, reduction="sum") / size
        distance = (x - targets[label][:, None, :]).norm(dim=2)
        return distance.masked_fill(absent, 0).mean()

    def update(parts):
        adam.zero_grad()
        for part in parts:
            loss_of(*part).backward()
        if task == "same":
            torch.nn.utils.clip_grad_norm_(blocks.parameters(), 1)
        adam.step()
        if device == "cuda":
            torch.cuda.synchronize()

    count = BLOCKS if task == "same" else 1
    blocks = torch.nn.ModuleList(Block() for _ in range(count)).to(device)
    adam = (torch.optim.AdamW(blocks.parameters(), lr=5e-3, weight_decay=0.01) if task == "same"
            else torch.optim.Adam(blocks.parameters(), lr=1e-3))
    corners = [[-10.0, 0, 0], [10, 0, 0]] if task == "same" else [[-10.0, -10, -10], [-10, -10, 10]]
    targets = torch.tensor(corners, device=device)
    every = (pairs(folder, size * (batches + WARM)) if task == "same" else flocks(folder))
    order = torch.randperm(len(every)).tolist()
    ready = []
    for b in range(min(batches + WARM, len(every) // size)):
        chosen = [every[k] for k in order[b * size : (b + 1) * size]]
        if packed:
            chosen.sort(key=lambda one: len(one[0]))
        ready.append([collate(chosen[k : k + chunk]) for k in range(0, size, chunk)])
    for batch in ready[:WARM]:
        update(batch)
    seconds, processor = [], []
    for batch in ready[WARM:]:
        start, spent = time.perf_counter(), time.process_time()
        update(batch)
        seconds.append(time.perf_counter() - start)
        processor.append(time.process_time() - spent)
    print(json.dumps({"images_per_second": round(size / min(seconds), 1),
                      "per_processor_second": round(size / min(processor), 1),
                      "threads": threads}))


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word == "packed" or "=" in word]
    plain = [word for word in sys.argv[1:] if word not in words]
    if not 2 <= len(plain) <= 4:
        sys.exit(__doc__)
    # Freed tensors stay mapped on the processor: half of torch's time here.
    if plain[1] != "cuda" and "MALLOC_MMAP_MAX_" not in os.environ:
        os.environ.update(OMP_NUM_THREADS=plain[1], MALLOC_MMAP_MAX_="0",
                          MALLOC_TRIM_THRESHOLD_="100000000000", MALLOC_TOP_PAD_="1000000000")
        os.execv(sys.executable, [sys.executable, *sys.argv])
    main(plain[0], plain[1], int(plain[2]) if len(plain) > 2 else 10,
         int(plain[3]) if len(plain) > 3 else BATCH,
         dict(word.partition("=")[::2] for word in words))
