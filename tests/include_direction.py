#!/usr/bin/env python3
"""include_direction.py: fails when a folder of src includes one it must not know (docs/architecture.md)."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ALLOWED = {  # folder -> folders it may include, beside itself
    "core": set(),
    "flow": {"core"},
    "observe": {"core"},
    "engine/reference": {"core"},
    "engine/simd": {"core"},
    "engine/moments": {"core"},
    "meanfield": {"core", "flow", "observe", "engine/moments", "engine/simd", "theory"},
    "run": {"core"},
    "data": {"core", "run"},
    "learn": {"core"},
    "learn/cuda": {"core", "learn"},
    "picture": {"core", "run"},
    "theory": {"core"},
    "ensemble": {"core", "flow"},
    "landscape": {"core", "flow"},
    "serve": {"core", "run", "experiment"},
    "transport": {"core"},
    "experiment": {"core", "flow", "observe", "engine/reference", "engine/simd", "engine/moments", "meanfield", "landscape", "run", "data", "learn", "theory"},
    "sweep": {"core", "flow", "observe", "ensemble", "run", "theory", "experiment"},
    "reproduce": {"core", "flow", "observe", "ensemble", "meanfield", "run", "data", "learn", "theory", "experiment", "sweep", "engine/moments", "transport", "landscape"},
}
PUBLIC = {  # public header -> the folder that implements it
    "error": "core", "matrix": "core", "attention": "core", "perceptron": "core", "dynamics": "core",
    "swarm": "core", "engine": "core", "random": "core", "array": "core",
    "flow": "flow", "observe": "observe", "formats": "run", "run": "run", "picture": "picture",
    "images": "data", "learn": "learn", "training": "experiment", "curves": "picture", "portrait": "picture", "digit_pictures": "picture",
    "rnn": "learn", "theory": "theory", "ensemble": "ensemble", "sweep": "sweep", "reproduce": "reproduce",
    "history": "observe", "modes": "observe", "heat": "picture", "serve": "serve", "axes": "core", "explain": "experiment",
    "experiment": "experiment", "landscape": "landscape", "moments": "engine/moments", "meanfield": "meanfield", "transport": "transport", "meanfield_setup": "experiment", "landscape_setup": "experiment", "spec": "experiment", "reductions": "experiment",
}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


def folder_of(include):
    if include.startswith("murmur/"):
        stem = include.removeprefix("murmur/").removesuffix(".h")
        if stem not in PUBLIC:
            sys.exit(f"include/murmur/{stem}.h is not in the table of {__file__}")
        return PUBLIC[stem]
    parts = include.split("/")
    for depth in (2, 1):
        folder = "/".join(parts[:depth])
        if folder in ALLOWED and len(parts) > depth:
            return folder
    return None


def main():
    wrong = []
    for folder, allowed in ALLOWED.items():
        for path in sorted((ROOT / "src" / folder).glob("*")):
            for include in INCLUDE.findall(path.read_text() if path.is_file() else ""):
                target = folder_of(include)
                if target not in allowed | {folder, None}:
                    wrong.append(f"{path.relative_to(ROOT)} includes {include}: {folder} must not know {target}")
    leaves = [path for leaf in ("apps", "bindings") for path in sorted((ROOT / leaf).rglob("*"))]
    for path in leaves:
        if path.suffix in {".h", ".cpp"}:
            for include in INCLUDE.findall(path.read_text()):
                if include.split("/")[0] in {"core", "flow", "observe", "engine", "run", "picture", "data", "learn", "experiment", "theory", "ensemble", "landscape", "sweep", "reproduce", "serve", "transport"}:
                    wrong.append(f"{path.relative_to(ROOT)} includes {include}: apps and bindings know include/murmur only")
    headers = {p.stem for p in (ROOT / "include/murmur").glob("*.h")}
    if headers - PUBLIC.keys():
        wrong.append(f"not in the table: {sorted(headers - PUBLIC.keys())}")
    print("\n".join(wrong) or f"{len(headers)} public headers, {len(ALLOWED)} folders: one direction")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
