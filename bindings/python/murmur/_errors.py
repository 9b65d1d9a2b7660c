"""_errors.py: exceptions that mirror the exit codes of the program: what, where, what to do."""
from __future__ import annotations

from typing import Any


class MurmurError(Exception):
    """A refused request: ``what`` happened, ``where``, and what to ``do``; ``code`` is the exit code."""

    code: int = 1

    def __init__(self, what: str, where: str = "", do: str = "") -> None:
        super().__init__(what, where, do)
        self.what, self.where, self.do = what, where, do
        self.run: Any = None  # the run that failed, if there is one
        self.result: Any = None  # the result, if there is one

    def __str__(self) -> str:
        lines = [self.what]
        if self.where:
            lines.append(f"  where: {self.where}")
        if self.do:
            lines.append(f"  do:    {self.do}")
        return "\n".join(lines)


class RuntimeFailure(MurmurError, RuntimeError):
    """1: failed at run time: disk, permissions, another writer, another thread."""

    code = 1


class UsageError(MurmurError, ValueError):
    """2: a wrong call, or the output is already there."""

    code = 2


class InputError(MurmurError, ValueError):
    """3: a wrong parameter, array, experiment or data file."""

    code = 3


class NumericalError(MurmurError, ArithmeticError):
    """4: the computation ended without a usable number; ``run`` holds the frames before."""

    code = 4


class JobsError(MurmurError, RuntimeError):
    """5: a sweep finished with failed jobs; ``run`` holds the others."""

    code = 5


class ToolError(MurmurError, RuntimeError):
    """6: an optional tool is missing: ffmpeg, gnuplot, SUNDIALS, a GPU, MPI."""

    code = 6


class VerificationError(MurmurError, RuntimeError):
    """7: two things that must agree do not; ``result`` holds both."""

    code = 7


class Interrupted(KeyboardInterrupt):
    """130: Ctrl-C. ``run`` is the run so far; ``run.resume()`` continues it."""

    code = 130

    def __init__(self, what: str, run: Any = None) -> None:
        super().__init__(what)
        self.what, self.run = what, run


_BY_CODE: dict[int, type[MurmurError]] = {
    kind.code: kind
    for kind in (RuntimeFailure, UsageError, InputError, NumericalError, JobsError, ToolError,
                 VerificationError)
}


def error_of(code: int, what: str, where: str, do: str) -> MurmurError:
    """The exception of an exit code."""
    return _BY_CODE.get(code, RuntimeFailure)(what, where, do)
