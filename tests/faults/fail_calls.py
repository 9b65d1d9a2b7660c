"""Fails every system call of a run in turn: the bytes are right, or the program says what happened.

For each kind of run, three beginnings: `fresh` (nothing there), `resume` (the middle of a run, with
a checkpoint) and `replace` (--force over another run). A run without faults tells its calls on its
files; then each of them fails in each way that it can, once: the program must end with the right
bytes, or with exit 1 and three lines. After an error the run is resumed (or begun anew, where none
was made), and must reach the right bytes. A failing read that is told as an absence (exit 2 or 3:
no run, no input) is counted apart, and wrong with --strict.

    fail_calls.py [--kind NAME]... [--phase NAME]... [--every M] [--seconds S] [--strict]
                  [--jobs J] [--json FILE]
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
import sys
import tempfile
import time

import disk
import kinds

# How a call can fail; `short`, and EINTR where the call is simply made again, must not show at all.
WAYS = {
    "open": ("ENOSPC", "EIO", "EMFILE", "EINTR"),
    "look": ("EIO", "EMFILE", "EINTR"),
    "opendir": ("EIO", "EMFILE"),
    "write": ("ENOSPC", "EIO", "EINTR", "short"),
    "read": ("EIO", "EINTR", "short"),
    "cut": ("EIO", "EINTR"),
    "sync": ("EIO", "ENOSPC", "EINTR"),
    "rename": ("EIO", "ENOSPC"),
    "exchange": ("EIO", "ENOSPC"),
    "link": ("EIO", "ENOSPC"),
    "mkdir": ("EIO", "ENOSPC"),
    "unlink": ("EIO",),
    "rmdir": ("EIO",),
    "close": ("EIO", "EINTR"),
    "lock": ("ENOLCK", "EINTR"),
    "map": ("ENOMEM", "EIO"),
    "stream": (),  # what a stream of the C library wrote: told, out of reach
}
TAKES_SPACE = ("open", "write", "sync", "rename", "exchange", "link", "mkdir")
UNNOTICED = {("write", "short"), ("read", "short"), ("write", "EINTR"), ("read", "EINTR"),
             ("lock", "EINTR")}
READS = ("look", "opendir", "read")
PHASES = ("fresh", "resume", "replace")
RECOVERED = ("told, then resumed", "told, then begun anew", "told, the old run whole",
             "told, the old run set aside")


class Beginning:
    """A kind and a phase: what is there before, the command, and how a run without faults ends."""

    def __init__(self, kind, phase, folder):
        self.kind, self.phase = kind, phase
        trace = folder / "trace"
        work = folder / "work"
        work.mkdir(exist_ok=True)
        self.before, self.old = {}, None
        if phase != "fresh":
            kinds.clear(work)
            words = kind.command(checkpoint="0")
            if phase == "replace":
                words = kind.command(kind.other)
            env = kinds.watching(work, trace, FAULTS_BYTES=1)
            must(kinds.run_program(words, work, env), words)
            self.old = kinds.outcome(kind, work)
            self.before = kinds.get_tree(work)
            if phase == "resume":
                self.before = middle_of(trace.read_bytes())
        self.words = {"fresh": kind.command(checkpoint="0"), "resume": kind.resume("0"),
                      "replace": kind.command("--force", checkpoint="0")}[phase]
        kinds.clear(work)
        kinds.put_tree(work, self.before)
        must(kinds.run_program(self.words, work, kinds.watching(work, trace)), self.words)
        self.expected = kinds.outcome(kind, work)
        self.calls = [name for name, *_ in disk.parse(trace.read_bytes())]

    def faults(self):
        """(call, way), every one of them."""
        for k, name in enumerate(self.calls, 1):
            for way in WAYS[name]:
                yield k, way
            if name in TAKES_SPACE:
                yield k, "full"
            if name != "stream":
                yield k, "gone"


def must(ended, words):
    if ended.code != 0:
        raise SystemExit(f"exit {ended.code} of murmur {' '.join(words)}\n{ended.err}")


def middle_of(trace):
    """What a run killed halfway leaves behind."""
    record = disk.Disk(trace)
    return record.whole(record.steps * 6 // 10)


def strike(beginning, fault, folder):
    """Lets one call fail, then goes on; (words for the tally, or for a failure)."""
    k, way = fault
    kind, name = beginning.kind, beginning.calls[k - 1]
    kinds.clear(folder)
    kinds.put_tree(folder, beginning.before)
    env = kinds.watching(folder, "", FAULTS_AT=k, FAULTS_WAY=way)
    ended = kinds.run_program(beginning.words, folder, env)
    if ended.code == 0:  # what could not be removed is left, and the next process removes it
        wrong = kinds.wrong_with(kind, folder, beginning.expected, may_leave=True)
        return ("wrong", f"exit 0, but {wrong}") if wrong else ("equal", "")
    if ended.code is None:
        return "wrong", "the program hangs"
    # A read that fails may be told as an absence (exit 2 or 3), and is counted apart; as damage,
    # whose remedy is to delete the file, it may not.
    absent = ended.code in (2, 3) and (name in READS or way == "gone")
    if not (ended.code == 1 or absent) or ended.refusal() is None:
        return "wrong", f"not exit 1 and three lines, but exit {ended.code}: {ended.err!r}"
    if absent and re.search("damaged|not as the run left it", ended.refusal()):
        return "wrong", f"a file that could not be read is told as damage: {ended.refusal()}"
    if (name, way) in UNNOTICED:
        return "wrong", f"{way} of a {name} must not show: {ended.refusal()}"
    word, told = recover(beginning, folder)
    return ("told as absent", ended.refusal()) if absent and word in RECOVERED else (word, told)


def recover(beginning, folder):
    """After an error without faults: the run that is there goes on, else it is begun anew."""
    kind = beginning.kind
    there = (folder / kinds.RUN / "manifest.json").exists()
    if beginning.phase == "replace":
        if there and kinds.wrong_with(kind, folder, beginning.old) is None:
            return "told, the old run whole", ""
        if not there:
            tree, old = kinds.get_tree(folder), kinds.run_in(beginning.before, kinds.RUN)
            aside = {path.split("/")[0] for path in tree if path.startswith(f".{kinds.RUN}.")}
            if not any(kinds.run_in(tree, place) == old for place in aside):
                return "wrong", "neither the old run nor a new one is there"
            return "told, the old run set aside", ""
    words = kind.resume() if there else kind.command()
    finished = kinds.is_finished(folder)  # then nothing is touched
    ended = kinds.run_program(words, folder)
    if ended.code == 0:
        wrong = kinds.wrong_with(kind, folder, beginning.expected, may_leave=finished)
        if wrong:
            return "wrong", f"resumed to exit 0, but {wrong}"
        return ("told, then resumed", "") if there else ("told, then begun anew", "")
    if ended.code in (1, 3) and ended.refusal():
        return "told, resume refused", ended.refusal()
    return "wrong", f"resumed to exit {ended.code}: {ended.err!r}"


def strike_all(beginning, faults, flags, folder):
    """Until time is up; the tally of outcomes, the sentences of refusals, and the failures."""
    end = time.time() + flags.seconds
    tally, refused, failures = collections.Counter(), collections.Counter(), []
    shared["beginning"] = beginning
    with multiprocessing.get_context("fork").Pool(flags.jobs, settle, (folder,)) as pool:
        for fault, (word, told) in pool.imap_unordered(strike_here, faults, chunksize=4):
            tally[word] += 1
            if word in ("told, resume refused", "told as absent"):
                refused[told] += 1
            if word == "wrong" or (flags.strict and word == "told as absent"):
                call, way = fault
                name = beginning.calls[call - 1]
                failures.append({"call": call, "name": name, "way": way, "told": told})
                print(f"{beginning.kind.name}, {beginning.phase}, call {call} ({name}), {way}: "
                      f"{told}", file=sys.stderr, flush=True)
            if time.time() > end:
                break
    return tally, refused, failures


# What the processes that strike share by being forked: the beginning, and each its folder.
shared = {}


def settle(folder):
    shared["folder"] = pathlib.Path(tempfile.mkdtemp(prefix="strike-", dir=folder))


def strike_here(fault):
    return fault, strike(shared["beginning"], fault, shared["folder"])


def row_of(report):
    tally = report["outcomes"]
    told = sum(tally.get(word, 0) for word in RECOVERED)
    refused = tally.get("told, resume refused", 0)
    return (f"| {report['kind']} | {report['phase']} | {report['calls']} | {report['faults']} | "
            f"{tally.get('equal', 0)} | {told} | {tally.get('told as absent', 0)} | {refused} | "
            f"{tally.get('wrong', 0)} |")


HEAD = """\
| kind | beginning | calls | faults | equal | told, then equal | as absent | refused | wrong |
|---|---|---|---|---|---|---|---|---|"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = ("simulate", "train", "sweep", "meanfield", "landscape")
    parser.add_argument("--kind", action="append", choices=names)
    parser.add_argument("--phase", action="append", choices=PHASES)
    parser.add_argument("--every", type=int, default=1, help="only every M-th fault")
    parser.add_argument("--seconds", type=float, default=float("inf"),
                        help="at most, a kind and beginning")
    parser.add_argument("--strict", action="store_true",
                        help="a read that fails and is told as an absence is wrong too")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json", type=pathlib.Path, help="where the reports go")
    flags = parser.parse_args()
    kinds.check_tools()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="murmur-faults-", dir=kinds.SCRATCH))
    reports = []
    try:
        known = kinds.all_kinds(kinds.save_data(folder / "bars"))
        print(HEAD, flush=True)
        for name in flags.kind or names:
            for phase in flags.phase or PHASES:
                began = time.time()
                beginning = Beginning(known[name], phase, folder)
                faults = list(beginning.faults())[::flags.every]
                random.Random(len(faults)).shuffle(faults)  # any first part is a fair sample
                tally, refused, failures = strike_all(beginning, faults, flags, folder)
                reports.append({
                    "kind": name, "phase": phase, "calls": len(beginning.calls),
                    "faults": sum(tally.values()), "possible": len(faults),
                    "outcomes": dict(tally), "refusals": dict(refused),
                    "failures": failures, "seconds": round(time.time() - began, 1)})
                print(row_of(reports[-1]), flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if flags.json:
        flags.json.write_text(json.dumps(reports, indent=1) + "\n")
    for report in reports:
        for sentence, count in report["refusals"].items():
            print(f"{report['kind']}, {report['phase']}: {count} times: {sentence}")
    return 1 if any(report["failures"] for report in reports) else 0


if __name__ == "__main__":
    sys.exit(main())
