#!/usr/bin/env python3
"""Sweeps, mean fields, landscapes, trainings, traces and reproductions through Python: what the program
writes, byte for byte, and what it prints."""
import json
import os
import pathlib
import sys
import types
import unittest
import unittest.mock

import support
from support import Folder, program

import numpy as np

import murmur

MODELS = support.ROOT / "tests/fixtures/families"
MNIST = pathlib.Path(os.environ.get("MURMUR_DATA", support.ROOT / "data/mnist"))


def same_files(test, here, there, names):
    for name in names:
        test.assertEqual((pathlib.Path(here) / name).read_bytes(),
                         (pathlib.Path(there) / name).read_bytes(), name)


class Commands(Folder):
    def test_sweep(self):
        run = murmur.sweep(beta=[0.5, 2, 4], n=[4, 8], T=1, method="layers", replicas=3, out="a",
                           progress=False)
        program("sweep", "-q", "beta=0.5,2,4", "n=4,8", "T=1", "method=layers", "replicas=3", "-o", "b")
        same_files(self, "a", "b", ["sweep.csv", "config.toml"])
        table = run.table("sweep")
        self.assertEqual(sorted(set(table["beta"])), [0.5, 2.0, 4.0])
        self.assertEqual((run.kind, run.status, run.summary["cells"]), ("sweep", "done", 6))
        with self.assertRaises(murmur.InputError):
            run.array("density")

    def test_options_do_not_stay(self):
        """What one call says is not said in the next."""
        quick = murmur.reproduce("equiangular", quick=True, runs="a", progress=False)
        self.assertTrue(quick["quick"])
        self.assertEqual(murmur.reproduce("list")[0]["name"], "swarm-table")
        model = MODELS / "gpt2"
        one = murmur.trace(model, ids="5,7,9", no_ffn=True, out="one", progress=False)
        two = murmur.trace(model, ids="5,7,9", out="two", progress=False)
        program("trace", model, "--ids", "5,7,9", "-q", "-o", "three")
        self.assertNotEqual(one.x.tobytes(), two.x.tobytes())
        same_files(self, "two", "three", ["trajectory.npy", "observables.csv"])

    def test_meanfield(self):
        words = {"d": 2, "beta": 3, "dynamics": "USA", "init": "mode:2:1e-3", "T": 0.2, "modes": 32}
        told = []
        run = murmur.meanfield(out="a", progress=told.append, **words)
        program("meanfield", "-q", *[f"{k}={v}" for k, v in words.items()], "-o", "b")
        same_files(self, "a", "b", ["density.npy", "times.npy", "observables.csv", "phases.json"])
        self.assertEqual(run.array("density").shape[0], len(run.t))
        self.assertTrue(all({"fraction", "done", "of", "what"} <= set(p) for p in told))
        diagram = murmur.meanfield(dynamics="USA", beta=4, kappa="0.3:0.6:4")
        wanted = json.loads(program("meanfield", "-q", "dynamics=USA", "beta=4", "kappa=0.3:0.6:4",
                                    "--json"))
        self.assertEqual(diagram, wanted)

    def test_landscape(self):
        run = murmur.landscape(d=2, beta=4, n=10, starts=2, out="a", progress=False)
        program("landscape", "-q", "d=2", "beta=4", "n=10", "starts=2", "-o", "b")
        same_files(self, "a", "b", ["atoms.npy"])
        points = [json.loads(pathlib.Path(f"{name}/points.json").read_text()) for name in "ab"]
        self.assertEqual([p.pop("run") for p in points], ["a", "b"])
        self.assertEqual(*points)
        self.assertEqual(run.summary["run"], "a")

    def test_transport_is_measure_s(self):
        x, y = murmur.Field(n=30, d=2, seed=1).x, murmur.Field(n=30, d=2, seed=2).x
        exact = murmur.transport(x, y)
        circle = murmur.transport(x, y, ground="arc")
        self.assertEqual((exact["method"], circle["method"]), ("assignment", "circle"))
        arcs = murmur.transport(x, y, method="assignment", ground="arc")
        self.assertAlmostEqual(circle["distance"], arcs["distance"], 12)
        entropic = murmur.transport(x, y, method="entropic")
        self.assertTrue(entropic["min"] <= exact["distance"] <= entropic["most"])
        self.assertLess(murmur.transport(x, y, method="sliced")["distance"], exact["distance"])
        self.assertEqual(sorted(exact["partner"]), list(range(30)))
        np.save("x.npy", x), np.save("y.npy", y)
        told = json.loads(program("measure", "x.npy", "show=distance", "to=y.npy", "--json"))
        self.assertIn(circle["distance"], [v for row in np.atleast_1d(told) for v in row.values()])

    @unittest.skipUnless((MNIST / "train-images-idx3-ubyte.gz").is_file()
                         or (MNIST / "train-images-idx3-ubyte").is_file(), "MNIST is not here")
    def test_train_and_classify(self):
        words = {"epochs": 1, "hidden": 8, "blocks": 2, "threads": 2}
        run = murmur.train(out="a", progress=False, **words)
        program("train", "-q", *[f"{k}={v}" for k, v in words.items()], "-o", "b")
        same_files(self, "a", "b", ["model.safetensors", "trajectory.npy"])
        self.assertEqual((run.kind, run.summary["epochs"]), ("train", 1))
        verdicts = murmur.classify(run, images="test:0-4")
        self.assertEqual(verdicts, json.loads(program("classify", "b", "images=test:0-4", "--json")))

    def test_readings_are_those_of_the_program(self):
        known = {reading.name: reading for reading in murmur.readings()}
        pages = {name: program(name, "--help") for name in ("measure", "render")}
        for name, reading in known.items():
            self.assertTrue(reading.table or reading.picture, name)
            for text, page in ((reading.table, pages["measure"]), (reading.picture, pages["render"])):
                if text:
                    self.assertIn(" ".join(text.split()), " ".join(page.split()))
        self.assertEqual([option.name for option in known["histogram"].table_options], ["frame", "bins"])
        self.assertEqual(known["dome"].table, "")

    def test_render(self):
        run = murmur.simulate(n=12, d=3, T=1, out="a")
        self.assertEqual(murmur.render(run, figure="cosines", out="c.svg"), [pathlib.Path("c.svg")])
        self.assertIn("<svg", pathlib.Path("c.svg").read_text())
        self.assertEqual(murmur.render(run, figure="counts"), [pathlib.Path("a/figures/counts.png")])
        with self.assertRaises(murmur.InputError):
            murmur.render(run, figure="moon", out="m.svg")
        with self.assertRaises(murmur.UsageError):
            murmur.render(murmur.simulate(n=4, T=1), figure="cosines")

    def test_a_run_is_a_player(self):
        for run in (murmur.simulate(n=12, T=1), murmur.simulate(n=12, T=1, out="a"),
                    murmur.simulate(n=5, d=7, T=1)):
            page = run._repr_html_()
            self.assertIn("<iframe srcdoc=", page)
            self.assertNotIn("http://", page.replace("http://www.w3.org", ""))
            self.assertLess(len(page), 2_000_000)
        self.assertIn("<pre>", murmur.sweep(beta=[1, 2], n=4, T=1, method="layers", out="s",
                                            progress=False)._repr_html_())

    def test_progress(self):
        seen = []
        murmur.simulate(n=4000, T=20, save="final", progress=seen.append)
        self.assertTrue(seen and all(0 <= p["fraction"] <= 1 for p in seen), seen)

        def refuses(p):
            raise ValueError("enough")

        with self.assertRaises(ValueError):
            murmur.simulate(n=600, T=1e5, save="final", progress=refuses)
        with self.assertRaises(ValueError):
            murmur.simulate(n=600, T=1e5, save="every:1", progress=refuses, out="b")
        self.assertEqual(murmur.Run.open("b").status, "interrupted")
        self.check_notebook()
        done = support.python("import murmur; murmur.simulate(n=4000, T=20, save='final', progress=True)")
        self.assertIn("% |", done.stderr)

    def check_notebook(self):
        """In a notebook one output changes; here a stand-in for its kernel notes what it is told."""
        told = []

        class ZMQInteractiveShell:
            pass

        class Handle:
            def update(self, data, raw):
                told.append(data["text/plain"])

        def display(data, raw, display_id):
            told.append(data["text/plain"])
            return Handle()

        ipython = types.ModuleType("IPython")
        ipython.get_ipython = ZMQInteractiveShell
        shown = types.ModuleType("IPython.display")
        shown.display = display
        with unittest.mock.patch.dict(sys.modules, {"IPython": ipython, "IPython.display": shown}):
            murmur.simulate(n=4000, T=20, save="final")
        self.assertTrue(len(told) > 1 and "% |" in told[0] and told[-1] == "", told)


if __name__ == "__main__":
    unittest.main()
