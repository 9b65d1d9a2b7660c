#!/usr/bin/env python3
"""linked_libraries.py: fails when the program links a library that docs/libraries.md does not name.

Usage: MURMUR=build/release/murmur python3 tests/linked_libraries.py
"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/libraries.md"


def rows_of(page):
    """Heading -> rows of the table below it, each a list of cells."""
    found, heading = {}, ""
    for line in page.splitlines():
        if line.startswith("## "):
            heading = line[3:]
        elif line.startswith("|") and not re.match(r"\|[-|]+$", line):
            found.setdefault(heading, []).append([cell.strip() for cell in line.strip("|").split("|")])
    return {heading: rows[1:] for heading, rows in found.items()}


def names_of(rows):
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row[0])}


def stems(names):
    return {re.sub(r"\.so.*$", "", pathlib.PurePath(name).name) for name in names}


def main():
    program = os.environ.get("MURMUR", str(ROOT / "build/release/murmur"))
    asked = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True)
    direct = stems(re.findall(r"\(NEEDED\).*\[(.+)\]", asked.stdout))
    loaded = subprocess.run(["ldd", program], capture_output=True, text=True, check=True)
    every = stems(re.findall(r"^\s*(\S+\.so\S*)", loaded.stdout, re.M)) - {"linux-vdso"}
    sanitizers = {"libasan", "libubsan", "libtsan"}  # of the builds of `./test long`
    rows = rows_of(PAGE.read_text())
    linked, along = names_of(rows["Linked"]), names_of(rows["Brought along"])

    wrong = [f"{program} links {name}: name it in docs/libraries.md, with its licence"
             for name in sorted(direct - linked - sanitizers)]
    wrong += [f"{program} loads {name}, brought along by another library: name it there too"
              for name in sorted(every - linked - along - direct - sanitizers)]
    for heading, column in (("Linked", 3), ("Headers compiled in", 3), ("Brought along", 2)):
        wrong += [f"{row[0]} stands under {row[column]}: it must not be linked"
                  for row in rows[heading]
                  if row[column].startswith("GPL") and "exception" not in row[column]]
    if len(direct) < 5:
        wrong.append(f"only {sorted(direct)} were found in {program}: readelf was misread")
    print("\n".join(wrong) or f"{len(direct)} libraries linked, {len(every)} loaded: all are named")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
