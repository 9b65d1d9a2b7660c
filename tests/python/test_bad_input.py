#!/usr/bin/env python3
"""Whatever is handed over, the answer is a number or an exception that says what, where and what to do;
fuzzed with Hypothesis where it is installed."""
import contextlib
import io
import os
import pathlib
import subprocess
import sys
import unittest

import support
from support import Folder

import numpy as np

import murmur

WRONG = {
    "text": "x",
    "shape": np.zeros((3, 3, 3)),
    "flat": np.zeros(3),
    "scalar": np.float64(3),
    "empty": np.zeros((0, 3)),
    "no coordinates": np.zeros((3, 0)),
    "objects": np.array([[1, None]], dtype=object),
    "strings": np.array([["a", "b"]]),
    "complex": np.ones((3, 3), complex),
    "bool": np.ones((3, 3), bool),
    "dates": np.zeros((3, 3), "datetime64[s]"),
    "records": np.zeros((3, 3), [("a", float)]),
    "nan": np.full((3, 3), np.nan),
    "infinite": np.full((3, 3), np.inf),
    "long double": np.ones((3, 3), np.longdouble),
    "masked": np.ma.masked_array(np.eye(3), mask=np.eye(3) > 0),
    "ragged": [[1.0, 2.0], [3.0]],
    "off the sphere": 2 * np.eye(3),
    "dictionary": {"a": 1},
    "function": lambda x: x,
}


