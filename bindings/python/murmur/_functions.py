"""_functions.py: the commands of the program as functions: the same parameters, the same bytes."""
from __future__ import annotations

import json
import os
import pathlib
import tempfile
import warnings
from typing import Any, Iterable, TYPE_CHECKING

import numpy as np

from . import _core
from ._errors import (InputError, Interrupted, JobsError, NumericalError, UsageError,
                      VerificationError)
from ._flow import External, Flow, externals
from ._progress import ProgressLike, reporter
from ._run import Clusters, Run
from ._words import Words, array_of, is_array, path_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

Place = "str | os.PathLike[str] | None"


def _call(words: list[str], progress: ProgressLike = "auto") -> tuple[int, Any]:
    """The exit code and the JSON output of a command; Interrupted after Ctrl-C."""
    report, end = reporter(progress)
    try:
        code, output, messages, stopped = _core.call([*words, "--json"], report)
    finally:
        end()
    result = json.loads(output) if output.strip() else None
    for line in messages.splitlines():
        if line.startswith("murmur: "):  # a picture that could not be drawn, a cell that failed
            warnings.warn(line.removeprefix("murmur: "), stacklevel=4)
    if stopped:
        run = result.get("run") if isinstance(result, dict) else None
        raise Interrupted("stopped after a checkpoint; run.resume() continues it",
                          Run.open(run) if run else None)
    return code, result


def _made(result: Any) -> Run:
    run = Run.open(result["run"])
    run.summary = result
    return run


def _outputs(out: Any, runs: Any, force: bool) -> list[str]:
    words = []
    if out is not None:
        words += ["-o", path_of(out)]
    if runs is not None:
        words += ["--runs", path_of(runs)]
    return words + (["--force"] if force else [])


def _recorded(command: str, base: Any, parameters: dict[str, Any], out: Any, runs: Any, force: bool,
              progress: ProgressLike) -> tuple[int, Any]:
    with Words(base, parameters) as words:
        return _call([command, *words.words, *_outputs(out, runs, force)], progress)


# -- one swarm

def simulate(base: Any = None, /, *, out: Any = None, runs: Any = None, force: bool = False,
             external: External | Iterable[External] | None = None, progress: ProgressLike = "auto",
             **parameters: Any) -> Run:
    """Simulates a swarm over time, as ``murmur simulate`` does; parameters are those of
    ``murmur.parameters()``. ``base`` is a preset, an experiment file, or a run to repeat.

    The run is in memory; with ``out`` in that directory, with ``runs`` below that folder, as the
    program writes it. ``init``, ``masses``, ``query``, ``key`` and ``value`` may be arrays;
    ``dynamics`` a Dynamics; ``external`` an External or several."""
    objects = isinstance(parameters.get("dynamics"), _core.Dynamics)
    functions = externals(external)
    kept = out is not None or runs is not None
    if kept and objects:
        raise InputError("a Dynamics object cannot be stored in the files of a run",
                         "simulate(dynamics=Dynamics(...), out=...)",
                         "leave out= away, or use parameters: dynamics='SA', value=array")
    if kept and functions:
        return _keep_external(base, parameters, functions, out, runs, force, progress)
    if not kept and parameters.get("method") != "bdf":
        flow = Flow(base, external=functions, **parameters)
        flow.advance(progress=progress)
        return flow.run()
    if kept:
        return _made(_recorded("simulate", base, parameters, out, runs, force, progress)[1])
    # bdf is verified with a second method, which reads the files of the first.
    folder = tempfile.mkdtemp(prefix="murmur-")
    run = _made(_recorded("simulate", base, parameters, f"{folder}/run", None, False, progress)[1])
    run._delete_with(folder)
    return run


def _keep_external(base: Any, parameters: dict[str, Any], functions: list[External], out: Any,
                   runs: Any, force: bool, progress: ProgressLike) -> Run:
    report, end = reporter(progress)
    with Words(base, parameters, in_memory=("init",)) as words:
        try:
            place = _core.record(words.words, words.arrays.get("init"), functions,
                                 "" if out is None else path_of(out),
                                 "runs" if runs is None else path_of(runs), force, report)
        finally:
            end()
    directory, what, where, do = place
    run = Run.open(directory)
    if what is None:
        return run
    if what == "":
        raise Interrupted("stopped after a checkpoint", run)
    failed = NumericalError(what, where, do)
    failed.run = run
    raise failed


