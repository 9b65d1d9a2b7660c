"""Where output cannot go and runs cannot be read: a sentence, and what was there stays there."""

import json
import resource
import signal
import subprocess

import numpy as np

import murmur

RUNTIME, USAGE, INPUT = 1, 2, 3  # exit codes


class Outputs(murmur.Case):
    SHORT = ("n=4", "T=0.1", "save=final")

    def test_unwritable(self):
        self.write("file", "kept")
        for place in ("file/run", "file/deeper/run", "/proc/run", "/sys/run"):
            with self.subTest(place):
                self.refused(RUNTIME, "simulate", *self.SHORT, "-o", place)
        self.save("x.npy", np.eye(3))
        for place in ("file/v.npy", "/proc/v.npy", "nowhere/v.npy"):
            with self.subTest(place):
                self.refused(RUNTIME, "velocity", "x.npy", "-o", place)
        self.simulate("run", *self.SHORT)
        for place in ("file/x.csv", "/proc/x.csv", "nowhere/x.csv"):
            with self.subTest(place):
                self.refused(RUNTIME, "export", "run", "-o", place)
                self.refused(RUNTIME, "render", "run", "-o", place.replace("csv", "png"))
        self.refused(RUNTIME, "simulate", *self.SHORT, "--runs", "file")

    def test_taken(self):
        run = self.simulate("run", *self.SHORT)
        self.refused(USAGE, "simulate", *self.SHORT, "-o", "run", do="--force")
        self.write("file", "kept")
        self.refused(USAGE, "simulate", *self.SHORT, "-o", "file")
        self.refused(USAGE, "simulate", *self.SHORT, "-o", "file", "--force")
        (self.folder / "mine").mkdir()
        self.write("mine/thesis.tex", "kept")
        self.refused(USAGE, "simulate", *self.SHORT, "-o", "mine")
        self.refused(USAGE, "simulate", *self.SHORT, "-o", "mine", "--force")
        self.write("mine/manifest.json", '{"name": "a web page"}')
        self.refused(USAGE, "simulate", *self.SHORT, "-o", "mine", "--force")
        self.save("v.npy", np.eye(3))
        self.refused(USAGE, "velocity", "n=3", "-o", "v.npy", do="--force")
        self.refused(USAGE, "velocity", "n=3", "-o", "mine")
        self.refused(USAGE, "export", "run", "-o", "v.npy")
        self.refused(USAGE, "render", "run", "-o", "v.npy")
        self.assertEqual(murmur.status(run), "done")

    def test_wrong_numbers_leave_an_earlier_run_alone(self):
        self.simulate("run", *self.SHORT)
        self.refused(INPUT, "simulate", "n=0", "-o", "run", "--force")
        self.refused(INPUT, "simulate", "init=missing.npy", "-o", "run", "--force")

    def test_force_replaces_a_run_of_ours(self):
        before = murmur.tree(self.simulate("run", *self.SHORT))
        self.simulate("run", "n=5", "T=0.1", "save=final", "--force")
        self.assertEqual(murmur.trajectory(self.folder / "run").shape, (1, 5, 3))
        self.assertEqual(set(murmur.tree(self.folder / "run")), set(before))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["run"])

    def test_an_empty_directory_is_free(self):
        (self.folder / "run").mkdir()
        self.simulate("run", *self.SHORT)

    def test_stdout_full(self):
        self.simulate("run", *self.SHORT)
        for words in (("presets",), ("measure", "run"), ("velocity", "n=3"), ("doctor",),
                      ("explain",)):
            with self.subTest(words), open("/dev/full", "w") as full:
                done = subprocess.run([murmur.PROGRAM, *words], cwd=self.folder, stdout=full,
                                      stderr=subprocess.PIPE, text=True,
                                      env=murmur.environment())
                self.assertEqual(done.returncode, RUNTIME)
                self.assertEqual(len(done.stderr.splitlines()), 3, done.stderr)


