"""equations.py: equations by KaTeX in the browser, from Debian's package, copied into the site."""

import pathlib
import shutil

from docutils import nodes
from sphinx.errors import ExtensionError

KATEX = pathlib.Path("/usr/share/javascript/katex")
SCRIPT = """document.addEventListener("DOMContentLoaded", () => {
  for (const place of document.querySelectorAll(".math"))
    katex.render(place.textContent, place,
                 { displayMode: place.tagName === "DIV", throwOnError: false });
});
"""


def visit_inline(self, node):
    self.body.append(f'<span class="math">{self.encode(node.astext())}</span>')
    raise nodes.SkipNode


def visit_display(self, node):
    self.body.append(f'<div class="math">{self.encode(node.astext())}</div>')
    raise nodes.SkipNode


def copy_katex(app):
    if not (KATEX / "katex.min.js").exists():
        raise ExtensionError("KaTeX is not here: apt-get install libjs-katex")
    place = pathlib.Path(app.outdir) / "_static/katex"
    shutil.rmtree(place, ignore_errors=True)
    (place / "fonts").mkdir(parents=True)
    for name in ("katex.min.js", "katex.min.css"):
        shutil.copy(KATEX / name, place / name)
    for font in sorted((KATEX / "fonts").iterdir()):
        shutil.copy(font, place / "fonts" / font.name)
    (place / "render.js").write_text(SCRIPT)


def setup(app):
    app.add_html_math_renderer("katex", (visit_inline, None), (visit_display, None))
    app.config.html_math_renderer = "katex"
    app.connect("builder-inited", copy_katex)
    app.add_css_file("katex/katex.min.css")
    app.add_js_file("katex/katex.min.js")
    app.add_js_file("katex/render.js")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
