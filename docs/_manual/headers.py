"""headers.py: the directive {headers}: the public C++ headers, each declaration with its comment.

The headers are their own documentation: an equation, shapes and units stand above each declaration. So
a header is cut into its declarations, and each becomes a block that can be found by name.
"""

import pathlib
import re

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = ROOT / "include/murmur"
NAME = re.compile(r"(?:struct|class|enum class|enum|using|concept)\s+(\w+)|(\w+)\s*(?:\(|\{|=|;)")


def first_sentence(text):
    """The comment that opens a header, without its name."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[2:].strip())
    told = " ".join(lines)
    return told.partition(": ")[2] or told


def names_of(declaration):
    """The names that a declaration declares, for the index."""
    code = "\n".join(line.split("//")[0] for line in declaration.splitlines()
                     if not line.startswith("//"))
    found = NAME.search(code)
    if not found:
        return []
    return [found.group(1) or found.group(2)]


def declarations(text):
    """The parts of a header within its namespaces: a comment and the lines up to the next blank one."""
    inside, part, depth = False, [], 0
    for line in text.splitlines():
        if re.match(r"(inline )?namespace [\w:]* ?\{", line):
            inside = True
            continue
        if line.startswith("}  // namespace"):
            if part:
                yield "\n".join(part)
            part = []
            continue
        if not inside or line.startswith("#"):
            continue
        if not line.strip() and depth == 0:
            if part:
                yield "\n".join(part)
            part = []
            continue
        part.append(line)
        code = line.split("//")[0]
        depth += code.count("{") - code.count("}")
    if part:
        yield "\n".join(part)


class Headers(SphinxDirective):
    """One section a header, in the order of their names; `:only:` names some of them."""

    has_content = False
    option_spec = {"only": str.split}

    def run(self):
        found = []
        wanted = self.options.get("only")
        paths = sorted(HEADERS.glob("*.h")) if not wanted else [HEADERS / f"{n}.h" for n in wanted]
        for path in paths:
            self.env.note_dependency(str(path))
            found.append(self.section(path))
        return found

    def section(self, path):
        text = path.read_text(encoding="utf-8")
        name = f"murmur/{path.name}"
        section = nodes.section(ids=[nodes.make_id(f"header-{path.stem}")], names=[name])
        section += nodes.title(path.name, path.name)
        told = first_sentence(text)
        section += nodes.paragraph("", told[:1].upper() + told[1:])
        for part in declarations(text):
            names = names_of(part)
            block = nodes.literal_block(part, part, language="cpp")
            if names:
                anchor = nodes.make_id(f"cpp-{path.stem}-{names[0]}")
                entries = [("single", f"{names[0]} (C++, {name})", anchor, "", None)]
                section += addnodes.index(entries=entries)
                section += nodes.target("", "", ids=[anchor])
            section += block
        return section


def setup(app):
    app.add_directive("headers", Headers)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
