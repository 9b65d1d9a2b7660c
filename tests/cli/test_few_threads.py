"""Where the system starts few threads or none, the same bytes come from fewer, or three lines say why."""

import os
import resource
import shutil

import murmur

RUNTIME = 1
NOBODY = 65534


def small_room(megabytes, stack):
    """For preexec_fn: address space for so many MB, and stacks of threads as large."""
    def limit():
        resource.setrlimit(resource.RLIMIT_STACK, (stack << 20, stack << 20))
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    return limit


def few_processes(most):
    """For preexec_fn: at most so many threads, of a user for whom limits count."""
    def limit():
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
    return limit


class FewThreads(murmur.Case):
    WORDS = {
        "simulate": ("simulate", "n=600", "d=3", "T=0.1", "method=rk4", "dt=0.05", "engine=simd",
                     "threads=8"),
        "moments": ("simulate", "n=6000", "d=2", "T=0.1", "method=rk4", "dt=0.05",
                    "engine=moments", "threads=8"),
        "sweep": ("sweep", "n=8", "T=0.2", "beta=1,2,3,4", "replicas=2", "times=3", "threads=8"),
        "landscape": ("landscape", "d=2", "n=4", "starts=8"),
        "velocity": ("velocity", "n=600", "d=3", "threads=8"),
    }

    def test_products_of_matrices_in_little_memory_end(self):
        model = murmur.ROOT / "tests/fixtures/families/llama"
        for megabytes in (150, 200, 300, 400):
            done = self.murmur("trace", model, "--ids", "1,2,3", "-q", "-o", f"out{megabytes}", code=None,
                               preexec_fn=small_room(megabytes, 8))
            self.assertIn(done.returncode, (0, RUNTIME), done.stderr)

    def compare(self, name, limit):
        """The same bytes as without a limit, or three lines; a run that was begun is closed."""
        words = (*self.WORDS[name], "-q", "-o", "limited")
        if name == "velocity":
            words = (*self.WORDS[name], "-q", "-o", "limited.npy")
        done = self.murmur(*words, code=None, preexec_fn=limit)
        told = f"{words}: exit {done.returncode}\n{done.stderr}"
        self.assertIn(done.returncode, (0, RUNTIME), told)
        run = self.folder / "limited"
        if done.returncode == RUNTIME:
            self.assertEqual(len(done.stderr.splitlines()), 3, told)
        if (run / "manifest.json").exists():
            self.assertIn(murmur.status(run), ("done", "failed", "interrupted"), told)
        if done.returncode == 0 and run.exists():
            self.murmur(*self.WORDS[name], "-q", "-o", "whole")
            for path in ("trajectory.npy", "observables.csv", "sweep.csv"):
                if (run / path).exists():
                    self.assertEqual((run / path).read_bytes(),
                                     (self.folder / "whole" / path).read_bytes(), told)
            shutil.rmtree(self.folder / "whole")
        shutil.rmtree(run, ignore_errors=True)
        (self.folder / "limited.npy").unlink(missing_ok=True)
        return done.returncode

    def test_little_address_space(self):
        codes = {}
        for name in self.WORDS:
            for megabytes in (400, 1500):
                for stack in (8, 512):
                    with self.subTest(name, megabytes=megabytes, stack=stack):
                        codes[name, megabytes, stack] = self.compare(name,
                                                                     small_room(megabytes, stack))
        self.assertIn(0, codes.values())

    def test_few_processes(self):
        """prlimit --nproc=4, and 1: what root starts is started as nobody, whom limits bind."""
        os.chmod(self.folder, 0o777)
        if os.geteuid() == 0:
            copy = self.folder / "murmur"
            shutil.copy(murmur.PROGRAM, copy)
            before, murmur.PROGRAM = murmur.PROGRAM, copy
            self.addCleanup(setattr, murmur, "PROGRAM", before)
        for name in self.WORDS:
            for most in (1, 4):
                with self.subTest(name, most=most):
                    self.assertEqual(self.compare(name, few_processes(most)), 0)


if __name__ == "__main__":
    murmur.main()
