"""Closed streams, full disks and limits are told or harmless, and never spoil the files of a run."""

import json
import os
import pathlib
import pty
import resource
import subprocess

import murmur

RUNTIME, USAGE, INPUT = 1, 2, 3


def limited(**limits):
    """For preexec_fn: limits by their names in `resource`, in bytes."""
    def set_limits():
        for name, most in limits.items():
            resource.setrlimit(getattr(resource, "RLIMIT_" + name), (most, most))
    return set_limits


class Streams(murmur.Case):
    WORDS = "simulate n=6 d=3 T=1 seed=3 -o"

    def by_shell(self, words, redirections):
        """Exit code of a command line of the shell, whose redirections may close streams."""
        line = f'exec "{murmur.PROGRAM}" {words} {redirections}'
        return subprocess.run(["/bin/sh", "-c", line], cwd=self.folder, timeout=murmur.PATIENCE,
                              env=murmur.environment(), capture_output=True, text=True)

    def test_closed_streams_take_nothing_of_a_run(self):
        whole = murmur.promised(self.simulate("whole", *self.WORDS.split()[1:-1]))
        for k, closed in enumerate((">&-", "2>&-", ">&- 2>&-", "<&-", "<&- >&- 2>&-", "<&- 2>&-")):
            with self.subTest(closed):
                done = self.by_shell(f"{self.WORDS} run{k}", closed)
                self.assertEqual(done.returncode, 0, done.stderr)
                run = self.folder / f"run{k}"
                self.assertEqual(murmur.promised(run), whole)
                self.assertEqual(murmur.status(run), "done")
                for path in run.rglob("*.*"):
                    if path.suffix in (".npy", ".csv", ".json", ".jsonl", ".toml"):
                        self.assertNotIn(b"evaluations, ", path.read_bytes(), path)

    def test_errors_with_closed_streams_keep_their_code(self):
        for closed in ("2>&-", ">&- 2>&-", "2>/dev/full", ">/dev/full 2>/dev/full"):
            with self.subTest(closed):
                self.assertEqual(self.by_shell("simulate beta=x", closed).returncode, INPUT)
                self.assertEqual(self.by_shell("frobnicate", closed).returncode, USAGE)

    def test_talk_that_cannot_be_written_is_no_failure(self):
        done = self.by_shell(f"{self.WORDS} run --progress plain -v", "2>/dev/full")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(murmur.status(self.folder / "run"), "done")

    def test_data_that_cannot_be_written_is_one(self):
        for words in ("presets", "explain --parameters", "runs --json"):
            done = self.by_shell(words, ">/dev/full")
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (RUNTIME, 3), words)

    PRINTING = ("presets", "explain", "explain --parameters", "explain beta", "--help",
                "simulate --help", "doctor", "completion bash", "reproduce list",
                "reproduce rules", "reproduce parameters", "runs", "runs --json",
                "runs show run", "runs verify run", "measure run", "measure run --json",
                "open run/scene.png", "model list", "simulate n=4 --dry-run",
                "explain --man", "velocity n=4", "render run -o other.png",
                "simulate n=4 T=0.1 -o made", "bench velocity n=64 --repetitions 1")

    def test_a_reader_that_leaves(self):
        """As head does: what it did not want is no failure, and nothing is said of it."""
        self.murmur("simulate", "n=4", "T=0.2", "-q", "-o", "run")
        self.murmur("render", "run", "-o", "run/scene.png", "-q", "--size", "320x320")
        for words in self.PRINTING:
            with self.subTest(words):
                read, write = os.pipe()
                os.close(read)
                done = subprocess.run([murmur.PROGRAM, *words.split()], stdout=write,
                                      stderr=subprocess.PIPE, env=murmur.environment(), text=True,
                                      cwd=self.folder, timeout=120)
                os.close(write)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotIn("murmur: ", done.stderr)

    def test_a_reader_that_leaves_ends_what_would_never_end(self):
        self.write("tokenizer.json", json.dumps({
            "version": "1.0", "added_tokens": [], "normalizer": None,
            "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": None, "decoder": None,
            "model": {"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "the": 1}}}))
        line = f'yes \'"the"\' | "{murmur.PROGRAM}" tokenize tokenizer.json | head -n 1'
        done = subprocess.run(["bash", "-c", "set -o pipefail; " + line + "; exit ${PIPESTATUS[1]}"],
                              cwd=self.folder, env=murmur.environment(), capture_output=True,
                              text=True, timeout=120)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "[1]\n", ""))

    def test_a_limit_on_the_size_of_files(self):
        done = self.murmur("simulate", "n=64", "T=5", "-o", "run", code=None,
                           preexec_fn=limited(FSIZE=8192))
        told = f"exit {done.returncode}\n{done.stderr}"
        self.assertEqual(done.returncode, RUNTIME, told)
        self.assertEqual(len(done.stderr.splitlines()), 3, told)
        self.assertIn("ulimit -f", done.stderr)
        out = self.folder / "explained"
        with open(out, "wb") as file:
            done = subprocess.run([murmur.PROGRAM, "explain", "--parameters"], stdout=file,
                                  stderr=subprocess.PIPE, env=murmur.environment(), text=True,
                                  preexec_fn=limited(FSIZE=512))
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (RUNTIME, 3))


class Terminals(murmur.Case):
    NAME = b"a\x1b]0;t\x07\xc2\x9b31m\x9b\x7fb"

    def on_terminal(self, *words):
        """What the program writes to a terminal."""
        parent, child = pty.openpty()
        process = subprocess.Popen([murmur.PROGRAM, *words], cwd=self.folder, stdin=child,
                                   stdout=child, stderr=child,
                                   env=murmur.environment(NO_COLOR="1"))
        os.close(child)
        seen = b""
        try:
            while part := os.read(parent, 65536):
                seen += part
        except OSError:  # the other end is closed
            pass
        os.close(parent)
        process.wait(timeout=murmur.PATIENCE)
        return seen.replace(b"\r\n", b"\n").replace(b"\r\x1b[K", b"")

    def check(self, seen, json=False):
        bad = [c for c in seen if c < 0x20 and c not in b"\n\t" or c == 0x7f]
        self.assertEqual(bad, [], seen)
        self.assertNotIn(b"\xc2\x9b", seen)
        self.assertNotIn(b"\x9b", seen)
        lone = "\ufffd".encode() if json else b"\\u009b"  # a byte outside UTF-8
        self.assertIn(b"\\u001b]0;t\\u0007\\u009b31m" + lone + b"\\u007fb", seen)

    def test_names_do_not_steer_it(self):
        runs = os.fsencode(self.folder) + b"/" + self.NAME
        seen = self.on_terminal("simulate", "n=4", "T=1", "-o", runs)
        self.check(seen)
        for words in (("runs", "--runs", self.folder), ("runs", "show", runs),
                      ("simulate", runs + b"x"), ("simulate", b"beta=" + self.NAME),
                      (self.NAME,), ("simulate", b"--" + self.NAME), ("render", runs + b"x"),
                      ("simulate", b"name=" + self.NAME), (b"explain", b"init=" + self.NAME)):
            with self.subTest(words):
                self.check(self.on_terminal(*words))

    def test_json_stays_json(self):
        runs = os.fsencode(self.folder) + b"/" + self.NAME
        for name in (runs, runs + b"\xff\xfe", runs + "\u00e9".encode()):
            done = subprocess.run([murmur.PROGRAM, "simulate", "n=4", "T=1", "--json", "-o", name],
                                  capture_output=True, env=murmur.environment())
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["status"], "done")
            self.check(done.stdout, json=True)
            for words in (("measure", name), ("render", name, "-o", name + b"/x.png"),
                          ("landscape", "d=2", "n=4", "starts=1", "-q", "-o", name + b"l"),
                          ("explain", b"init=" + name)):
                done = subprocess.run([murmur.PROGRAM, *words, "--json"], capture_output=True,
                                      cwd=self.folder, env=murmur.environment())
                self.assertIn(done.returncode, (0, INPUT), done.stderr)
                self.assertNotIn(b"unexpected", done.stderr)
                if done.returncode == 0:
                    json.loads(done.stdout)


