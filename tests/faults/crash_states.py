"""Loses power at every instant of a run, in thousands of ways, and goes on from each.

A run is traced, call by call, and each trace becomes states that a disk may hold after a crash
(disk.py says by which rules). Every state is then resumed: it must end with the bytes of a run that
was never disturbed, or be refused in three lines; and whatever the last checkpoint covered that was
on disk for good before the crash must still be there. The traces: with a checkpoint at every step,
with one at the end alone, of a run that was itself resumed, and of one that replaces another
(--force), where the old run must be whole as long as the new one is not there.

    crash_states.py [--kind NAME]... [--states N] [--seconds S] [--seed S] [--jobs J] [--json FILE]
                    [--keep DIR]

--forget-syncs is the control: the program syncs, the disk does not, and it fails unless that shows.
"""

import argparse
import collections
import json
import multiprocessing
import os
import pathlib
import random
import re
import shutil
import struct
import sys
import tempfile
import time

import disk
import kinds

CHECKPOINT = f"{kinds.RUN}/checkpoint.safetensors"
NPY_HEADER = 128
GROWING = {"trajectory.npy": "run/frames", "times.npy": "run/frames", "density.npy": "densities"}
TEXTS = {"observables.csv": "run/observables_bytes", "events.jsonl": "run/events_bytes"}


class Traced:
    """One traced run: its disk, and what each checkpoint promised from the step it was durable."""

    def __init__(self, name, trace, before, after, replaces=False):
        self.name, self.disk = name, disk.Disk(trace, before)
        self.old = kinds.run_in(before, kinds.RUN) if replaces else None
        if self.disk.whole(self.disk.steps) != after:
            raise SystemExit(f"{name}: the trace does not tell all that was done to the files")
        self.promises = self._promises()

    def _promises(self):
        """[(entries of the journal that hold it, {path: (first byte, bytes)})], in order."""
        promises = []
        for k, entry in enumerate(self.disk.journal):
            if entry.deed != "rename":
                continue
            if entry.to == CHECKPOINT:
                promises.append((k + 1, covered(self.disk.whole(entry.step)), True))
            elif entry.to.startswith(f"{kinds.RUN}/cells/"):
                content = self.disk.whole(entry.step)[entry.to]
                promises.append((k + 1, {entry.to: (0, content)}, False))
        return promises

    def promised(self, step):
        """{path: (first byte, bytes)} that a crash at this step must not lose."""
        floor, kept = self.disk.floor_at(step), {}
        for entries, covers, checkpoint in self.promises:
            if entries <= floor:
                kept.update(covers)
        return kept


def covered(tree):
    """What the checkpoint in a tree says of the files beside it: {path: (first byte, bytes)}."""
    numbers, promise = numbers_of(tree[CHECKPOINT]), {}
    for name, number in GROWING.items():
        path = f"{kinds.RUN}/{name}"
        if path in tree and number in numbers:
            end = NPY_HEADER + numbers[number] * row_bytes(tree[path])
            promise[path] = (NPY_HEADER, tree[path][NPY_HEADER:end])
    for name, number in TEXTS.items():
        promise[f"{kinds.RUN}/{name}"] = (0, tree[f"{kinds.RUN}/{name}"][:numbers[number]])
    return promise


def numbers_of(safetensors):
    """The whole numbers of a checkpoint, by name."""
    length = struct.unpack("<Q", safetensors[:8])[0]
    header, numbers = json.loads(safetensors[8:8 + length]), {}
    for name, tensor in header.items():
        if name != "__metadata__" and tensor["dtype"] == "I64":
            begin, end = tensor["data_offsets"]
            if end - begin == 8:
                numbers[name] = struct.unpack("<q", safetensors[8 + length + begin:][:8])[0]
    return numbers


def row_bytes(npy):
    """Of one row of a growing array, from its header."""
    header = npy[:NPY_HEADER].decode("latin-1")
    extents = re.search(r"'shape': \(([^)]*)\)", header).group(1).split(",")
    size = int(re.search(r"'descr': '<f(\d)'", header).group(1))
    for extent in extents[1:]:
        size *= int(extent) if extent.strip() else 1
    return size


def missing(promise, read):
    """The first file that has lost a promised byte; `read` gives its bytes, or None."""
    for path, (first, content) in promise.items():
        got = read(path)
        if got is None or got[first:first + len(content)] != content:
            return path
    return None


# Which states: every step with all, none, zeros and a torn half of what is pending, for every
# prefix of the journal; then chance, until there are enough.


