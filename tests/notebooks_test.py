#!/usr/bin/env python3
"""notebooks_test.py [--write] [NOTEBOOK...]: executes the notebooks of docs/notebooks in order of their cells and
compares what is printed with what they were kept with; pictures must be there again. --write keeps the new
outputs. Without nbclient or a kernel it ends with 77: left out.

Usage: MURMUR=build/release/murmur python3 tests/notebooks_test.py
"""

import os
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 300  # seconds a cell may take


def kept_of(cell):
    """What a cell printed and showed, apart from the bytes of pictures and pages."""
    found = []
    for output in cell.get("outputs", []):
        if output["output_type"] == "stream" and output["name"] == "stdout":
            found.append(output["text"])
        elif "data" in output:
            kinds = [kind for kind in ("image/png", "text/html") if kind in output["data"]]
            found.append(kinds[0] if kinds else output["data"].get("text/plain", ""))
    return found


def tidy(notebook):
    """What differs from run to run is left out: talk on stderr, numbers of execution, times."""
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"
        if cell.cell_type != "code":
            continue
        cell.execution_count = None
        cell.metadata = {}
        cell.outputs = [o for o in cell.outputs
                        if not (o["output_type"] == "stream" and o["name"] == "stderr")]
        for output in cell.outputs:
            output.pop("execution_count", None)
            if output["output_type"] == "execute_result":
                output["execution_count"] = None
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python",
                                        "name": "python3"}}
    return notebook


def check(path, write):
    """Executes one notebook; the sentence of what went wrong, or None."""
    import nbclient
    import nbformat
    notebook = nbformat.read(path, as_version=4)
    before = [kept_of(cell) for cell in notebook.cells]
    client = nbclient.NotebookClient(notebook, timeout=LIMIT, kernel_name="python3",
                                     resources={"metadata": {"path": str(path.parent)}})
    try:
        client.execute()
    except nbclient.exceptions.CellExecutionError as error:
        return str(error)
    tidy(notebook)
    after = [kept_of(cell) for cell in notebook.cells]
    if write:
        nbformat.write(notebook, path)
        return None
    for number, (was, now) in enumerate(zip(before, after)):
        if was != now:
            return f"cell {number}: kept is\n{was}\nnow is\n{now}"
    return None


def main():
    try:
        import ipykernel, matplotlib, nbclient, nbformat  # noqa: F401, E401
    except ImportError as error:
        print(f"left out: {error}")
        return 77
    program = pathlib.Path(os.environ.get("MURMUR", ROOT / "build/release/murmur")).resolve()
    if not (program.parent / "python/murmur").is_dir():
        print("left out: the Python module is not built")
        return 77
    os.environ["PYTHONPATH"] = str(program.parent / "python")
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    os.environ["MURMUR_DATA"] = str(ROOT / "data/mnist")
    write = "--write" in sys.argv
    named = [pathlib.Path(word).resolve() for word in sys.argv[1:] if word != "--write"]
    wrong = 0
    for path in named or sorted((ROOT / "docs/notebooks").glob("*.ipynb")):
        began = time.monotonic()
        problem = check(path, write)
        print(f"{path.name}: {time.monotonic() - began:.1f} s{', FAILED' if problem else ''}", flush=True)
        if problem:
            print(problem)
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
