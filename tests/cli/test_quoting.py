"""A command that the program advises can be copied to a shell, whatever the names of its files are."""

import signal
import subprocess

import murmur

NAMES = ("a b", "it's", 'say "x"', "-q", "--out", "n=4", "$(touch pwned)", "a;b", "two\nlines",
         "back\\slash", "*", "~", "\u00e9t\u00e9", "tab\there", "\x1b[2J")
VERIFICATION = 7


class Quoting(murmur.Case):
    def by_bash(self, line):
        """Does what a shell makes of an advised command; its exit code and output."""
        script = f'murmur() {{ "{murmur.PROGRAM}" "$@"; }}\n{line}'
        return subprocess.run(["bash", "-c", script], cwd=self.folder, capture_output=True,
                              text=True, timeout=120, env=murmur.environment())

    def check(self, line, code=0):
        self.assertNotIn("\n", line)
        self.assertNotIn("\x1b", line)
        done = self.by_bash(line)
        self.assertEqual(done.returncode, code, f"$ {line}\n{done.stdout}{done.stderr}")
        self.assertFalse((self.folder / "pwned").exists())
        return done

    def test_how_to_open_a_picture(self):
        self.simulate("run", "n=4", "T=0.2", "-q")
        for name in NAMES:
            with self.subTest(name):
                self.murmur("render", "run", "-q", "--size", "320x320", "--out=./" + name + ".png")
                told = self.murmur("open", "./" + name + ".png").stdout
                line = next(row for row in told.splitlines() if row.startswith("to create it again: "))
                self.check(line.partition(": ")[2] + " -q --force")
                self.assertTrue((self.folder / "again.png").exists())
                (self.folder / "again.png").unlink()

    def test_how_to_go_on(self):
        for name in NAMES:
            with self.subTest(name):
                process = self.start("simulate", "n=100", "method=rk4", "dt=0.001", "T=1e5",
                                     "--out=./" + name, "--progress", "none", "--checkpoint", "0.02")
                murmur.wait_until(lambda: process.poll() is not None
                                  or (self.folder / name / "checkpoint.safetensors").exists(), "a checkpoint")
                process.send_signal(signal.SIGINT)
                _, err = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 130, err)
                line = err.splitlines()[-1].strip()
                self.assertTrue(line.startswith("murmur simulate --resume "), err)
                self.check(line + " --dry-run")

    def test_how_to_see_what_differs(self):
        for name in NAMES:
            with self.subTest(name):
                run = self.simulate("./" + name, "n=4", "T=0.2", "-q")
                with open(run / "trajectory.npy", "r+b") as file:
                    file.seek(-2, 2)
                    file.write(b"x")
                refusal = self.murmur("measure", "./" + name, code=3).stderr.splitlines()[2]
                line = "murmur runs verify" + refusal.partition("murmur runs verify")[2]
                self.check(line.partition(" lists all")[0], VERIFICATION)

    def test_the_script_of_a_job(self):
        for name in ("a b", "it's", "$(touch pwned)", "n=4"):
            with self.subTest(name):
                script = self.murmur("submit", "simulate", "n=4", "T=0.1", "--dry-run",
                                     "--out=./" + name).stdout
                done = self.by_bash(script)
                self.assertEqual(done.returncode, 0, f"{script}\n{done.stderr}")
                self.assertEqual(murmur.status(self.folder / name), "done")
                self.assertFalse((self.folder / "pwned").exists())
        self.refused(2, "submit", "simulate", "n=4", "--dry-run", "--out=./two\nlines",
                     what="control characters")


if __name__ == "__main__":
    murmur.main()
