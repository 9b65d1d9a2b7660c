"""Each file of a run has a digest: a changed byte in any of them is found, for every kind of run."""

import re

import bars
import murmur
import numpy as np

FAMILIES = murmur.ROOT / "tests/fixtures/families"
VERIFICATION, INPUT = 7, 3
# Made from the run and drawn again at any time; notes of readers; an empty file that is locked.
NOT_KEPT = re.compile(r"(figures|video)/|report\.html$|compared\.json$|lock$")
TRAINING = ("train", "data=bars", "digits=3,7", "blocks=2", "hidden=8", "batch=20", "epochs=1", "-q")


class EveryFile(murmur.Case):
    def check(self, run, reader=("report", "--no-film"), least=()):
        """Damages each file of a run; `reader` is a command that reads it."""
        run = self.folder / run
        self.murmur("runs", "verify", run)
        names = sorted(str(path.relative_to(run)) for path in run.rglob("*") if path.is_file())
        kept = [name for name in names if not NOT_KEPT.search(name)]
        self.assertLessEqual(set(least), set(kept))
        for name in kept:
            path = run / name
            whole = path.read_bytes()
            if not whole:
                continue
            for way in ("changed", "cut", "gone"):
                if way == "gone" and name == "checkpoint.safetensors":
                    continue  # without one a run begins anew
                with self.subTest(run=run.name, file=name, way=way):
                    self.damage(path, whole, way)
                    lost = name == "manifest.json" and way != "changed"  # then it is no run
                    self.murmur("runs", "verify", run, code=INPUT if lost else VERIFICATION)
                    if reader and way == "changed":
                        done = self.murmur(reader[0], run, *reader[1:], code=INPUT)
                        self.assertEqual(len(done.stderr.splitlines()), 3, done.stderr)
                    path.write_bytes(whole)
        self.murmur("runs", "verify", run)

    def damage(self, path, whole, way):
        if way == "gone":
            path.unlink()
        elif way == "cut":
            path.write_bytes(whole[:-9] if path.name == "manifest.json" else whole[:-1])
        else:
            at = self.place(path.name, whole)
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])

    @staticmethod
    def place(name, whole):
        """Where a byte is changed: of a manifest, in a digest, which is what a file is compared with;
        of settings, in a key that is not free to change."""
        if name == "manifest.json":
            return whole.index(b'"trajectory.npy": "') + 25
        if name == "config.toml" and b"\nseed = " in whole:
            return whole.index(b"\nseed = ") + 8
        if name == "trajectory.npy" and len(whole) == 128:  # a header and no frames
            return 6
        return len(whole) - 3 if len(whole) > 3 else 0

    def test_simulation(self):
        self.save("masses.npy", np.ones(5))
        self.murmur("simulate", "-q", "n=5", "T=1", "masses=masses.npy", "value=gaussian", "-o", "run")
        self.check("run")

    def test_branch(self):
        self.murmur("simulate", "-q", "n=5", "T=1", "-o", "run")
        self.murmur("runs", "branch", "run", "beta=2", "T=2", "-q", "-o", "other")
        self.check("other", least=("parting.safetensors",))

    def test_mean_fields(self):
        self.murmur("meanfield", "-q", "d=2", "T=0.1", "modes=16", "-o", "run")
        self.check("run", least=("grid.npy", "density.npy", "phases.json"))
        self.murmur("meanfield", "-q", "dynamics=causal", "beta=4", "prefix=0.1:vmf:20@0",
                    "init=uniform", "T=0.1", "-o", "causal")
        self.check("causal", least=("labels.npy", "label_modes.npy", "label_density.npy"))

    def test_landscapes(self):
        self.murmur("landscape", "-q", "d=2", "n=4", "starts=2", "-o", "points")
        self.check("points", least=("points.json", "atoms.npy"))
        self.murmur("landscape", "-q", "d=2", "n=4", "betas=1:2:2", "-o", "scan")
        self.check("scan", least=("scan.json", "scan.csv", "atoms.npy"))

    def test_sweep(self):
        self.murmur("sweep", "-q", "n=4", "T=0.2", "beta=1,2", "replicas=2", "times=3", "-o", "run")
        self.check("run", reader=None, least=("sweep.csv", "front.csv", "cells.sha256",
                                              "cells/000000.csv", "cells/000001.csv"))

    def test_a_cell_that_was_changed_is_done_again(self):
        words = ("n=4", "T=0.2", "beta=1,2", "replicas=2", "times=3")
        self.murmur("sweep", "-q", *words, "-o", "run")
        run = self.folder / "run"
        before = {path.name: path.read_bytes() for path in run.rglob("*.csv")}
        cell = run / "cells/000001.csv"
        text = cell.read_text()
        digits = [k for k, c in enumerate(text) if c.isdigit() and k > len(text) // 2]
        at = digits[0]
        cell.write_text(text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1:])
        self.murmur("sweep", "--resume", "run", "-q")
        self.assertEqual({path.name: path.read_bytes() for path in run.rglob("*.csv")}, before)
        self.murmur("runs", "verify", "run")

    def test_traces(self):
        self.murmur("trace", FAMILIES / "gpt2", "--ids", "5,17,3,42,8", "-q", "-o", "run")
        self.check("run", least=("trace.json", "norms.npy", "spectra.npy",
                                 "activations.safetensors", "candidates.npy", "candidates.txt"))
        path = self.folder / "run/norms.npy"
        path.write_bytes(path.read_bytes()[:-1])
        self.refused(INPUT, "report", "run", do="trace again: murmur trace")
        self.save("states.npy", np.random.default_rng(0).standard_normal((3, 4, 5)))
        self.murmur("import", "states.npy", "-q", "-o", "states")
        self.check("states", least=("trace.json", "norms.npy"))

    def test_trainings(self):
        bars.save(self.folder / "bars")
        self.murmur(*TRAINING, "-o", "swarm")
        self.check("swarm", least=("model.safetensors", "summary.json"))
        self.murmur("classify", "swarm", "images=test:8", "-q", "--no-film", "-o", "flown")
        self.check("flown")
        self.murmur(*TRAINING, "reader=recurrent", "-o", "net")
        self.check("net", reader=None, least=("model.safetensors", "summary.json"))


if __name__ == "__main__":
    murmur.main()
