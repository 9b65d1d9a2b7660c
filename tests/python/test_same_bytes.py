#!/usr/bin/env python3
"""Results through Python are those of the command line, byte for byte, on random experiments: 30 here,
1,000 with MURMUR_LONG=1."""
import os
import pathlib
import unittest

import support
from support import Folder, program, random_experiment

import numpy as np

import murmur

EXPERIMENTS = range(1000) if support.LONG else range(30)


def words_of(parameters):
    return [f"{key}={str(value).lower() if isinstance(value, bool) else value}"
            for key, value in parameters.items()]


def outcome_of(act):
    """What comes of it: a value, or the code of its refusal."""
    try:
        return act()
    except murmur.MurmurError as error:
        return error.code


class SameBytes(Folder):
    def test_random_experiments(self):
        flown = refused = 0
        for number in EXPERIMENTS:
            with self.subTest(number=number):
                parameters = random_experiment(number)
                run = outcome_of(lambda: murmur.simulate(progress=False, **parameters))
                there = pathlib.Path(f"run{number}")
                if isinstance(run, int):  # refused: by the program too, with the same code
                    program("simulate", "-q", *words_of(parameters), "-o", there, code=run)
                    refused += 1
                    continue
                program("simulate", "-q", *words_of(parameters), "-o", there)
                flown += 1
                kept = np.load(there / "trajectory.npy")
                self.assertEqual(run.x.dtype, kept.dtype)
                self.assertEqual(run.x.tobytes(), kept.tobytes(), parameters)
                self.assertEqual(run.t.tobytes(), np.load(there / "times.npy").tobytes())
                table = murmur.Run.open(there).observables
                self.assertEqual(list(run.observables), list(table))
                for name in table:
                    np.testing.assert_array_equal(run[name], table[name], name)
                self.assertEqual(run.config, (there / "config.toml").read_text())
                if number % 10 == 0:
                    self.check_velocity(parameters)
                    self.check_kept(parameters, there, run)
        self.assertGreater(flown, 0.9 * len(EXPERIMENTS), (flown, refused))

    def check_velocity(self, parameters):
        program("velocity", "-q", *words_of(parameters), "-o", "v.npy", "--force")
        v = murmur.velocity(**parameters)
        kept = np.load("v.npy")
        self.assertEqual((v.dtype, np.ascontiguousarray(v).tobytes()), (kept.dtype, kept.tobytes()))

    def check_kept(self, parameters, there, run):
        """Kept by Python, and saved out of memory: the files are the same."""
        other = murmur.simulate(progress=False, out=f"{there}-py", **parameters)
        saved = run.save(f"{there}-saved")
        for name in ("trajectory.npy", "times.npy", "observables.csv", "events.jsonl", "config.toml"):
            wanted = (there / name).read_bytes()
            self.assertEqual((other.directory / name).read_bytes(), wanted, name)
            self.assertEqual((saved.directory / name).read_bytes(), wanted, name)
        for name in sorted(p.name for p in (there / "inputs").iterdir()):
            self.assertEqual((saved.directory / "inputs" / name).read_bytes(),
                             (there / "inputs" / name).read_bytes(), name)
        program("runs", "verify", saved.directory, other.directory)
        if other.status == "done" and parameters["method"] in ("dopri5", "rk4"):
            longer = 2 * parameters["T"]
            program("simulate", "-q", "--resume", there, f"T={longer}")
            on = saved.resume(T=longer, progress=False)
            self.assertEqual((on.directory / "trajectory.npy").read_bytes(),
                             (there / "trajectory.npy").read_bytes())

    def test_arrays_are_files(self):
        draw = np.random.default_rng(5)
        x = draw.normal(size=(9, 3))
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        value, masses = draw.normal(size=(3, 3)), draw.uniform(0.5, 2, 9)
        for name, array in {"x": x, "v": value, "m": masses}.items():
            np.save(f"{name}.npy", array)
        program("simulate", "-q", "init=x.npy", "value=v.npy", "masses=m.npy", "T=1", "-o", "there")
        here = murmur.simulate(init=x, value=value, masses=masses, T=1)
        self.assertEqual(here.x.tobytes(), np.load("there/trajectory.npy").tobytes())
        self.assertEqual(here.config, pathlib.Path("there/config.toml").read_text())

    def test_measure_is_the_program_s(self):
        import json

        program("simulate", "-q", "n=12", "T=2", "-o", "a")
        for words in ([], ["show=histogram", "bins=8"], ["show=modes"], ["show=counts"]):
            wanted = json.loads(program("measure", "a", *words, "--json"))
            given = dict(word.split("=") for word in words)
            self.assertEqual(murmur.measure("a", **given), wanted)
            self.assertEqual(murmur.simulate(n=12, T=2).measure(**given), wanted)

    def test_a_program_s_variables_count(self):
        os.environ["MURMUR_BETA"] = "7"
        try:
            self.assertEqual(murmur.simulate(n=4, T=1).parameters["beta"], 7)
        finally:
            del os.environ["MURMUR_BETA"]


if __name__ == "__main__":
    unittest.main()
