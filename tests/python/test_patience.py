#!/usr/bin/env python3
"""Ctrl-C at any moment, threads, forks in mid-flight, and ten thousand flights without a leak."""
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import unittest

import support
from support import Folder, python

import numpy as np

import murmur


def interrupted(text, after):
    """A Python that gets SIGINT so many seconds after it says that it begins."""
    child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(text)], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True,
                             env={**os.environ, "PYTHONPATH": str(support.PACKAGE)})
    assert child.stdout.readline() == "begins\n", child.stderr.read()
    time.sleep(after)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=900)
    return child.returncode, out, err


class CtrlC(Folder):
    flight = """
        import murmur
        print("begins", flush=True)
        try:
            murmur.simulate(n=400, T=1e6, save="every:1", progress=False{more})
        except murmur.Interrupted as stopped:
            run = stopped.run
            print(run.status, len(run) > 0, flush=True)
            {then}
        """

    def test_a_flight_in_memory_goes_on(self):
        text = self.flight.format(more="", then="flow = run._flow; k = flow.frames; "
                                  "flow.advance(frames=2); print(flow.frames >= k + 2)")
        code, out, err = interrupted(text, 1.0)
        self.assertEqual((code, out), (0, "interrupted True\nTrue\n"), err)

    def test_a_run_in_a_directory_goes_on(self):
        text = self.flight.format(more=", out='a'", then="print(murmur.Run.open('a').status)")
        code, out, err = interrupted(text, 1.0)
        self.assertEqual((code, out), (0, "interrupted True\ninterrupted\n"), err)
        support.program("runs", "verify", "a")

    def test_uncaught_it_ends_the_program(self):
        code, _, err = interrupted("""
            import murmur
            print("begins", flush=True)
            murmur.simulate(n=400, T=1e6, save="every:1")
            """, 0.5)
        self.assertIn(code, (-signal.SIGINT, 130, 1), err)
        self.assertIn("Interrupted", err)

    def test_a_force_and_a_sweep(self):
        code, out, err = interrupted("""
            import murmur
            print("begins", flush=True)
            try:
                murmur.simulate(n=4, T=1e9, habitat="space", dynamics="none", save="final",
                                external=murmur.External("slow", lambda t, x: -1e-6 * x), method="euler")
            except KeyboardInterrupt as stopped:
                print(type(stopped).__name__, flush=True)
            """, 0.7)
        self.assertEqual((code, out), (0, "Interrupted\n"), err)
        code, out, err = interrupted("""
            import murmur
            print("begins", flush=True)
            try:
                murmur.sweep(beta="0.1:9:200", n=64, T=300, method="layers", out="s", progress=False)
            except KeyboardInterrupt as stopped:
                print(stopped.run.kind, stopped.run.status, flush=True)
            """, 1.5)
        self.assertEqual((code, out), (0, "sweep interrupted\n"), err)

    def test_at_any_moment(self):
        """Many moments, from the import to the end: an exception or the result, never a crash."""
        text = textwrap.dedent("""
            import numpy  # whose own import makes something else of Ctrl-C
            print("begins", flush=True)
            try:
                import murmur
                for _ in range(1000):
                    murmur.simulate(n=8, T=1)
                    murmur.simulate(n=8, T=1, out="a", force=True)
                    murmur.measure("a", show="counts")
            except KeyboardInterrupt:
                print("stopped")
            """)
        for k in range(100 if support.LONG else 12):
            code, out, err = interrupted(text, 0.01 + 0.07 * k % 1.5)
            self.assertGreaterEqual(code, -2, (k, code, err))  # no signal of a crash
            self.assertTrue("stopped" in out or "KeyboardInterrupt" in err, (k, out, err))

    def test_a_handler_of_one_s_own(self):
        seen = []
        before = signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        try:
            while not seen:  # whichever it strikes goes on: the handler raised nothing
                murmur.simulate(n=300, T=30, save="final")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        self.assertEqual(seen, [1])