def chances(draw):
    """A way to lose writes: some present, some absent, torn or zeros, in shares drawn anew."""
    present = draw.choice((0.1, 0.5, 0.9))

    def choose(change):
        length = len(change.data)
        if draw.random() < present:
            return length
        fate = draw.random()
        if fate < 0.35:
            return 0
        if fate < 0.5:
            return -1
        if fate < 0.8 and length > disk.SECTOR:
            ends = range(-(change.at % -disk.SECTOR) or disk.SECTOR, length, disk.SECTOR)
            return draw.choice(list(ends) or [length // 2])
        return draw.randrange(length)

    return choose


def states_of(traces, count, seed):
    """(trace, step, model, tree), each tree once."""
    seen, contents = set(), {}

    def fresh(tree):
        mark = disk.hash_of(tree)
        for path, content in tree.items():  # equal files of many states are kept once
            tree[path] = contents.setdefault(content, content)
        known = mark in seen
        seen.add(mark)
        return not known

    def systematic():
        plain = (len, lambda data: 0, lambda data: -1, lambda data: (len(data) + 1) // 2)
        for traced in traces:
            record = traced.disk
            for step in range(record.steps + 1):
                for entries in range(record.floor_at(step), record.entries_at(step) + 1):
                    for ordered in (True, False):
                        for rule in plain:
                            tree = record.state(step, entries, ordered,
                                                lambda change: rule(change.data))
                            yield traced, step, "ordered" if ordered else "weak", tree

    def random_ones():
        draw = random.Random(seed)
        for _ in range(60 * count):
            traced = draw.choice(traces)
            record, step = traced.disk, draw.randint(1, traced.disk.steps)
            entries = draw.randint(record.floor_at(step), record.entries_at(step))
            ordered = draw.random() < 0.5
            tree = record.state(step, entries, ordered, chances(draw))
            yield traced, step, "ordered" if ordered else "weak", tree

    plain = [state for state in systematic() if fresh(state[-1])]
    if len(plain) > count:  # a small sample keeps to the whole length of the traces
        plain = [plain[k * len(plain) // count] for k in range(count)]
    yield from plain
    left = count - len(plain)
    for state in random_ones():
        if left <= 0:
            return
        if fresh(state[-1]):
            left -= 1
            yield state


# What becomes of each.


def resume_from(kind, expected, state, folder):
    """(word for the tally, sentence) of one state."""
    traced, step, _, tree = state
    promise = traced.promised(step)
    lost = missing(promise, tree.get)
    if lost:
        return "wrong", f"the crash takes what a checkpoint promised: {lost}"
    if traced.old is not None:
        if kinds.run_in(tree, kinds.RUN) == traced.old:
            return "the old run whole", ""
        if kinds.RUN not in tree:
            aside = {path.split("/")[0] for path in tree if path.startswith(f".{kinds.RUN}.")}
            whole = any(kinds.run_in(tree, place) == traced.old for place in aside)
            return ("the old run set aside", "") if whole else ("wrong", "the old run is lost")
    kinds.clear(folder)
    kinds.put_tree(folder, tree)
    cells = [path for path in promise if "/cells/" in path]
    before = [os.stat(f"{folder}/{path}").st_ino for path in cells]
    there = f"{kinds.RUN}/manifest.json" in tree
    finished = kinds.is_finished(folder)
    ended = kinds.run_program(kind.resume() if there else kind.command(), folder)
    if ended.code is None:
        return "wrong", "the program hangs"

    def read(path):
        try:
            return pathlib.Path(folder, path).read_bytes()
        except FileNotFoundError:
            return None

    lost = missing(promise, read)
    if ended.code in (1, 3) and ended.refusal():
        return ("wrong", f"refused, and lost {lost}") if lost else ("refused", ended.refusal())
    if ended.code != 0:
        return "wrong", f"exit {ended.code}: {ended.err!r}"
    wrong = kinds.wrong_with(kind, folder, expected, may_leave=finished)  # it is left untouched
    if wrong:
        return "wrong", f"exit 0, but {wrong}"
    if lost:
        return "wrong", f"done again from before the last durable checkpoint: {lost}"
    if [os.stat(f"{folder}/{path}").st_ino for path in cells] != before:
        return "wrong", "a durable cell was done again"
    return ("equal", "") if there else ("begun anew", "")


def traces_of(kind, folder):
    """The traced runs of a kind, and what an undisturbed one promises."""
    work, trace = folder / "work", folder / "trace"
    work.mkdir(exist_ok=True)

    def traced(name, words, before, replaces=False):
        kinds.clear(work)
        kinds.put_tree(work, before)
        env = kinds.watching(work, trace, FAULTS_BYTES=1)
        ended = kinds.run_program(words, work, env)
        if ended.code != 0:
            raise SystemExit(f"exit {ended.code}: murmur {' '.join(words)}\n{ended.err}")
        return Traced(name, trace.read_bytes(), before, kinds.get_tree(work), replaces)

    every = traced("a checkpoint a step", kind.command(checkpoint="0"), {})
    expected = kinds.outcome(kind, work)
    traces = [every]
    if kind.checkpoints:
        traces.append(traced("a checkpoint at the end", kind.command(checkpoint="10"), {}))
    middle = every.disk.whole(every.disk.steps * 6 // 10)
    traces.append(traced("resumed", kind.resume("0"), middle))
    kinds.clear(work)
    kinds.run_program(kind.command(kind.other), work)
    replacing = kind.command("--force", checkpoint="10")
    traces.append(traced("replacing", replacing, kinds.get_tree(work), replaces=True))
    return traces, expected


# What the processes that try states share by being forked: kind, expected, states, their folder.
shared = {}


def settle(folder):
    shared["folder"] = pathlib.Path(tempfile.mkdtemp(prefix="crash-", dir=folder))


def try_one(number):
    state = shared["states"][number]
    return resume_from(shared["kind"], shared["expected"], state, shared["folder"])


def try_all(kind, expected, states, flags, folder):
    """Starts from every state, until time is up; the tally of outcomes, refusals and failures."""
    tally, models = collections.Counter(), collections.Counter()
    refused, failures = collections.Counter(), []
    end = time.time() + flags.seconds
    shared.update(kind=kind, expected=expected, states=states)
    with multiprocessing.get_context("fork").Pool(flags.jobs, settle, (folder,)) as pool:
        outcomes = pool.imap(try_one, range(len(states)), chunksize=16)
        for number, (word, told) in enumerate(outcomes):
            traced, step, model, tree = states[number]
            tally[word] += 1
            models[model] += 1
            if word == "refused":
                refused[told] += 1
            if word == "wrong":
                failures.append({"state": number, "trace": traced.name, "step": step,
                                 "model": model, "told": told})
                if not flags.forget_syncs:
                    print(f"{kind.name}, state {number} ({traced.name}, after call {step}, "
                          f"{model}): {told}", file=sys.stderr, flush=True)
                if flags.keep:
                    place = flags.keep / f"{kind.name}-{number}"
                    place.mkdir(parents=True)
                    kinds.put_tree(place, tree)
            if time.time() > end:
                break
    return {"states": sum(tally.values()), "outcomes": dict(tally), "models": dict(models),
            "refusals": dict(refused), "failures": failures}


def row_of(report):
    tally = report["outcomes"]
    return (f"| {report['kind']} | {report['steps']} | {report['states']} | "
            f"{tally.get('equal', 0)} | {tally.get('begun anew', 0)} | "
            f"{tally.get('the old run whole', 0)} + {tally.get('the old run set aside', 0)} | "
            f"{tally.get('refused', 0)} | {tally.get('wrong', 0)} |")


HEAD = """\
| kind | calls | states | resumed, equal | begun anew | old run whole + aside | refused | wrong |
|---|---|---|---|---|---|---|---|"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = ("simulate", "train", "sweep", "meanfield", "landscape")
    parser.add_argument("--kind", action="append", choices=names)
    parser.add_argument("--states", type=int, default=10000, help="distinct ones, of each kind")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="at most, a kind")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json", type=pathlib.Path, help="where the reports go")
    parser.add_argument("--keep", type=pathlib.Path, help="where states that went wrong are kept")
    parser.add_argument("--forget-syncs", action="store_true",
                        help="the control: syncs of files do nothing, which must be found")
    flags = parser.parse_args()
    kinds.check_tools()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="murmur-crash-", dir=kinds.SCRATCH))
    reports = []
    try:
        known = kinds.all_kinds(kinds.save_data(folder / "bars"))
        print(HEAD, flush=True)
        for name in flags.kind or names:
            began = time.time()
            traces, expected = traces_of(known[name], folder)
            if flags.forget_syncs:
                for traced in traces:
                    traced.disk.forget_syncs()
            states = list(states_of(traces, flags.states, flags.seed))
            random.Random(flags.seed).shuffle(states)  # any first part is a fair sample
            report = {"kind": name, "possible": len(states), "seed": flags.seed,
                      "steps": sum(traced.disk.steps for traced in traces)}
            report |= try_all(known[name], expected, states, flags, folder)
            reports.append({**report, "seconds": round(time.time() - began, 1)})
            print(row_of(report), flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if flags.json:
        flags.json.write_text(json.dumps(reports, indent=1) + "\n")
    if flags.forget_syncs:
        found = [report["outcomes"].get("wrong", 0) for report in reports]
        print(f"the control: {sum(found)} crashes of a disk that forgets its syncs were noticed")
        return 0 if all(found) else 1
    for report in reports:
        for sentence, count in report["refusals"].items():
            print(f"{report['kind']}: {count} refused: {sentence}")
    return 1 if any(report["failures"] for report in reports) else 0


if __name__ == "__main__":
    sys.exit(main())
