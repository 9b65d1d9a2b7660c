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
    out, err = child.communicate(timeout=100)
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
        began.wait(10)
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


class Forks(Folder):
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
        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        def fly(times):
            field = murmur.Field(n=8)
            for k in range(times):
                run = murmur.simulate(n=8, T=0.5, save="every:0.1", seed=k)
                field.velocity(run.x[-1])
                if k % 100 == 0:
                    murmur.simulate(n=4, T=0.2, external=murmur.External("own", lambda t, x: -x))
                    try:
                        murmur.simulate(n=-1)
                    except murmur.InputError:
                        pass

        fly(1000)
        before = resident()
        fly(10_000)
        self.assertLess(resident() - before, 3e6)  # bytes: less than 300 a flight


if __name__ == "__main__":
    unittest.main()
