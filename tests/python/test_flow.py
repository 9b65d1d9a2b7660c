#!/usr/bin/env python3
"""Flow: steps, branches, watches, own forces; and what happens when any of these goes wrong."""
import unittest

import support
from support import Folder, program

import numpy as np

import murmur


def pull(t, x):
    return -x


class Stepping(Folder):
    def test_pieces_make_the_whole(self):
        whole = murmur.simulate(n=16, T=3, seed=2)
        for pieces in ({"steps": 1}, {"steps": 7}, {"frames": 1}, {"frames": 10}):
            flow = murmur.Flow(n=16, T=3, seed=2)
            while not flow.done:
                flow.advance(**pieces)
            self.assertEqual(flow.run().x.tobytes(), whole.x.tobytes(), pieces)
            self.assertEqual(flow.t, 3)
            np.testing.assert_array_equal(flow.x, whole.x[-1])
        flow = murmur.Flow(n=16, T=3, seed=2).advance(until=1.0)
        self.assertGreaterEqual(flow.t, 1.0)
        self.assertLess(flow.t, 1.5)
        self.assertFalse(flow.done)
        self.assertEqual(flow.step(0).steps, flow.steps)

    def test_a_watch_stops_it(self):
        seen = []
        flow = murmur.Flow(n=16, T=50)
        flow.advance(watch=lambda f: seen.append(f.t) or f.t > 2)
        self.assertEqual(flow.t, seen[-1])
        self.assertTrue(2 < flow.t < 4 and not flow.done and seen == sorted(seen))
        whole = murmur.simulate(n=16, T=50)
        self.assertEqual(flow.advance().run().x.tobytes(), whole.x.tobytes())

    def test_a_watch_that_raises_loses_nothing(self):
        flow = murmur.Flow(n=16, T=3)
        with self.assertRaises(ZeroDivisionError):
            flow.advance(watch=lambda f: 1 / 0)
        self.assertEqual(flow.steps, 1)
        with self.assertRaises(murmur.RuntimeFailure):  # a watch reads, and does not advance
            flow.advance(watch=lambda f: f.advance())
        self.assertEqual(flow.advance().run().x.tobytes(), murmur.simulate(n=16, T=3).x.tobytes())

    def test_branches(self):
        flow = murmur.Flow(n=8, T=4, method="rk4", dt=0.1).advance(until=1.0)
        same, other = flow.branch(), flow.branch(beta=9)
        self.assertEqual(same.t, flow.t)
        whole = murmur.simulate(n=8, T=4, method="rk4", dt=0.1)
        at = int(np.argmin(abs(whole.t - flow.t)))
        same.advance(), other.advance()
        self.assertEqual(same.run().x.tobytes(), whole.x[at:].tobytes())
        self.assertNotEqual(other.run().x[-1].tobytes(), whole.x[-1].tobytes())
        self.assertEqual(flow.t, whole.t[at])  # the first flow stays where it is
        for wrong in ({"n": 9}, {"habitat": "space"}, {"T": 0.5}, {"dt": 0.3}, {"bta": 1}):
            with self.assertRaises(murmur.InputError, msg=wrong):
                flow.branch(**wrong)
        half = flow.branch(dt=0.05)
        self.assertEqual(half.advance().t, 4)

    def test_a_longer_flight_has_the_frames_of_one_that_was_longer_from_the_start(self):
        """Adaptive methods stop before the step that reaches T; whoever goes on is not to notice."""
        for number, more in enumerate(({}, {"method": "rk4", "dt": 0.1}, {"merge": 1e-2, "beta": 9},
                                       {"method": "tsit5", "engine": "simd"}, {"save": "every:0.25"},
                                       {"method": "euler", "dt": 0.05, "noise": 0.1})):
            with self.subTest(more):
                words = {"n": 16, "T": 2, "seed": 3} | more
                first = murmur.simulate(**words)
                before = first.x.copy()
                longer = first.resume(T=5, progress=False)
                save = first.parameters["save"]
                whole = murmur.simulate(**words | {"T": 5, "save": save})
                self.assertEqual(longer.t.tobytes(), whole.t.tobytes())
                self.assertEqual(longer.x.tobytes(), whole.x.tobytes())
                self.assertEqual(longer.events, whole.events)
                self.assertEqual(longer.config, whole.config)
                np.testing.assert_array_equal(longer["energy"], whole["energy"])
                program("simulate", "-q", *[f"{k}={v}" for k, v in words.items()], "-o", f"r{number}")
                program("simulate", "-q", "--resume", f"r{number}", "T=5")
                self.assertEqual(longer.x.tobytes(), np.load(f"r{number}/trajectory.npy").tobytes())
                np.testing.assert_array_equal(first.x, before)  # which stays as it was
                self.assertEqual((first.t[-1], longer.t[-1], longer.status), (2, 5, "done"))
                kept = longer.save(f"kept{number}")
                self.assertEqual(kept.x.tobytes(), whole.x.tobytes())
        flow = murmur.Flow(n=16, T=2, seed=3).advance(until=1.0)
        on = flow.resume(T=5)
        self.assertEqual((on.t, on.T, flow.T), (flow.t, 5, 2))
        self.assertEqual(on.advance().run().x.tobytes(),
                         murmur.simulate(n=16, T=5, seed=3, save="every:0.02").x.tobytes())
        same = flow.advance().resume(T=2)
        self.assertTrue(same.done)
        for wrong in (1.0, 0, -1, float("nan"), "late", None):
            with self.assertRaises(murmur.InputError, msg=wrong):
                flow.resume(T=wrong)

    def test_points_may_change_after_a_flow_has_begun(self):
        x = np.asfortranarray(murmur.Field(n=6).x)
        wanted = murmur.simulate(init=x.copy(), T=2, save="every:0.5").x.tobytes()
        flow = murmur.Flow(init=x, T=1, save="every:0.5")
        x[:] = np.nan
        flow.advance(), flow.velocity(), flow.branch(T=2).advance()
        self.assertEqual(flow.resume(T=2).advance().run().x.tobytes(), wanted)
        self.assertEqual(murmur.gradient(flow, lambda y: (0.0, np.zeros_like(y)))["start"].shape, (6, 3))

    def test_a_branch_begins_where_the_flow_is(self):
        for more in ({}, {"merge": 0.05, "beta": 9}, {"method": "rk4", "dt": 0.1}):
            flow = murmur.Flow(n=16, T=2, **more).advance()
            other = flow.branch(T=4)
            self.assertEqual((flow.t, other.t), (2, 2))
            np.testing.assert_array_equal(other.x, flow.x)
            run = other.advance().run()
            self.assertEqual((run.t[0], run.t[-1]), (2, 4))
            np.testing.assert_array_equal(run.x[0], flow.run().x[-1])
            np.testing.assert_allclose(run.x[-1], flow.resume(T=4).advance().x, atol=1e-3)
            self.assertEqual(flow.run().branch(T=4, progress=False).t[0], 2)

    def test_a_run_of_a_directory_branches(self):
        run = murmur.simulate(n=8, T=1, out="a")
        there = run.branch(T=2, beta=9, out="b", progress=False)
        program("runs", "branch", "-q", "a", "T=2", "beta=9", "-o", "c")
        self.assertEqual(there.x.tobytes(), np.load("c/trajectory.npy").tobytes())