class Memory(murmur.Case):
    def test_no_thread_starts_before_it_is_used(self):
        process = self.start("simulate", "n=600", "d=3", "T=1e4", "threads=1", "engine=reference",
                             "--progress", "none", env={"OPENBLAS_NUM_THREADS": "8"})
        murmur.wait_until((self.folder / "runs").is_dir)
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        self.assertIn("Threads:\t1\n", status)

    def test_little_memory_is_told_and_never_waited_for(self):
        for most in (400 << 20, 1 << 30, 1500 << 20):
            for words in ("presets", "doctor", "simulate n=8 T=1 -o run --force",
                          "simulate n=64 T=1 threads=1000 -o run --force"):
                with self.subTest(words, most=most):
                    before = murmur.processor_seconds()
                    done = self.murmur(*words.split(), code=None, preexec_fn=limited(AS=most))
                    told = f"exit {done.returncode}\n{done.stderr}"
                    self.assertIn(done.returncode, (0, RUNTIME), told)
                    self.assertLess(murmur.processor_seconds() - before, 20)
                    if done.returncode == RUNTIME:
                        self.assertRegex(done.stderr, "memory|thread", told)
                        self.assertEqual(len(done.stderr.splitlines()), 3, told)


if __name__ == "__main__":
    murmur.main()
