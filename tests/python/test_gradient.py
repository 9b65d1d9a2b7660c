#!/usr/bin/env python3
"""Gradients through flows from Python: against differences, by torch, and refused where there is none."""
import signal
import subprocess
import sys
import threading
import unittest

import support
from support import Folder

import numpy as np

import murmur

try:
    import torch
except ImportError:
    torch = None


def squares(x):
    """sum (c x + x^2 / 2) with fixed c, and its derivative."""
    c = np.sin(1 + np.arange(x.size)).reshape(x.shape)
    return float((c * x + x**2 / 2).sum()), c + x


def derivative(f, h):
    """Richardson's extrapolation of two central differences."""
    def central(step):
        return (f(step) - f(-step)) / (2 * step)
    return (4 * central(h / 2) - central(h)) / 3


class Numbers(Folder):
    def expect_differences(self, flow, name, frames=False):
        g = murmur.gradient(flow, squares, frames=frames)
        at = murmur._gradient.numbers_of(flow)
        full = murmur._gradient.find(list(at), name)
        here, found = at[full].astype(float), g[full]
        self.assertEqual(found.shape, here.shape)
        wanted = np.zeros_like(here)
        for place in np.ndindex(here.shape):
            def loss(h, place=place):
                moved = here.copy()
                moved[place] += h
                if name == "start" and flow.dynamics.manifold == "sphere":
                    moved[place[0]] /= np.linalg.norm(moved[place[0]])
                with_it = murmur.gradient(flow, squares, at={full: moved}, frames=frames)
                return with_it.loss
            wanted[place] = derivative(loss, 1e-3)
        scale = max(np.abs(wanted).max(), 1e-3)
        self.assertLess(np.abs(found - wanted).max(), 1e-7 * scale, (name, found, wanted))

    def test_every_kind_by_fixed_steps(self):
        flow = murmur.Flow(n=4, d=3, beta=1.5, T=0.5, method="rk4", dt=0.1, seed=2, heads=1,
                           query="gaussian", key="gaussian", value="gaussian",
                           perceptron="gaussian:3", activation="tanh", save="every:0.1")
        for name in ("start", "mass", "beta", "query", "key", "value", "query_bias", "value_bias", "in",
                     "in_bias", "out", "out_bias"):
            self.expect_differences(flow, name)
        self.expect_differences(flow, "value", frames=True)

    def test_layers_of_objects(self):
        draw = np.random.default_rng(3)
        dynamics = murmur.Dynamics(
            murmur.Attention(beta=2, value=draw.normal(size=(2, 2)), mask="causal"),
            murmur.Attention(beta=1, query=draw.normal(size=(1, 2)), key=draw.normal(size=(1, 2)),
                             value=draw.normal(size=(2, 2)), weighting="unnormalised"),
            manifold="space")
        flow = murmur.Flow(init=draw.normal(size=(5, 2)), dynamics=dynamics, T=0.4, method="layers",
                           dt=0.1)
        with self.assertRaises(murmur.InputError):  # of two heads: which one?
            murmur.gradient(flow, squares)["value"]
        numbers = [n for n in murmur.gradient(flow, squares) if n.endswith((".value", ".query"))]
        self.assertEqual(len(numbers), 4)
        for name in (*numbers, "start"):
            self.expect_differences(flow, name)

    def test_what_it_tells(self):
        flow = murmur.Flow(n=5, d=3, beta=2, T=1, seed=1, save="every:0.25")
        flow.advance(until=0.3)
        before = flow.x.copy()
        g = murmur.gradient(flow, squares)
        self.assertTrue(np.array_equal(flow.x, before))  # the flow stays where it is
        run = murmur.simulate(n=5, d=3, beta=2, T=1, seed=1, save="every:0.25")
        self.assertTrue(np.array_equal(g.frames, run.x))
        self.assertTrue(np.array_equal(g.times, run.t))
        self.assertAlmostEqual(g.loss, squares(run.x[-1])[0], places=14)
        self.assertTrue(np.array_equal(g.dynamics.forces[0].value, g["value"]))
        self.assertLess(np.abs((g["start"] * run.x[0]).sum(axis=1)).max(), 1e-12)  # along the sphere
        self.assertIn("loss", repr(g))

    def test_engines_agree_and_auto_finds_one(self):
        words = dict(n=300, d=3, beta=4, T=0.5, seed=4, method="rk4", dt=0.1)
        one = murmur.gradient(murmur.Flow(engine="reference", **words), squares)
        two = murmur.gradient(murmur.Flow(engine="simd", **words), squares)
        for name in one:
            scale = max(np.abs(one[name]).max(), 1e-3)
            self.assertLess(np.abs(one[name] - two[name]).max(), 1e-10 * scale, name)
        large = murmur.Flow(n=5000, d=3, beta=4, T=0.1, method="euler", dt=0.1)
        self.assertIn("moments", large.engine)
        self.assertIn("simd", murmur.gradient(large, squares).engine)

    def test_few_states_change_no_bit(self):
        flow = murmur.Flow(n=6, d=3, beta=2, T=2, method="euler", dt=0.02, seed=5)
        all_, few = (murmur.gradient(flow, squares, states=s) for s in (512, 3))
        for name in all_:
            self.assertTrue(np.array_equal(all_[name], few[name]), name)

    def test_descent_finds_the_meeting(self):
        example = support.ROOT / "bindings/python/examples/meeting.py"
        done = subprocess.run([sys.executable, str(example)], capture_output=True, text=True,
                              env=support.bare())
        self.assertEqual(done.returncode, 0, done.stderr)
        before, after = (float(line.split("loss ")[1].split(",")[0])
                         for line in done.stdout.splitlines()[:2])
        self.assertGreater(before, 1)
        self.assertLess(after, 1e-3)