class OwnForces(Folder):
    settings = {"n": 10, "d": 3, "dynamics": "none", "habitat": "space", "T": 1, "init": "gaussian"}

    def test_a_force_of_python(self):
        run = murmur.simulate(external=murmur.External("pull", pull), **self.settings)
        np.testing.assert_allclose(run.x[-1], np.exp(-1) * run.x[0], rtol=1e-7)
        self.assertEqual((run.reproducible, run.external), (False, ["pull"]))
        self.assertIn("pull(t, x)_i", run.equation)
        self.assertIn("not reproducible", repr(run))

    def test_beside_attention_it_is_what_a_perceptron_is(self):
        w = np.random.default_rng(0).normal(size=(3, 3))
        ours = murmur.velocity(n=7, external=murmur.External("own", lambda t, x: np.tanh(x) @ w.T))
        ffn = murmur.Perceptron(in_=np.eye(3), out=w, activation="tanh")
        theirs = murmur.velocity(n=7, dynamics=murmur.Dynamics(murmur.Attention(beta=4), ffn))
        np.testing.assert_allclose(ours, theirs, atol=1e-14)

    def test_its_runs_say_that_their_files_do_not_make_them(self):
        run = murmur.simulate(external=murmur.External("pull", pull), out="a", **self.settings)
        self.assertEqual((run.external, run.reproducible, run.engine),
                         (["pull"], False, "reference with pull"))
        memory = murmur.simulate(external=murmur.External("pull", pull), **self.settings)
        self.assertEqual(run.x.tobytes(), memory.x.tobytes())
        self.assertEqual(memory.save("b").external, ["pull"])
        program("simulate", "a", "T=2", code=3)
        program("simulate", "--resume", "a", "T=2", code=3)
        program("runs", "branch", "a", "T=2", code=3)
        program("runs", "verify", "a", "b")
        self.assertIn("radius", program("measure", "a"))
        self.assertEqual(run.clusters().count, 10)
        with self.assertRaises(murmur.InputError):
            run.resume(T=2)

    def test_what_it_does_wrong_is_told(self):
        def failing(t, x):
            if t > 0.3:
                raise LookupError("no field there")
            return -x

        flow = murmur.Flow(external=murmur.External("failing", failing), **self.settings)
        with self.assertRaises(LookupError):
            flow.advance()
        self.assertTrue(0 < flow.t <= 0.3 and flow.frames > 1)
        whole = murmur.Flow(external=murmur.External("pull", pull), **self.settings)
        whole.advance(frames=flow.frames)
        self.assertEqual(flow.run().x.tobytes(), whole.run().x[: flow.frames].tobytes())
        with self.assertRaises(LookupError):
            murmur.simulate(external=murmur.External("failing", failing), out="a", **self.settings)
        self.assertEqual(murmur.Run.open("a").status, "failed")
        self.assertGreater(len(murmur.Run.open("a")), 1)
        for result in (None, "x", np.zeros(3), np.zeros((10, 2)), np.zeros((10, 3), complex),
                       np.zeros((10, 3), object), np.zeros((3, 10))):
            with self.assertRaises(murmur.InputError, msg=repr(result)):
                murmur.simulate(external=murmur.External("odd", lambda t, x: result), **self.settings)
        with self.assertRaises(murmur.NumericalError):
            murmur.simulate(external=murmur.External("nan", lambda t, x: x * np.nan), **self.settings)
        for wrong in ({"engine": "simd"}, {"precision": "f32"}, {"merge": 0.1}):
            with self.assertRaises(murmur.InputError, msg=wrong):
                murmur.simulate(external=murmur.External("pull", pull), **self.settings | wrong)
        for wrong in (lambda: murmur.External("pull", 3), lambda: murmur.simulate(external=pull),
                      lambda: murmur.simulate(external=murmur.External("two words", pull)),
                      lambda: murmur.simulate(external=[murmur.External("a", pull)] * 2)):
            self.assertRaises((murmur.InputError, TypeError), wrong)

    def test_kept_arrays_are_the_caller_s(self):
        kept = []
        murmur.simulate(external=murmur.External("keeps", lambda t, x: kept.append(x) or -x),
                        **self.settings)
        self.assertGreater(len(kept), 5)
        self.assertTrue(all(np.isfinite(x).all() and x.shape == (10, 3) for x in kept))
        self.assertFalse(np.array_equal(kept[0], kept[-1]))

    def test_opinions_in_thirty_lines(self):
        """Another field: people listen to those within reach, and opinions gather."""
        here = {}
        text = (support.ROOT / "bindings/python/examples/opinions.py").read_text()
        self.assertLessEqual(len(text.splitlines()), 30)
        exec(compile(text, "opinions.py", "exec"), here)
        self.assertEqual(here["run"].status, "done")
        self.assertTrue(1 < here["camps"] < 10)


if __name__ == "__main__":
    unittest.main()
