#!/usr/bin/env python3
"""Ctrl-C within one velocity: KeyboardInterrupt after little more work of the processors."""
import os
import signal
import time
import unittest

from support import Folder

import murmur

MOST = 2.0 * min(os.cpu_count() or 1, 16)  # seconds of the processors: 2 s by the clock
LONG = {"n": 60000, "engine": "reference"}  # one velocity takes far longer


class WithinAVelocity(Folder):
    def struck(self, work):
        """The exception of `work`, in which a handler raises KeyboardInterrupt after half a second of work."""
        def handler(*_):
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGPROF, handler)
        began = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, 0.5)
        try:
            with self.assertRaises(KeyboardInterrupt) as raised:
                work()
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, before)
        self.assertLess(time.process_time() - began, 0.5 + MOST)
        return raised.exception

    def test_velocity(self):
        field = murmur.Field(**LONG)
        self.struck(field.velocity)
        self.struck(field.velocity)  # the field can be used again

    def test_a_flow_stays_at_its_last_step(self):
        flow = murmur.Flow(**LONG, T=1)
        stopped = self.struck(flow.advance)
        self.assertIsInstance(stopped, murmur.Interrupted)
        self.assertEqual(flow.t, 0)

    def test_a_run_in_a_directory(self):
        stopped = self.struck(lambda: murmur.simulate(**LONG, T=1, out="run", progress=False))
        self.assertIsInstance(stopped, murmur.Interrupted)
        self.assertEqual(murmur.Run.open("run").status, "interrupted")

    def test_a_flow_stopped_within_steps_gives_the_same_numbers(self):
        words = {"n": 1500, "engine": "reference", "T": 0.5, "save": "every:0.25"}
        whole = murmur.simulate(**words, progress=False)
        flow = murmur.Flow(**words)
        self.struck(flow.advance)
        flow.advance()
        self.assertTrue((whole.x[-1] == flow.x).all())


if __name__ == "__main__":
    unittest.main()
