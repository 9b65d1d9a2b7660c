"""_progress.py: progress of long computations: one line in a terminal or in a notebook."""
from __future__ import annotations

import math
import sys
from typing import Any, Callable, Mapping, Union

#: True: a line; False: nothing; "auto": a line in a terminal or notebook; or a function of a dictionary.
ProgressLike = Union[bool, str, Callable[[Mapping[str, Any]], Any]]


def line_of(p: Mapping[str, Any]) -> str:
    """Percentage, position, speed, one changing quantity, time left."""
    width = 24
    filled = int(round(width * min(max(p["fraction"], 0.0), 1.0)))
    parts = [f"{100 * p['fraction']:3.0f} % |{'#' * filled}{'.' * (width - filled)}|",
             p["position"] or f"{p['done']:.4g} / {p['of']:.4g} {p['what']}"]
    if p["speed"] > 0:
        parts.append(f"{p['speed']:.3g} {p['speed_of']}/s")
    if p["live"]:
        parts.append(p["live"])
    if math.isfinite(p["seconds_left"]):
        parts.append(f"{p['seconds_left']:.0f} s left")
    return "  ".join(parts)


def in_notebook() -> bool:
    """Whether this runs in a notebook kernel, without importing IPython."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


class Line:
    """A line that is rewritten, and removed at the end."""

    def __init__(self) -> None:
        self._shown: Any = None
        self._written = 0

    def __call__(self, p: Mapping[str, Any]) -> None:
        text = line_of(p)
        if in_notebook():
            from IPython.display import display

            if self._shown is None:
                self._shown = display({"text/plain": text}, raw=True, display_id=True)
            else:
                self._shown.update({"text/plain": text}, raw=True)
            return
        sys.stderr.write("\r" + text + " " * max(0, self._written - len(text)))
        sys.stderr.flush()
        self._written = len(text)

    def close(self) -> None:
        if self._shown is not None:
            self._shown.update({"text/plain": ""}, raw=True)
            self._shown = None
        if self._written:
            sys.stderr.write("\r" + " " * self._written + "\r")
            sys.stderr.flush()
            self._written = 0


def reporter(wanted: ProgressLike) -> tuple[Callable[[Mapping[str, Any]], Any] | None, Callable[[], None]]:
    """The function that the engine calls, or None, and the function that ends it."""
    if callable(wanted):
        return wanted, lambda: None
    seen = in_notebook() or getattr(sys.stderr, "isatty", lambda: False)()
    if wanted is True or (wanted == "auto" and seen):
        line = Line()
        return line, line.close
    return None, lambda: None