@unittest.skipIf(torch is None, "torch is not installed")
class Tensors(Folder):
    def flow(self, **more):
        return murmur.Flow(**{**dict(n=4, d=3, beta=1.5, T=0.4, method="rk4", dt=0.1, seed=6), **more})

    def test_gradcheck(self):
        fly = murmur.torch_flow(self.flow())
        value = torch.eye(3, dtype=torch.float64, requires_grad=True)
        beta = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
        self.assertTrue(torch.autograd.gradcheck(lambda v, b: fly(value=v, beta=b), (value, beta)))

    def test_in_the_middle_of_a_graph(self):
        flow = self.flow(save="every:0.1")
        fly = murmur.torch_flow(flow, frames=True)
        angle = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
        zero, one = torch.zeros_like(angle), torch.ones_like(angle)
        turn = torch.stack([torch.stack([torch.cos(angle), -torch.sin(angle), zero]),
                            torch.stack([torch.sin(angle), torch.cos(angle), zero]),
                            torch.stack([zero, zero, one])])
        frames = fly(value=turn)
        self.assertEqual(tuple(frames.shape), (5, 4, 3))
        frames.pow(4).sum().backward()

        def loss(a):
            v = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
            return murmur.gradient(flow, lambda x: ((x**4).sum(), 4 * x**3), at={"value": v},
                                   frames=True).loss
        wanted = derivative(lambda h: loss(0.3 + h), 1e-3)
        self.assertAlmostEqual(float(angle.grad), wanted, delta=1e-7 * abs(wanted))

    def test_a_loss_of_torch(self):
        flow = self.flow()
        by_torch = murmur.gradient(flow, lambda x: (x**4).mean(), torch=True)
        by_hand = murmur.gradient(flow, lambda x: ((x**4).mean(), 4 * x**3 / x.size))
        self.assertAlmostEqual(by_torch.loss, by_hand.loss, places=14)
        for name in by_hand:
            np.testing.assert_allclose(by_torch[name], by_hand[name], rtol=1e-12, atol=1e-15)
        still = murmur.gradient(flow, lambda x: torch.tensor(2.0), torch=True)  # of nothing
        self.assertEqual(float(np.abs(still["value"]).max()), 0)

    def test_single_precision_tensors(self):
        fly = murmur.torch_flow(self.flow())
        value = torch.eye(3, requires_grad=True)
        out = fly(value=value)
        self.assertEqual(out.dtype, torch.float32)
        out.sum().backward()
        self.assertEqual(value.grad.dtype, torch.float32)

    def test_refusals(self):
        fly = murmur.torch_flow(self.flow())
        for call in (lambda: fly(), lambda: fly(value=np.eye(3)), lambda: fly(valu=torch.eye(3)),
                     lambda: fly(value=torch.eye(4)), lambda: fly(value=torch.full((3, 3), np.nan))):
            with self.assertRaises(murmur.InputError):
                call()
        with self.assertRaises(murmur.InputError):
            murmur.gradient(self.flow(), lambda x: x, torch=True)