class Arrays(Folder):
    def test_wrong_points(self):
        field = murmur.Field(n=3, d=3)
        for name, x in WRONG.items():
            with self.subTest(name):
                with self.assertRaises((murmur.InputError, murmur.UsageError)) as caught:
                    murmur.velocity(x)
                error = caught.exception
                self.assertTrue(error.what and error.where and error.do, error)
                self.assertIn(error.code, (2, 3))
                if name not in ("text", "off the sphere", "dictionary", "function"):
                    self.assertRaises(murmur.InputError, field.velocity, x)
        self.assertRaises(murmur.InputError, field.velocity, np.eye(4))
        self.assertRaises(murmur.InputError, field.velocity, np.eye(3)[:2])
        np.testing.assert_array_equal(field.velocity(np.eye(3)), murmur.velocity(np.eye(3)))

    def test_sizes_that_no_memory_has(self):
        """What is only said to be large, by strides of 0, is refused before anybody reads it."""
        field = murmur.Field(n=3, d=3)
        for shape in ((2**31, 3), (3, 2**31), (2**40, 3)):
            for act in (murmur.Swarm, field.velocity):
                with self.assertRaises(murmur.InputError, msg=shape):
                    act(np.broadcast_to(1.0, shape))
        for wrong in ({"n": 0, "d": 3}, {"n": -5, "d": 3}, {"n": 3, "d": 0}, {"n": 2 * 10**9, "d": 3}):
            with self.assertRaises(murmur.InputError, msg=wrong):
                murmur.Swarm(**wrong)
        if "libasan" not in os.environ.get("LD_PRELOAD", ""):  # which ends a program that asks for too much
            with self.assertRaises((MemoryError, ValueError)):
                murmur.Swarm(n=10**9, d=10**6)

    def test_numbers_have_a_point_in_every_locale(self):
        """Where the interpreter writes 0,5 for a half, defaults and given values are read as before."""
        subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", "./comma"], check=True)
        script = """
import locale, sys
sys.path.insert(0, sys.argv[1])
import murmur
locale.setlocale(locale.LC_ALL, "comma")
assert locale.str(0.5) == "0,5"
murmur.Dynamics(normalisation="mix:0.5")
print(murmur.simulate(n=6, T=1, beta="0.5", engine="moments:1e-9").t[-1])
"""
        done = subprocess.run([sys.executable, "-c", script, str(support.PACKAGE)], text=True, capture_output=True,
                              env={**os.environ, "LOCPATH": os.getcwd()})
        self.assertEqual((done.returncode, done.stdout), (0, "1.0\n"), done.stderr)

    def test_a_flag_is_no_parameter(self):
        """A keyword that begins with a hyphen would be a flag of the command line, and could overwrite a file."""
        pathlib.Path("precious").write_text("precious")
        for name in ("--out", "-o", "--help", "--force", "a=b", "a b", ""):
            with self.assertRaises(murmur.UsageError, msg=name):
                murmur.measure(np.eye(3), **{name: "precious"})
        self.assertEqual(pathlib.Path("precious").read_text(), "precious")

    def test_objects_that_only_look_like_arrays(self):
        class Raises:
            def __array__(self, dtype=None):
                raise RuntimeError("no")

        class IsNone:
            def __array__(self, dtype=None):
                return "not an array"

        class Leaves:
            def __array__(self, dtype=None):
                raise SystemExit(3)

        field = murmur.Field(n=3, d=3)
        x = field.x
        for kind in (Raises, IsNone):
            for act in (lambda: field.velocity(kind()), lambda: field.velocity(x, 0.0, kind()),
                        lambda: murmur.simulate(init=kind(), T=1), lambda: murmur.Swarm(kind()),
                        lambda: murmur.simulate(beta=kind(), T=1)):
                with self.assertRaises(murmur.InputError, msg=kind):
                    act()
        for act in (lambda: field.velocity(Leaves()), lambda: murmur.Swarm(Leaves())):
            self.assertRaises(SystemExit, act)  # what ends a program is nobody's to swallow

    def test_points_anywhere(self):
        """Off the sphere, at the origin, at the ends of the range: numbers or an exception, on every engine."""
        for engine in ("reference", "simd", "moments", "auto"):
            field = murmur.Field(n=300, d=3, engine=engine)
            for scale in (0.0, 1e-300, 1e10, 1e154, 1e300):
                x = np.asfortranarray(field.x * scale)
                kept = x.tobytes()
                try:
                    self.assertTrue(np.isfinite(field.velocity(x)).all())
                except murmur.NumericalError as error:
                    self.assertEqual(error.code, 4)
                self.assertEqual(x.tobytes(), kept)
            self.assertTrue(np.isfinite(field.velocity()).all())  # and the field is as it was

    def test_wrong_times(self):
        field, flow = murmur.Field(n=3), murmur.Flow(n=3, T=1)
        for wrong in (float("nan"), float("inf")):
            self.assertRaises(murmur.InputError, field.velocity, None, wrong)
        for wrong in ("now", 1j, []):
            self.assertRaises(TypeError, field.velocity, None, wrong)
        for wrong in ({"until": float("nan")}, {"until": "late"}, {"steps": -1}, {"steps": 1.5},
                      {"frames": "two"}, {"watch": 3}):
            with self.assertRaises(murmur.InputError, msg=wrong):
                flow.advance(**wrong)
        self.assertEqual(flow.steps, 0)
        self.assertEqual(flow.advance(until=float("inf"), steps=2**70).t, 1)
        for wrong in (3, "pull", [3]):
            self.assertRaises(murmur.InputError, murmur.Flow, n=3, external=wrong)
        self.assertRaises(murmur.InputError, murmur.External, 3, lambda t, x: x)

    def test_words_that_no_command_line_holds(self):
        for wrong in ({"name": "\ud800"}, {"name": "a\0b"}, {"out": "a\0b"}, {"out": "\ud800"}, {"out": 3},
                      {"runs": 3.5}, {"model": "a\0b"}):
            with self.assertRaises(murmur.InputError, msg=repr(wrong)):
                murmur.simulate(n=3, T=1, **wrong)
        for wrong in (3, [1], b"\xff", "a\0b"):
            with self.assertRaises(murmur.MurmurError, msg=repr(wrong)):
                murmur.simulate(wrong, T=1)
            with self.assertRaises(murmur.MurmurError, msg=repr(wrong)):
                murmur.Run.open(wrong)
        self.assertEqual(list(pathlib.Path().iterdir()), [])
        self.assertEqual(murmur.simulate(n=3, T=1, out=b"bytes").directory, pathlib.Path("bytes"))
        self.assertEqual(murmur.simulate(n=3, T=1, beta=np.array(2.0)).parameters["beta"], 2)
        run = murmur.sweep(beta=np.array([1.0, 2.0]), n=4, T=1, method="layers", out="s", progress=False)
        self.assertEqual(set(run.table("sweep")["beta"]), {1, 2})

    def test_wrong_matrices_and_masses(self):
        for name in ("nan", "complex", "objects", "empty", "masked", "flat"):
            for parameter in ("value", "query", "masses"):
                with self.subTest(name=name, parameter=parameter):
                    with self.assertRaises(murmur.InputError):
                        murmur.simulate(n=3, d=3, T=1, **{parameter: WRONG[name]})
            with self.assertRaises(murmur.InputError):
                murmur.Attention(value=WRONG[name])
            with self.assertRaises(murmur.InputError):
                murmur.Swarm(WRONG[name])
        with self.assertRaises(murmur.InputError):
            murmur.simulate(n=3, d=3, value=np.eye(2), T=1)
        with self.assertRaises(murmur.InputError):
            murmur.simulate(n=3, masses=[[1, 2]], T=1)
        for masses in ([1, 2], [-1, 1, 1], [0, 0, 0], [1e308] * 3, "heavy", [np.nan] * 3):
            with self.assertRaises(murmur.InputError, msg=masses):
                murmur.Swarm(np.eye(3)).masses = masses
            with self.assertRaises(murmur.InputError, msg=masses):
                murmur.transport(np.eye(3), np.eye(3), x_masses=masses)
        for word in ("ngpt:abc", "ngpt:", "ngpt:-1", "mix:nan", "post:1", "pst"):
            with self.assertRaises(murmur.InputError, msg=word):
                murmur.Dynamics(normalisation=word)
        with self.assertRaises(murmur.InputError):
            murmur.transport(np.eye(3), np.eye(2))
        with self.assertRaises(murmur.InputError):
            murmur.simulate(n=3, d=3, T=1, dynamics=murmur.Dynamics(murmur.Attention(value=np.eye(2))))

    def test_wrong_words(self):
        for wrong in ({"bta": 1}, {"n": -1}, {"n": 2.5}, {"beta": float("nan")}, {"dynamics": "SAA"},
                      {"T": 0}, {"method": "rk5"}, {"n": 10**12}, {"beta": object()}, {"n": "many"},
                      {"beta": np.eye(3)}, {"save": "never"}, {"engine": "fast"}, {"init": "nowhere"},
                      {"seed": -1}, {"threads": 0}):
            with self.subTest(wrong):
                with self.assertRaises(murmur.InputError) as caught:
                    murmur.simulate(**wrong)
                self.assertTrue(caught.exception.do)
        self.assertIn("did you mean beta", str(self.refusal(lambda: murmur.simulate(betta=4))))
        self.assertIn("did you mean softmax",
                      str(self.refusal(lambda: murmur.Attention(weighting="softmx"))))
        self.assertIn("did you mean beta", str(self.refusal(lambda: murmur.Attention(betta=1))))
        self.assertIsInstance(self.refusal(lambda: murmur.simulate("no-such-preset")), murmur.InputError)
        self.assertIsInstance(self.refusal(lambda: murmur.simulate("beta=4")), murmur.UsageError)
        self.assertIsInstance(self.refusal(lambda: murmur.Run.open("nowhere")), murmur.InputError)
        self.assertIsInstance(self.refusal(lambda: murmur.Run()), murmur.UsageError)
        pathlib.Path("odd").mkdir()
        for text in ("", "[]", "{}", "{", '{"schema": 3}', "\x00"):
            pathlib.Path("odd/manifest.json").write_text(text)
            self.assertIsInstance(self.refusal(lambda: murmur.Run.open("odd")), murmur.InputError)

    def refusal(self, act):
        try:
            act()
        except murmur.MurmurError as error:
            return error
        self.fail("nothing was refused")

    def test_codes_are_those_of_the_program(self):
        run = murmur.simulate(n=4, T=1, out="a")
        cases = {2: lambda: murmur.simulate(n=4, T=1, out="a"), 3: lambda: murmur.simulate(n=0),
                 4: lambda: murmur.simulate(n=8, dynamics="USA", beta=800),
                 1: lambda: murmur.simulate(n=4, T=1, out="a/config.toml/b")}
        for code, act in cases.items():
            error = self.refusal(act)
            self.assertEqual(error.code, code, error)
            self.assertEqual(str(error).splitlines()[0], error.what)
        self.assertIsInstance(self.refusal(cases[4]).run, murmur.Run)
        with self.assertRaises(murmur.JobsError) as caught:
            murmur.sweep(beta=[1, 800], dynamics="USA", T=1, n=4, method="dopri5", out="s",
                         progress=False)
        self.assertEqual((caught.exception.code, caught.exception.run.kind), (5, "sweep"))
        self.assertEqual(run.status, "done")

    def test_nothing_is_printed(self):
        for stream in ("stdout", "stderr"):
            with getattr(contextlib, f"redirect_{stream}")(io.StringIO()) as told:
                murmur.simulate(n=4, T=1)
                murmur.sweep(beta=[1, 2], n=4, T=1, method="layers", runs="s")
            self.assertEqual(told.getvalue(), "")
        done = support.python("import murmur\nmurmur.simulate(n=4, T=1, out='b')\n"
                              "murmur.measure('b', show='counts')")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))


