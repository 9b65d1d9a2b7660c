"""_words.py: converts keyword arguments of Python to the key=value arguments of the commands."""
from __future__ import annotations

import os
from typing import Any, Iterable, TYPE_CHECKING

import numpy as np

from . import _core
from ._errors import InputError, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Parameters that take an array, which the commands read from memory.
ARRAYS = ("init", "masses", "query", "key", "value", "to")


def word_of(name: str, value: Any) -> str:
    """The text after ``name=``."""
    if isinstance(value, np.ndarray) and value.ndim < 2 and value.dtype.kind in "biuf":
        value = value.tolist()  # a number, or several for a sweep
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, str):
        return plain(name, value)
    if isinstance(value, os.PathLike):
        return plain(name, path_of(value))
    if isinstance(value, (list, tuple, range)):
        return ",".join(word_of(name, each) for each in value)
    raise InputError(f"{name} cannot be a {type(value).__name__}", f"{name}={value!r:.60}",
                     "give a number, a string, True or False; arrays are for "
                     + ", ".join(ARRAYS))


def plain(name: str, text: str) -> str:
    """The text, checked for characters that a command line cannot hold."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError("the text is not Unicode", f"{name}={text!r:.60}",
                         "leave out surrogates") from error
    if "\0" in text:
        raise InputError("the text has a zero byte", f"{name}={text!r:.60}", "leave it out")
    return text


def path_of(path: Any) -> str:
    """A path as text; InputError for anything else."""
    try:
        return plain("path", os.fsdecode(path))
    except TypeError as error:
        raise InputError("this is not a path", f"{path!r:.60}", "give a string or a pathlib.Path"
                         ) from error


def is_array(value: Any) -> bool:
    """Whether it holds numbers: an array, a Swarm, DLPack, rows of numbers."""
    if isinstance(value, (str, bytes, os.PathLike)):
        return False
    if hasattr(value, "__array__") or hasattr(value, "__dlpack__"):
        return not np.isscalar(value)
    return isinstance(value, (list, tuple)) and bool(value) and isinstance(value[0], (list, tuple))


def array_of(name: str, value: Any) -> NDArray[Any]:
    """A finite array of real numbers, or InputError."""
    try:
        if not hasattr(value, "__array__") and hasattr(value, "__dlpack__"):
            array = np.from_dlpack(value)
        else:
            array = np.asarray(value)
    except Exception as error:
        raise InputError(f"it cannot be read as an array: {error}", name,
                         "give an array of numbers in the memory of the CPU") from error
    if isinstance(value, np.ma.MaskedArray):
        raise InputError("a masked array has missing numbers", name,
                         "fill it first: array.filled(...)")
    if array.dtype.kind not in "fiu" or (array.dtype.kind == "f" and array.dtype.itemsize > 8):
        raise InputError(f"the array holds {array.dtype}, not real numbers", name,
                         "convert it: array.astype(numpy.float64)")
    if array.size == 0:
        raise InputError(f"the array is empty: {array.shape}", name, "give some numbers")
    array = np.ascontiguousarray(array, dtype=np.float64)
    if not np.isfinite(array).all():
        raise InputError("a number is not finite", name, "leave out NaN and infinities")
    return array


class Words:
    """The arguments of one call, and its arrays, which stay in memory until the call has ended."""

    def __init__(self, base: Any, parameters: dict[str, Any], *, in_memory: Iterable[str] = ()):
        self.words: list[str] = []
        self.arrays: dict[str, Any] = {}  # passed as objects
        self._held: list[_core.ArrayInMemory] = []
        if base is not None:
            text = path_of(getattr(base, "directory", None) or base)
            if "=" in text.split("/")[-1] and not os.path.exists(text):
                raise UsageError("parameters are keywords", text, "write beta=4 without quotes")
            self.words.append(text)
        for name, value in parameters.items():
            if value is None:
                continue
            if not name.isidentifier():  # a name that begins with "-" would be a flag
                raise UsageError("there is no such parameter", name, "see murmur.parameters()")
            if is_array(value) and name in in_memory:
                self.arrays[name] = value
            elif is_array(value) and name in ARRAYS:
                self.words.append(f"{name}={self.path_in_memory(name, value)}")
            else:
                self.words.append(f"{name}={word_of(name, value)}")

    def path_in_memory(self, name: str, value: Any) -> str:
        """The path by which the commands read the array until the call has ended."""
        self._held.append(_core.ArrayInMemory(name, array_of(name, value)))
        return self._held[-1].path

    def close(self) -> None:
        self._held.clear()

    def __enter__(self) -> "Words":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
