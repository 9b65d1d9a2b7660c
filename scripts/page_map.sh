#!/usr/bin/env bash
# page_map.sh: the phase map of the web page, circle.json and circle_counts.json in studio/public/maps; some minutes.
#
# 32 tokens on the circle by the papers' layers with dt = 0.1, as in Fig. 3 of 2312.10794: beta from
# 0.1 to 9 by time from 0 to 30. Every pixel can be flown again by `murmur simulate`: "replay" has
# the words. The second sweep flies replica 0 alone: a replay has a number to be held to.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
murmur=${MURMUR:-build/release/murmur}
map=studio/public/maps/circle.json

words='n=32 d=2 method=layers dt=0.1 seed=0'
grid="beta=0.1:9:90 T=30 times=101 observe=clusters"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck disable=SC2086  # one word a parameter
{
  "$murmur" sweep -q $words $grid replicas=256 -o "$scratch/all" >/dev/null
  "$murmur" sweep -q $words $grid replicas=1 -o "$scratch/one" >/dev/null
}
# A sweep tells the distribution of the counts at its last time alone: one sweep a time of the map.
for k in $(seq 1 100); do
  t=$(awk "BEGIN { print 0.3 * $k }")
  # shellcheck disable=SC2086
  "$murmur" sweep -q $words beta=0.1:9:90 "T=$t" times=2 observe=clusters replicas=256 -o "$scratch/t$k" >/dev/null
done
"$murmur" reproduce fastest-modes --quick --json --progress none --runs "$scratch" \
  >"$scratch/modes.json" 2>/dev/null

mkdir -p "$(dirname $map)"
WORDS=$words GRID=$grid /usr/bin/python3 - "$scratch" "$map" <<'EOF_PYTHON'
import csv, json, os, pathlib, sys

FRAMES = "save=every:0.1"  # every step; three a column of the map
scratch, target = map(pathlib.Path, sys.argv[1:])


def table(name):
    """{beta: rows in the order of time}, numbers as the sweep wrote them."""
    cells = {}
    with open(scratch / name / "sweep.csv", newline="") as file:
        for row in csv.DictReader(file):
            cells.setdefault(row["beta"], []).append(row)
    return cells


def brief(text):
    value = round(float(text), 3)
    return int(value) if value == int(value) else value


def column(cells, name):
    return [[brief(row[name]) for row in rows] for rows in cells.values()]


def counts(row):
    pairs = [pair.split(":") for pair in row["cluster_counts"].split(";")]
    return {clusters: int(replicas) for clusters, replicas in pairs}


def number(text):
    return int(text) if text.isdigit() else float(text) if text[0].isdigit() else text


many, one = table("all"), table("one")
times = [round(float(row["t"]), 6) for row in next(iter(many.values()))]
betas = [float(beta) for beta in many]
switches = [row["circle"] for row in json.loads((scratch / "modes.json").read_text())["switches"]]
content = {
    "name": "circle",
    "title": "32 tokens on the circle: how many clusters, over time and beta",
    "source": {"paper": "2312.10794", "figure": 3, "quantity": "close_pairs"},
    "command": f"murmur sweep {os.environ['WORDS']} {os.environ['GRID']} replicas=256",
    "replicas": 256,
    "axes": [{"name": "beta", "values": betas}, {"name": "t", "values": times}],
    "columns": {
        "clusters": "mean over the replicas of the number of clusters, components of the graph "
                    "<x_i, x_j> > 0.999",
        "clusters_se": "standard error of clusters",
        "close_pairs": "mean over the replicas of the fraction of pairs i < j with "
                       "<x_i, x_j> > 0.999",
        "replica_0": "number of clusters of replica 0 alone",
        "last_counts": "at the last time, one a beta: {number of clusters: replicas that have it}",
    },
    "replay": {
        "words": {key: number(value) for key, value in
                  (word.split("=") for word in f"{os.environ['WORDS']} {FRAMES}".split())},
        "pixel": "beta and T are the pixel's own, replica is 0 to 255; a pixel at t = 0 is frame 0 "
                 "of any longer flight, one at column k is frame 3 k",
        "example": f"murmur simulate {os.environ['WORDS']} {FRAMES} beta=9 T=30 replica=0",
    },
    "fastest_mode": {
        "meaning": "switches[k - 1] is the beta at which mode k + 1 overtakes mode k as the one "
                   "that grows fastest out of the uniform swarm of infinitely many tokens",
        "switches": [round(beta, 6) for beta in switches if beta <= betas[-1]],
    },
    "values": {
        "clusters": column(many, "clusters"),
        "clusters_se": column(many, "clusters_se"),
        "close_pairs": column(many, "close_pairs"),
        "replica_0": column(one, "clusters"),
    },
    "last_counts": [counts(rows[-1]) for rows in many.values()],
}


def text(value):
    return json.dumps(value, separators=(",", ":"))


lines = [f"{text(key)}:{text(value)}" for key, value in content.items() if key != "values"]
blocks = [f"{text(key)}:[\n" + ",\n".join(map(text, rows)) + "]"
          for key, rows in content["values"].items()]
lines.append('"values":{\n' + ",\n".join(blocks) + "}")
target.write_text("{" + ",\n".join(lines) + "}\n")

# How many replicas have how many clusters, at every pixel: "2:154;3:102"; one line a beta, times between bars. At t = 0 all
# tokens stand apart but for the few that chance put together: there the mean of the map is all there is.
lasts = [[rows[-1] for rows in table(f"t{k}").values()] for k in range(1, len(times))]
for k, column_ in enumerate(lasts):
    for row, beta in zip(column_, many):
        assert row["clusters"] == many[beta][k + 1]["clusters"], (beta, row["t"])
lists = ["|" + "|".join(column_[b]["cluster_counts"] for column_ in lasts) for b in range(len(betas))]
target.with_name("circle_counts.json").write_text("[\n" + ",\n".join(map(text, lists)) + "]\n")
EOF_PYTHON
say "$map: $(stat -c %s $map) bytes"