class Threads(Folder):
    def test_each_flies_its_own(self):
        wanted = [murmur.simulate(n=20, T=2, seed=k).x.tobytes() for k in range(8)]
        found = [None] * 8

        def fly(k):
            found[k] = murmur.simulate(n=20, T=2, seed=k).x.tobytes()

        threads = [threading.Thread(target=fly, args=(k,)) for k in range(8)]
        [t.start() for t in threads], [t.join() for t in threads]
        self.assertEqual(found, wanted)

    def test_others_run_while_one_flies(self):
        ticks, done = [], threading.Event()

        def tick():
            while not done.is_set():
                ticks.append(time.perf_counter())
                time.sleep(0.002)

        ticker = threading.Thread(target=tick)
        ticker.start()
        murmur.simulate(n=800, T=10, save="final")
        done.set(), ticker.join()
        self.assertGreater(len(ticks), 10)  # the interpreter's lock was let go

    def test_one_flow_is_not_shared(self):
        flow = murmur.Flow(n=200, T=1e5, save="final")
        errors, began = [], threading.Event()

        def fly():
            try:
                flow.advance(steps=4000, watch=lambda f: began.set())
            except murmur.MurmurError as error:
                errors.append(error)

        flying = threading.Thread(target=fly)
        flying.start()
        began.wait(900)
        refused = 0
        while flying.is_alive():
            for act in (flow.step, lambda: flow.x, flow.run, lambda: flow.branch(beta=2)):
                try:
                    act()
                except murmur.RuntimeFailure as error:
                    refused += 1
                    self.assertIn("thread", error.what)
        flying.join()
        self.assertTrue(refused > 0 or errors == [])
        self.assertGreater(flow.steps, 0)

    def test_commands_wait_for_each_other(self):
        found = []

        def measure(k):
            murmur.simulate(n=5, T=1, seed=k, out=f"r{k}", progress=False)
            found.append(len(murmur.measure(f"r{k}")))

        threads = [threading.Thread(target=measure, args=(k,)) for k in range(6)]
        [t.start() for t in threads], [t.join() for t in threads]
        self.assertEqual(found, [101] * 6)


    def test_one_field_is_not_shared(self):
        field = murmur.Field(n=600, engine="reference")
        wanted, odd, refused = field.velocity().tobytes(), [], []

        def ask():
            for _ in range(40):
                try:
                    if field.velocity().tobytes() != wanted:
                        odd.append(1)
                except murmur.RuntimeFailure as error:
                    refused.append(error.what)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        [t.start() for t in threads], [t.join() for t in threads]
        self.assertEqual(odd, [])
        self.assertTrue(refused and all("thread" in what for what in refused))
        self.assertEqual(field.velocity().tobytes(), wanted)

    def test_points_that_somebody_else_writes_meanwhile(self):
        """The numbers are then nobody's promise, but nothing breaks."""
        for engine in ("reference", "simd", "moments"):
            field = murmur.Field(n=500, d=3, engine=engine)
            x = np.asfortranarray(field.x)
            done = threading.Event()

            def scribble():
                draw = np.random.default_rng(0)
                while not done.is_set():
                    x[:] = draw.normal(size=x.shape) * 10.0 ** draw.integers(-5, 5)

            writer = threading.Thread(target=scribble)
            writer.start()
            for _ in range(30):
                try:
                    field.velocity(x)
                except murmur.MurmurError:
                    pass
            done.set(), writer.join()
            self.assertTrue(np.isfinite(field.velocity()).all())

    def test_a_daemon_does_not_break_the_end(self):
        """A thread that still flies when the interpreter ends."""
        ways = {"flight": "murmur.simulate(n=200, T=1e6, save='every:1', progress=False)",
                "simd": "murmur.simulate(n=400, T=1e6, save='final', engine='simd', threads=2)",
                "field": "f = murmur.Field(n=30)\n    while True: f.velocity()",
                "force": "murmur.simulate(n=4, T=1e6, dynamics='none', habitat='space', method='euler', "
                         "save='final', external=murmur.External('e', lambda t, x: -1e-9 * x))",
                "watch": "murmur.Flow(n=20, T=1e6, save='final').advance(watch=lambda f: None)"}
        for name, way in ways.items():
            for after in (0.1, 0.31) if not support.LONG else (0.05 * k for k in range(1, 20)):
                with self.subTest(name, after=after):
                    done = python(f"import murmur, threading, time\ndef fly():\n    {way}\n"
                                  "threading.Thread(target=fly, daemon=True).start()\n"
                                  f"time.sleep({after})\nprint('ends')")
                    self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "ends\n", ""))


