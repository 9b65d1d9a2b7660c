#!/usr/bin/python3
"""page_ladder.py: what trained readers reach, for the web page's story, out of reproductions.

    scripts/page_ladder.py TASK=RUNGS.csv [TASK=RUNGS.csv ...]

Each RUNGS.csv is the table `rungs` of a ladder, as `murmur reproduce ladder` writes it (columns reader, blocks,
accuracy, sd, seeds among them); TASK is a name of kTasks below. Writes studio/src/views/story/ladders.json:
[{"task", "chance", "bound", "seeds", "readers": [{"key", "reader", "blocks", "accuracy", "sd"}]}], accuracies in per cent
by the number of blocks; the bound is what isolated tokens cannot exceed, null where none is proved.
"""

import csv
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# chance and bound in per cent; docs/same-or-different.md proves the bound.
kTasks = {"same": {"chance": 50, "bound": 75}}
# The page's names of the readers.
kKeys = {
    "isolated tokens": "isolated",
    "one messenger": "messenger",
    "attraction only": "attraction",
    "messages to all": "uniform",
    "selected messages": "selected",
    "messages to all, no feed-forward": "uniform_bare",
    "selected messages, no feed-forward": "selected_bare",
}


def refuse(what, where, remedy):
    sys.exit(f"murmur: {what}\n  where: {where}\n  do:    {remedy}")


def ladder_of(task, path):
    if task not in kTasks:
        refuse(f"there is no task {task}", "command line", f"name one of {', '.join(kTasks)}")
    try:
        with open(path, newline="") as stream:
            rows = list(csv.DictReader(stream))
        readers = {}
        for row in rows:
            reader = readers.setdefault(row["reader"], {"blocks": [], "accuracy": [], "sd": []})
            reader["blocks"].append(int(float(row["blocks"])))
            reader["accuracy"].append(round(float(row["accuracy"]), 4))
            reader["sd"].append(round(float(row["sd"]), 4))
        seeds = min(int(float(row["seeds"])) for row in rows)
    except (OSError, KeyError, ValueError) as error:
        refuse(f"no table of rungs can be read: {error}", path, "give a rungs.csv of murmur reproduce ladder")
    unknown = [name for name in readers if name not in kKeys]
    if unknown:
        refuse(f"there is no reader {unknown[0]}", path, "name it in kKeys")
    named = [{"key": kKeys[name], "reader": name, **values} for name, values in readers.items()]
    return {"task": task, **kTasks[task], "seeds": seeds, "readers": named}


if __name__ == "__main__":
    given = [word.partition("=") for word in sys.argv[1:]]
    if not given or not all(separator for _, separator, _ in given):
        refuse("no ladder is given", "command line", "write TASK=RUNGS.csv, such as same=rungs.csv")
    ladders = [ladder_of(task, path) for task, _, path in given]
    lines = ",\n".join("  " + json.dumps(ladder) for ladder in ladders)
    (ROOT / "studio/src/views/story/ladders.json").write_text(f"[\n{lines}\n]\n")