class Field:
    """A prepared dynamics: ``field.velocity(x, t, out)`` costs only the sums. Arrays of doubles that are
    stored coordinate after coordinate (``numpy.asfortranarray(x)``, ``numpy.empty((d, n)).T``, a Swarm,
    the result of an earlier call) are read and written without a copy."""

    def __init__(self, base: Any = None, /, *, external: External | Iterable[External] | None = None,
                 **parameters: Any) -> None:
        plain = dict(parameters)
        dynamics = plain.get("dynamics")
        objects = isinstance(dynamics, _core.Dynamics)
        if objects:
            del plain["dynamics"]
        with Words(base, plain, in_memory=("init",)) as words:
            self._field = _core.Field(words.words, words.arrays.get("init"),
                                      dynamics if objects else None, externals(external))
        self.velocity = self._field.velocity
        self.observe = self._field.observe

    @property
    def n(self) -> int:
        return int(self._field.n)

    @property
    def d(self) -> int:
        return int(self._field.d)

    @property
    def x(self) -> NDArray[Any]:
        """(n, d) points that its parameters describe, a copy."""
        array: NDArray[Any] = self._field.x
        return array

    @property
    def engine(self) -> str:
        return str(self._field.engine)

    @property
    def config(self) -> str:
        return str(self._field.config)

    @property
    def dynamics(self) -> Any:
        return self._field.dynamics

    @property
    def equation(self) -> str:
        return str(self._field.equation)

    def clusters(self, x: Any = None) -> Clusters:
        return Clusters(*self._field.clusters(x))

    def __repr__(self) -> str:
        return f"<Field of {self.n} x {self.d}, {self.engine}>"


def _placed(x: Any, parameters: dict[str, Any]) -> dict[str, Any]:
    if x is None:
        return parameters
    if "init" in parameters:
        raise UsageError("the points are given twice", "x and init", "give one of them")
    return {**parameters, "init": x}


def velocity(x: Any = None, /, base: Any = None, *, external: Any = None, t: float = 0.0,
             **parameters: Any) -> NDArray[Any]:
    """(n, d) the velocity of given points, or of those that ``init`` describes."""
    array: NDArray[Any] = Field(base, external=external, **_placed(x, parameters)).velocity(t=t)
    return array.astype(np.float32) if parameters.get("precision") == "f32" else array


def energy(x: Any = None, /, base: Any = None, **parameters: Any) -> float:
    """The energy of given points, or of those that ``init`` describes."""
    row = Field(base, **_placed(x, parameters)).observe()
    if "energy" not in row:
        raise InputError("this dynamics has no energy", "energy",
                         "an energy needs V = Q^T K or -Q^T K, symmetric; murmur.measure gives other observables")
    return float(row["energy"])


def clusters(x: Any = None, /, base: Any = None, **parameters: Any) -> Clusters:
    """Clusters of given points: components of the graph of pairs closer than ``cluster_tol``."""
    return Field(base, **_placed(x, parameters)).clusters()


def measure(what: Any, /, *, show: str | None = None, **parameters: Any) -> Any:
    """Computes observables of a run, a .npy or an array (n, d) or (frames, n, d), as ``murmur measure``
    does: a list of dictionaries, one per frame; with ``show`` that reading."""
    if isinstance(what, Run) and what.directory is None:
        with tempfile.TemporaryDirectory(prefix="murmur-") as folder:
            return measure(what.save(f"{folder}/run"), show=show, **parameters)
    with Words(None, {"show": show, **parameters}) as words:
        if isinstance(what, Run):
            subject = str(what.directory)
        elif is_array(what):
            subject = words.path_in_memory("measured", what)
        else:
            subject = path_of(what)
        return _call(["measure", subject, *words.words], False)[1]


def render(run: Run, /, *, figure: str | None = None, out: Any = None, force: bool = False,
           **parameters: Any) -> list[pathlib.Path]:
    """Draws a figure of a run in a directory, as ``murmur render`` does, to ``out`` (.png, .svg, .pdf or .mp4) or
    into the run; without ``figure`` scenes, a film and plots. The paths of the files; ``murmur.readings()`` lists
    the figures."""
    if run.directory is None:
        raise UsageError("a run in memory has no files to draw", repr(run), "use run.save() first")
    with Words(None, {"figure": figure, **parameters}) as words:
        drawn = _call(["render", str(run.directory), *words.words, *_outputs(out, None, force)])[1]
    return [pathlib.Path(path) for path in drawn]


