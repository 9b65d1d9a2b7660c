#!/usr/bin/python3
"""Times murmur beside torch on the published digit swarm, turn by turn, and prints a table.

Each turn is one epoch of murmur train (all its updates count) and some batches of
train_torch.py (its fastest counts), with the same architecture, batch and number of threads.

usage: train.py MURMUR DATA [TURNS]      MURMUR: the program; DATA: a folder with MNIST's idx files
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PEER = pathlib.Path(__file__).with_name("train_torch.py")


def ours(program, data, threads):
    with tempfile.TemporaryDirectory() as folder:
        words = ["epochs=1", "validation=0", f"threads={threads}", f"data={data}"]
        out = subprocess.run([program, "train", "-q", "--json", "-o", f"{folder}/run", *words],
                             check=True, capture_output=True, text=True).stdout
    return json.loads(out)["images_per_second"]


def theirs(data, threads):
    out = subprocess.run([sys.executable, PEER, data, str(threads), "6"], check=True,
                         capture_output=True, text=True).stdout
    return json.loads(out)["images_per_second"]


def main(program, data, turns):
    print("| threads | murmur, images/s | torch, images/s | ratio |")
    print("|---|---|---|---|")
    for threads in sorted({1, os.cpu_count() or 1}):
        pairs = [(ours(program, data, threads), theirs(data, threads)) for _ in range(turns)]
        best = max(p[0] for p in pairs), max(p[1] for p in pairs)
        print(f"| {threads} | {best[0]:.0f} | {best[1]:.0f} | {best[0] / best[1]:.0f} |", flush=True)
        for one in pairs:
            print(f"<!-- turn: {one[0]:.0f} {one[1]:.0f} -->")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) == 4 else 3)
