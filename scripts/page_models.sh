#!/usr/bin/env bash
# page_models.sh: the trained swarms of the web page, studio/public/models.
#
# Trains what is missing into runs/page/NAME, goes on with what was interrupted, copies the
# parameters as NAME.safetensors and writes index.json. Of the seeds 0, 1, 2 in
# bench/results/swarm-table.md, 0 of 5-6 and 2 of ten have the best validation accuracy, and so has,
# of the seeds 0 to 4 of the ladder in docs/same-or-different.md, 3 of same and 4 of alone; nothing
# is chosen on the test set. The last two need a GPU.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source scripts/mnist.sh
murmur=${MURMUR:-build/release/murmur}
models=studio/public/models

# NAME WORD...: one trained swarm a line, in the order of the page.
swarms='5-6 recipe=best digits=5,6 epochs=60 seed=0
3-8 recipe=best digits=3,8 epochs=24 seed=0
4-9 recipe=best digits=4,9 epochs=24 seed=0
1-7 recipe=best digits=1,7 epochs=24 seed=0
0-6 recipe=best digits=0,6 epochs=24 seed=0
ten digits=0-9 shared=false batch=128 epochs=30 seed=2
same task=same shared=false seed=3 device=cuda
alone task=same shared=false interaction=none hidden=519 seed=4 device=cuda'

fetch_mnist
mkdir -p "$models"
while read -r name words; do
  run=runs/page/$name
  if [ -e "$run" ]; then
    "$murmur" train -q --resume "$run" </dev/null
  else
    # shellcheck disable=SC2086  # one word a parameter
    "$murmur" train -q $words -o "$run" </dev/null
  fi
done <<<"$swarms"

SWARMS=$swarms /usr/bin/python3 - "$models" <<'EOF_PYTHON'
import json, os, pathlib, shutil, struct, sys

models = pathlib.Path(sys.argv[1])
index = []
for line in os.environ["SWARMS"].splitlines():
    name, *words = line.split()
    run = pathlib.Path("runs/page", name)
    manifest = json.loads((run / "manifest.json").read_text())
    if [word for word in manifest["argv"] if "=" in word] != words:
        sys.exit(f"murmur: the run was trained by other words\n  where: {run}\n"
                 "  do:    remove the run and start this script again")
    summary = json.loads((run / "summary.json").read_text())
    file = run / "model.safetensors"
    with open(file, "rb") as stream:
        header = json.loads(stream.read(struct.unpack("<Q", stream.read(8))[0]))
    about = header["__metadata__"]
    digits = [int(digit) for digit in about["digits"].split(",")]
    title = " or ".join(map(str, digits)) if len(digits) == 2 else "ten digits"
    if about.get("task") == "same":
        title = "same or different" + (", each alone" if about["interaction"] == "none" else "")
    index.append({
        "file": f"{name}.safetensors",
        "task": about.get("task", "digits"),
        "digits": digits,
        "name": name,
        "title": title,
        "blocks": int(about["blocks"]),
        "shared": about["shared"] == "true",
        "d": int(about["d"]),
        "parameters": summary["parameters"],
        "validation_accuracy": summary["validation_accuracy"],
        "test_accuracy": summary["test_accuracy"],
        "epochs": summary["epochs"],
        "seed": summary["seed"],
        "command": " ".join(["murmur train", *words]),
        "bytes": file.stat().st_size,
    })
    shutil.copyfile(file, models / index[-1]["file"])
rows = ",\n".join("  " + json.dumps(row) for row in index)
(models / "index.json").write_text(f"[\n{rows}\n]\n")
EOF_PYTHON
node scripts/page_laws.mjs data/mnist
say "kept in $models"
ls -l "$models"
