"""_flow.py: Flow: a running simulation, step by step, with branches and a function that may stop it."""
from __future__ import annotations

from typing import Any, Callable, Iterable, TYPE_CHECKING

import numpy as np

from . import _core
from ._errors import InputError, Interrupted, NumericalError
from ._progress import ProgressLike, reporter
from ._run import Run
from ._words import Words

if TYPE_CHECKING:
    from numpy.typing import NDArray


class External:
    """A force that is a function of Python: ``External("name", f)`` with ``f(t, x)``.

    ``x`` is a new (n, d) array in every call; the function returns the force on each particle, of the
    same shape, before it is projected onto the manifold. Only the reference engine calls it, and a run
    with such a force is marked as not reproducible from its files.
    """

    def __init__(self, name: str, function: Callable[[float, NDArray[Any]], Any]) -> None:
        if not isinstance(name, str):
            raise InputError("the name of a force is not a string", f"External({name!r:.60}, ...)",
                             "write External('name', function)")
        if not callable(function):
            raise InputError("the force is not a function", f"External({name!r}, ...)",
                             "give a function of t and x")
        self.name, self.function = name, function

    def __repr__(self) -> str:
        return f"External({self.name!r}, {getattr(self.function, '__name__', self.function)})"

    def __str__(self) -> str:
        return f"  x_i' = {self.name}(t, x)_i\n"


def externals(given: Any) -> list[External]:
    """One External or several."""
    if given is None:
        return []
    if not isinstance(given, (External, Iterable)):
        raise InputError("this is no External", repr(given)[:60], "write External('name', function)")
    several = [given] if isinstance(given, External) else list(given)
    for force in several:
        if not isinstance(force, External):
            raise InputError("this is no External", repr(force)[:60],
                             "write External('name', function)")
    return several


