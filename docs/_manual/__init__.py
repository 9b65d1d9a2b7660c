"""_manual: what the manual adds to Sphinx: equations, pages of source files, interfaces, notebooks."""
