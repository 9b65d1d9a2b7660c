#!/usr/bin/env python3
"""No type has the name of another in its namespace: two headers that define one name each compile
alone, and a program that links both has one of them for the other, without a word."""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAMESPACE = re.compile(r"^namespace ([a-z_:]+) \{", re.M)
TYPE = re.compile(r"^(?:struct|class|enum class|enum) (\w+)[^;{()]*\{", re.M)


def types_of(text):
    """Names of types that stand at the beginning of a line, with the namespace around them."""
    opened = [(m.start(), m.group(1)) for m in NAMESPACE.finditer(text)]
    for match in TYPE.finditer(text):
        around = [name for start, name in opened if start < match.start()]
        yield f"{around[-1] if around else ''}::{match.group(1)}"


def main():
    places = collections.defaultdict(set)
    for folder in ("src", "include"):
        for path in sorted((ROOT / folder).rglob("*.h")):
            for name in types_of(path.read_text()):
                places[name].add(str(path.relative_to(ROOT)))
    assert len(places) > 300, "types are no longer found"
    assert list(types_of("namespace a {\nstruct B {\n};\nenum class C { d };\n")) == ["a::B", "a::C"]
    twice = {name: files for name, files in places.items() if len(files) > 1}
    for name, files in sorted(twice.items()):
        print(f"{name} is defined in {' and in '.join(sorted(files))}: give one another name")
    return 1 if twice else 0


if __name__ == "__main__":
    sys.exit(main())