class Flow:
    """A running simulation. Takes the parameters of ``murmur.simulate``; in addition ``dynamics`` may be
    a Dynamics, ``external`` an External or several."""

    _branched = False  # it began as a branch of another flow

    def __init__(self, base: Any = None, /, *, external: External | Iterable[External] | None = None,
                 **parameters: Any) -> None:
        self._base, self._parameters = base, parameters
        self._external = externals(external)
        self._begin(_core.RunningFlow)

    def _words(self, parameters: dict[str, Any]) -> Words:
        plain = dict(parameters)
        if isinstance(plain.get("dynamics"), _core.Dynamics):
            del plain["dynamics"]
        return Words(self._base, plain, in_memory=("init",))

    def _objects(self, parameters: dict[str, Any], words: Words) -> dict[str, Any]:
        dynamics = parameters.get("dynamics")
        return {"init": words.arrays.get("init"), "external": self._external,
                "dynamics": dynamics if isinstance(dynamics, _core.Dynamics) else None}

    # -- state

    @property
    def t(self) -> float:
        """The time of its last whole step, or at the end of its last frame. Frames inside the current step may
        be later."""
        return float(self._running.t)

    @property
    def x(self) -> NDArray[Any]:
        """(n, d) positions of the particles at ``t``, a copy."""
        array: NDArray[Any] = self._running.x
        return array

    @property
    def n(self) -> int:
        return int(self._running.n)

    @property
    def d(self) -> int:
        return int(self._running.d)

    @property
    def T(self) -> float:
        """The final time."""
        return float(self._running.T)

    @property
    def frames(self) -> int:
        """Number of frames so far."""
        return int(self._running.frames)

    @property
    def steps(self) -> int:
        """Number of steps so far."""
        return int(self._running.steps)

    @property
    def evaluations(self) -> int:
        """Number of evaluations of the velocity."""
        return int(self._running.evaluations)

    @property
    def done(self) -> bool:
        """Whether it has ended, successfully or not."""
        return self._running.outcome is not None

    @property
    def engine(self) -> str:
        return str(self._running.engine)

    @property
    def dynamics(self) -> _core.Dynamics:
        return self._running.dynamics

    @property
    def equation(self) -> str:
        return str(self._running.equation)

    # -- operations

    def step(self, count: int = 1) -> Flow:
        """Takes ``count`` steps of its method, fewer at the end."""
        return self.advance(steps=count)

    def advance(self, *, until: float | None = None, steps: int | None = None,
                frames: int | None = None, watch: Callable[[Flow], Any] | None = None,
                progress: ProgressLike = False) -> Flow:
        """Continues to the end, or to the first step at which one of these holds: the time ``until`` is
        reached; the given number of ``steps`` or ``frames`` was added; ``watch(flow)``, called after
        every step, returns true. Stepping in pieces gives the same numbers as one call. Raises
        NumericalError if it cannot continue, Interrupted after Ctrl-C: both leave the flow as it was
        after its last step."""
        for name, value in (("steps", steps), ("frames", frames)):
            if value is not None and (not isinstance(value, (int, np.integer)) or value < 0):
                raise InputError("not a whole number of 0 or above", f"{name}={value!r}",
                                 f"write {name}=1")
        if until is not None and not (isinstance(until, (int, float, np.number)) and until == until):
            raise InputError("not a time", f"until={until!r:.60}", "write until=1.5")
        if watch is not None and not callable(watch):
            raise InputError("the watch is not a function", f"watch={watch!r:.60}",
                             "give a function of the flow")
        if steps == 0 or frames == 0:
            return self
        steps, frames = (None if value is None else min(int(value), 2**62) for value in (steps, frames))
        report, end = reporter(progress)
        asked = None if watch is None else (lambda: watch(self))
        try:
            self._running.advance(steps=steps, frames=frames, until=until, watch=asked, progress=report)
        except KeyboardInterrupt as error:
            raise Interrupted(f"stopped at t = {self.t:g}; run.resume() continues it", self.run()) from error
        finally:
            end()
        self._require_well()
        return self

    def _require_well(self) -> None:
        outcome = self._running.outcome
        if outcome is None or outcome[0]:
            return
        _, t, particle, what, remedy = outcome
        error = NumericalError(what, f"t = {t:g}" + (f", particle {particle}" if particle >= 0 else ""),
                               remedy)
        error.run = self.run()
        raise error

    def branch(self, *, external: External | Iterable[External] | None = None,
               **changes: Any) -> Flow:
        """A new flow that begins at the current ``t`` and ``x`` with changed parameters; T must be above t.
        This flow does not change."""
        other = self._other({**self._parameters, **changes})
        other._branched = True
        if external is not None:
            other._external = externals(external)
        other._begin(self._running.branch)
        return other

    def resume(self, *, T: float) -> Flow:
        """A new flow with all frames of this one and a larger T. Its further frames are those of a flow that
        had this T from the start (with the same times of saving)."""
        import tomllib

        if T is None:
            raise InputError("T is missing", "resume", "write resume(T=20)")
        kept = tomllib.loads(self._running.config)  # every:T/100 refers to the old T
        other = self._other({**self._parameters, "T": T, "save": kept["save"]})
        other._branched = self._branched
        other._begin(self._running.resumed)
        return other

    def _other(self, parameters: dict[str, Any]) -> Flow:
        other = object.__new__(Flow)
        other._base, other._external, other._parameters = self._base, self._external, parameters
        return other

    def _begin(self, make: Callable[..., _core.RunningFlow]) -> None:
        with self._words(self._parameters) as words:
            self._running = make(words.words, **self._objects(self._parameters, words))
            if "init" in words.arrays:  # the array of the caller may change
                self._parameters = {**self._parameters, "init": self._running.start}

    def velocity(self) -> NDArray[Any]:
        """(n, d) velocities at the current state."""
        from ._functions import Field

        return Field(self._base, external=self._external, **self._parameters).velocity(
            self.x, t=self.t)

    def run(self) -> Run:
        """The frames so far, as a Run. The flow may continue."""
        return Run._made(None, self)

    def __repr__(self) -> str:
        return (f"<Flow: t = {self.t:g} of {self.T:g}, {self.n} x {self.d}, {self.steps} steps, "
                f"{self.frames} frames, {self.engine}>")
