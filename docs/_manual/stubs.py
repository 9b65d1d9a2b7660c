"""stubs.py: the directive {stubs}: the Python interface, read off its stubs without importing it."""

import ast
import pathlib

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

ROOT = pathlib.Path(__file__).resolve().parents[2]


def setup(app):
    return {"parallel_read_safe": True, "parallel_write_safe": True}