class Callbacks(Folder):
    """Functions of Python that call back, out of the middle of a flight."""

    def test_a_force_that_asks_for_what_is_busy(self):
        for act in (lambda: flow.x, lambda: flow.step(), lambda: flow.branch(beta=2),
                    lambda: flow.resume(T=9), lambda: flow.run()):
            flow = murmur.Flow(n=3, T=1, external=murmur.External("asks", lambda t, x: act()))
            with self.assertRaises(murmur.RuntimeFailure):
                flow.advance()
            self.assertEqual(flow.steps, 0)
        field = murmur.Field(n=3, external=murmur.External("asks", lambda t, x: field.velocity(x)))
        self.assertRaises(murmur.RuntimeFailure, field.velocity)

    def test_a_force_may_use_everything_else(self):
        inner = murmur.Field(n=3)
        run = murmur.simulate(n=3, T=0.2, out="a", external=murmur.External(
            "uses", lambda t, x: inner.velocity(x) + murmur.simulate(init=x, T=0.1, out="b",
                                                                     force=True).x[-1]))
        self.assertEqual((run.status, run.t[-1]), ("done", 0.2))

    def test_what_ends_a_program_comes_through(self):
        for kind in (SystemExit, GeneratorExit, MemoryError, RecursionError):
            def force(t, x):
                raise kind("now")

            flow = murmur.Flow(n=3, T=1, external=murmur.External("ends", force))
            self.assertRaises(kind, flow.advance)
            self.assertRaises(kind, murmur.Flow(n=3, T=1).advance, watch=lambda f: force(0, 0))

    def test_a_watch_may_branch_and_save(self):
        ends = []

        def watch(flow):
            ends.append(flow.branch(T=2, beta=2).advance().t)
            ends.append(flow.resume(T=3).advance().t)
            flow.run().save("a", force=True)

        flow = murmur.Flow(n=3, T=1, method="rk4", dt=0.5).advance(watch=watch)
        self.assertEqual((flow.t, ends), (1, [2, 3] * (len(ends) // 2)))
        self.assertEqual(flow.run().x.tobytes(), murmur.simulate(n=3, T=1, method="rk4", dt=0.5).x.tobytes())

        class Undecided:
            def __bool__(self):
                raise KeyError("neither")

        self.assertRaises(KeyError, murmur.Flow(n=3, T=1).advance, watch=lambda f: Undecided())
        self.assertRaises(ValueError, murmur.Flow(n=3, T=1).advance, watch=lambda f: f.x > 0)

    def test_a_command_out_of_another_s_progress_is_refused(self):
        """It would wait for itself."""
        told = []

        def progress(p):
            try:
                murmur.measure(np.eye(3))
            except murmur.RuntimeFailure as error:
                told.append(error.what)

        murmur.sweep(beta="0.1:9:40", n=64, T=30, method="layers", out="s", progress=progress)
        self.assertTrue(told and "another" in told[0])
        murmur.measure(np.eye(3))
        with self.assertRaises(ZeroDivisionError):
            murmur.sweep(beta="0.1:9:400", n=64, T=300, method="layers", out="t", progress=lambda p: 1 / 0)


class Forks(Folder):
    def test_a_fork_in_a_watch_flies_on_in_both(self):
        done = python(textwrap.dedent("""
            import os, murmur
            words = dict(n=300, T=1, save="final", engine="simd", threads=2)
            flow, children = murmur.Flow(**words), []
            flow.advance(watch=lambda f: children.append(os.fork()) if not children else None)
            same = flow.x.tobytes() == murmur.simulate(**words).x[-1].tobytes()
            if children[0] == 0:
                os._exit(0 if same else 5)
            print(os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]), same)
            """))
        self.assertEqual((done.stdout, done.stderr), ("0 True\n", ""))

    def test_a_child_computes(self):
        """After threads were used here, and in the middle of a flight of another thread."""
        done = python(textwrap.dedent("""
            import os, sys, threading, murmur
            wanted = murmur.simulate(n=300, T=1, engine="simd", threads=2).x.tobytes()
            stop = []
            flow = murmur.Flow(n=300, T=1e6, save="final", engine="simd", threads=2)
            began = threading.Event()
            flying = threading.Thread(target=lambda: flow.advance(watch=lambda f: began.set() or bool(stop)))
            flying.start(); began.wait()
            codes = []
            for k in range(5):
                child = os.fork()
                if child == 0:
                    same = murmur.simulate(n=300, T=1, engine="simd", threads=2).x.tobytes() == wanted
                    kept = murmur.simulate(n=30, T=1, out=f"child{k}").status == "done"
                    try:
                        flow.step(); refused = False
                    except murmur.RuntimeFailure:
                        refused = True
                    os._exit(0 if same and kept else 1)
                codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            stop.append(1); flying.join()
            print(codes, flow.steps > 0)
            """))
        self.assertEqual((done.stdout, done.stderr), ("[0, 0, 0, 0, 0] True\n", ""))

    def test_multiprocessing(self):
        import multiprocessing

        murmur.simulate(n=300, T=1, engine="simd", threads=2)
        with multiprocessing.get_context("fork").Pool(2) as pool:
            found = pool.map(_last, range(4))
        self.assertEqual(found, [_last(k) for k in range(4)])


def _last(seed):
    return float(murmur.simulate(n=20, T=1, seed=seed)["energy"][-1])


class Leaks(Folder):
    def test_ten_thousand_flights_leave_memory_as_it_was(self):
        support.fly(1000)
        before = support.resident()
        support.fly(10_000)
        self.assertLess(support.resident() - before, 3e6)  # bytes: less than 300 a flight


if __name__ == "__main__":
    unittest.main()
