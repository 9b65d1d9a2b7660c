"""campaign.py: runs the fuzzers in slices, a few at a time, and keeps what they reached.

build/fuzz-corpus/counts.json holds inputs, seconds and findings of each parser over all calls; it is
written after every slice, so a campaign may be stopped at any time and gone on with.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "build/fuzz/tests/fuzz"
GROWN = ROOT / "build/fuzz-corpus"
FINDINGS = ROOT / "build/fuzz-findings"
COUNTS = GROWN / "counts.json"
SLICE = 60  # seconds of one parser before the next has its turn
# Freed memory waits in 8 MB, many times what an input takes, and each allocation keeps two callers:
# half of the time went into both. What is found is looked at again with the usual depth.
ASAN = "malloc_context_size=2:quarantine_size_mb=8"


class Counts:
    """{parser: {inputs, seconds, findings}}, kept after every slice."""

    def __init__(self):
        self.lock = threading.Lock()
        self.rows = json.loads(COUNTS.read_text()) if COUNTS.is_file() else {}

    def of(self, name):
        return self.rows.get(name, {"inputs": 0, "seconds": 0.0, "findings": 0})

    def add(self, name, inputs, seconds, findings):
        with self.lock:
            row = dict(self.of(name))
            row["inputs"] += inputs
            row["seconds"] = round(row["seconds"] + seconds, 1)
            row["findings"] = findings
            self.rows[name] = row
            GROWN.mkdir(parents=True, exist_ok=True)
            beside = COUNTS.with_suffix(".new")
            beside.write_text(json.dumps(self.rows, indent=1, sort_keys=True) + "\n")
            beside.replace(COUNTS)


def parsers():
    return sorted(path.name.removeprefix("fuzz_") for path in PROGRAMS.glob("fuzz_*")
                  if path.is_file() and os.access(path, os.X_OK))


def findings_of(name):
    folder = FINDINGS / name
    return sorted(p.name for p in folder.iterdir()) if folder.is_dir() else []


def slice_of(counts, name, seconds, inputs):
    """One parser for some seconds, or so many inputs; returns whether it may go on."""
    grown, findings = GROWN / name, FINDINGS / name
    grown.mkdir(parents=True, exist_ok=True)
    findings.mkdir(parents=True, exist_ok=True)
    before = len(findings_of(name))
    started = time.monotonic()
    done = subprocess.run(
        [str(PROGRAMS / f"fuzz_{name}"), f"-max_total_time={max(1, int(seconds))}",
         f"-runs={inputs}", "-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1",
         "-reload=0", f"-artifact_prefix={findings}/", str(grown),
         str(ROOT / "tests/fuzz/corpus" / name)],
        cwd=ROOT, env={**os.environ, "ASAN_OPTIONS": ASAN}, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    told = re.findall(r"^stat::number_of_executed_units: *(\d+)", done.stderr, re.M)
    if not told:  # it died: the number of the last input it spoke of
        told = re.findall(r"^#(\d+)\t", done.stderr, re.M)
    counts.add(name, int(told[-1]) if told else 0, time.monotonic() - started,
               len(findings_of(name)))
    if done.returncode != 0 or len(findings_of(name)) > before:
        log = FINDINGS / f"{name}.log"
        log.write_text(done.stderr)
        print(f"{name}: a finding, see {log.relative_to(ROOT)}", flush=True)
        return False
    return True


def table(counts):
    print(f"{'parser':14} {'inputs':>13} {'seconds':>9} {'corpus':>7} {'findings':>9}")
    total = [0, 0.0, 0]
    for name in sorted(set(parsers()) | set(counts.rows)):
        row = counts.of(name)
        folder = GROWN / name
        kept = sum(1 for _ in folder.iterdir()) if folder.is_dir() else 0
        print(f"{name:14} {row['inputs']:13,} {row['seconds']:9.0f} {kept:7} "
              f"{len(findings_of(name)):9}")
        total = [total[0] + row["inputs"], total[1] + row["seconds"],
                 total[2] + len(findings_of(name))]
    print(f"{'all':14} {total[0]:13,} {total[1]:9.0f} {'':7} {total[2]:9}")
    return total


def campaign(counts, options):
    """Slices of all parsers in turn, those with the fewest inputs first."""
    names = [name for name in parsers() if re.search(options.only, name)]
    end = time.monotonic() + options.seconds if options.seconds else None
    share = options.seconds * options.jobs / max(1, len(names)) if options.seconds else SLICE
    good = dict.fromkeys(names, True)

    def work(name):
        left = end - time.monotonic() if end else SLICE
        inputs = options.inputs - counts.of(name)["inputs"] if options.inputs else -1
        if left <= 0 or (options.inputs and inputs <= 0):
            return
        good[name] = slice_of(counts, name, min(share, left, SLICE), inputs)

    def wanted():
        return [name for name in sorted(names, key=lambda name: counts.of(name)["inputs"])
                if good[name] and not (options.inputs and
                                       counts.of(name)["inputs"] >= options.inputs)]

    while (turn := wanted()) and (end is None or time.monotonic() < end):
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(work, turn))
    return all(good.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seconds", nargs="?", type=float, help="of the whole campaign")
    parser.add_argument("--inputs", type=float, help="for each parser, over all calls")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count()))
    parser.add_argument("--only", default="", help="parsers whose name matches this expression")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    options.inputs = int(options.inputs) if options.inputs else None
    counts = Counts()
    good = True
    if not options.table:
        if not options.seconds and not options.inputs:
            options.seconds = 600
        if not parsers():
            sys.exit("there are no fuzzers; build them with scripts/fuzz.sh")
        try:
            good = campaign(counts, options)
        except KeyboardInterrupt:
            print()
    found = table(counts)[2]
    sys.exit(0 if good and found == 0 else 1)


if __name__ == "__main__":
    main()
