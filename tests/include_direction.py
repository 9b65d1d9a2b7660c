#!/usr/bin/env python3
"""include_direction.py: fails when a folder of src includes one it must not know (src/parts.txt).

The table of folders in docs/architecture.md must say the same; --write writes it anew.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/architecture.md"
BEGIN, END = "<!-- folders of src/parts.txt -->\n", "<!-- end of the folders -->\n"
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


def read_parts(path=ROOT / "src/parts.txt"):
    """Folder -> its keys, in order, and the services."""
    parts, services = {}, []
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        words = line.split()
        if not words or line.startswith("#"):
            continue
        key, values = words[0], words[1:]
        if key == "folder" and len(values) == 1:
            folder = parts[values[0]] = {"holds": "", "includes": [], "links": [], "headers": []}
        elif key == "services":
            services += values
        elif key == "holds":
            folder[key] = " ".join(values)
        elif key in {"includes", "links", "headers"}:
            folder[key] = values
        elif key not in {"page", "front", "fused", "files", "stand_in", "module"}:
            sys.exit(f"{path}:{number}: there is no key {key}")
    return parts, services


def wrong_table(parts):
    """What the table itself gets wrong: arrows that turn back, folders that are not there."""
    earlier = set()
    for folder, keys in parts.items():
        if not (ROOT / "src" / folder).is_dir():
            yield f"src/parts.txt names src/{folder}, which is not there"
        for known in keys["includes"]:
            if known not in earlier:
                yield f"src/parts.txt: {folder} includes {known}, which does not come before it"
        earlier.add(folder)
    sources = {p.parent.relative_to(ROOT / "src").as_posix() for p in (ROOT / "src").rglob("*.cpp")}
    for folder in sorted(sources - parts.keys()):
        yield f"src/{folder} is not in src/parts.txt"


def wrong_headers(parts):
    """Public headers without an owner, and those that include what is not public."""
    owner = {}
    for folder, keys in parts.items():
        for header in keys["headers"]:
            if header in owner:
                yield f"include/murmur/{header}.h belongs to {owner[header]} and to {folder}"
            owner[header] = folder
    there = {p.stem for p in (ROOT / "include/murmur").glob("*.h")}
    for header in sorted(there ^ owner.keys()):
        yield f"include/murmur/{header}.h is only in one of the folder and src/parts.txt"
    for header in sorted(there):
        for include in INCLUDE.findall((ROOT / f"include/murmur/{header}.h").read_text()):
            if include.removeprefix("murmur/").removesuffix(".h") not in there:
                yield f"include/murmur/{header}.h is public and includes {include}, which is not"


def folder_of(include, parts):
    if include.startswith("murmur/"):
        stem = include.removeprefix("murmur/").removesuffix(".h")
        return next((f for f, keys in parts.items() if stem in keys["headers"]), None)
    words = include.split("/")
    for depth in (2, 1):
        folder = "/".join(words[:depth])
        if folder in parts and len(words) > depth:
            return folder
    return None


def wrong_includes(parts, services):
    for folder, keys in parts.items():
        allowed = {folder, None, *keys["includes"]}
        for path in sorted((ROOT / "src" / folder).glob("*")):
            for include in INCLUDE.findall(path.read_text() if path.is_file() else ""):
                target = folder_of(include, parts)
                if target not in allowed:
                    yield f"{path.relative_to(ROOT)} includes {include}: {folder} must not know {target}"
    for path in (p for leaf in ("apps", "bindings") for p in sorted((ROOT / leaf).rglob("*"))):
        for include in INCLUDE.findall(path.read_text()) if path.suffix in {".h", ".cpp"} else []:
            served = path.is_relative_to(ROOT / "apps") and include.removesuffix(".h") in services
            if not include.startswith("murmur/") and not served and folder_of(include, parts):
                yield f"{path.relative_to(ROOT)} includes {include}: apps know include/murmur and the services, bindings include/murmur only"


def unused_services(services):
    included = {i for p in (ROOT / "apps").rglob("*") if p.suffix in {".h", ".cpp"} for i in INCLUDE.findall(p.read_text())}
    for service in services:
        if f"{service}.h" not in included:
            yield f"src/parts.txt: no file of apps includes the service {service}"


def table_of(parts):
    rows = "".join(f"| `src/{folder}/` | {keys['holds']} | {', '.join(keys['includes']) or 'nothing'} |\n"
                   for folder, keys in parts.items())
    return BEGIN + "\n| folder | holds | depends on |\n|---|---|---|\n" + rows + "\n" + END


def main():
    parts, services = read_parts()
    page = PAGE.read_text()
    if BEGIN not in page or END not in page:
        sys.exit(f"{PAGE.relative_to(ROOT)} has lost the marks around its table of folders")
    written = page[: page.index(BEGIN)] + table_of(parts) + page[page.index(END) + len(END) :]
    if "--write" in sys.argv:
        PAGE.write_text(written)
    elif page != written:
        print("docs/architecture.md: the table of folders is not that of src/parts.txt: "
              "tests/include_direction.py --write")
    wrong = [*wrong_table(parts), *wrong_headers(parts), *wrong_includes(parts, services),
             *unused_services(services)]
    headers = sum(len(keys["headers"]) for keys in parts.values())
    print("\n".join(wrong) or f"{headers} public headers, {len(parts)} folders: one direction")
    return 1 if wrong or (page != written and "--write" not in sys.argv) else 0


if __name__ == "__main__":
    sys.exit(main())
