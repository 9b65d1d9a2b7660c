"""notebooks.py: notebooks as pages: their texts, their code, and the outputs that they were kept with."""

import json

from myst_parser.sphinx_ import Parser


def text_of(value):
    return "".join(value) if isinstance(value, list) else value


def fenced(text, language):
    marks = "```"
    while marks in text:
        marks += "`"
    return f"{marks}{language}\n{text.rstrip()}\n{marks}\n"


def output_text(output):
    """One output of a cell: a picture, a page of its own, or what was printed."""
    if output["output_type"] == "stream":
        return fenced(text_of(output["text"]), "text") if output["name"] == "stdout" else ""
    data = output.get("data", {})
    if "image/png" in data:
        return f"![](data:image/png;base64,{text_of(data['image/png']).replace(chr(10), '')})\n"
    if "text/html" in data:
        return fenced(text_of(data["text/html"]), "{raw} html")
    return fenced(text_of(data["text/plain"]), "text") if "text/plain" in data else ""


def markdown_of(notebook):
    parts = []
    for cell in notebook["cells"]:
        source = text_of(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source + "\n")
        elif cell["cell_type"] == "code":
            parts.append(fenced(source, "python"))
            parts += [output_text(output) for output in cell["outputs"]]
    return "\n".join(parts)


class NotebookParser(Parser):
    supported = ("notebook",)

    def parse(self, inputstring, document):
        super().parse(markdown_of(json.loads(inputstring)), document)


def setup(app):
    app.add_source_suffix(".ipynb", "notebook")
    app.add_source_parser(NotebookParser)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
