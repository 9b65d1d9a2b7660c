#!/usr/bin/env python3
"""docs_test.py: runs the examples of README.md and docs/*.md and checks what they print.

Every fenced block whose info string is `sh run` is run by bash -euo pipefail, every one that is
`python run` by one Python interpreter a page, to which the module of the build is known. The blocks
of one page run in order in one empty directory, with `murmur` and `python3` on the PATH and small models
in $MODELS. A block directly followed by a fenced block whose info string is `text output` must print
that text on stdout; there a line `...` stands for any number of lines. Relative links of all pages, decisions included, must
lead to files; headings they name must exist.

Usage: MURMUR=build/release/murmur python3 tests/docs_test.py [PAGE... | --decisions]
"""

import json
import os
import re
import resource
import stat
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 900  # seconds until a block that hangs is ended
LIMIT = 120  # seconds of processor time that a program of a block may take
RUN = ("sh run", "python run")  # what examples say
OPENMPI = {  # mpirun on one machine, for any user, with more ranks than cores
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_oob_tcp_if_include": "lo",
}


@dataclass
class Block:
    info: str
    line: int  # of the opening fence, counted from 1
    text: list[str] = field(default_factory=list)
    end: int = 0  # line of the closing fence


def blocks_of(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    found, fence = [], ""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        mark = re.match(r"(`{3,})(.*)$", line)
        if not fence and mark:
            fence = mark.group(1)
            found.append(Block(mark.group(2).strip(), number))
        elif fence and line.startswith(fence) and not line.strip("`"):
            found[-1].end, fence = number, ""
        elif fence:
            found[-1].text.append(line)
    if fence:
        raise ValueError(f"{page}:{found[-1].line}: the block is never closed")
    return found


def output_of(blocks: list[Block], index: int, page: Path) -> list[str] | None:
    """What the block must print: the `text output` block after it, with nothing but blanks between."""
    if index + 1 == len(blocks) or blocks[index + 1].info != "text output":
        return None
    between = page.read_text(encoding="utf-8").splitlines()
    between = between[blocks[index].end : blocks[index + 1].line - 1]
    return None if any(line.strip() for line in between) else blocks[index + 1].text


def matches(wanted: list[str], printed: list[str]) -> bool:
    """Whether the lines agree; `...` matches any number of lines, none included."""
    pattern = "".join(
        r"(?:.*\n)*" if line.strip() == "..." else re.escape(line.rstrip()) + r"\n"
        for line in wanted
    )
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in printed)) is not None


def install_tools(folder: Path) -> dict[str, str]:
    """Puts `murmur` and `python3` into the folder; returns the environment to run with."""
    murmur = Path(os.environ.get("MURMUR", ROOT / "build/release/murmur")).resolve()
    if not os.access(murmur, os.X_OK):
        sys.exit(f"docs_test: there is no program at {murmur}; set MURMUR")
    for name, program in {"murmur": str(murmur), "python3": sys.executable}.items():
        tool = folder / name
        tool.write_text(f'#!/bin/sh\nexec "{program}" "$@"\n')
        tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    kept = {key: value for key, value in os.environ.items() if not key.startswith("MURMUR")}
    kept |= OPENMPI
    return kept | {"PATH": f"{folder}:{os.environ['PATH']}", "NO_COLOR": "1", "LC_ALL": "C.UTF-8",
                   "PYTHONPATH": str(murmur.parent / "python"),
                   "MURMUR_DATA": str(ROOT / "data/mnist"),
                   "MODELS": str(ROOT / "tests/fixtures/families")}


# One interpreter for the Python blocks of a page: a JSON text of code a line in, what it printed out.
INTERPRETER = """
import contextlib, io, json, sys, traceback
told, names = sys.stdout, {"__name__": "__main__"}
for line in sys.stdin:
    printed, error = io.StringIO(), ""
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(json.loads(line), "example", "exec"), names)
        except BaseException:
            error = traceback.format_exc()
    print(json.dumps([printed.getvalue(), error]), file=told, flush=True)
"""


