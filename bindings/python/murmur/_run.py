"""_run.py: Run: the result of a simulation, training, sweep or search, in memory or in a directory."""
from __future__ import annotations

import csv
import json
import os
import pathlib
import weakref
from typing import TYPE_CHECKING, Any, Iterator, Mapping

import numpy as np

from . import _core
from ._errors import InputError, UsageError
from ._words import path_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._flow import Flow


class Table(Mapping[str, Any]):
    """Columns by name, one number per frame; NaN if there is none."""

    def __init__(self, names: list[str], values: NDArray[Any]) -> None:
        self._names, self._values = names, values  # (frames, names)

    def __getitem__(self, name: str) -> NDArray[Any]:
        try:
            return self._values[:, self._names.index(name)]
        except ValueError:
            raise KeyError(f"there is no {name}; there are {', '.join(self._names)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<{len(self._values)} rows of {', '.join(self._names)}>"


def read_table(path: pathlib.Path) -> Table:
    """A CSV of numbers with one row of names; other texts become NaN."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))

    def number(text: str) -> float:
        try:
            return float(text)
        except ValueError:
            return float("nan")

    names = rows[0] if rows else []
    values = np.array([[number(cell) for cell in row] for row in rows[1:]], dtype=np.float64)
    return Table(names, values.reshape(len(rows) - 1 if rows else 0, len(names)))


class Run:
    """One run: frames ``x`` at times ``t``, ``observables``, and its parameters.

    ``murmur.simulate`` and the other functions return one; ``Run.open`` reads a directory that any
    murmur wrote. Arrays are views of memory that the run keeps alive, or of its files.
    """

    def __init__(self) -> None:
        raise UsageError("a run cannot be constructed", "Run()", "use murmur.simulate or Run.open")

    directory: pathlib.Path | None
    summary: dict[str, Any]
    _running: Any
    _flow: Flow | None
    _cache: dict[str, Any]

    # -- making and opening

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Run:
        """A run directory, read without changing it; also while it is being written."""
        folder = pathlib.Path(path_of(path))
        try:
            manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
            raise InputError("this is not a run directory", str(folder),
                             "give a directory that murmur wrote, for example runs/flock-0-1"
                             ) from error
        if not isinstance(manifest, dict) or not str(manifest.get("schema", "")).startswith("murmur-run-"):
            raise InputError("this manifest.json was not written by murmur", str(folder),
                             "give a directory that murmur wrote")
        return cls._made(folder, None, manifest)

    @classmethod
    def _made(cls, directory: pathlib.Path | None, flow: Flow | None,
              manifest: dict[str, Any] | None = None, summary: dict[str, Any] | None = None) -> Run:
        run = object.__new__(cls)
        run.directory = directory
        run.summary = summary or {}
        run._flow = flow
        running: Any = flow._running if flow is not None else None
        run._running = running
        run._cache = {} if manifest is None else {"manifest": manifest}
        if flow is not None:  # a snapshot: the flow may continue
            run._cache |= {"t": running.times, "x": run._frames_in_memory(), "table": running.table,
                           "status": running.status}
            for name in ("t", "x", "table"):
                run._cache[name].flags.writeable = False
        return run

    def _frames_in_memory(self) -> NDArray[Any]:
        frames: NDArray[Any] = self._running.trajectory
        return frames.astype(np.float32) if self._running.single else frames

    def _file(self, name: str) -> pathlib.Path:
        if self.directory is None:
            raise InputError(f"a run in memory has no {name}", repr(self),
                             "keep it: murmur.simulate(..., out='runs/mine')")
        path = self.directory / name
        if not path.is_file():
            raise InputError(f"the run has no {name}", str(self.directory),
                             f"it has {', '.join(self.files)}")
        return path

    def _once(self, key: str, make: Any) -> Any:
        if key not in self._cache:
            self._cache[key] = make()
        return self._cache[key]

    # -- content

    @property
    def t(self) -> NDArray[Any]:
        """(frames,) times."""
        array: NDArray[Any] = self._once("t", lambda: self.array("times"))
        return array

    @property
    def x(self) -> NDArray[Any]:
        """(frames, n, d) positions; of a directory a map of the file."""
        array: NDArray[Any] = self._once("x", lambda: self.array("trajectory"))
        return array

    @property
    def n(self) -> int:
        return int(self.x.shape[1])

    @property
    def d(self) -> int:
        return int(self.x.shape[2])

    def __len__(self) -> int:
        """Frames."""
        return len(self.t)

    @property
    def observables(self) -> Table:
        """One number for each frame and observable: ``run.observables["energy"]``."""
        def make() -> Table:
            if self._running is not None:
                return Table(list(self._running.columns), self._cache["table"])
            whole = read_table(self._file("observables.csv"))
            names = [name for name in whole if name != "t"]
            return Table(names, whole._values[: len(self), 1:])

        table: Table = self._once("observables", make)
        return table

    def __getitem__(self, name: str) -> NDArray[Any]:
        """An observable, frame by frame."""
        return self.observables[name]

    @property
    def files(self) -> list[str]:
        """The names of the files in its directory."""
        if self.directory is None:
            return []
        return sorted(p.name for p in self.directory.iterdir())

    def array(self, name: str) -> NDArray[Any]:
        """A .npy of the directory by name, memory-mapped: trajectory, times, density, norms, ..."""
        path = self._file(name if name.endswith(".npy") else f"{name}.npy")
        try:
            array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
        except ValueError:
            try:  # an empty file cannot be mapped
                array = np.load(path, allow_pickle=False)
            except ValueError as error:
                raise InputError(f"the array cannot be read: {error}", str(path),
                                 "restore it, or run the command again") from error
        return array

    def table(self, name: str) -> Table:
        """A .csv of the directory by name: observables, sweep, front, scan."""
        return read_table(self._file(name if name.endswith(".csv") else f"{name}.csv"))

    @property
    def manifest(self) -> dict[str, Any]:
        """manifest.json; for a run in memory the known part of it."""
        if self._running is not None:
            running = self._running
            return {"command": "simulate", "status": self.status, "engine": running.engine,
                    "seed": running.seed, "reproducible": self.reproducible}
        manifest: dict[str, Any] = self._cache["manifest"]
        return manifest

    @property
    def kind(self) -> str:
        """The command that created it: simulate, train, sweep, meanfield, landscape, trace."""
        return str(self.manifest["command"])

    @property
    def status(self) -> str:
        """done, interrupted, failed or running."""
        return str(self._cache["status"] if self._running is not None else self.manifest["status"])

    @property
    def engine(self) -> str:
        return str(self.manifest["engine"])

    @property
    def external(self) -> list[str]:
        """Names of the Python functions among its forces."""
        if self._running is not None:
            return list(self._running.external)
        name, _, functions = self.engine.partition(" with ")
        return functions.split(",") if name == "reference" and functions else []

    @property
    def reproducible(self) -> bool:
        """Whether its parameters reproduce it; false with forces that are functions or objects of Python."""
        return not self.external and not (self._running is not None and self._running.of_objects)

    @property
    def config(self) -> str:
        """config.toml: every parameter, resolved."""
        if self._running is not None:
            return str(self._running.config)
        return self._file("config.toml").read_text(encoding="utf-8")

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters as a dictionary."""
        import tomllib

        return tomllib.loads(self.config)

    @property
    def events(self) -> list[dict[str, Any]]:
        """Mergers, checkpoints and warnings."""
        if self._running is not None:
            return [{"event": "merge", "t": t, "into": i, "absorbed": j, "mass": m, "left": k}
                    for t, i, j, m, k in self._running.merges]
        lines = self._file("events.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]

    @property
    def equation(self) -> str:
        """The equation of motion, one term per line."""
        if self._running is not None:
            return str(self._running.equation)
        return str(_core.Field([str(self._file("config.toml"))], None, None, self._stand_ins()).equation)

    def _stand_ins(self) -> list[Any]:
        """Forces for descriptions, which are never evaluated."""
        from ._flow import External

        def unknown(t: float, x: Any) -> Any:
            raise InputError("this force is a function of the program that created the run",
                             str(self.directory), "simulate again in that program")

        return [External(name, unknown) for name in self.external]

    # -- operations

    def clusters(self, frame: int = -1, **parameters: Any) -> Clusters:
        """Clusters of one frame; cluster_tol and the rest as in ``murmur.clusters``."""
        from ._functions import Field

        if self._running is not None:
            tol = float(parameters.pop("cluster_tol", 0.0))
            if parameters:
                raise UsageError("a run in memory takes only cluster_tol", repr(self),
                                 "use murmur.clusters(run.x[frame], ...)")
            return Clusters(*self._running.clusters(frame, tol))
        return Field(self._file("config.toml"), init=self.x[frame], external=self._stand_ins(),
                     **parameters).clusters()

    def save(self, out: str | os.PathLike[str] | None = None, *, runs: str | os.PathLike[str] = "runs",
             force: bool = False) -> Run:
        """Writes a run in memory to a directory, as the program would write it."""
        if self._flow is None:
            raise UsageError("the run already has a directory", repr(self), "copy its directory")
        if self._flow.frames != len(self):
            raise UsageError("its flow has continued since", repr(self), "save flow.run()")
        place = "" if out is None else path_of(out)
        return Run.open(self._running.save(place, path_of(runs), force))

    def measure(self, *, show: str | None = None, **parameters: Any) -> Any:
        """``murmur.measure`` of this run."""
        from ._functions import measure

        return measure(self, show=show, **parameters)

    def resume(self, *, T: float | None = None, progress: Any = "auto") -> Run:
        """Continues to the end, or to a larger T. The frames are the existing ones and those of a run that had
        this T from the start. Returns a new run for a run in memory; a directory grows."""
        from ._functions import resume

        if self._flow is not None:
            flow = self._flow if T is None else self._flow.resume(T=T)
            return flow.advance(progress=progress).run()
        return resume(self, T=T, progress=progress)

    def branch(self, *, out: str | os.PathLike[str] | None = None, progress: Any = "auto",
               **changes: Any) -> Run:
        """A new run with changed parameters that begins at the last frame of a run in memory, or at the last
        checkpoint of a directory, which for adaptive methods is up to one step before T."""
        from ._functions import branch

        if self._flow is not None and out is None:
            flow = self._flow.branch(**changes)
            flow.advance(progress=progress)
            return flow.run()
        return branch(self, out=out, progress=progress, changes=changes)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame of the observables, indexed by t."""
        try:
            import pandas
        except ImportError as error:
            raise _missing("pandas") from error
        return pandas.DataFrame({name: np.asarray(self[name]) for name in self.observables},
                                index=pandas.Index(np.asarray(self.t), name="t"))

    def to_xarray(self) -> Any:
        """An xarray.Dataset: x over t, particle and coordinate; observables over t."""
        try:
            import xarray
        except ImportError as error:
            raise _missing("xarray") from error
        data: dict[str, Any] = {name: ("t", np.asarray(self[name])) for name in self.observables}
        return xarray.Dataset(
            data | {"x": (("t", "particle", "coordinate"), self.x)},
            coords={"t": np.asarray(self.t), "particle": np.arange(self.n),
                    "coordinate": np.arange(self.d)},
            attrs={"config": self.config, "engine": self.engine, "status": self.status})

    def __repr__(self) -> str:
        where = "in memory" if self.directory is None else str(self.directory)
        try:
            size = f"{len(self)} frames of {self.n} x {self.d}"
        except Exception:  # a run without frames, or one that is damaged
            size = "no frames"
        last = "" if not self._has_frames() else f", t = {float(self.t[-1]):g}"
        mark = "" if self.reproducible else ", not reproducible from its files"
        return f"<Run of {self.kind}: {size}{last}, {self.status}, {where}{mark}>"

    def _has_frames(self) -> bool:
        try:
            return len(self) > 0
        except Exception:
            return False

    def player(self, *, height: int = 440) -> str:
        """HTML of a player of its frames, offline, drawn by the studio's own code."""
        from .player import frame, page

        count = len(self)
        kept = np.unique(np.linspace(0, count - 1, min(count, 240)).round().astype(np.intp))
        caption = repr(self)[1:-1] + ("" if len(kept) == count else f"; {len(kept)} of its frames")
        film = page(self.x[kept], times=self.t[kept], sphere=self._on_sphere(), caption=caption)
        return frame(film, height=height)

    def _on_sphere(self) -> bool:
        if self._running is not None:
            return bool(self._running.manifold == "sphere")
        return self.parameters.get("habitat") == "sphere"

    def _repr_html_(self) -> str:
        import html

        if not self._has_frames() or not np.isfinite(self.x[-1]).all() or self.n * self.d == 0:
            return f"<pre>{html.escape(repr(self))}</pre>"
        return self.player()

    def __array__(self, dtype: Any = None) -> NDArray[Any]:
        return self.x if dtype is None else self.x.astype(dtype)

    def _delete_with(self, folder: str) -> None:
        """Removes a folder when the run is garbage collected."""
        import shutil

        weakref.finalize(self, shutil.rmtree, folder, True)


class Clusters:
    """Components of the graph of close pairs."""

    def __init__(self, count: int, label: NDArray[Any], size: NDArray[Any], mass: NDArray[Any]) -> None:
        self.count, self.label, self.size, self.mass = count, label, size, mass

    def __repr__(self) -> str:
        return f"<{self.count} clusters of {', '.join(str(s) for s in self.size[:8])}" + (
            ", ...>" if self.count > 8 else ">")

    def __len__(self) -> int:
        return self.count


def _missing(package: str) -> Exception:
    from ._errors import ToolError

    return ToolError(f"{package} is not installed", "import " + package,
                     f"install it: apt install python3-{package}, or pip install {package}")
