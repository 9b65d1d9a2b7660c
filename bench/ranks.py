#!/usr/bin/env python3
"""ranks.py: what ranks cost: measured here on 1 to 4 of them, computed beyond from what was measured.

    bench/ranks.py measure > terms.json     # several minutes; the machine should be quiet
    bench/ranks.py tables terms.json        # the tables of docs/cluster.md

Measured: seconds of one evaluation of the velocity within a flight (rk4, no frames in between), as the
difference of a longer and a shorter flight over their evaluations, least of several; and the time of an
Allreduce of so many bytes between the ranks of this machine. Computed: particles / (ranks * cores) times
the time of a particle, and for the Allreduce log2(ranks) times (latency + bytes / bandwidth), twice,
with the network that the table names.
"""

import argparse
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(os.environ.get("MURMUR") or ROOT / "build/release/murmur").resolve()
OPENMPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_oob_tcp_if_include": "lo",
}
DT, SHORT, LONG = 0.001, 1, 4  # steps of rk4: four evaluations each
# name, words, particles of the strong table, and of one rank in the weak one
CASES = (("circle", ("d=2", "beta=4", "engine=moments"), 1_000_000, 500_000),
         ("sphere", ("d=3", "beta=4", "engine=moments"), 400_000, 200_000),
         ("pairs", ("d=3", "beta=4", "engine=simd"), 16_384, 8_192))


def seconds_of_flight(ranks, n, words, steps, folder):
    command = ["mpirun", "-n", str(ranks), str(PROGRAM), "simulate", f"n={n}", *words, "threads=1",
               "method=rk4", f"dt={DT}", f"T={steps * DT:g}", "save=final", "--json", "-q",
               "-o", str(folder / "run"), "--force"]
    done = subprocess.run(command, env={**os.environ, **OPENMPI}, cwd=folder, check=True, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True)
    return json.loads(done.stdout)["seconds"]


def evaluation(ranks, n, words, folder, repetitions):
    best = {SHORT: math.inf, LONG: math.inf}
    for _ in range(repetitions):
        for steps in best:
            best[steps] = min(best[steps], seconds_of_flight(ranks, n, words, steps, folder))
    return (best[LONG] - best[SHORT]) / (4 * (LONG - SHORT))


def measure(repetitions):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="murmur-ranks-", dir="/dev/shm"))
    terms = {"cores": os.cpu_count(), "load_before": os.getloadavg()[0], "cases": {}}
    try:
        for name, words, n_strong, n_weak in CASES:
            rows = []
            for ranks in (1, 2, 3, 4):
                for kind, n in (("strong", n_strong), ("weak", n_weak * ranks)):
                    s = evaluation(ranks, n, words, folder, repetitions)
                    rows.append({"kind": kind, "ranks": ranks, "n": n, "seconds": s})
                    print(name, kind, ranks, n, f"{s:.5f}", file=sys.stderr)
            terms["cases"][name] = {"words": words, "rows": rows}
    finally:
        shutil.rmtree(folder)
    terms["load_after"] = os.getloadavg()[0]
    terms["when"] = time.strftime("%Y-%m-%d")
    return terms


def row_of(rows, kind, ranks):
    return next(r for r in rows if r["kind"] == kind and r["ranks"] == ranks)


def computed(seconds_a_particle, n, nodes, cores, bytes_, latency, bandwidth):
    """Seconds of one evaluation: the work of a core, and twice up and down a tree of the nodes."""
    work = n / (nodes * cores) * seconds_a_particle
    talk = 2 * math.ceil(math.log2(max(nodes, 2))) * (latency + bytes_ / bandwidth)
    return work, talk


def tables(terms):
    for name, case in terms["cases"].items():
        print(f"\n{name}: {' '.join(case['words'])}\n")
        print("| ranks | n | ms an evaluation | speed-up | n a rank | ms an evaluation | kept |")
        print("|---|---|---|---|---|---|---|")
        one = {kind: row_of(case["rows"], kind, 1)["seconds"] for kind in ("strong", "weak")}
        for ranks in (1, 2, 3, 4):
            s, w = (row_of(case["rows"], kind, ranks) for kind in ("strong", "weak"))
            print(f"| {ranks} | {s['n']:,} | {1e3 * s['seconds']:.1f} | "
                  f"{one['strong'] / s['seconds']:.2f} | {w['n'] // ranks:,} | "
                  f"{1e3 * w['seconds']:.1f} | {one['weak'] / w['seconds']:.0%} |")
    print("\nComputed: a network of 2 us and 12.5 GB/s, 64 cores a node.\n")
    print("| case | n | nodes | work, ms | Allreduce, ms | efficiency |")
    print("|---|---|---|---|---|---|")
    # 128-bit sums of the moments: 2 (p + 1) on the circle, (p + 2)^2 on the sphere, p of beta = 4
    for name, moments in (("circle", 2 * 28), ("sphere", 27 ** 2)):
        if name not in terms["cases"]:
            continue
        row = row_of(terms["cases"][name]["rows"], "strong", 1)
        particle = row["seconds"] / row["n"]
        for n, nodes in ((10 ** 8, 1), (10 ** 9, 10), (10 ** 9, 1000), (10 ** 10, 1000)):
            work, talk = computed(particle, n, nodes, 64, 16 * moments, 2e-6, 12.5e9)
            talk = 0 if nodes == 1 else talk
            print(f"| {name} | 10^{round(math.log10(n))} | {nodes:,} | {1e3 * work:.2f} | "
                  f"{1e3 * talk:.3f} | {work / (work + talk):.0%} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("verb", choices=("measure", "tables"))
    parser.add_argument("terms", nargs="?")
    parser.add_argument("--repetitions", type=int, default=3)
    args = parser.parse_args()
    if args.verb == "measure":
        json.dump(measure(args.repetitions), sys.stdout, indent=1)
    else:
        tables(json.loads(pathlib.Path(args.terms).read_text()))


if __name__ == "__main__":
    main()
