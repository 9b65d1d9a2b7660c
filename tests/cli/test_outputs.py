"""What is drawn takes its place whole or not at all, whatever the disk and the tools do."""

import os
import shutil
import subprocess

import murmur
from test_streams import limited

RUNTIME, TOOL = 1, 6
SMALL = ("--size", "320x320", "--seconds", "0.5", "--fps", "10")


class Pictures(murmur.Case):
    def setUp(self):
        super().setUp()
        self.simulate("run", "n=24", "d=3", "T=4", "seed=1", "-q")

    def told(self, done, code=RUNTIME):
        text = f"\n$ {' '.join(map(str, done.args))}\nexit {done.returncode}\n{done.stderr}"
        self.assertEqual(done.returncode, code, text)
        self.assertEqual(len(done.stderr.splitlines()), 3, text)
        self.assertNotIn("unexpected", done.stderr)

    def nothing_left(self, folder=None):
        left = [path.name for path in (folder or self.folder).rglob("*")
                if path.is_file() and (path.name.startswith((".", "x."))
                                       and path.name != "x.csv")]
        self.assertEqual(left, [])

    def fakes(self, script):
        tools = self.folder / "tools"
        tools.mkdir(exist_ok=True)
        for name in ("gnuplot", "ffmpeg"):
            (tools / name).write_text("#!/bin/sh\n" + script)
            (tools / name).chmod(0o755)
        return {"PATH": f"{tools}:{os.environ['PATH']}"}


class Tools(Pictures):
    def test_that_do_nothing(self):
        quiet = self.fakes("cat >/dev/null\nexit 0\n")
        for name in ("x.svg", "x.pdf", "x.mp4"):
            self.told(self.murmur("render", "run", "-o", name, *SMALL, env=quiet, code=None))
        self.told(self.murmur("render", "run", "--plot", "energy", "-o", "x.png", env=quiet,
                              code=None))
        self.nothing_left()

    def test_that_leave_half_a_file(self):
        """Success is what the file says, not what the tool says."""
        for written in ("<?xml version=\"1.0\"?><svg>", "nonsense of some length, no picture",
                        "%PDF-1.4 and no more than that", "\\211PNG\\r\\n\\032\\n and no end"):
            half = self.fakes("cat >/dev/null\nfor last; do :; done\n"
                              "case $last in file:*) ;; *) last=/dev/null ;; esac\n"
                              f"printf '{written}' | tee \"${{last#file:}}\"\nexit 0\n")
            for name in ("x.svg", "x.pdf", "x.mp4"):
                with self.subTest(written, name=name):
                    self.told(self.murmur("render", "run", "-o", name, *SMALL, env=half, code=None))
        self.nothing_left()

    def test_that_die(self):
        for script in ("kill -9 $$\n", "cat >/dev/null\nkill -SEGV $$\n", "exit 3\n"):
            for name in ("x.svg", "x.mp4"):
                self.told(self.murmur("render", "run", "-o", name, *SMALL, env=self.fakes(script),
                                      code=None))
        self.nothing_left()


    def test_gnuplot_reads_a_file(self):
        """From a pipe or a socket it reads each byte by a system call of its own."""
        if not (gnuplot := shutil.which("gnuplot")):
            self.skipTest("gnuplot is not here")
        checked = self.fakes('test "$2" != - && test -f /dev/stdin && test "$(head -c3 /dev/stdin)" = set || exit 9\n'
                             f'exec {gnuplot} "$@"\n')
        self.murmur("render", "run", "--plot", "energy", "-o", "energy.svg", env=checked)
        self.murmur("render", "run", "--plot", "energy", "-o", "same.svg")
        self.assertEqual((self.folder / "energy.svg").read_bytes(),
                         (self.folder / "same.svg").read_bytes())


class Disk(Pictures):
    def setUp(self):
        super().setUp()
        if not shutil.which("gnuplot") or not shutil.which("ffmpeg"):
            self.skipTest("gnuplot or ffmpeg is not here")

    def test_a_limit_on_the_size_of_files(self):
        for name, most in (("x.svg", 4096), ("x.pdf", 4096), ("x.mp4", 4096), ("x.gif", 4096), ("x.png", 4096)):
            with self.subTest(name):
                self.told(self.murmur("render", "run", "-o", name, *SMALL, code=None,
                                      preexec_fn=limited(FSIZE=most)))
        self.nothing_left()

    def test_devices_and_pipes_are_no_places(self):
        os.mkfifo(self.folder / "x.svg")
        os.mkfifo(self.folder / "x.mp4")
        before = os.stat("/dev/null")
        for name in ("x.svg", "x.mp4"):
            self.told(self.murmur("render", "run", "-o", name, *SMALL, "--force", code=None))
            self.assertTrue((self.folder / name).is_fifo())
        self.assertEqual(os.stat("/dev/null").st_rdev, before.st_rdev)

    def test_a_full_disk(self):
        """A small file system of its own, where this may be mounted."""
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "none", disk],
                                 capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("no file system can be mounted here")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        (disk / "filler").write_bytes(b"x" * 8192)
        for name in ("x.svg", "x.pdf", "x.png", "x.mp4", "x.gif"):
            with self.subTest(name):
                self.told(self.murmur("render", "run", "-o", disk / name, *SMALL, code=None))
                self.nothing_left(disk)

    def test_reports_and_maps(self):
        """Figures by Cairo and the page; the numbers of a search stay, and the exit code tells."""
        done = self.murmur("report", "run", code=None, preexec_fn=limited(FSIZE=16384))
        self.told(done)
        self.assertFalse((self.folder / "run/report.html").exists())
        self.nothing_left()
        done = self.murmur("landscape", "d=2", "beta=3", "n=4", "starts=2", "-o", "found", "-q",
                           code=None, preexec_fn=limited(FSIZE=16384))
        self.told(done)
        self.assertIn("not drawn", done.stderr)
        self.assertEqual(murmur.status(self.folder / "found"), "done")
        self.assertEqual([path.name for path in (self.folder / "found").rglob(".*")], [])


class Landscapes(Pictures):
    def test_without_a_tool_is_no_failure(self):
        done = self.murmur("landscape", "d=2", "beta=3", "n=4", "starts=2", "-o", "found",
                           env={"PATH": "/nowhere"}, code=None)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    murmur.main()