class Reading:
    """What can be computed from a run: ``table`` says what ``measure(run, show=name)`` returns, ``picture`` what
    ``render(run, figure=name)`` draws; empty if there is none."""

    __slots__ = ("name", "table", "picture", "table_options", "picture_options")

    def __init__(self, name: str, table: str, picture: str, table_options: list[Parameter],
                 picture_options: list[Parameter]) -> None:
        self.name, self.table, self.picture = name, table, picture
        self.table_options, self.picture_options = table_options, picture_options

    def __repr__(self) -> str:
        return f"{self.name}: {self.table or self.picture}"


def readings() -> list[Reading]:
    """The readings of a run, with the options of their tables and pictures."""
    return [Reading(name, table, picture, [Parameter(*row) for row in of_table],
                    [Parameter(*row) for row in of_picture])
            for name, table, picture, of_table, of_picture in _core.readings()]


# -- longer computations

def sweep(base: Any = None, /, *, out: Any = None, runs: Any = None, force: bool = False,
          progress: ProgressLike = "auto", **parameters: Any) -> Run:
    """A grid of simulations: a list or 'a:b:count' is an axis. ``run.table("sweep")`` has the cells.
    JobsError, with ``run``, if some failed."""
    code, result = _recorded("sweep", base, parameters, out, runs, force, progress)
    run = _made(result)
    if code != 0:
        error = JobsError(f"{result['failed']} of {result['cells']} cells failed", str(run.directory),
                          "see failures.jsonl; run.resume() tries them again")
        error.run = run
        raise error
    return run


def train(base: Any = None, /, *, out: Any = None, runs: Any = None, force: bool = False,
          progress: ProgressLike = "auto", **parameters: Any) -> Run:
    """Trains a swarm to read digits, to compare two pictures, or to read sentences. ``run.summary`` has the
    accuracies."""
    return _made(_recorded("train", base, parameters, out, runs, force, progress)[1])


def classify(model: Any, /, *, out: Any = None, force: bool = False, **parameters: Any) -> Any:
    """Classifies pictures, or the meaning of a word, with a trained swarm: ``images='test:0-9'``,
    ``text='the boat lay near the bank', asked='bank'``."""
    return _recorded("classify", model, parameters, out, None, force, False)[1]


def meanfield(base: Any = None, /, *, out: Any = None, runs: Any = None, force: bool = False,
              progress: ProgressLike = "auto", **parameters: Any) -> Any:
    """Simulates a measure of infinitely many tokens over time: a Run with ``array("density")``; with
    ``kappa='from:to:points'`` the bifurcation diagram, a dictionary."""
    result = _recorded("meanfield", base, parameters, out, runs, force, progress)[1]
    return _made(result) if "run" in result else result


def landscape(base: Any = None, /, *, out: Any = None, runs: Any = None, force: bool = False,
              progress: ProgressLike = "auto", **parameters: Any) -> Run:
    """Critical points of the energy, certified; ``run.summary`` has them."""
    return _made(_recorded("landscape", base, parameters, out, runs, force, progress)[1])


def trace(model: Any, /, *texts: str, out: Any = None, runs: Any = None, force: bool = False,
          progress: ProgressLike = "auto", **options: Any) -> Any:
    """Runs a transformer on texts: tokens are particles, layers are frames. Options are those of
    ``murmur trace``: ``continue_=40``, ``no_ffn=True``, ``patch='all'``; see its --help."""
    words = ["trace", path_of(model), *texts, *_outputs(out, runs, force)]
    for name, value in options.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is True:
            words.append(flag)
        elif value is not None and value is not False:
            joined = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
            words += [flag, joined]
    code, result = _call(words, progress)
    if code == 7:
        raise _differs(result, "the model and the states of the other program differ", str(model))
    return _made(result) if isinstance(result, dict) and "run" in result else result


def reproduce(name: str, /, *, quick: bool = False, runs: Any = None, resume: bool = False,
              style: str | None = None, progress: ProgressLike = "auto", **parameters: Any) -> Any:
    """Computes a published table or figure again, each number with its verdict; ``reproduce('list')``
    names them. VerificationError, with ``result``, if an answer is not the expected one."""
    with Words(None, parameters) as words:
        asked = ["reproduce", name, *words.words, *_outputs(None, runs, False)]
        asked += (["--quick"] if quick else []) + (["--resume"] if resume else [])
        asked += ["--style", style] if style is not None else []
        code, result = _call(asked, progress)
    if code == 7:
        raise _differs(result, "a number is not the published one", name)
    return result


