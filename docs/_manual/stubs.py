"""stubs.py: the directive {package}: the Python interface, read off its sources without importing it."""

import ast
import pathlib
import re

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "bindings/python/murmur"
GROUPS = (("Functions", lambda name: name[0].islower()),
          ("Classes", lambda name: not name[0].islower() and not is_error(name)),
          ("Exceptions", lambda name: is_error(name)))


def is_error(name):
    return name.endswith("Error") or name in ("Interrupted", "RuntimeFailure")


def definitions():
    """Name -> (definition, text of its file), of every public function and class in the package."""
    found = {}
    for path in [*sorted(PACKAGE.glob("_*.py")), PACKAGE / "_core.pyi"]:
        text = path.read_text(encoding="utf-8")
        for node in ast.parse(text).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("__"):
                found.setdefault(node.name, node)
    return found


def shown():
    """The names of __all__."""
    tree = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "__all__":
            return ast.literal_eval(node.value)
    raise ValueError("the package has no __all__")


def signature(node, method=False):
    arguments = ast.unparse(node.args)
    if method:
        arguments = re.sub(r"^(self|cls)(, |$)", "", arguments)
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{node.name}({arguments}){returns}"


def is_property(node):
    return any(ast.unparse(mark).split(".")[-1] == "property" for mark in node.decorator_list)


def members(node):
    """The public methods and properties of a class, as lines of code and what they say."""
    for part in node.body:
        if isinstance(part, ast.AnnAssign) and not part.target.id.startswith("_"):
            yield f"{part.target.id}: {ast.unparse(part.annotation)}", ""
        if not isinstance(part, ast.FunctionDef) or part.name.startswith("_"):
            continue
        if is_property(part):
            returns = f": {ast.unparse(part.returns)}" if part.returns else ""
            yield part.name + returns, ast.get_docstring(part) or ""
        elif not any("setter" in ast.unparse(mark) for mark in part.decorator_list):
            yield signature(part, method=True), ast.get_docstring(part) or ""


def constructor(node):
    made = next((p for p in node.body if isinstance(p, ast.FunctionDef) and p.name == "__init__"), None)
    if made is None:
        return node.name
    return re.sub(r"^__init__", node.name, re.sub(r"\(_?self_?, |\(_?self_?\)", "(", signature(made), 1)
                  ).removesuffix(" -> None")


def in_lines(head, most=80):
    """A head that is longer than a line, broken between its arguments; not inside of brackets."""
    if len(head) <= most:
        return head
    depth, line, lines = 0, "", []
    indent = " " * (head.index("(") + 1)
    for word in re.findall(r"[^ ]+ ?", head):
        if depth == 1 and line.endswith(", ") and len(line + word.rstrip()) > most:
            lines.append(line.rstrip())
            line = indent
        line += word
        depth += sum(word.count(mark) for mark in "([{") - sum(word.count(mark) for mark in ")]}")
    return "\n".join(lines + [line])


class Package(SphinxDirective):
    has_content = False

    def run(self):
        for path in PACKAGE.glob("*.py*"):
            self.env.note_dependency(str(path))
        found, names = definitions(), shown()
        return [self.group(title, [n for n in names if wanted(n)], found)
                for title, wanted in GROUPS]

    def group(self, title, names, found):
        section = nodes.section(ids=[nodes.make_id("python-" + title)], names=[title])
        section += nodes.title(title, title)
        for name in sorted(names, key=str.lower):
            if name not in found:
                raise self.error(f"{name} of __all__ is defined nowhere in the package")
            section += self.entry(found[name])
        return section

    def entry(self, node):
        name = f"murmur.{node.name}"
        section = nodes.section(ids=[nodes.make_id("python-" + node.name)], names=[name])
        section += nodes.title(name, name)
        section += addnodes.index(entries=[("single", f"{node.name} (Python)", section["ids"][0], "",
                                            None)])
        head = constructor(node) if isinstance(node, ast.ClassDef) else signature(node)
        head = in_lines("murmur." + head)
        section += nodes.literal_block(head, head, language="python")
        section += self.paragraphs(ast.get_docstring(node) or "")
        if isinstance(node, ast.ClassDef):
            listing = nodes.definition_list()
            for line, told in members(node):
                item = nodes.definition_list_item()
                item += nodes.term("", "", nodes.literal(line, line))
                item += nodes.definition("", *(self.paragraphs(told) or [nodes.paragraph()]))
                listing += item
            if len(listing):
                section += listing
        return section

    def paragraphs(self, text):
        """Docstrings: paragraphs, with ``code`` in them."""
        made = []
        for part in filter(None, re.split(r"\n\s*\n", text)):
            paragraph = nodes.paragraph()
            for k, piece in enumerate(re.split(r"``(.+?)``", " ".join(part.split()))):
                paragraph += nodes.literal(piece, piece) if k % 2 else nodes.Text(piece)
            made.append(paragraph)
        return made


def setup(app):
    app.add_directive("package", Package)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