try:
    import hypothesis
    from hypothesis import strategies as st
    from hypothesis.extra import numpy as hnp
except ImportError:
    hypothesis = None

if hypothesis:
    EXAMPLES = 2000 if support.LONG else 60
    many = hypothesis.settings(max_examples=EXAMPLES, deadline=None, derandomize=True,
                               suppress_health_check=list(hypothesis.HealthCheck))
    anything = st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=12), st.binary(max_size=4),
        st.lists(st.one_of(st.integers(), st.floats(), st.text(max_size=3)), max_size=4),
        hnp.arrays(dtype=hnp.scalar_dtypes(),
                   shape=hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)),
        hnp.arrays(dtype=object, elements=st.one_of(st.none(), st.integers(), st.text(max_size=2)),
                   shape=hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)))
    names = st.sampled_from([p.name for p in murmur.parameters()] + ["bta", "out_of", "x"])

    class Fuzzed(Folder):
        def answered(self, act):
            try:
                return act()
            except murmur.MurmurError as error:
                self.assertTrue(error.what and error.do, repr(error))
                self.assertIn(error.code, range(1, 8))

        @many
        @hypothesis.given(st.dictionaries(names, anything, max_size=3))
        def test_parameters(self, parameters):
            small = {"n": 3, "T": 0.1, "max_evaluations": 500, "method": "euler", "save": "final"}
            for name in ("n", "d", "T", "dt", "heads", "replica", "threads"):  # no more than a moment
                if isinstance(parameters.get(name), int) and abs(parameters[name]) > 50:
                    parameters[name] %= 50
            self.answered(lambda: murmur.Flow(**small | parameters).step(3))

        @many
        @hypothesis.given(anything)
        def test_points(self, x):
            found = self.answered(lambda: murmur.velocity(x, habitat="space", dynamics="euclidean"))
            if x is not None and found is not None and not isinstance(x, (str, bytes)):
                self.assertEqual(found.shape, np.asarray(x).shape)
            self.answered(lambda: murmur.Swarm(x))
            self.answered(lambda: murmur.Attention(value=x))
            self.answered(lambda: murmur.transport(x, np.eye(2)))
            self.answered(lambda: murmur.clusters(x))

        @many
        @hypothesis.given(anything, anything)
        def test_returned_forces(self, first, second):
            answers = iter([first, second])
            force = murmur.External("odd", lambda t, x: next(answers, x))
            self.answered(lambda: murmur.Flow(n=2, d=2, dynamics="none", habitat="space", T=1,
                                              method="euler", external=force).step(2))


if __name__ == "__main__":
    unittest.main()
