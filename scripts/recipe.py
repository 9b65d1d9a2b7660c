#!/usr/bin/python3
"""recipe.py CONTAINERFILE: the steps of a container recipe as words of bash, one step a line, for
scripts/try_container.sh, which has a function for each. A step that it does not know is an error.

    stage NAME IMAGE    copy FROM PLACE WHAT...    in FOLDER    do COMMAND    set NAME=VALUE
    entry WORD...       preset WORD...             use WORD...

FROM is - for the tree. `use` is what a line `podman run ... murmuration WORD...` of its head asks for.
"""

import json
import pathlib
import re
import shlex
import sys


def instructions(text):
    """(word, rest) of each instruction, lines that go on joined, comments left out."""
    whole = ""
    for line in text.splitlines():
        if line.lstrip().startswith("#"):
            continue
        whole += line.strip() if line.rstrip().endswith("\\") else line
        if whole.endswith("\\"):
            whole = whole[:-1]
            continue
        if whole.strip():
            word, _, rest = whole.strip().partition(" ")
            yield word.upper(), rest.strip()
        whole = ""


def words_of(rest):
    """The words of an ENTRYPOINT or CMD, which must be a list."""
    return json.loads(rest)


def steps(text):
    for word, rest in instructions(text):
        if word == "FROM":
            image, _, name = rest.partition(" AS ")
            yield ["stage", name or "last", image]
        elif word == "COPY":
            parts = rest.split()
            source = parts.pop(0).removeprefix("--from=") if parts[0].startswith("--from=") else "-"
            yield ["copy", source, parts[-1], *parts[:-1]]
        elif word in ("RUN", "WORKDIR", "ENV"):
            yield [{"RUN": "do", "WORKDIR": "in", "ENV": "set"}[word], rest]
        elif word in ("ENTRYPOINT", "CMD"):
            yield ["entry" if word == "ENTRYPOINT" else "preset", *words_of(rest)]
        else:
            sys.exit(f"murmur: recipe.py does not know {word}\n  where: {sys.argv[1]}\n"
                     "  do:    teach scripts/recipe.py and scripts/try_container.sh")
    for said in re.findall(r"^# +podman run .* murmuration (.*)$", text, re.M):
        yield ["use", *said.split()]


for step in steps(pathlib.Path(sys.argv[1]).read_text()):
    print(shlex.join(step))