def _differs(result: Any, what: str, where: str) -> VerificationError:
    error = VerificationError(what, where, "error.result has both")
    error.result = result
    return error


def resume(run: Run, *, T: float | None = None, progress: ProgressLike = "auto") -> Run:
    """Continues a run of a directory."""
    words = [run.kind, "--resume", str(run.directory)] + ([f"T={T!r}"] if T is not None else [])
    return _made(_call(words, progress)[1])


def branch(run: Run, *, out: Any, progress: ProgressLike, changes: dict[str, Any]) -> Run:
    if run.directory is None:
        raise UsageError("a run in memory has no directory to branch from", repr(run),
                         "leave out= away, or simulate with out=")
    with Words(None, changes) as words:
        asked = ["runs", "branch", str(run.directory), *words.words]
        return _made(_call([*asked, *_outputs(out, None, False)], progress)[1])


# -- distances

def transport(x: Any, y: Any, /, *, method: str = "auto", ground: str = "chord", p: int = 2,
              epsilon: float = 0.01, slices: int = 256, seed: int = 0, threads: int = 0,
              x_masses: Any = None, y_masses: Any = None) -> dict[str, Any]:
    """The Wasserstein distance W_p between two sets of points (n, d).

    ``circle``: exact, arcs, d = 2; ``assignment``: exact, as many particles of equal masses, at most
    2,000; ``entropic``: W2 between bounds, at most 4,096; ``sliced``: any number, over random slices.
    ``auto`` takes the first that applies, and for ``arc`` with d = 2 the circle."""
    a, b = array_of("x", x), array_of("y", y)
    weighted = x_masses is not None or y_masses is not None
    if method == "auto":
        if ground == "arc" and a.ndim == 2 and a.shape[1] == 2:
            method = "circle"
        elif not weighted and len(a) == len(b) <= 2000:
            method = "assignment"
        else:
            method = "entropic" if p == 2 and max(len(a), len(b)) <= 4096 else "sliced"
    if method == "circle":
        distance, least = _core.circle_distance(a, b, p, x_masses, y_masses)
        return {"method": method, "distance": distance, "min": least}
    if method == "assignment":
        if weighted:
            raise InputError("an assignment needs equal masses", "x_masses, y_masses",
                             "use method='entropic'")
        distance, least, partner = _core.assignment_distance(a, b, ground, p)
        return {"method": method, "distance": distance, "min": least, "partner": partner}
    if p != 2:
        raise InputError(f"{method} distances are W2", f"p={p}", "use p=2")
    if method == "entropic":
        names = ("distance", "min", "most", "epsilon", "margin_error")
        found = _core.entropic_distance(a, b, ground, epsilon, threads, x_masses, y_masses)
        return {"method": method, **dict(zip(names, found))}
    if method == "sliced":
        found = _core.sliced_distance(a, b, ground, slices, seed, threads, x_masses, y_masses)
        return {"method": method, "distance": found[0], "error": found[1]}
    raise InputError(f"there is no method '{method}'", "method",
                     "use auto, circle, assignment, entropic or sliced")


# -- parameters, presets, runs

class Parameter:
    """One parameter of a command: its name, kind, default, values and meaning."""

    __slots__ = ("name", "kind", "initial", "values", "meaning")

    def __init__(self, name: str, kind: str, initial: str, values: str, meaning: str) -> None:
        self.name, self.kind, self.initial, self.values, self.meaning = (
            name, kind, initial, values, meaning)

    def __repr__(self) -> str:
        return f"{self.name} = {self.initial}: {self.meaning} ({self.values})"


def parameters(command: str = "simulate") -> list[Parameter]:
    """The parameters that simulate, sweep, train, meanfield or landscape takes."""
    return [Parameter(*row) for row in _core.parameters(command)]


def presets() -> dict[str, str]:
    """The texts of the experiments that come with murmur, by name."""
    return dict(_core.presets())


def runs(folder: Any = "runs") -> list[Run]:
    """The runs directly below a folder."""
    place = pathlib.Path(path_of(folder))
    if not place.is_dir():
        return []
    found = (p for p in sorted(place.iterdir()) if (p / "manifest.json").is_file())
    return [Run.open(p) for p in found if not p.name.startswith(".")]