class FullDisk(murmur.Case):
    """A write that fails: by a tiny file system, or by a limit on the size of files."""

    @staticmethod
    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))

    def tiny(self, size):
        place = self.folder / "tiny"
        place.mkdir(exist_ok=True)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place],
                                 capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("cannot mount a small file system here: " + mounted.stderr.decode())
        self.addCleanup(subprocess.run, ["umount", place], check=True)
        return place

    def check_readable(self, run):
        """As after a crash: whole frames count, and the program reads them."""
        frames, times = murmur.frames_and_times(run)
        self.assertGreater(len(times), 0)
        whole = min(len(frames), len(times))
        self.assertLess(np.abs(np.linalg.norm(frames[:whole], axis=2) - 1).max(), 1e-12)
        self.murmur("measure", run)

    def failed(self, *words, **options):
        done = self.murmur(*words, code=None, **options)
        self.assertEqual(done.returncode, RUNTIME, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 3, done.stderr)
        self.assertNotIn("terminate", done.stderr)

    def test_limit_during_a_run(self):
        self.failed("simulate", "n=100", "T=10", "-o", "run", preexec_fn=self.small_files)
        self.check_readable(self.folder / "run")
        self.assertNotEqual(murmur.status(self.folder / "run"), "done")
        self.murmur("simulate", "--resume", "run")  # room again
        whole = self.simulate("whole", "n=100", "T=10")
        self.assertEqual(murmur.promised(self.folder / "run"), murmur.promised(whole))

    def test_limit_at_the_start(self):
        self.refused(RUNTIME, "simulate", "n=10000", "T=10", "-o", "run",
                     preexec_fn=self.small_files)

    def test_limit_for_single_files(self):
        self.refused(RUNTIME, "velocity", "n=5000", "d=3", "-o", "v.npy",
                     preexec_fn=self.small_files)
        self.simulate("run", "n=100", "T=1")
        for name in ("x.npy", "x.csv", "x.xyz"):
            self.refused(RUNTIME, "export", "run", "-o", name, preexec_fn=self.small_files)
        self.write("x.csv", "kept")
        self.refused(RUNTIME, "export", "run", "-o", "x.csv", "--force",
                     preexec_fn=self.small_files)

    def test_full_during_a_run(self):
        place = self.tiny("192k")
        self.failed("simulate", "n=100", "T=10", "-o", "tiny/run")
        self.check_readable(place / "run")

    def test_full_at_the_start(self):
        place = self.tiny("16k")
        self.failed("simulate", "n=1000", "T=10", "-o", "tiny/run")
        self.assertEqual(list(place.iterdir()), [])


