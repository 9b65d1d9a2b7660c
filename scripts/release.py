#!/usr/bin/python3
"""release.py: version and changelog by one command.

    scripts/release.py 0.2.0            the number itself, or: major, minor, patch
    scripts/release.py --dry-run minor  prints the changelog's new section, changes nothing
    scripts/release.py --check          whether every file that tells the version tells the same

It writes the version where it stands (CMakeLists.txt is its home; CITATION.cff and the page's package files
repeat it), puts the subjects of the commits since the last version at the top of CHANGELOG.md, and
prints the two commands of git that keep it. It commits, tags and publishes nothing itself.
"""

import argparse
import datetime
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HOME = re.compile(r"(project\(murmuration VERSION )([0-9.]+)")
# file -> pattern whose second group is the version
REPEATED = {
    "studio/package.json": re.compile(r'^(  "version": ")([0-9.]+)', re.M),
    "studio/package-lock.json": re.compile(
        r'(\A\{\n  "name": "murmuration-studio",\n  "version": ")([0-9.]+)'),
}
CITED = re.compile(r"^(version: )([0-9.]+(?:\ndate-released: .*)?)$", re.M)  # undated until released


def refuse(what, where, remedy):
    sys.exit(f"murmur: {what}\n  where: {where}\n  do:    {remedy}")


def git(*words):
    done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True)
    if done.returncode != 0:
        refuse(done.stderr.strip() or "git failed", "git " + " ".join(words), "run it in a clone")
    return done.stdout


def current():
    return HOME.search((ROOT / "CMakeLists.txt").read_text()).group(2)


def next_version(word):
    old = [int(part) for part in current().split(".")]
    steps = {"major": [old[0] + 1, 0, 0], "minor": [old[0], old[1] + 1, 0],
             "patch": [old[0], old[1], old[2] + 1]}
    if word in steps:
        return ".".join(map(str, steps[word]))
    if not re.fullmatch(r"\d+\.\d+\.\d+", word):
        refuse(f"{word} is no version", "command line", "give A.B.C, or major, minor, patch")
    given = [int(part) for part in word.split(".")]
    if given < old or (given == old and git("tag", "--list", f"v{word}").strip()):
        refuse(f"{word} does not come after {current()}", "command line", "give a later one")
    return word


def section(version, day):
    """The new part of the changelog: one line a commit since the last version, newest first."""
    tags = git("tag", "--list", "v*", "--sort=-creatordate", "--merged").split()
    since = [f"{tags[0]}..HEAD"] if tags else []
    subjects = git("log", "--no-merges", "--format=%s", *since).splitlines()
    if not subjects:
        refuse("nothing was committed since the last version", tags[0], "commit something first")
    return f"## {version} ({day})\n\n" + "".join(f"- {line}\n" for line in subjects)


def put(path, pattern, value):
    file = ROOT / path
    text, count = pattern.subn(lambda found: found.group(1) + value, file.read_text(), count=1)
    if count != 1:
        refuse("the version is not where it was", path, "put it back, or tell scripts/release.py")
    file.write_text(text)


def check():
    cited = CITED.search((ROOT / "CITATION.cff").read_text())
    told = {"CMakeLists.txt": current(), "CITATION.cff": cited and cited.group(2).split("\n")[0]}
    for path, pattern in REPEATED.items():
        found = pattern.search((ROOT / path).read_text())
        told[path] = found.group(2) if found else None
    lock = json.loads((ROOT / "studio/package-lock.json").read_text())
    told["studio/package-lock.json, its root"] = lock["packages"][""]["version"]
    for path, version in told.items():
        if version != current():
            refuse(f"{path} says {version}, CMakeLists.txt says {current()}", path,
                   "scripts/release.py writes all of them")
    print(f"{current()} in {len(told)} places")


def release(version, day):
    new = section(version, day)
    put("CMakeLists.txt", HOME, version)
    for path, pattern in REPEATED.items():
        put(path, pattern, version)
    put("CITATION.cff", CITED, f"{version}\ndate-released: {day}")
    root = re.compile(r'("packages": \{\n    "": \{\n      "name": "murmuration-studio",\n'
                      r'      "version": ")([0-9.]+)')
    put("studio/package-lock.json", root, version)
    log = ROOT / "CHANGELOG.md"
    head, mark, rest = log.read_text().partition("\n## ")
    log.write_text(head + "\n" + new + (mark + rest if mark else ""))
    print(f"{version}: look through CHANGELOG.md, then\n"
          f"  git commit -am 'Version {version}' && git tag v{version}\n  scripts/package.sh")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("version", nargs="?")
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    if asked.check:
        check()
        return
    if not asked.version:
        refuse("no version", "command line", "give A.B.C, or major, minor, patch")
    version, day = next_version(asked.version), datetime.date.today().isoformat()
    if asked.dry_run:
        sys.stdout.write(section(version, day))
    else:
        release(version, day)


if __name__ == "__main__":
    main()
