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
        """In and out, of a Swarm's memory and of numpy's: the addresses are the same on both sides."""
        n = 1_000_000
        field = murmur.Field(n=n, d=3, dynamics="none", perceptron="gaussian:1", activation="tanh",
                             engine="reference")
        swarm = murmur.Swarm(n=n, d=3)
        x = swarm.x
        self.assertEqual(address(x), swarm.address)  # out: numpy sees the engine's memory
        x[:, 2] = 1.0
        self.assertEqual(swarm.x[n - 1, 2], 1.0)

        ours = np.zeros((3, n)).T  # in: memory that numpy has made
        ours[:, 2] = 1.0
        lent = murmur.Swarm(ours, copy=False)
        self.assertTrue(lent.borrowed)
        self.assertEqual((lent.address, address(lent.x)), (address(ours), address(ours)))

        out = np.full((3, n), np.nan).T
        v = field.velocity(ours, 0.0, out)  # the engine reads and writes these very arrays
        self.assertIs(v, out)
        self.assertEqual(address(v), address(out))
        self.assertTrue(np.isfinite(out).all() and np.abs(out).max() > 0)
        for at, to in ((x, murmur.Swarm(n=n, d=3)), (swarm, murmur.Swarm(n=n, d=3).x),
                       (lent, murmur.Swarm(np.empty((3, n)).T))):
            np.testing.assert_array_equal(np.asarray(field.velocity(at, 0.0, to)), out)

    def test_memory_is_not_taken_twice(self):
        """What a call needs beside the arrays does not grow with them by a copy of either."""
        done = support.python("""if True:
            import resource, numpy as np, murmur
            n = 1_000_000
            x = np.ones((8, n)).T
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            swarms = [murmur.Swarm(x, copy=False) for _ in range(4)]
            after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            print((after - before) * 1024 < 6 * 8 * n)  # masses alone; positions are eight times that
            """)
        self.assertEqual((done.stdout, done.stderr), ("True\n", ""))

    def test_any_leading_stride_and_a_tensor_s_transpose(self):
        draw = np.random.default_rng(1)
        wide = draw.normal(size=(5, 40))  # coordinate after coordinate, with more between them
        for x in (wide[:3, :17].T, wide[1:4, 3:20].T, wide[::2, :17].T, np.asfortranarray(wide[:3, :17].T),
                  wide[:1, :17].T, wide[:3, :1].T, wide[:3, 3:20].T):
            n, d = x.shape
            lent = murmur.Swarm(x, copy=False)
            self.assertEqual(lent.address, address(x))
            if d == 1:  # of a swarm, not of a dynamics
                continue
            field = murmur.Field(n=n, d=d, habitat="space", dynamics="euclidean")
            around = wide.copy()
            wanted = field.velocity(np.ascontiguousarray(x))
            for engine in ("reference", "simd"):
                other = murmur.Field(n=n, d=d, habitat="space", dynamics="euclidean", engine=engine)
                room = np.full((d + 2, n + 5), 7.0)
                out = room[1:-1, 2:-3].T
                other.velocity(x, 0.0, out)
                np.testing.assert_allclose(out, wanted, atol=1e-13)
                np.testing.assert_array_equal(other.velocity(np.ascontiguousarray(x)), out)
                self.assertEqual((room == 7.0).sum(), room.size - out.size)  # nothing around it
            np.testing.assert_array_equal(wide, around)

    def test_what_lies_otherwise_is_copied_or_refused(self):
        x = np.random.default_rng(2).normal(size=(6, 3))
        packed = np.zeros(6 * 3 * 8 + 1, np.uint8)
        odd = np.ndarray((6, 3), float, packed.data, offset=1, order="F")  # no address for a double
        odd[:] = x
        fortran = np.asfortranarray(x)
        field = murmur.Field(n=6, d=3, habitat="space", dynamics="euclidean")
        wanted = field.velocity(fortran)
        for name, other in {"rows": x, "float32": x.astype(np.float32).astype(float),
                            "reversed": fortran[::-1], "turned": fortran[:, ::-1],
                            "every second": np.repeat(fortran, 2, axis=0)[::2], "odd": odd,
                            "other order": fortran.astype(">f8"),
                            "one row again and again": np.broadcast_to(x[0], (6, 3)),
                            "one column again and again": np.broadcast_to(x[:, :1], (6, 3))}.items():
            with self.subTest(name):
                copied = murmur.Swarm(other)
                self.assertFalse(copied.borrowed)
                np.testing.assert_array_equal(copied.x, other)
                np.testing.assert_array_equal(field.velocity(other),
                                              field.velocity(np.asfortranarray(other, dtype=float)))
                with self.assertRaises(murmur.InputError) as refused:
                    murmur.Swarm(other, copy=False)
                self.assertIn("asfortranarray", refused.exception.do)
                if other.flags.writeable:
                    with self.assertRaises(murmur.InputError):
                        field.velocity(fortran, 0.0, other)
        np.testing.assert_array_equal(field.velocity(fortran), wanted)
        self.assertFalse(murmur.Swarm(fortran, copy=True).borrowed)
        self.assertEqual(murmur.Swarm(murmur.Swarm(fortran)).address, address(fortran))
        self.assertNotEqual(murmur.Swarm(murmur.Swarm(fortran), copy=True).address, address(fortran))
        for wrong in (0, "no", 1.0):
            self.assertRaises(murmur.InputError, murmur.Swarm, fortran, copy=wrong)

    def test_a_lent_array_lives_as_long_as_the_swarm(self):
        gone = []

        class Watched(np.ndarray):
            def __del__(self):
                gone.append(address(self))

        x = np.arange(12.0).reshape(3, 4).T.view(Watched)
        where, wanted = address(x), np.array(x)
        swarm = murmur.Swarm(x, copy=False)
        view = swarm.x
        del x
        gc.collect()
        for _ in range(20):
            np.full((3, 4), -1.0), murmur.simulate(n=4, T=1)
        self.assertEqual((gone, swarm.address), ([], where))
        np.testing.assert_array_equal(swarm.x, wanted)
        del swarm
        gc.collect()
        np.testing.assert_array_equal(view, wanted)  # a view keeps the swarm, which keeps the array
        self.assertEqual(gone, [])
        del view
        gc.collect()
        self.assertEqual(gone, [where])
        before = sys.getrefcount(wanted)
        for _ in range(100):
            murmur.Swarm(np.asfortranarray(wanted)), murmur.Swarm(wanted)
            murmur.Field(n=4, d=3, habitat="space").velocity(wanted)
        self.assertEqual(sys.getrefcount(wanted), before)

    def test_writing_shows_on_the_other_side(self):
        x = np.zeros((3, 5)).T
        swarm = murmur.Swarm(x)
        x[2, 1] = 4.0
        self.assertEqual(swarm.x[2, 1], 4.0)
        swarm.x[3, 0] = 5.0
        self.assertEqual(x[3, 0], 5.0)
        field = murmur.Field(n=5, d=3, habitat="space", dynamics="euclidean")
        first = field.velocity(swarm).copy()
        x[:] = np.arange(15.0).reshape(5, 3)
        self.assertFalse(np.array_equal(field.velocity(swarm), first))
        swarm.masses = [1, 2, 3, 4, 5]
        field.velocity(swarm)
        np.testing.assert_allclose(swarm.masses, np.arange(1, 6) / 15)  # the field has its own

    def test_what_is_read_only_is_never_written(self):
        data = np.random.default_rng(3).normal(size=(3, 6))
        x = data.T
        x.flags.writeable = False
        kept = x.tobytes()
        swarm = murmur.Swarm(x, copy=False)
        self.assertEqual((swarm.address, swarm.x.flags.writeable), (address(x), False))
        field = murmur.Field(n=6, d=3, habitat="space", dynamics="euclidean")
        for out in (x, swarm, swarm.x):
            with self.assertRaises(murmur.InputError) as refused:
                field.velocity(np.ones((6, 3)), 0.0, out)
            self.assertIn("written", refused.exception.what)
        field.velocity(x), field.observe(x), field.clusters(x), murmur.clusters(x, habitat="space")
        murmur.simulate(init=x, habitat="space", dynamics="euclidean", T=1, merge=0.5)
        murmur.Flow(init=x, habitat="space", dynamics="euclidean", T=1).step(3)
        ball = np.asfortranarray(x / np.linalg.norm(x, axis=1, keepdims=True) * (1 + 1e-9))
        ball.flags.writeable = False
        near = ball.tobytes()
        murmur.simulate(init=ball, T=1), murmur.velocity(ball), murmur.energy(ball)
        self.assertEqual((x.tobytes(), ball.tobytes()), (kept, near))

    def test_results_are_not_written_over_what_is_read(self):
        whole = np.random.default_rng(4).normal(size=(3, 12))
        field = murmur.Field(n=6, d=3, habitat="space", dynamics="euclidean")
        x = whole[:, :6].T
        wanted = field.velocity(x).copy()
        field.velocity(x, 0.0, whole[:, 6:].T)  # beside each other, axis by axis
        np.testing.assert_array_equal(whole[:, 6:].T, wanted)
        flat = np.zeros(60)
        a, b = flat[:18].reshape(3, 6).T, flat[17:35].reshape(3, 6).T
        swarm = murmur.Swarm(x)
        for at, to in ((x, x), (x, whole[:, 1:7].T), (x, whole[:, 5:11].T), (a, b), (b, a), (swarm, x),
                       (x, swarm), (swarm, swarm), (x, swarm.x)):
            with self.assertRaises(murmur.InputError) as refused:
                field.velocity(at, 0.0, to)
            self.assertIn("share memory", refused.exception.what)

    def test_a_result_is_taken_back_where_it_lies(self):
        field = murmur.Field(n=5, d=2, habitat="space", dynamics="euclidean")
        x = field.x
        v = field.velocity(x)
        before = address(v)
        w = field.velocity(x, 0.0, v)
        self.assertIs(w, v)
        self.assertEqual(address(w), before)
        for wrong in (np.zeros((5, 2)), np.zeros((3, 5)).T, np.zeros((2, 4)).T, [[0.0] * 2] * 5, "out", 3,
                      np.zeros((2, 5), np.float32).T, np.zeros(10), np.zeros((2, 5), object).T,
                      np.ma.masked_array(np.zeros((2, 5)).T), np.zeros((2, 5), ">f8").T):
            with self.assertRaises(murmur.InputError, msg=repr(wrong)) as refused:
                field.velocity(x, 0.0, wrong)
            self.assertTrue(refused.exception.do)

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

        class Tensor(Foreign):  # as torch on the CPU: numpy sees the same memory
            def __array__(self, dtype=None):
                return self.array

        class Copying(Foreign):  # what numpy sees is not what it holds
            def __array__(self, dtype=None):
                return self.array.copy(order="F")

        class Elsewhere(Foreign):  # as CuPy: in the memory of a device
            def __array__(self, dtype=None):
                raise TypeError("Implicit conversion to a NumPy array is not allowed")

        run = murmur.simulate(init=Foreign(np.eye(3)), T=1)
        self.assertEqual(run.x.tobytes(), murmur.simulate(init=np.eye(3), T=1).x.tobytes())
        points = np.asfortranarray(np.random.default_rng(6).normal(size=(5, 3)))
        for kind in (Foreign, Tensor):
            lent = murmur.Swarm(kind(points), copy=False)
            self.assertEqual(lent.address, address(points))
        field = murmur.Field(n=5, d=3, habitat="space", dynamics="euclidean")
        out, wanted = np.zeros((3, 5)).T, field.velocity(points)
        tensor = Tensor(out)
        self.assertIs(field.velocity(Tensor(points), 0.0, tensor), tensor)
        np.testing.assert_array_equal(out, wanted)
        for wrong in (Foreign(out), Copying(out), Elsewhere(out)):
            with self.assertRaises(murmur.InputError, msg=type(wrong).__name__):
                field.velocity(points, 0.0, wrong)
        self.assertRaises(murmur.InputError, field.velocity, Elsewhere(points))
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
        at, to = torch.randn(3, 5, dtype=torch.float64).T, torch.zeros(3, 5, dtype=torch.float64).T
        self.assertEqual(murmur.Swarm(at, copy=False).address, at.data_ptr())
        self.assertIs(field.velocity(at, 0.0, to), to)
        np.testing.assert_array_equal(to.numpy(), field.velocity(at.numpy()))

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
        env = support.bare()
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
