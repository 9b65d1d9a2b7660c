#!/usr/bin/python3
"""Trains the published recipe of the digit swarm for the five architectures of its README, and prints their rows.

usage: published_swarms.py RUNS [--seeds N] [--commands] [--murmur PROGRAM]
  RUNS        the folder of runs; trainings lie in RUNS/swarm-table, where `murmur reproduce swarm-table` reads them
  --seeds     how many seeds, from 0 on: 8
  --commands  prints the commands of the trainings that are missing, one in each line, and trains nothing
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys

TEST = 1850  # pictures of 5 and 6 in the test set of MNIST
EPOCHS = 15  # of the recipe
ROWS = [  # swarm, key of the run, correct pictures of the published accuracy, mean of the recipe `best`, parameters
    ("1 block", "1-block", 1659, 98.61, ["blocks=1"]),
    ("2 shared", "2-shared", 1758, 98.97, ["blocks=2"]),
    ("10 shared", "10-shared", 1784, 99.05, ["blocks=10"]),
    ("2 free", "2-free", 1794, 98.92, ["blocks=2", "shared=false"]),
    ("10 free, d = 100", "10-free-d100", 1838, 99.60, ["blocks=10", "shared=false", "d=100", "device=cuda"]),
]


def place(runs, key, seed):
    return runs / "swarm-table" / f"{key}-published-e{EPOCHS}-s{seed}"


def command(program, runs, key, words, seed):
    return [program, "train", "-q", "recipe=published", *words, f"seed={seed}", "-o", str(place(runs, key, seed))]


def accuracy(directory):
    """In percent of the test set; None where the training is not done."""
    summary = directory / "summary.json"
    return 100 * json.loads(summary.read_text())["test_accuracy"] if summary.exists() else None


def row(name, correct, best, found):
    found = [value for value in found if value is not None]
    mean = f"{statistics.mean(found):.2f}" if found else ""
    sd = f"{statistics.stdev(found):.2f}" if len(found) > 1 else ""
    seeds = ", ".join(f"{value:.2f}" for value in found)
    return f"| {name} | {100 * correct / TEST:.2f} = {correct} / {TEST} | {mean} | {sd} | {seeds} | {best:.2f} |"


def main():
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("runs", type=pathlib.Path)
    asked.add_argument("--seeds", type=int, default=8)
    asked.add_argument("--commands", action="store_true")
    asked.add_argument("--murmur", default="build/release/murmur")
    asked = asked.parse_args()
    missing = [command(asked.murmur, asked.runs, key, words, seed) for _, key, _, _, words in ROWS
               for seed in range(asked.seeds) if accuracy(place(asked.runs, key, seed)) is None]
    if asked.commands:
        print("\n".join(" ".join(line) for line in missing))
        return
    for line in missing:
        print(" ".join(line), file=sys.stderr)
        subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
    print(f"| row | published = correct | mean | sd | seeds 0 to {asked.seeds - 1} | recipe `best` |\n|---|---|---|---|---|---|")
    for name, key, correct, best, _ in ROWS:
        found = [accuracy(place(asked.runs, key, seed)) for seed in range(asked.seeds)]
        print(row(name, correct, best, found))


if __name__ == "__main__":
    main()
