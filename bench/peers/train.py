#!/usr/bin/python3
"""Times murmur beside torch on the published digit swarm, turn by turn, and prints a table.

Each turn is one epoch of murmur train recipe=best (all its updates count) and some batches of
train_torch.py (its fastest counts), with the same architecture, batch and number of threads.

With `same` the swarm is that of murmur train task=same shared=false, torch is written in several
ways, and samples are counted a second of processor time, which other programs on the machine
disturb less: of murmur what a long epoch takes above a short one, so that starting and testing
cancel; of torch its fastest batch.

usage: train.py MURMUR DATA [TURNS] [same]    MURMUR: the program; DATA: MNIST's idx files
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

PEER = pathlib.Path(__file__).with_name("train_torch.py")


def ours(program, data, threads):
    with tempfile.TemporaryDirectory() as folder:
        words = ["recipe=best", "epochs=1", "validation=0", f"threads={threads}", f"data={data}"]
        out = subprocess.run([program, "train", "-q", "--json", "-o", f"{folder}/run", *words],
                             check=True, capture_output=True, text=True).stdout
    return json.loads(out)["images_per_second"]


def theirs(data, threads):
    out = subprocess.run([sys.executable, PEER, data, str(threads), "6"], check=True,
                         capture_output=True, text=True).stdout
    return json.loads(out)["images_per_second"]


WAYS = {"torch's module, padded": [],
        "plain products, padded": ["attention=plain"],
        "plain products, packed": ["attention=plain", "packed"],
        "the same, 32 at a time": ["attention=plain", "packed", "chunk=32"],
        "the same, 8 at a time": ["attention=plain", "packed", "chunk=8"]}


def epoch(program, data, threads, samples):
    """Processor seconds of one epoch of task=same, with all that comes before and after."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["task=same", "shared=false", "epochs=1", f"samples={samples}", f"data={data}",
                 "validation=0", f"threads={threads}"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([program, "train", "-q", "-o", f"{folder}/run", *words], check=True,
                       capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ours_same(program, data, threads, few=2560, many=15360):
    short = epoch(program, data, threads, few)
    return (many - few) / (epoch(program, data, threads, many) - short)


def theirs_same(data, threads, words):
    out = subprocess.run([sys.executable, PEER, data, str(threads), "3", "256", "task=same",
                          *words], check=True, capture_output=True, text=True).stdout
    return json.loads(out)["per_processor_second"]


def main_same(program, data, turns):
    print("| threads | murmur | " + " | ".join(WAYS) + " | ratio to the best |")
    print("|---|---|" + "---|" * (len(WAYS) + 1))
    for threads in sorted({1, os.cpu_count() or 1}):
        rows = []
        for _ in range(turns):
            rows.append([])
            for way in [None, *WAYS.values()]:
                rows[-1].append(ours_same(program, data, threads) if way is None
                                else theirs_same(data, threads, way))
                print(f"<!-- {threads} threads: {rows[-1][-1]:.0f} -->", file=sys.stderr, flush=True)
        best = [max(column) for column in zip(*rows)]
        cells = " | ".join(f"{number:.0f}" for number in best)
        print(f"| {threads} | {cells} | {best[0] / max(best[1:]):.1f} |", flush=True)


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
    same = "same" in sys.argv[3:]
    words = [word for word in sys.argv[1:] if word != "same"]
    if len(words) not in (2, 3):
        sys.exit(__doc__)
    (main_same if same else main)(words[0], words[1], int(words[2]) if len(words) == 3 else 3)