class Refused(Folder):
    def expect(self, word, call):
        with self.assertRaises(murmur.InputError) as caught:
            call()
        error = caught.exception
        self.assertIn(word, error.what)
        self.assertTrue(error.where and error.do, str(error))

    def test_what_has_no_gradient(self):
        for word, more in (("hard attention", dict(dynamics="hardmax")), ("merge", dict(merge=1e-3)),
                           ("bdf", dict(method="bdf")), ("moments", dict(engine="moments"))):
            flow = murmur.Flow(n=8, d=3, T=0.1, **more)
            self.expect(word, lambda: murmur.gradient(flow, squares))
        own = murmur.Flow(n=4, d=3, T=0.1, external=murmur.External("pull", lambda t, x: -x))
        self.expect("computes no gradients", lambda: murmur.gradient(own, squares))
        flow = murmur.Flow(n=4, d=3, T=0.2).advance(until=0.1)
        self.expect("branch", lambda: murmur.gradient(flow.branch(beta=2), squares))

    def test_losses_and_numbers_that_are_off(self):
        flow = murmur.Flow(n=4, d=3, T=0.1)
        self.expect("not a Flow", lambda: murmur.gradient(3, squares))
        self.expect("not return a pair", lambda: murmur.gradient(flow, lambda x: 3.0))
        self.expect("shape", lambda: murmur.gradient(flow, lambda x: (1.0, x[:2])))
        self.expect("not finite", lambda: murmur.gradient(flow, lambda x: (np.nan, x)))
        self.expect("not return numbers", lambda: murmur.gradient(flow, lambda x: ("a", x)))
        self.expect("no number of the name", lambda: murmur.gradient(flow, squares, at={"w": 1}))
        self.expect("shape", lambda: murmur.gradient(flow, squares, at={"value": np.eye(2)}))
        self.expect("shape", lambda: murmur.gradient(flow, squares, at={"start": np.eye(3)}))
        self.expect("masses", lambda: murmur.gradient(flow, squares, at={"mass": [-1, 0, 0, 2]}))
        self.expect("not finite", lambda: murmur.gradient(flow, squares, at={"beta": np.inf}))
        self.expect("whole number", lambda: murmur.gradient(flow, squares, states=1))
        with self.assertRaisesRegex(ZeroDivisionError, "division"):  # what a loss raises goes through
            murmur.gradient(flow, lambda x: 1 / 0)

    def test_a_flow_that_does_not_reach_its_end(self):
        flow = murmur.Flow(n=4, d=3, T=1, max_evaluations=3)
        with self.assertRaises(murmur.NumericalError):
            murmur.gradient(flow, squares)

    def test_ctrl_c_on_the_way(self):
        flow = murmur.Flow(n=64, d=3, beta=1, T=1000, method="euler", dt=0.001, engine="reference")
        threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            murmur.gradient(flow, squares, states=8)


if __name__ == "__main__":
    unittest.main()
