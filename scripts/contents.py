#!/usr/bin/python3
"""contents.py: the list of what is inside Murmuration, with versions and licences, as CycloneDX 1.4.

    scripts/contents.py [-o FILE]       stdout without -o
    scripts/contents.py --check         whether docs/libraries.md names what package-lock.json holds

docs/libraries.md is where libraries and licences are written; this turns its tables into a file that
programs read. tests/linked_libraries.py holds that page to what the program really links.
"""

import argparse
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/libraries.md"
TOOLS = ("GoogleTest",)  # compiled into tests alone


def rows_of(text):
    """Heading -> rows of the table below it, each a dictionary by the names of its columns."""
    found, heading, columns = {}, "", []
    for line in text.splitlines():
        if line.startswith("## "):
            heading, columns = line[3:], []
        elif line.startswith("|") and not re.match(r"\|[-|]+$", line):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if not columns:
                columns = cells
            else:
                found.setdefault(heading, []).append(dict(zip(columns, cells)))
    return found


def version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(murmuration VERSION ([0-9.]+)", text).group(1)


def names_of(cell):
    """The names of a cell: those in backquotes, or the cell itself."""
    return re.findall(r"`([^`]+)`", cell) or [cell]


def component(name, licence, **more):
    found = {"type": "library", "name": name, "licenses": [{"license": {"name": licence}}]}
    return found | {key: value for key, value in more.items() if value}


def components(rows):
    for heading, scope in (("Linked", "required"), ("Loaded when first used", "optional"),
                           ("Headers compiled in", "required")):
        for row in rows[heading]:
            for name in names_of(row["library"]):
                if name in TOOLS:
                    continue
                package = row["Debian package"]
                purl = f"pkg:deb/debian/{package}@{row['version']}" if " " not in package else None
                optional = "optional" in row["what for"] or "CUDA" in package
                yield component(name, row["licence"], version=row["version"], purl=purl,
                                scope="optional" if optional else scope,
                                description=row["what for"])
    for row in rows["Brought along"]:
        for name in names_of(row["library"]):
            yield component(name, row["licence"], scope="required", description=f"by {row['by']}")
    for row in rows["In the page"]:
        name, kind = names_of(row["package"])[0], row["from"]
        purl = "pkg:" + ("npm/" if kind == "npm" else "deb/debian/") + name.replace("@", "%40")
        yield component(name, row["licence"], version=row["version"], scope="required",
                        purl=f"{purl}@{row['version']}", description=row["what for"])
    for row in rows["Data in the page"]:
        for name in names_of(row["files"]):
            if "/" not in name or name.endswith((".bin", ".json")):
                yield component(name, row["licence"], description=row["what for"]) | {"type": "file"}


def document():
    rows = rows_of(PAGE.read_text(encoding="utf-8"))
    return {"bomFormat": "CycloneDX", "specVersion": "1.4", "version": 1,
            "metadata": {"component": component("murmuration", "Apache-2.0", version=version())
                         | {"type": "application"}},
            "components": list(components(rows))}


def problems():
    """Where the page of libraries and the lock file of the page differ."""
    lock = json.loads((ROOT / "studio/package-lock.json").read_text())["packages"]
    held = {path.removeprefix("node_modules/"): entry for path, entry in lock.items() if path}
    inside = {name for name, entry in held.items()
              if not entry.get("dev") and not name.startswith("@types/")} | {"katex"}
    rows = [row for row in rows_of(PAGE.read_text(encoding="utf-8"))["In the page"]
            if row["from"] == "npm"]
    named = {names_of(row["package"])[0]: row for row in rows}
    for name in sorted(inside ^ set(named)):
        yield f"{name}: in {'package-lock.json' if name in inside else 'docs/libraries.md'} alone"
    for name in sorted(inside & set(named)):
        for key, column in (("version", "version"), ("license", "licence")):
            if held[name].get(key) != named[name][column]:
                yield f"{name}: {held[name].get(key)} is locked, {named[name][column]} is named"
    for found in document()["components"]:
        if not found["licenses"][0]["license"]["name"]:
            yield f"{found['name']}: without a licence"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--out", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    if asked.check:
        found = list(problems())
        print("\n".join(found) or f"{len(document()['components'])} components, each with a licence")
        return 1 if found else 0
    text = json.dumps(document(), indent=1) + "\n"
    if asked.out:
        asked.out.parent.mkdir(parents=True, exist_ok=True)
        asked.out.write_text(text)
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