class Python:
    """The interpreter of a page, started with its first block."""

    def __init__(self, directory: str, environment: dict[str, str]):
        self.process = None
        self.start = lambda: subprocess.Popen(
            [sys.executable, "-c", INTERPRETER], cwd=directory, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def run(self, code: str) -> tuple[str, str]:
        """What the code printed, and why it failed, empty where it did not."""
        self.process = self.process or self.start()
        timer = threading.Timer(PATIENCE, self.process.kill)
        timer.start()
        try:
            self.process.stdin.write(json.dumps(code) + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        finally:
            timer.cancel()
        return tuple(json.loads(answer)) if answer else ("", f"ended, or took longer than {PATIENCE} s")

    def close(self) -> None:
        if self.process:
            self.process.communicate()


def run_block(block: Block, directory: str, environment: dict[str, str],
              python: Python) -> tuple[str, str]:
    """What an example printed, and why it failed, empty where it did not."""
    if block.info == "python run":
        return python.run("\n".join(block.text))
    try:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", "\n".join(block.text)],
            cwd=directory, env=environment, capture_output=True, text=True, timeout=PATIENCE,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT)),
        )
    except subprocess.TimeoutExpired:
        return "", f"took longer than {PATIENCE} s"
    failed = f"ended with status {done.returncode}\n{done.stderr}" if done.returncode else ""
    return done.stdout, failed


def run_page(page: Path, environment: dict[str, str]) -> list[str]:
    """Runs the examples of a page; returns what went wrong."""
    blocks, problems = blocks_of(page), []
    with tempfile.TemporaryDirectory() as directory:
        python = Python(directory, environment)
        for index, block in enumerate(blocks):
            where = f"{page.relative_to(ROOT)}:{block.line}"
            if block.info == "text output" and (index == 0 or blocks[index - 1].info not in RUN):
                problems.append(f"{where}: output without an example before it")
            if block.info not in RUN:
                continue
            printed, failed = run_block(block, directory, environment, python)
            if failed:
                problems.append(f"{where}: {failed}")
                break
            wanted = output_of(blocks, index, page)
            if wanted is not None and not matches(wanted, printed.splitlines()):
                text = "\n".join(wanted)
                problems.append(f"{where}: the page says\n{text}\nthe program says\n{printed}")
        python.close()
    return problems


def anchors_of(page: Path) -> set[str]:
    """The names that links may use for the headings of a page."""
    inside = {n for b in blocks_of(page) for n in range(b.line, b.end + 1)}
    names = set()
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        heading = re.match(r"#+ +(.*)$", line)
        if heading and number not in inside:
            text = re.sub(r"[^\w\- ]", "", heading.group(1).lower())
            names.add(text.replace(" ", "-"))
    return names


def check_links(page: Path) -> list[str]:
    """Relative links of a page that lead nowhere."""
    problems = []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        for target in re.findall(r"\]\(([^)\s]+)\)", line):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            file = page.parent / path if path else page
            if not file.exists():
                problems.append(f"{page.relative_to(ROOT)}:{number}: no file {target}")
            elif anchor and file.suffix == ".md" and anchor not in anchors_of(file):
                problems.append(f"{page.relative_to(ROOT)}:{number}: no heading {target}")
    return problems


def main() -> int:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    decisions = sorted((ROOT / "docs/decisions").glob("*.md"))
    if sys.argv[1:] == ["--decisions"]:  # their links alone
        pages = []
    elif len(sys.argv) > 1:
        pages, decisions = [Path(name).resolve() for name in sys.argv[1:]], []
    problems = [problem for page in pages + decisions for problem in check_links(page)]
    with tempfile.TemporaryDirectory() as folder:
        environment = install_tools(Path(folder))
        for page in pages:
            began = time.monotonic()
            found = run_page(page, environment)
            examples = sum(block.info in RUN for block in blocks_of(page))
            print(f"{page.relative_to(ROOT)}: {examples} examples, "
                  f"{time.monotonic() - began:.1f} s{', FAILED' if found else ''}")
            problems += found
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
