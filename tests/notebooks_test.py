#!/usr/bin/env python3
"""notebooks_test.py [--write] [NOTEBOOK...]: executes the notebooks of docs/notebooks in order of their cells and
compares what is printed with what they were kept with, numbers to the share `tolerance` of their metadata (1e-4;
more where a training is in them, whose last digits are the machine's); pictures must be there again. --write
keeps the new outputs. Without nbclient or a kernel it ends with 77: left out.

Usage: MURMUR=build/release/murmur python3 tests/notebooks_test.py
"""

import os
import pathlib
import re
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 1800  # seconds until a cell that hangs is ended


def kept_of(cell):
    """What a cell printed, and the kinds of what it showed: the bytes of pictures and pages may differ."""
    printed, shown = "", []
    for output in cell.get("outputs", []):
        if output["output_type"] == "stream" and output["name"] == "stdout":
            printed += output["text"]
        elif "data" in output:
            kinds = [kind for kind in ("image/png", "text/html") if kind in output["data"]]
            shown.append(kinds[0] if kinds else output["data"].get("text/plain", ""))
    return printed, [kind for kind in shown if kind]


def agree(was, now, tolerance):
    """Whether two texts are the same but for numbers that differ by this share of them at most."""
    number = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")
    if number.sub("#", was) != number.sub("#", now):
        return False
    pairs = zip(number.findall(was), number.findall(now))
    return all(abs(float(a) - float(b)) <= tolerance * max(abs(float(a)), 1e-6) for a, b in pairs)


def is_talk(output):
    """What is written to stderr, and progress that has cleared itself."""
    return (output["output_type"] == "stream" and output["name"] == "stderr"
            or "data" in output and not any(output["data"].values()))


def joined(outputs):
    """Neighbouring pieces of what was printed as one: where they part depends on the moment."""
    found = []
    for output in outputs:
        if found and output["output_type"] == found[-1]["output_type"] == "stream":
            found[-1]["text"] += output["text"]
        else:
            found.append(output)
    return found


def tidy(notebook):
    """What differs from run to run is left out: talk on stderr, numbers of execution, times."""
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"
        if cell.cell_type != "code":
            continue
        cell.execution_count = None
        cell.metadata = {}
        cell.outputs = joined([o for o in cell.outputs if not is_talk(o)])
        for output in cell.outputs:
            output.pop("execution_count", None)
            if output["output_type"] == "execute_result":
                output["execution_count"] = None
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python",
                                        "name": "python3"},
                         "tolerance": notebook.metadata.get("tolerance", 1e-4)}
    return notebook


def check(path, write):
    """Executes one notebook; the sentence of what went wrong, or None."""
    import nbclient
    import nbformat
    notebook = nbformat.read(path, as_version=4)
    before = [kept_of(cell) for cell in notebook.cells]
    client = nbclient.NotebookClient(notebook, timeout=LIMIT, startup_timeout=LIMIT, kernel_name="python3",
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
    tolerance = notebook.metadata["tolerance"]
    for number, (was, now) in enumerate(zip(before, after)):
        if was[1] != now[1] or not agree(was[0], now[0], tolerance):
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
