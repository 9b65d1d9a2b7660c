"""links.py: a link that leaves docs/ for a text of the tree leads to a page of the manual that shows it."""

import os
import pathlib
import re

from docutils import nodes
from markdown_it import MarkdownIt
from sphinx import addnodes
from sphinx.highlighting import PygmentsBridge
from sphinx.transforms import SphinxTransform

ROOT = pathlib.Path(__file__).resolve().parents[2]
LANGUAGES = {".h": "cpp", ".cpp": "cpp", ".cu": "cpp", ".py": "python", ".sh": "bash",
             ".toml": "toml", ".cmake": "cmake", ".ts": "typescript", ".tsx": "typescript",
             ".mjs": "javascript", ".json": "json", ".md": "none", ".txt": "none", "": "none",
             ".cff": "yaml", ".csv": "none"}
LARGEST = 200_000  # bytes; what is larger is downloaded


def page_of(path):
    return "source/" + path.relative_to(ROOT).as_posix()


def is_shown(path):
    """Whether a file is a text of the tree, outside the manual, that a page can show."""
    return (path.suffix in LANGUAGES and path.is_relative_to(ROOT) and path.is_file()
            and not path.is_relative_to(ROOT / "docs") and path.stat().st_size <= LARGEST)


class SourceLinks(SphinxTransform):
    default_priority = 500

    def apply(self, **_):
        folder = pathlib.Path(self.env.doc2path(self.env.docname)).parent
        left = [*self.document.findall(addnodes.download_reference),
                *self.document.findall(addnodes.pending_xref)]
        for node in left:
            target = node["reftarget"].partition("#")[0]
            path = pathlib.Path(os.path.normpath(folder / target))
            if not target or not is_shown(path):
                continue
            up = "../" * self.env.docname.count("/")
            link = nodes.reference("", "", *node.children, refuri=f"{up}{page_of(path)}.html",
                                   internal=True)
            node.replace_self(link)
            shown = self.env.__dict__.setdefault("shown_sources", {})
            shown.setdefault(self.env.docname, set()).add(str(path))


def forget(app, env, docname):
    env.__dict__.setdefault("shown_sources", {}).pop(docname, None)


def merge(app, env, docnames, other):
    env.__dict__.setdefault("shown_sources", {}).update(
        {name: paths for name, paths in getattr(other, "shown_sources", {}).items()
         if name in docnames})


def led_on(path, html, shown):
    """The links of a rendered file, made to lead to pages of the manual; to nothing where there is none."""
    up = "../" * (page_of(path).count("/"))

    def turned(found):
        target, mark, anchor = found.group(1).partition("#")
        if re.match(r"[a-z]+:", target) or not target:
            return found.group(0)
        to = pathlib.Path(os.path.normpath(path.parent / target))
        if to.is_relative_to(ROOT / "docs") and to.suffix == ".md":
            page = to.relative_to(ROOT / "docs").with_suffix(".html").as_posix()
            return f'href="{up}{page}{mark}{anchor}"'
        return f'href="{up}{page_of(to)}.html"' if to in shown else ""

    return re.sub(r'href="([^"]*)"', turned, html)


def pages(app):
    found = getattr(app.env, "shown_sources", {})
    paths = sorted({pathlib.Path(path) for shown in found.values() for path in shown})
    bridge = PygmentsBridge("html", app.config.pygments_style or "sphinx")
    tables = MarkdownIt("commonmark").enable("table")
    for path in paths:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".md":
            body = led_on(path, tables.render(text), paths)
            body = body.replace("<table>", '<div class="table-wrapper"><table class="docutils">')
            body = body.replace("</table>", "</table></div>")
        else:
            body = bridge.highlight_block(text, LANGUAGES[path.suffix], linenos=False)
        name = path.relative_to(ROOT).as_posix()
        head = "" if path.suffix == ".md" else f"<h1>{name}</h1>"
        yield page_of(path), {"title": name, "body": head + body}, "page.html"


def setup(app):
    app.add_transform(SourceLinks)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("html-collect-pages", pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
