"""Signatures of the compiled half of murmur."""
from typing import Any, Callable, Iterable, Mapping, Sequence, overload

import numpy as np
import numpy.typing as npt

_Doubles = npt.NDArray[np.float64]

version: str

class Swarm:
    @overload
    def __init__(self, array: Any, *, copy: bool | None = None) -> None: ...
    @overload
    def __init__(self, *, n: int, d: int) -> None: ...
    @property
    def n(self) -> int: ...
    @property
    def d(self) -> int: ...
    @property
    def x(self) -> _Doubles: ...
    @property
    def masses(self) -> _Doubles: ...
    @masses.setter
    def masses(self, value: Any) -> None: ...
    @property
    def address(self) -> int: ...
    @property
    def borrowed(self) -> bool: ...
    def __array__(self, dtype: Any = ...) -> npt.NDArray[Any]: ...
    def __dlpack__(self, **how: Any) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __len__(self) -> int: ...

class Attention:
    def __init__(
        _self, *, beta: float = 1.0, query: Any = None, key: Any = None, value: Any = None,
        query_bias: Any = None, key_bias: Any = None, value_bias: Any = None,
        relative: bool = False, self: bool = True, mask: str = "none",
        weighting: str = "softmax", alibi: float = 0.0, rescaled: bool = False,
    ) -> None: ...
    beta: float
    query: _Doubles | None
    key: _Doubles | None
    value: _Doubles | None
    query_bias: _Doubles | None
    key_bias: _Doubles | None
    value_bias: _Doubles | None
    relative: bool
    self: bool
    mask: str
    weighting: str
    alibi: float
    rescaled: bool
    def replace(_self, **changes: Any) -> Attention: ...

class Perceptron:
    def __init__(
        self, *, in_: Any, out: Any, in_bias: Any = None, out_bias: Any = None,
        activation: str = "relu",
    ) -> None: ...
    in_: _Doubles
    in_bias: _Doubles | None
    out: _Doubles
    out_bias: _Doubles | None
    activation: str
    def replace(self, **changes: Any) -> Perceptron: ...

class ManyHeads:
    beta: float
    value: float

class Dynamics:
    def __init__(
        self, *forces: Attention | Perceptron,
        sublayers: Iterable[Iterable[Attention | Perceptron]] | None = None,
        manifold: str = "sphere", clock: str = "U1", normalisation: str = "post",
        gain: Any = None, gain_end: Any = None, gain_until: float = 0.0, noise: float = 0.0,
    ) -> None: ...
    forces: list[Any]
    manifold: str
    clock: str
    normalisation: str
    noise: float
    gain: _Doubles | None
    gain_end: _Doubles | None
    gain_until: float
    observables: list[str]

class Field:
    def __init__(self, words: Sequence[str], init: Any = None, dynamics: Dynamics | None = None,
                 external: Sequence[Any] = ...) -> None: ...
    def velocity(self, x: Any = None, t: float = 0.0, out: Any = None) -> _Doubles: ...
    def observe(self, x: Any = None, t: float = 0.0) -> dict[str, float]: ...
    def clusters(self, x: Any = None) -> tuple[int, npt.NDArray[Any], npt.NDArray[Any], _Doubles]: ...
    n: int
    d: int
    engine: str
    config: str
    x: _Doubles
    dynamics: Dynamics
    equation: str

class RunningFlow:
    def __init__(self, words: Sequence[str], init: Any = None, dynamics: Dynamics | None = None,
                 external: Sequence[Any] = ...) -> None: ...
    def advance(self, steps: int | None = None, frames: int | None = None,
                until: float | None = None, watch: Callable[[], Any] | None = None,
                progress: Callable[[Mapping[str, Any]], Any] | None = None) -> bool: ...
    def branch(self, words: Sequence[str], init: Any = None, dynamics: Dynamics | None = None,
               external: Sequence[Any] = ...) -> RunningFlow: ...
    def resumed(self, words: Sequence[str], init: Any = None, dynamics: Dynamics | None = None,
                external: Sequence[Any] = ...) -> RunningFlow: ...
    def clusters(self, frame: int = -1, tol: float = 0.0) -> tuple[int, npt.NDArray[Any], npt.NDArray[Any], _Doubles]: ...
    def save(self, out: str, runs: str, force: bool) -> str: ...
    x: _Doubles
    start: _Doubles
    t: float
    n: int
    d: int
    T: float
    frames: int
    steps: int
    evaluations: int
    groups: int
    times: _Doubles
    trajectory: _Doubles
    table: _Doubles
    columns: list[str]
    status: str
    outcome: tuple[bool, float, int, str, str] | None
    single: bool
    masses: _Doubles
    merges: list[tuple[float, int, int, float, int]]
    engine: str
    config: str
    name: str
    seed: int
    external: list[str]
    of_objects: bool
    manifold: str
    dynamics: Dynamics
    equation: str

class DifferentiableFlow:
    def __init__(self, words: Sequence[str], init: Any = None, dynamics: Dynamics | None = None,
                 external: Sequence[Any] = ..., at: Mapping[str, Any] = ..., states: int = 512) -> None: ...
    def backward(self, cotangents: Any) -> tuple[_Doubles, _Doubles, dict[str, _Doubles], Dynamics]: ...
    frames: _Doubles
    times: _Doubles
    steps: int
    engine: str

def parameters_of(words: Sequence[str], init: Any = None, dynamics: Dynamics | None = None,
                  external: Sequence[Any] = ...) -> dict[str, _Doubles]: ...
class ArrayInMemory:
    def __init__(self, name: str, values: npt.NDArray[Any]) -> None: ...
    path: str

def call(words: Sequence[str],
         progress: Callable[[Mapping[str, Any]], Any] | None = None) -> tuple[int, str, str, bool]: ...
def record(words: Sequence[str], init: Any, external: Sequence[Any], out: str, runs: str, force: bool,
           progress: Callable[[Mapping[str, Any]], Any] | None) -> tuple[str, str | None, str, str]: ...
def parameters(command: str) -> list[tuple[str, str, str, str, str]]: ...
def readings() -> list[tuple[str, str, str, list[tuple[str, str, str, str, str]],
                             list[tuple[str, str, str, str, str]]]]: ...
def presets() -> dict[str, str]: ...
def circle_distance(x: Any, y: Any, p: int, x_masses: Any, y_masses: Any) -> list[float]: ...
def assignment_distance(x: Any, y: Any, ground: str, p: int) -> tuple[float, float, npt.NDArray[Any]]: ...
def entropic_distance(x: Any, y: Any, ground: str, epsilon: float, threads: int, x_masses: Any,
                      y_masses: Any) -> list[float]: ...
def sliced_distance(x: Any, y: Any, ground: str, slices: int, seed: int, threads: int, x_masses: Any,
                    y_masses: Any) -> list[float]: ...
