#!/usr/bin/python3
"""gallery.py: makes docs/gallery.md and its pictures out of what `murmur reproduce --all` computes.

    scripts/gallery.py              computes what is not there yet, in full (most of an hour), and writes the page
    scripts/gallery.py --only-draw  writes the page from what is there: a figure that was not computed in full is the
                                    quick one, and says so
    scripts/gallery.py --check      whether the page shows every figure that the program knows
Options: --runs DIR (runs), --murmur PROGRAM (build/release/murmur)
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/gallery.md"
PICTURES = ROOT / "docs/pictures/gallery"
WIDTH = 1200  # pixels of a picture, at most
COLOURS = 64

HEAD = """# Gallery

`murmur reproduce --all` draws every figure of the laboratory, holds each number to what was published or predicted, and writes one page of them,
`runs/reproduce.html`; `scripts/gallery.py` makes this page out of the same runs. With `--quick` that takes minutes, in full most of an hour on two cores; a figure alone is
`murmur reproduce NAME`. What each must show is in the [list of figures](laboratory.md#the-figures), how verdicts are reached in [reproduce](reproduce.md), what disagrees in
[not reproduced](not-reproduced.md).

```sh run
murmur reproduce list | grep -c .
murmur reproduce equiangular --quick 2>&1 >/dev/null | grep predicted
```

```text output
42
published and predicted: 4 agree, 0 disagree, 0 open
```
"""


def refuse(what, where, remedy):
    sys.exit(f"murmur: {what}\n  where: {where}\n  do:    {remedy}")


def reproductions(murmur):
    """Name -> meaning of every figure; tables that are trained for hours are asked for by name."""
    told = subprocess.run([murmur, "reproduce", "list", "--json"], capture_output=True, text=True)
    if told.returncode != 0:
        refuse(told.stderr.strip(), murmur, "build the program first")
    trained = {"swarm-table", "flock-argument", "saved-work", "ladder", "order"}
    return {row["name"]: row["meaning"] for row in json.loads(told.stdout)
            if row["name"] not in trained}


def sources():
    """Name -> source, as the table of docs/laboratory.md has it."""
    found = {"real-models": "2312.10794, 2305.05465, 2410.06833, 2309.17453, 2103.03404"}
    for line in (ROOT / "docs/laboratory.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 3:
            for name in re.findall(r"`([a-z0-9-]+)`", cells[0]):
                found.setdefault(name, cells[1])
    return found


def counted(answers):
    words = (("agrees", "agrees", "agree"), ("disagrees", "disagrees", "disagree"),
             ("open", "is open", "are open"))
    return ", ".join(f"{answers[key]} {one if answers[key] == 1 else many}"
                     for key, one, many in words if answers[key])


def verdict(result):
    """The verdict of published and predicted numbers, then regressions and checks of the program."""
    parts = [f"**{counted(result['counted'])}**"] if counted(result["counted"]) else []
    for kind, name in (("regression", "regressions"), ("check", "checks of the program")):
        answers = [check["answer"] for check in result["checks"] if check["kind"] == kind]
        text = counted({word: answers.count(word) for word in ("agrees", "disagrees", "open")})
        parts += [f"{name}: {text}"] if text else []
    return "; ".join(parts)


def result_of(folder):
    for suffix in ("", "-quick"):
        path = folder / f"result{suffix}.json"
        if path.exists():
            return json.loads(path.read_text()), suffix
    refuse("a figure was not computed", folder, f"murmur reproduce {folder.name} --runs {folder.parent}")


def keep_picture(source, place):
    """A drawing in few colours: small, and sharp."""
    from PIL import Image
    with Image.open(source) as drawn:
        picture = drawn.convert("RGB")
    if picture.width > WIDTH:
        picture = picture.resize((WIDTH, round(picture.height * WIDTH / picture.width)), Image.LANCZOS)
    picture = picture.quantize(COLOURS, dither=Image.Dither.NONE)
    picture.save(place, optimize=True)


def section(name, meaning, runs):
    """The part of the page that shows one reproduction, and what was counted in it."""
    folder = runs / name
    result, suffix = result_of(folder)
    source = sources().get(name, "derived")
    told = "derived here" if source == "derived" else source
    lines = [f"\n## {name}\n", f"{meaning[0].upper()}{meaning[1:]} ({told}). {verdict(result)}"
             f"{', in the quick run' if suffix else ''}.\n"]
    stems = sorted(path.stem.removesuffix("-quick") for path in folder.glob("*.txt")
                   if path.stem.endswith("-quick") == bool(suffix))
    for stem in stems:
        picture = PICTURES / f"{stem}.png"
        keep_picture(folder / f"{stem}{suffix}.png", picture)
        lines.append(f"![{meaning}](pictures/gallery/{picture.name})\n")
        caption = result["captions"].get(stem, "").strip()
        if caption:
            lines.append("*" + re.sub(r"([*_`<])", r"\\\1", caption) + "*\n")
    if not stems:
        refuse("a figure has no picture", folder, f"murmur reproduce {name} --runs {runs}")
    return "\n".join(lines), result, bool(suffix)


def write(murmur, runs):
    figures = reproductions(murmur)
    for name in figures:  # before anything is replaced
        result_of(runs / name)
    PICTURES.mkdir(parents=True, exist_ok=True)
    for old in PICTURES.glob("*.png"):
        old.unlink()
    parts, total, quick = [], {"agrees": 0, "disagrees": 0, "open": 0}, 0
    for name, meaning in figures.items():
        text, result, was_quick = section(name, meaning, runs)
        parts.append(text)
        quick += was_quick
        for key in total:
            total[key] += result["counted"][key]
    how = ("all computed in full" if not quick else
           f"{len(figures) - quick} computed in full, {quick} by the quick run, which say so")
    summary = (f"\nBelow are {len(figures)} figures, {how}. Of their published and predicted numbers {counted(total)}.\n")
    PAGE.write_text(HEAD + summary + "".join(parts), encoding="utf-8")
    size = sum(path.stat().st_size for path in PICTURES.glob("*.png"))
    print(f"{PAGE.relative_to(ROOT)}: {len(figures)} figures, {size / 1e6:.1f} MB of pictures")


def problems(murmur):
    text = PAGE.read_text(encoding="utf-8")
    parts = dict(re.findall(r"\n## (\S+)\n(.*?)(?=\n## |\Z)", text, re.S))
    figures = reproductions(murmur)
    for name in sorted(set(parts) ^ set(figures)):
        yield f"{name}: {'shown and unknown' if name in parts else 'not shown'}"
    for name in sorted(set(parts) & set(figures)):
        if figures[name].lower() not in parts[name].lower():
            yield f"{name}: the program says: {figures[name]}"
        if not re.search(r"\]\(pictures/gallery/", parts[name]):
            yield f"{name}: no picture"
        if not re.search(r"\d (agree|disagree|is open|are open)", parts[name]):
            yield f"{name}: no verdict"
    named = set(re.findall(r"pictures/gallery/([\w.-]+)\)", text))
    for name in sorted(named ^ {path.name for path in PICTURES.glob("*")}):
        yield f"{name}: {'shown and not there' if name in named else 'there and not shown'}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=pathlib.Path, default=ROOT / "runs")
    parser.add_argument("--murmur", type=pathlib.Path, default=ROOT / "build/release/murmur")
    parser.add_argument("--only-draw", action="store_true")
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    if asked.check:
        found = list(problems(asked.murmur))
        print("\n".join(found) or "every figure is shown")
        return 1 if found else 0
    if not asked.only_draw:  # 7: an answer is not the expected one, which the page then shows
        done = subprocess.run([asked.murmur, "reproduce", "--all", "--resume", "--runs", asked.runs])
        if done.returncode not in (0, 7):
            return done.returncode
    write(asked.murmur, asked.runs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
