"""_gradient.py: gradient: the derivative of a loss with respect to all numbers of a flow."""
from __future__ import annotations

from typing import Any, Callable, Iterator, Mapping, TYPE_CHECKING

import numpy as np

from . import _core
from ._errors import InputError
from ._flow import Flow

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: A function of positions that returns a value and its derivative, or with torch=True a tensor of one value.
Loss = Callable[[Any], Any]
#: Replacements for numbers of a flow, by name.
At = Mapping[str, Any]


def find(names: list[str], asked: str) -> str:
    """The full name of a number, given in full or by its last part; InputError if it is not unique."""
    if asked in names:
        return asked
    found = [name for name in names if name.endswith("." + asked)]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"there are {len(found)} numbers of the name {asked}", repr(asked),
                         "give one of " + ", ".join(found))
    raise InputError(f"the flow has no number of the name {asked}", repr(asked),
                     "use one of " + ", ".join(names))


class Gradient(Mapping[str, "NDArray[Any]"]):
    """Derivatives of a loss by name: ``g["start"]`` (n, d), ``g["mass"]`` (n), ``g["beta"]``,
    ``g["value"]``; the full name, ``sublayers.0.forces.1.value``, where there are several.

    ``loss`` is the value; ``x`` (n, d) the final positions; ``times`` and ``frames`` (frames, n, d) the
    stored frames; ``steps`` the number of steps; ``dynamics`` is a Dynamics with the derivatives in the
    places of the numbers.
    """

    def __init__(self, loss: float, recorded: _core.DifferentiableFlow, cotangents: NDArray[Any],
                 frames: NDArray[Any]) -> None:
        start, mass, numbers, dynamics = recorded.backward(cotangents)
        self.loss = loss
        self.frames, self.times, self.steps = frames, recorded.times, recorded.steps
        self.engine = recorded.engine
        self.dynamics = dynamics
        self._all: dict[str, NDArray[Any]] = {"start": start, "mass": mass, **numbers}

    @property
    def x(self) -> NDArray[Any]:
        """(n, d) final positions."""
        last: NDArray[Any] = self.frames[-1]
        return last

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._all[find(list(self._all), name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def __repr__(self) -> str:
        n, d = self._all["start"].shape
        return (f"<Gradient: loss {self.loss:.6g} of {n} x {d}, {len(self._all)} arrays, "
                f"{self.steps} steps, {self.engine}>")


def numbers_of(flow: Flow) -> dict[str, NDArray[Any]]:
    """Every number of a flow that has a derivative, by name, as new arrays."""
    with flow._words(flow._parameters) as words:
        return _core.parameters_of(words.words, **flow._objects(flow._parameters, words))


def record(flow: Flow, at: At | None, states: int) -> _core.DifferentiableFlow:
    """The flow from its start, with the replaced numbers, recorded for the backward pass."""
    if not isinstance(flow, Flow):
        raise InputError("this is not a Flow", repr(flow)[:60], "write murmur.Flow(n=..., T=...)")
    if flow._branched:
        raise InputError("a branch has no start of its own", "gradient(flow)",
                         "create a Flow with init= at the state where it branches")
    if isinstance(states, bool) or not isinstance(states, int) or states < 2:
        raise InputError("not a whole number of 2 or above", f"states={states!r}", "write states=512")
    given = {}
    if at:
        names = list(numbers_of(flow))
        given = {find(names, name): np.asarray(value) for name, value in at.items()}
    with flow._words(flow._parameters) as words:
        return _core.DifferentiableFlow(words.words, at=given, states=states,
                                    **flow._objects(flow._parameters, words))


def gradient(flow: Flow, loss: Loss, *, at: At | None = None, frames: bool = False,
             torch: bool = False, states: int = 512) -> Gradient:
    """The derivative of ``loss`` with respect to every number of ``flow``, of its computed trajectory.

    The simulation runs from its start; the state of ``flow`` does not change. ``loss`` is a function of
    the final positions (n, d), or with ``frames=True`` of all stored frames (frames, n, d): it returns
    its value and its derivative of the same shape. With ``torch=True`` it is a function of a tensor that
    returns a tensor of one value.

    ``at`` replaces numbers of the flow: ``at={"value": V, "start": x}``. ``states`` bounds the memory: the
    number of positions that are stored for the backward pass; longer flows repeat some steps.

    Engines reference and simd. The step lengths of adaptive methods and the path of the noise count as
    constants. InputError for hard attention, merging, the method bdf, and External.
    """
    recorded = record(flow, at, states)
    positions = recorded.frames
    read = positions if frames else positions[-1]
    value, cotangent = _by_torch(loss, read) if torch else _by_numpy(loss, read)
    cotangents = cotangent
    if not frames:
        cotangents = np.zeros_like(positions)
        cotangents[-1] = cotangent
    return Gradient(value, recorded, cotangents, positions)


def _by_numpy(loss: Loss, x: NDArray[Any]) -> tuple[float, NDArray[Any]]:
    answer = loss(x.copy())
    if not isinstance(answer, tuple) or len(answer) != 2:
        raise InputError("the loss did not return a pair", f"loss: {answer!r:.60}",
                         "return its value and its derivative, or write torch=True")
    try:
        value, cotangent = float(answer[0]), np.asarray(answer[1], dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"the loss did not return numbers: {error}", "loss",
                         "return a number and an array") from error
    if cotangent.shape != x.shape:
        raise InputError(f"the derivative of the loss has the shape {cotangent.shape}", "loss",
                         f"return one of shape {x.shape}")
    if not np.isfinite(value) or not np.isfinite(cotangent).all():
        raise InputError("the loss or its derivative is not finite", "loss", "return finite numbers")
    return value, cotangent


def _by_torch(loss: Loss, x: NDArray[Any]) -> tuple[float, NDArray[Any]]:
    from ._torch import import_torch

    torch = import_torch()
    tensor = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    value = loss(tensor)
    if not isinstance(value, torch.Tensor) or value.numel() != 1:
        raise InputError("the loss did not return a tensor of one value", f"loss: {value!r:.60}",
                         "return a scalar tensor, such as a sum or a mean")
    cotangent = np.zeros_like(x)
    if value.requires_grad:
        (found,) = torch.autograd.grad(value.reshape(()), tensor, allow_unused=True)
        if found is not None:
            cotangent = found.detach().numpy()
    return float(value.detach()), cotangent
