"""test_signals.py: SIGTERM, SIGINT and SIGHUP end every command soon, with 143, 130 or 129, and lose nothing that was kept.

Soon is counted in processor time, which a busy machine does not change.
"""

import os
import pathlib
import signal
import subprocess
import time

import murmur

TICK = os.sysconf("SC_CLK_TCK")
CORES = sorted(os.sched_getaffinity(0))[:2]
MOST = 2.0 * len(CORES)  # seconds of the processors after the signal: 2 s by the clock
TOKENIZER = murmur.ROOT / "tests/fixtures/tokenizers/wordpiece"


def processor_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(fields[k]) for k in (11, 12)) / TICK


class Signals(murmur.Case):
    def begin(self, *words, busy=0.6):
        """A process that has used so many seconds of the processors."""
        process = self.start(*words, preexec_fn=lambda: os.sched_setaffinity(0, CORES))
        while process.poll() is None and processor_seconds(process.pid) < busy:
            time.sleep(0.01)
        return process

    def end(self, process, number):
        """Strikes, and returns the processor time used until the end."""
        self.assertIsNone(process.poll(), process.args)
        used = processor_seconds(process.pid)
        process.send_signal(number)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 128 + number, process.args)
        return usage.ru_utime + usage.ru_stime - used

    def ends(self, *words, busy=0.6, number=signal.SIGTERM):
        spent = self.end(self.begin(*words, busy=busy), number)
        self.assertLess(spent, MOST, words)

    def test_within_a_velocity(self):
        """Each takes far longer for one velocity; the state before the first step is the checkpoint."""
        for k, words in enumerate((("n=100000", "d=8", "engine=simd"),
                                   ("n=400000", "d=3", "engine=simd", "precision=f32"),
                                   ("n=40000", "engine=reference"),
                                   ("n=6000", "engine=reference", "dynamics=sinkhorn"),
                                   ("n=60000", "engine=reference", "dynamics=hardmax"),
                                   ("n=20000", "engine=simd", "method=bdf"))):
            with self.subTest(words):
                run = self.folder / f"run-{k}"
                self.ends("simulate", *words, "T=100", "save=final", "-o", run, "-q",
                          number=(signal.SIGTERM, signal.SIGINT)[k % 2], busy=1.2)
                self.assertEqual(murmur.status(run), "interrupted")
                self.assertTrue((run / "checkpoint.safetensors").exists())

    def test_figures(self):
        """Figures that computed on for long, or to their end with exit code 0."""
        for name in ("low-rank", "readout", "noisy-bifurcation", "random-weights", "perceptron-clusters"):
            with self.subTest(name):
                self.ends("reproduce", name, "--runs", self.folder / "runs", "-q", busy=1)
                self.assertEqual(list(self.folder.rglob(f"{name}/result.json")), [])

    def test_meanfields_and_landscapes(self):
        for k, words in enumerate((("meanfield", "modes=4096", "beta=30", "T=1000"),
                                   ("meanfield", "d=3", "solver=quantiles", "particles=200000", "T=1000"),
                                   ("meanfield", "solver=quantiles", "particles=300000", "T=1000"),
                                   ("landscape", "n=200", "d=3", "starts=1000"))):
            with self.subTest(words):
                run = self.folder / f"run-{k}"
                self.ends(*words, "-o", run, "-q", number=signal.SIGINT)
                self.assertEqual(murmur.status(run), "interrupted")

    def test_velocity(self):
        self.ends("velocity", "n=100000", "engine=reference", "-o", "v.npy")
        self.assertFalse((self.folder / "v.npy").exists())

    def test_commands_that_keep_nothing(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen([str(murmur.PROGRAM), "tokenize", str(TOKENIZER)],
                                       stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
            self.addCleanup(self._end, process)
            murmur.wait_until(lambda: murmur.handles(process, number), "its handler")
            self.assertLess(self.end(process, number), MOST)

    def test_a_terminal_that_is_closed(self):
        """SIGHUP leaves no part of a film; a program that was started by nohup goes on."""
        self.murmur("simulate", "n=200", "T=20", "save=every:0.02", "-o", "run", "-q")
        self.ends("render", "run", "-o", "film.mp4", number=signal.SIGHUP)
        self.assertEqual([p.name for p in self.folder.iterdir() if "film" in p.name], [])
        ignore = lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)
        process = self.start("simulate", "n=2000", "T=100", "-o", "other", "-q", preexec_fn=ignore)
        murmur.wait_until(lambda: murmur.handles(process, signal.SIGTERM), "its handler")
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        self.end(process, signal.SIGTERM)

    def test_signals_that_came_blocked(self):
        block = lambda: signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
        process = self.start("simulate", "n=40000", "engine=reference", "-o", "run", "-q", preexec_fn=block)
        while processor_seconds(process.pid) < 0.8:
            time.sleep(0.01)
        self.end(process, signal.SIGTERM)

    def test_one_signal_that_comes_twice(self):
        """`timeout` sends it to the process and to its group: that is one signal, and a checkpoint."""
        run = self.folder / "run"
        process = self.begin("simulate", "n=100000", "d=8", "engine=simd", "-o", run, "-q", busy=1.2)
        process.send_signal(signal.SIGTERM)
        self.end(process, signal.SIGTERM)
        self.assertEqual(murmur.status(run), "interrupted")

    def test_stopped_within_steps_and_resumed(self):
        """The bytes of a run that no signal reached."""
        words = ("simulate", "n=1500", "engine=reference", "T=1.5", "save=every:0.25", "-q")
        self.murmur(*words, "-o", "whole")
        run, strikes = self.folder / "run", 0
        process = self.begin(*words, "-o", run, busy=0.4)
        while process.poll() is None:
            process.send_signal(signal.SIGTERM)
            if process.wait() == 0:
                break  # it ended first
            self.assertEqual(process.returncode, 143)
            strikes += 1
            process = self.begin("simulate", "--resume", run, "-q", busy=0.4 + 0.2 * strikes)
        self.assertEqual(process.returncode, 0)
        self.assertGreater(strikes, 1)
        self.assertEqual(murmur.promised(run), murmur.promised(self.folder / "whole"))


if __name__ == "__main__":
    murmur.main()
