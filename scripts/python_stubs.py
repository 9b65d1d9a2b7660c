#!/usr/bin/env python3
"""python_stubs.py: writes murmur/__init__.pyi out of the library's own tables of parameters.

Usage: PYTHONPATH=build/release/python /usr/bin/python3 scripts/python_stubs.py [--check]
"""
import pathlib
import sys

import murmur

PLACE = pathlib.Path(__file__).resolve().parent.parent / "bindings/python/murmur/__init__.pyi"
ARRAYS = {"init", "masses", "query", "key", "value"}
KINDS = {"number": "float", "whole": "int", "flag": "bool", "word": "str"}

HEAD = '''"""Signatures of murmur, written by scripts/python_stubs.py from the tables of the library: do not edit."""
import os
from typing import Any, Callable, Iterable, Iterator, Mapping, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._errors import (InputError as InputError, Interrupted as Interrupted, JobsError as JobsError,
                      MurmurError as MurmurError, NumericalError as NumericalError,
                      RuntimeFailure as RuntimeFailure, ToolError as ToolError,
                      UsageError as UsageError, VerificationError as VerificationError)
from ._core import (Attention as Attention, Dynamics as Dynamics, Perceptron as Perceptron,
                    Swarm as Swarm)
from ._flow import External as External
from ._flow import Flow as _Flow
from ._functions import Field as _Field
from ._functions import (Parameter as Parameter, Reading as Reading, classify as classify,
                         measure as measure, parameters as parameters, presets as presets,
                         readings as readings, render as render, reproduce as reproduce,
                         runs as runs, trace as trace, transport as transport)
from ._gradient import Gradient as Gradient, gradient as gradient
from ._progress import ProgressLike as ProgressLike
from ._run import Clusters as Clusters, Run as Run, Table as Table
from ._torch import torch_flow as torch_flow

__version__: str
__all__: list[str]

Path = Union[str, os.PathLike[str]]
Base = Union[str, os.PathLike[str], Run]
Array = Any  # numpy, DLPack, nested lists, Swarm
External_ = Union[External, Iterable[External]]
'''

KEEPS = ["out: Path | None = None", "runs: Path | None = None", "force: bool = False",
         "progress: ProgressLike = 'auto'"]


def type_of(parameter, lists):
    kind = KINDS[parameter.kind]
    if parameter.name in ARRAYS:
        return "Path | Array"
    if parameter.name in ("gains", "gains_end"):
        return "str | Sequence[float]"
    if parameter.kind == "word":
        return "str | float" if parameter.name in ("threads", "weights_until", "gains_until") else "str | Path" if parameter.name in ("model", "data", "perceptron") else "str"
    return f"{kind} | str | Sequence[{kind}]" if lists else kind


def keywords(command, *, without=(), lists=False, dynamics=False):
    rows = []
    for p in murmur.parameters(command):
        if p.name in without:
            continue
        kind = type_of(p, lists)
        if p.name == "dynamics" and dynamics:
            kind = "str | Dynamics"
        rows.append(f"{p.name}: {kind} | None = None")
    return rows


def wrapped(head, rows, tail):
    return head + "".join(f"\n    {row}," for row in rows) + f"\n{tail}\n"


def text():
    swarm = keywords("simulate", dynamics=True)
    external = ["external: External_ | None = None"]
    parts = [HEAD]
    parts.append(wrapped("def simulate(base: Base | None = None, /, *,", KEEPS + external + swarm, ") -> Run: ..."))
    for name, result in (("velocity", "npt.NDArray[Any]"), ("energy", "float"), ("clusters", "Clusters")):
        more = external + ["t: float = 0.0"] if name == "velocity" else []
        parts.append(wrapped(f"def {name}(x: Array | None = None, /, base: Base | None = None, *,",
                             more + swarm, f") -> {result}: ..."))
    for command, result, lists in (("sweep", "Run", True), ("train", "Run", False),
                                   ("meanfield", "Any", False), ("landscape", "Run", False)):
        parts.append(wrapped(f"def {command}(base: Base | None = None, /, *,",
                             KEEPS + keywords(command, lists=lists), f") -> {result}: ..."))
    for name in ("Flow", "Field"):
        parts.append(wrapped(f"class {name}(_{name}):\n    def __init__(self_, base: Base | None = None, /, *,",
                             external + swarm, "    ) -> None: ..."))
    return "\n".join(parts)


def main():
    wanted = text()
    if "--check" in sys.argv:
        if PLACE.read_text() != wanted:
            sys.exit(f"{PLACE}: not what python_stubs.py writes; run it again")
        return
    PLACE.write_text(wanted)


if __name__ == "__main__":
    main()
