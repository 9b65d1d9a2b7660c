#!/usr/bin/python3
"""Trains the published recipe of the digit swarm in torch, whole, over seeds: whose spread is it?

Ten shared blocks, d = 3, 512 hidden units, one head, Adam at 1e-3, 15 epochs of batches of 256,
the distance of every boid to its corner averaged over the padded tensor; the sign of the mean
boid's third coordinate decides. Prints one line of JSON a seed. On a GPU where torch finds one.

usage: published_torch.py DATA SEEDS [--dropout P] [--rows] [--boids] [--epochs N]
  DATA       a folder with MNIST's idx files
  --rows     points are (row, column), as the companion code has them, not (right, up)
  --boids    the loss is averaged over the boids, not over the padded tensor
"""
import argparse
import json
import time

import numpy as np
import torch

from train_torch import BATCH, BLOCKS, D, HIDDEN, RESIDUAL, read_idx


def flocks(folder, part, rows, device):
    """Padded points (pictures, longest, 3), their absence and class of each 5 and 6."""
    pictures = read_idx(folder, f"{part}-images-idx3-ubyte")
    labels = read_idx(folder, f"{part}-labels-idx1-ubyte")
    chosen = np.flatnonzero((labels == 5) | (labels == 6))
    ink = pictures[chosen] > 127.5
    longest = ink.sum(axis=(1, 2)).max()
    points = np.zeros((len(chosen), longest, D), np.float32)
    absent = np.ones((len(chosen), longest), bool)
    for k, picture in enumerate(ink):
        row, column = np.nonzero(picture)
        points[k, : len(row), 0] = 20 * ((row if rows else column) / 27 - 0.5)
        points[k, : len(row), 1] = 20 * (column / 27 - 0.5) if rows else -20 * (row / 27 - 0.5)
        absent[k, : len(row)] = False
    six = torch.from_numpy((labels[chosen] == 6).astype(np.int64))
    return [t.to(device) for t in (torch.from_numpy(points), torch.from_numpy(absent), six)]


class Swarm(torch.nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.attention = torch.nn.MultiheadAttention(D, 1, dropout=dropout, batch_first=True)
        self.will = torch.nn.Sequential(
            torch.nn.Linear(D, HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, D))

    def forward(self, x, absent):
        for _ in range(BLOCKS):
            x = x + RESIDUAL * self.attention(x, x, x, key_padding_mask=absent,
                                              need_weights=False)[0]
            x = x + RESIDUAL * self.will(x)
        return x


def batch_of(data, chosen):
    """The flocks of a batch, padded to its longest."""
    points, absent, label = (t[chosen] for t in data)
    longest = int((~absent).sum(dim=1).max())
    return points[:, :longest], absent[:, :longest], label


def accuracy(swarm, data):
    right = 0
    with torch.no_grad():
        for chosen in torch.arange(len(data[2]), device=data[2].device).split(BATCH):
            points, absent, label = batch_of(data, chosen)
            x = swarm(points, absent).masked_fill(absent[:, :, None], 0)
            right += int(((x[:, :, 2].sum(dim=1) > 0).long() == label).sum())
    return 100 * right / len(data[2])


def train(options, seed, device):
    torch.manual_seed(seed)
    data, test = (flocks(options.data, part, options.rows, device) for part in ("train", "t10k"))
    swarm = Swarm(options.dropout).to(device)
    adam = torch.optim.Adam(swarm.parameters(), lr=1e-3)
    targets = torch.tensor([[-10.0, -10, -10], [-10, -10, 10]], device=device)
    courses = []
    for _ in range(options.epochs):
        for chosen in torch.randperm(len(data[2]), device=device).split(BATCH):
            points, absent, label = batch_of(data, chosen)
            distance = (swarm(points, absent) - targets[label][:, None, :]).norm(dim=2)
            distance = distance.masked_fill(absent, 0)
            loss = distance.sum() / (~absent).sum() if options.boids else distance.mean()
            adam.zero_grad()
            loss.backward()
            adam.step()
        courses.append(round(accuracy(swarm.eval(), test), 2))
        swarm.train()
    return courses


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data")
    parser.add_argument("seeds", type=int)
    parser.add_argument("--dropout", type=float, default=0.0)
    parser.add_argument("--rows", action="store_true")
    parser.add_argument("--boids", action="store_true")
    parser.add_argument("--epochs", type=int, default=15)
    given = parser.parse_args()
    where = "cuda" if torch.cuda.is_available() else "cpu"
    for number in range(given.seeds):
        start = time.perf_counter()
        course = train(given, number, where)
        print(json.dumps({"seed": number, "accuracy": course[-1], "last": course[-5:],
                          "seconds": round(time.perf_counter() - start, 1)}), flush=True)
