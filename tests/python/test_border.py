#!/usr/bin/env python3
"""Arrays across the border: views without a copy, owners that stay alive, DLPack, types of other
libraries, and signatures that a type checker holds callers to."""
import gc
import pathlib
import subprocess
import sys
import unittest

import support
from support import Folder

import numpy as np

import murmur


def address(array):
    return array.__array_interface__["data"][0]


class Border(Folder):
    def test_a_million_particles_cross_without_a_copy(self):
        n = 1_000_000
        swarm = murmur.Swarm(n=n, d=3)
        x = swarm.x
        self.assertEqual(address(x), swarm.address)  # out: numpy sees the engine's memory
        x[:, 2] = 1.0
        self.assertEqual(swarm.x[n - 1, 2], 1.0)
        field = murmur.Field(n=n, d=3, dynamics="none", perceptron="gaussian:1", activation="tanh",
                             engine="reference")
        out = murmur.Swarm(n=n, d=3)
        v = field.velocity(x, 0.0, out.x)  # in: the engine reads and writes these very arrays
        self.assertEqual(address(v), out.address)
        self.assertGreater(np.abs(out.x).max(), 0)
        again = field.velocity(x, 0.0)
        np.testing.assert_array_equal(again, v)

    def test_a_result_is_taken_back_where_it_lies(self):
        field = murmur.Field(n=5, d=2, habitat="space", dynamics="euclidean")
        x = field.x
        v = field.velocity(x)
        before = address(v)
        w = field.velocity(x, 0.0, v)
        self.assertIs(w, v)
        self.assertEqual(address(w), before)
        with self.assertRaises(murmur.InputError):
            field.velocity(x, 0.0, np.zeros((5, 2)))
        with self.assertRaises(murmur.InputError):
            field.velocity(v, 0.0, v)

    def test_views_keep_their_owner(self):
        x = murmur.simulate(n=64, T=1).x
        wanted = x.copy()
        a = murmur.Attention(value=np.arange(9.0).reshape(3, 3)).value
        swarm = murmur.Swarm(np.ones((4, 3))).x
        for _ in range(5):
            murmur.simulate(n=64, T=1, seed=9)
            gc.collect()
        np.testing.assert_array_equal(x, wanted)
        np.testing.assert_array_equal(a, np.arange(9.0).reshape(3, 3))
        self.assertEqual(swarm.sum(), 12)
        self.assertFalse(x.flags.writeable)
        self.assertFalse(a.flags.writeable)

    def test_frames_of_a_run_stay_when_its_flow_goes_on(self):
        flow = murmur.Flow(n=16, T=4)
        flow.advance(frames=3)
        early = flow.run()
        kept = early.x.copy()
        flow.advance()
        np.testing.assert_array_equal(early.x, kept)
        self.assertEqual(len(early), len(kept))
        self.assertEqual(flow.run().x[: len(kept)].tobytes(), kept.tobytes())

    def test_dlpack(self):
        x = murmur.Swarm(np.eye(3))
        there = np.from_dlpack(x)
        self.assertEqual(address(there), x.address)

        class Foreign:  # what torch, JAX and CuPy offer, and nothing else
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **how):
                return self.array.__dlpack__(**how)

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

        run = murmur.simulate(init=Foreign(np.eye(3)), T=1)
        self.assertEqual(run.x.tobytes(), murmur.simulate(init=np.eye(3), T=1).x.tobytes())
        try:
            import torch
        except ImportError:
            return
        shared = torch.from_dlpack(x)
        shared[0, 0] = 5.0
        self.assertEqual(x.x[0, 0], 5.0)
        self.assertEqual(shared.data_ptr(), x.address)
        run = murmur.simulate(init=torch.eye(3, dtype=torch.float64), T=1)
        self.assertEqual(run.x.shape, (101, 3, 3))

    def test_layouts_give_the_same_numbers(self):
        x = murmur.Field(n=6, d=3).x
        wanted = murmur.velocity(np.ascontiguousarray(x)).tobytes()
        wide = np.zeros((12, 6))
        wide[::2, ::2] = x
        for other in (np.asfortranarray(x), wide[::2, ::2], x.tolist(), murmur.Swarm(x), x[::-1][::-1]):
            self.assertEqual(murmur.velocity(other).tobytes(), wanted)
        self.assertEqual(murmur.velocity(np.eye(3, dtype=np.int32)).shape, (3, 3))
        self.assertEqual(murmur.velocity(np.eye(3, dtype=np.float32)).dtype, np.float64)

    def test_pandas_and_xarray(self):
        run = murmur.simulate(n=8, T=1)
        for name, convert in (("pandas", run.to_pandas), ("xarray", run.to_xarray)):
            try:
                __import__(name)
            except ImportError:
                with self.assertRaises(murmur.ToolError):
                    convert()
                continue
            table = convert()
            np.testing.assert_array_equal(table["energy"], run["energy"])
            if name == "xarray":
                self.assertEqual(table["x"].dims, ("t", "particle", "coordinate"))
                np.testing.assert_array_equal(table["x"].values, run.x)

    def test_objects_print_as_their_equations(self):
        head = murmur.Attention(beta=2, value=-np.eye(3), mask="causal")
        self.assertIn("sum_{j<=i} a_ij V x_j", str(head))
        self.assertIn("b = beta = 2, value (3, 3)", str(head))
        self.assertEqual(repr(head), "Attention(beta=2.0, value=(3, 3), mask='causal')")
        self.assertEqual(head, murmur.Attention(beta=2, value=-np.eye(3), mask="causal"))
        self.assertEqual(head.replace(beta=5).replace(beta=2), head)
        self.assertNotEqual(head, head.replace(value=None))
        self.assertNotEqual(head, head.replace(self=False))
        self.assertNotEqual(head, 3)
        with self.assertRaises(murmur.InputError):
            head.replace(betta=1)
        with self.assertRaises(AttributeError):
            head.beta = 3
        ffn = murmur.Perceptron(in_=np.ones((4, 3)), out=np.ones((3, 4)), activation="gelu")
        self.assertIn("W_out s(W_in x_i + b_in) + b_out", str(ffn))
        both = murmur.Dynamics(head, ffn, noise=0.5)
        self.assertIn("P_i [ sum_{j<=i}", str(both))
        self.assertIn("sqrt(2 * 0.5) w_i'", str(both))
        self.assertEqual([type(f).__name__ for f in both.forces], ["Attention", "Perceptron"])

    def test_objects_move_as_words_do(self):
        words = murmur.simulate(n=9, beta=3, dynamics="USA", T=1)
        objects = murmur.simulate(
            n=9, T=1, dynamics=murmur.Dynamics(murmur.Attention(beta=3, weighting="unnormalised")))
        self.assertEqual(words.x.tobytes(), objects.x.tobytes())
        self.assertTrue(words.reproducible)
        self.assertFalse(objects.reproducible)
        with self.assertRaises(murmur.InputError):
            objects.save("objects")

    def test_types(self):
        """The stubs are those of the tables, and mypy holds package and callers to them."""
        root = support.ROOT
        env = {"PYTHONPATH": str(support.PACKAGE), "PATH": "/usr/bin:/bin"}
        subprocess.run([sys.executable, root / "scripts/python_stubs.py", "--check"], check=True, env=env)
        if subprocess.run([sys.executable, "-m", "mypy", "--version"], capture_output=True).returncode:
            self.skipTest("mypy is not installed")
        pathlib.Path("good.py").write_text(
            "import murmur\nrun = murmur.simulate(n=4, beta=2.0, dynamics='SA', T=1, init=[[1.0, 0.0]])\n"
            "x: float = float(run['energy'][0])\nmurmur.Flow(n=3).step().x\n"
            "murmur.Attention(beta=2, self=False)\nmurmur.sweep(beta=[1, 2], n='4:8:2')\n")
        pathlib.Path("bad.py").write_text(
            "import murmur\nmurmur.simulate(bta=4)\nmurmur.simulate(n='many')\nmurmur.Attention(betta=1)\n")
        settings = ["--config-file", str(root / "bindings/python/mypy.ini"), "--cache-dir", "cache"]

        def checked(*what):
            done = subprocess.run([sys.executable, "-m", "mypy", *settings, *what], capture_output=True,
                                  text=True, env={**env, "MYPYPATH": str(root / "bindings/python")})
            return done.returncode, done.stdout

        self.assertEqual(checked(str(root / "bindings/python/murmur"))[0], 0)
        self.assertEqual(checked("good.py"), (0, "Success: no issues found in 1 source file\n"))
        code, told = checked("bad.py")
        self.assertEqual((code, told.count("error:")), (1, 3), told)


if __name__ == "__main__":
    unittest.main()
