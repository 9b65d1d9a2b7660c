#!/usr/bin/env python3
"""manual_test.py FOLDER: builds the manual there, a warning being an error, and looks through its pages: nothing
is asked of a network, every picture and file they name is there, search knows the pages, and every
page of docs/ is in it.

Without Sphinx it ends with 77: left out.
"""

import importlib.util
import pathlib
import re
import subprocess
import sys
from html.parser import HTMLParser
from urllib.parse import unquote

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Named(HTMLParser):
    """What a page loads (`loaded`) and where it leads (`led`)."""

    def __init__(self):
        super().__init__()
        self.loaded, self.led = [], []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag in ("script", "img", "source", "video", "iframe") and given.get("src"):
            self.loaded.append(given["src"])
        elif tag == "link" and given.get("rel") in ("stylesheet", "icon", "shortcut icon"):
            self.loaded.append(given["href"])
        elif tag == "a" and given.get("href"):
            self.led.append(given["href"])


def missing(site, page):
    """What a page loads from elsewhere, or names and is not there."""
    named = Named()
    named.feed(page.read_text(encoding="utf-8"))
    where = page.relative_to(site)
    for target in named.loaded:
        if re.match(r"(https?:)?//", target):
            yield f"{where} loads {target}"
    for target in named.loaded + named.led:
        path = unquote(target.partition("#")[0].partition("?")[0])
        if not path or re.match(r"[a-z]+:", path):
            continue
        if not (page.parent / path).exists():
            yield f"{where}: there is no {target}"


def main():
    if not all(importlib.util.find_spec(name) for name in ("sphinx", "myst_parser", "furo")):
        print("left out: Sphinx, MyST or Furo is not here")
        return 77
    site = pathlib.Path(sys.argv[1])
    done = subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "-E", "--keep-going", "-b",
                           "html", "-d", f"{site}-pages", ROOT / "docs", site],
                          capture_output=True, text=True)
    wrong = [done.stderr] if done.returncode != 0 else []
    pages = sorted(site.rglob("*.html"))
    wrong += [problem for page in pages if "_static" not in page.parts
              for problem in missing(site, page)]
    index = (site / "searchindex.js").read_text()
    for page in sorted((ROOT / "docs").glob("*.md")):
        if not (site / f"{page.stem}.html").exists():
            wrong.append(f"{page.name} is not in the manual")
        elif f'"{page.stem}"' not in index:
            wrong.append(f"search does not know {page.name}")
    style = (site / "_static/styles/furo.css").read_text()
    if "prefers-color-scheme" not in style or "/javascript/" in style:
        wrong.append("the theme is not mended")
    if "Attention" not in (site / "api-cpp.html").read_text():
        wrong.append("the C++ interface is empty")
    print("\n".join(wrong) or f"{len(pages)} pages, nothing missing")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
