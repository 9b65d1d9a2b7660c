"""theme.py: mends Debian's Furo, which leaves two parts where a web server has them and has lost a third."""

import pathlib
import re
import shutil

NORMALIZE = pathlib.Path("/usr/share/javascript/normalize.css/normalize.css")
IMPORTED = "@import url(/javascript/normalize.css/normalize.css);"
DARK = re.compile(r'body\[data-theme="dark"\] \{\s*(--color[^}]*)\}')
MODULE = 'import Gumshoe from "./gumshoe-patched.js";'


def put_together(app, exception):
    """No path of a server, no module, which a page from a file may not load, and dark where that is liked."""
    static = pathlib.Path(app.outdir) / "_static"
    style, script = static / "styles/furo.css", static / "scripts/furo.js"
    if exception or not style.exists():
        return
    if IMPORTED in style.read_text():
        shutil.copy(NORMALIZE, static / "styles/normalize.css")
        style.write_text(style.read_text().replace(IMPORTED, "@import url(normalize.css);"))
    if "prefers-color-scheme" not in style.read_text():  # the reader's own choice of light and dark
        dark = DARK.search(style.read_text()).group(1)
        style.write_text(style.read_text() + "\n@media not print { @media (prefers-color-scheme: dark) "
                         '{ body:not([data-theme="light"]) {' + dark + "} } }\n")
    if MODULE in script.read_text():
        spy = (static / "scripts/gumshoe-patched.js").read_text()
        script.write_text(spy + script.read_text().replace(MODULE, ""))


def setup(app):
    app.connect("build-finished", put_together)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
