#!/usr/bin/env python3
"""ranks.py: what ranks cost: measured here on 1 to 4 of them, computed beyond from what was measured.

    cmake --preset bench && cmake --build --preset bench --target bench_ranks murmur_plugin_mpi
    bench/ranks.py measure > terms.json     # a minute or two; the machine should be quiet
    bench/ranks.py tables terms.json        # the tables of docs/cluster.md

Measured (bench/kernels/ranks.cpp): one velocity, least of seven, each as long as the slowest rank takes,
and the Allreduce of the fixed-point sums between the ranks of this machine. Computed: the work of a core is
particles / cores times the time that a particle took on one rank; the Allreduce goes up and down a tree of
nodes, log2(nodes) times latency + bytes / bandwidth each way, of the network that the table names.
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("BUILD") or ROOT / "build/bench").resolve()
OPENMPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_oob_tcp_if_include": "lo",
}
# name, words, particles of the strong table, of one rank in the weak one
CASES = (("circle", ("d=2", "beta=4", "engine=moments"), 1 << 20, 1 << 19),
         ("sphere", ("d=3", "beta=4", "engine=moments"), 1 << 18, 1 << 17),
         ("pairs", ("d=3", "beta=4", "engine=simd"), 24_576, 12_288))
# Sums of 16 bytes that are added at beta = 4: 2 (p + 1) with p = 22 on the circle; 2 for each of the
# harmonics of order m >= 0 up to degree p + 1 = 22 on the sphere.
SUMS = {"circle": 2 * 23, "sphere": 2 * (23 * 24 // 2)}
LATENCY, BANDWIDTH, CORES = 2e-6, 12.5e9, 64  # of the network and the nodes that are computed


def velocity(ranks, n, words):
    program = next(p for p in (BUILD / "bench/bench_ranks", BUILD / "bench_ranks") if p.exists())
    env = {**os.environ, **OPENMPI, "MURMUR_MPI_LIBRARY": str(BUILD / "libmurmur_mpi.so")}
    done = subprocess.run(["mpirun", "-n", str(ranks), str(program), f"n={n}", *words], env=env,
                          check=True, text=True, stdin=subprocess.DEVNULL, capture_output=True)
    return json.loads(done.stdout)


def measure(only):
    terms = {"cores": os.cpu_count(), "load": os.getloadavg()[0], "when": time.strftime("%Y-%m-%d"),
             "cases": {}}
    for name, words, strong, weak in CASES:
        if only and name not in only:
            continue
        rows = []
        for ranks in (1, 2, 3, 4):
            for kind, n in (("strong", strong), ("weak", weak * ranks)):
                # Pairs are n^2: as many for each rank, not as many particles.
                size = round(weak * math.sqrt(ranks)) if kind == "weak" and name == "pairs" else n
                rows.append({"kind": kind, **velocity(ranks, size, words)})
                print(name, json.dumps(rows[-1]), file=sys.stderr)
        terms["cases"][name] = {"words": words, "rows": rows}
    return terms


def row_of(rows, kind, ranks):
    return next(r for r in rows if r["kind"] == kind and r["ranks"] == ranks)


def computed(particle, n, nodes, bytes_):
    """Seconds of one velocity: of the work of a core, and of the way up and down the tree."""
    talk = 2 * math.ceil(math.log2(nodes)) * (LATENCY + bytes_ / BANDWIDTH) if nodes > 1 else 0
    return n / (nodes * CORES) * particle, talk


def tables(terms):
    print("| case | ranks | n | ms | speed-up | n | ms | kept |\n|---|---|---|---|---|---|---|---|")
    for name, case in terms["cases"].items():
        one = {kind: row_of(case["rows"], kind, 1)["velocity"] for kind in ("strong", "weak")}
        for ranks in (1, 2, 3, 4):
            s, w = (row_of(case["rows"], kind, ranks) for kind in ("strong", "weak"))
            print(f"| {name} | {ranks} | {s['n']:,} | {1e3 * s['velocity']:.1f} | "
                  f"{one['strong'] / s['velocity']:.2f} | {w['n']:,} | {1e3 * w['velocity']:.1f} | "
                  f"{one['weak'] / w['velocity']:.0%} |")
    print("\n| case | n | nodes | work, ms | Allreduce, ms | efficiency |\n|---|---|---|---|---|---|")
    for name, sums in SUMS.items():
        if name not in terms["cases"]:
            continue
        row = row_of(terms["cases"][name]["rows"], "strong", 1)
        particle = row["velocity"] / row["n"]
        for exponent, nodes in ((8, 1), (9, 10), (9, 1000), (10, 1000)):
            work, talk = computed(particle, 10 ** exponent, nodes, 16 * sums)
            print(f"| {name} | 10^{exponent} | {nodes:,} | {1e3 * work:.2f} | {1e3 * talk:.3f} | "
                  f"{work / (work + talk):.0%} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("verb", choices=("measure", "tables"))
    parser.add_argument("terms", nargs="?")
    parser.add_argument("--only", action="append", choices=[case[0] for case in CASES])
    args = parser.parse_args()
    if args.verb == "measure":
        json.dump(measure(args.only), sys.stdout, indent=1)
    else:
        tables(json.loads(pathlib.Path(args.terms).read_text()))


if __name__ == "__main__":
    main()