class Runs(murmur.Case):
    def setUp(self):
        super().setUp()
        self.run_directory = self.simulate("run", "n=6", "T=1", "save=every:0.25")

    def readers(self):
        yield "measure", "run"
        yield "render", "run", "-o", "x.png"
        yield "export", "run", "-o", "x.csv"
        yield "runs", "show", "run"
        yield "simulate", "--resume", "run", "T=2"

    def test_not_a_run(self):
        self.write("file", "kept")
        (self.folder / "plain").mkdir()
        for place in ("file", "plain", "nowhere"):
            for reader in self.readers():
                words = [place if word == "run" else word for word in reader]
                with self.subTest(" ".join(words)):
                    self.refused(INPUT, *words, what=place)

    def test_another_schema(self):
        path = self.run_directory / "manifest.json"
        manifest = json.loads(path.read_text())
        manifest.update(schema="murmur-run-2", schema_version=2)
        path.write_text(json.dumps(manifest))
        for words in self.readers():
            with self.subTest(" ".join(words)):
                self.refused(INPUT, *words, what="murmur-run-2", where="manifest.json")

    def test_corrupt_manifest(self):
        path = self.run_directory / "manifest.json"
        whole = path.read_text()
        broken = (whole[:len(whole) // 2], "", "[]", "null", '{"schema": 3}',
                  whole.replace('"seed": 0', '"seed": "x"'), whole.replace('"numbers"', '"digits"'),
                  whole.replace('"running"', "5").replace('"done"', "5"))
        for text in broken:
            path.write_text(text)
            for words in self.readers():
                with self.subTest(" ".join(words), manifest=text[:40]):
                    self.refused(INPUT, *words)

    def test_corrupt_files(self):
        for name in ("trajectory.npy", "times.npy", "config.toml"):
            path = self.run_directory / name
            whole = path.read_bytes()
            short = () if name == "config.toml" else (b"", whole[:20])  # no lines: all defaults
            for content in (*short, b"\xff" * 200, None):
                if content is None:
                    path.unlink()
                else:
                    path.write_bytes(content)
                with self.subTest(name, content=(content or b"missing")[:20]):
                    done = self.murmur("measure", "run", code=None)
                    self.assertEqual(done.returncode, INPUT, done.stderr)
                    self.assertEqual(len(done.stderr.splitlines()), 3, done.stderr)
            path.write_bytes(whole)

    def test_corrupt_checkpoint(self):
        path = self.run_directory / "checkpoint.safetensors"
        whole = path.read_bytes()
        positions = [0, 3, 9, len(whole) // 2, len(whole) - 1]
        broken = [whole[:k] + bytes([whole[k] ^ 0x55]) + whole[k + 1:] for k in positions]
        for content in (*broken, b"", whole[:-1], whole[:100], whole + b"x"):
            path.write_bytes(content)
            with self.subTest(size=len(content)):
                self.refused(INPUT, "simulate", "--resume", "run", "T=2", where="checkpoint")

    def test_resumed_with_other_parameters(self):
        self.refused(INPUT, "simulate", "--resume", "run", "T=0.5", what="T")
        self.refused(INPUT, "simulate", "--resume", "run", "T=x", what="T")
        self.refused(INPUT, "simulate", "--resume", "run", "beta=5", what="beta")
        self.refused(INPUT, "simulate", "--resume", "run", "seed=1", "T=2", what="seed")
        self.refused(USAGE, "simulate", "--resume", "run", "circle")
        self.refused(INPUT, "runs", "resume", "run", "n=7", what="n=7")

    def test_second_writer(self):
        first = self.start("simulate", "n=200", "method=rk4", "dt=0.01", "T=2000", "-o", "busy")
        busy = self.folder / "busy"
        murmur.wait_until((busy / "manifest.json").exists)
        first.send_signal(signal.SIGSTOP)
        try:
            self.refused(RUNTIME, "simulate", "--resume", "busy", what="another process")
            self.refused(RUNTIME, "simulate", "n=4", "-o", "busy", "--force",
                         what="another process")
            self.refused(USAGE, "simulate", "n=4", "-o", "busy")
            self.murmur("runs", "show", "busy")  # readers are welcome
        finally:
            first.send_signal(signal.SIGCONT)

    def test_pictures(self):
        self.refused(USAGE, "render", "run", "-o", "x.bmp", what="bmp")
        self.refused(USAGE, "render", "run", "-o", "x")
        for frame in ("5", "99", "-6"):
            self.refused(INPUT, "render", "run", "-o", "x.png", "--frame", frame, what="frame")
        self.refused(INPUT, "render", "run", "-o", "x.svg", "--plot", "happiness",
                     what="happiness")
        for size in ("big", "100x100", "1281x720", "x", "1280x720x3", "99999x99999"):
            self.refused(USAGE, "render", "run", "-o", "x.png", "--size", size)
        self.refused(USAGE, "render", "-o", "x.png")
        self.refused(USAGE, "render", "run", "run", "-o", "x.png")

    def test_exports(self):
        self.refused(USAGE, "export", "run")
        self.refused(USAGE, "export", "-o", "x.csv")
        self.refused(USAGE, "export", "run", "-o", "x.xlsx", what="xlsx")
        self.refused(USAGE, "export", "run", "--format", "xlsx", "-o", "x.csv", what="xlsx")


if __name__ == "__main__":
    murmur.main()
