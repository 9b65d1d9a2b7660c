"""Ranks under a real mpirun: the same bytes on any number of them, deaths, disagreements, shares."""

import os
import pathlib
import shutil
import signal
import subprocess
import unittest

import numpy as np

import murmur

RUNTIME, USAGE, INPUT, VERIFICATION = 1, 2, 3, 7
OPENMPI = {  # one machine, any user, more ranks than cores, no network but the loopback
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_oob_tcp_if_include": "lo",
}
CROWD = ("n=9000", "d=2", "beta=4", "engine=moments", "T=1", "save=every:0.5", "seed=3")
LONG = ("n=9000", "d=2", "beta=4", "engine=moments", "method=rk4", "dt=0.02", "save=every:1",
        "seed=3")


def plugin():
    return PLUGIN.exists() and shutil.which("mpirun") is not None


PLUGIN = murmur.PROGRAM.parent / "libmurmur_mpi.so"


def lines_of(stderr):
    """What murmur says in three lines; mpirun's own words around it are left out."""
    told = [line for line in stderr.splitlines()
            if line.startswith(("murmur: ", "  where: ", "  do:    "))]
    return told


@unittest.skipUnless(plugin(), "built without MPI, or there is no mpirun")
class Ranks(murmur.Case):
    def mpirun(self, count, *words, code=0, timeout=murmur.PATIENCE, **options):
        process = self.start_ranks(count, *words, **options)
        out, err = process.communicate(timeout=timeout)
        if code is not None:
            self.assertEqual(process.returncode, code, f"\n$ {words}\n{out}{err}")
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def start_ranks(self, count, *words, env=None):
        process = subprocess.Popen(
            ["mpirun", "-n", str(count), str(murmur.PROGRAM), *map(str, words)],
            cwd=self.folder, env=murmur.environment(**OPENMPI, **(env or {})),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self._end, process)
        return process

    def told_once(self, done, what, where=".", do="."):
        lines = lines_of(done.stderr)
        self.assertEqual(len(lines), 3, done.stderr)
        for line, expected in zip(lines, (what, where, do)):
            self.assertRegex(line, expected, done.stderr)
        self.assertEqual(done.stdout, "")

    # The same bytes

    def test_moments_give_the_same_bytes(self):
        alone = self.simulate("alone", *CROWD)
        for count in (1, 2, 3, 4):
            done = self.mpirun(count, "simulate", *CROWD, "-o", f"on{count}")
            self.assertEqual(done.stdout, f"on{count}\n")  # one rank talks
            shared = self.folder / f"on{count}"
            self.assertEqual(murmur.promised(shared), murmur.promised(alone), count)
            self.assertEqual(murmur.manifest(shared)["numbers"], murmur.manifest(alone)["numbers"])
            self.murmur("runs", "verify", shared)

    def test_other_ways_of_moments(self):
        """Harmonics and transforms on the sphere, cells for general heads, sampled observables."""
        for words in (("n=25000", "d=2", "beta=4"), ("n=9000", "d=3", "beta=4"),
                      ("n=70000", "d=3", "beta=80"), ("n=5000", "d=3", "beta=30", "init=cap:0.5"),
                      ("n=3000", "d=3", "beta=9", "query=gaussian", "key=gaussian")):
            words = (*words, "engine=moments", "method=euler", "dt=0.1", "T=0.1", "save=every:0.1")
            alone = self.simulate("alone", *words, "--force")
            self.mpirun(3, "simulate", *words, "-o", "shared", "--force")
            self.assertEqual(murmur.promised(self.folder / "shared"), murmur.promised(alone), words)

    def test_pairs_agree_within_rounding(self):
        for words in (("n=1000", "d=3", "beta=9"), ("n=300", "d=17", "dynamics=causal"),
                      ("n=600", "d=4", "beta=2", "precision=f32"),
                      ("n=500", "d=3", "beta=3", "dynamics=USA", "clock=U4")):
            words = ("T=0.5", "save=every:0.25", "engine=simd", *words)
            alone = self.simulate("alone", *words, "--force")
            first = None
            for count in (2, 3):
                self.mpirun(count, "simulate", *words, "-o", "shared", "--force")
                kept = murmur.promised(self.folder / "shared")
                first = first or kept
                self.assertEqual(kept, first, (words, count))  # and with each other to the bit
            apart = np.abs(murmur.trajectory(alone).astype(float)
                           - murmur.trajectory(self.folder / "shared").astype(float)).max()
            self.assertLess(apart, 1e-5 if "precision=f32" in words else 1e-11, words)

    def test_every_operation_of_a_flow(self):
        """Noise, merging, layers, hardmax, more ranks than blocks: as one process does it."""
        for words in (("n=200", "d=3", "noise=0.1", "method=strang", "dt=0.05", "T=0.5"),
                      ("n=64", "d=2", "beta=20", "merge=1e-3", "T=30"),
                      ("n=90", "d=3", "method=layers", "dt=0.1", "T=1"),
                      ("n=100", "d=2", "dynamics=USA", "clock=U4", "T=1"),
                      ("n=3", "d=2", "T=1"),
                      ("n=40", "d=2", "dynamics=hardmax", "T=1", "method=euler", "dt=0.1")):
            words = (*words, "engine=reference", "save=every:0.5")
            alone = self.simulate("alone", *words, "--force")
            self.mpirun(3, "simulate", *words, "-o", "shared", "--force")
            self.assertEqual(murmur.promised(self.folder / "shared"), murmur.promised(alone), words)

    # Ends and continuations

    def pids_of_ranks(self):
        found = {}
        for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
            try:
                text = path.read_bytes()
                program = os.readlink(path.parent / "exe")
            except OSError:
                continue
            if program == str(murmur.PROGRAM) and str(self.folder).encode() in text:
                for entry in text.split(b"\0"):
                    if entry.startswith(b"OMPI_COMM_WORLD_RANK="):
                        found[int(entry.split(b"=")[1])] = int(path.parent.name)
        return found

    def test_a_killed_rank(self):
        """kill -9 in mid-run; fewer ranks, and then one process, go on to the same bytes."""
        words = (*LONG, "T=2")
        alone = self.simulate("alone", *words)
        run = self.folder / "shared"
        process = self.start_ranks(4, "simulate", *words, "--checkpoint", "0", "-o", "shared",
                                   env={"MARK": str(self.folder)})
        murmur.wait_until((run / "checkpoint.safetensors").exists)
        os.kill(self.pids_of_ranks()[2], signal.SIGKILL)
        process.communicate(timeout=murmur.PATIENCE)
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(murmur.status(run), "running")
        self.mpirun(3, "simulate", "--resume", "shared")
        self.assertEqual(murmur.promised(run), murmur.promised(alone))
        self.murmur("runs", "verify", "shared")

    def test_stopped_and_resumed(self):
        words = (*LONG, "T=2")
        alone = self.simulate("alone", *words)
        process = self.start_ranks(2, "simulate", *words, "-o", "shared",
                                   env={"MARK": str(self.folder)})
        rows = self.folder / "shared/observables.csv"
        murmur.wait_until(lambda: rows.exists() and rows.read_text().count("\n") > 1)
        os.kill(self.pids_of_ranks()[1], signal.SIGTERM)  # one is told, all stop
        _, err = process.communicate(timeout=murmur.PATIENCE)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, err)
        self.assertEqual(murmur.status(self.folder / "shared"), "interrupted")
        self.mpirun(4, "runs", "resume", "shared")
        self.assertEqual(murmur.promised(self.folder / "shared"), murmur.promised(alone))
        self.mpirun(2, "simulate", "--resume", "shared", "T=3")
        longer = self.simulate("longer", *LONG, "T=3")
        self.assertEqual(murmur.promised(self.folder / "shared"), murmur.promised(longer))

    # Refusals

    def test_other_experiments(self):
        done = self.mpirun(1, "simulate", "n=50", "beta=4", "-o", "x", ":", "-n", "1",
                           murmur.PROGRAM, "simulate", "n=50", "beta=5", "-o", "x",
                           code=VERIFICATION)
        self.told_once(done, "ranks disagree on the experiment", "beta = 4.*rank 1 has .beta = 5",
                       "one command")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_other_programs(self):
        version = self.murmur("--version").stdout
        commit = version[version.index("(") + 1:version.index(")")].encode()
        content = murmur.PROGRAM.read_bytes()
        self.assertIn(commit, content)
        other = self.folder / "other"
        other.mkdir()
        (other / "murmur").write_bytes(content.replace(commit, b"x" * len(commit)))
        (other / "murmur").chmod(0o755)
        (other / PLUGIN.name).symlink_to(PLUGIN)
        done = self.mpirun(1, "simulate", "n=50", "-o", "x", ":", "-n", "1", other / "murmur",
                           "simulate", "n=50", "-o", "x", code=VERIFICATION)
        self.told_once(done, "ranks disagree on the program", "murmur", "one program")
        self.assertFalse((self.folder / "x").exists())

    def test_a_folder_that_cannot_be_written(self):
        done = self.mpirun(3, "simulate", "n=50", "-o", "/proc/murmur/x", code=RUNTIME)
        self.told_once(done, "cannot", "/proc/murmur")
        done = self.mpirun(3, "sweep", "beta=1,2", "n=8", "T=1", "replicas=2", "-o",
                           "/proc/murmur/x", code=RUNTIME)
        self.told_once(done, "cannot", "/proc/murmur")
        done = self.mpirun(3, "reproduce", "--all", "--quick", "--runs", "/proc/murmur",
                           code=RUNTIME)
        self.told_once(done, "cannot", "/proc/murmur")

    def test_a_folder_that_is_not_shared(self):
        """The second rank sees another folder under the same name."""
        (self.folder / "runs").mkdir()
        hide = f"mount -t tmpfs none {self.folder}/runs && exec {murmur.PROGRAM} simulate n=50"
        if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0:
            self.skipTest("mounts cannot be made apart here")
        done = self.mpirun(1, "simulate", "n=50", ":", "-n", "1", "unshare", "-m", "sh", "-c", hide,
                           code=RUNTIME)
        self.told_once(done, "does not see the run", r"runs/flock-0-1 \(rank 1\)", "share")
        self.assertEqual(murmur.status(self.folder / "runs/flock-0-1"), "running")

    def test_wrong_requests_are_told_once(self):
        self.told_once(self.mpirun(3, "simulate", "n=-1", code=INPUT), "n", "n=-1")
        self.told_once(self.mpirun(3, "render", "x", code=USAGE), "one process", "started 3")
        self.told_once(self.mpirun(2, "simulate", "n=9", "method=bdf", code=INPUT), "bdf")

    # Units dealt out

    def test_a_sweep_is_dealt_out(self):
        words = ("sweep", "beta=1:9:5", "d=2,3", "n=16", "replicas=8", "T=2", "refine=1", "times=20")
        self.murmur(*words, "-o", "alone")
        self.mpirun(3, *words, "-o", "shared")
        alone, shared = self.folder / "alone", self.folder / "shared"
        for name in ("sweep.csv", "front.csv", "failures.jsonl", "config.toml"):
            self.assertEqual((shared / name).read_bytes(), (alone / name).read_bytes(), name)
        self.assertFalse((shared / "claims").exists())
        self.murmur("runs", "verify", "shared")
        self.assertFalse(list((self.folder / "runs").glob(".ranks*")))

    def test_a_dead_rank_of_a_sweep(self):
        """Units need no MPI: three processes in the roles of ranks, and one is killed."""
        words = ("sweep", "beta=1:9:9", "n=48", "d=3", "replicas=32", "T=6", "times=20", "threads=1")
        self.murmur(*words, "-o", "alone")
        ranks = [self.start(*words, "-o", "shared", env={
            "OMPI_COMM_WORLD_SIZE": "3", "OMPI_COMM_WORLD_RANK": str(rank),
            "OMPI_COMM_WORLD_LOCAL_SIZE": "3", "PMIX_NAMESPACE": "dead"}) for rank in range(3)]
        murmur.wait_until(lambda: list(self.folder.glob("shared/cells/*.csv")))
        ranks[1].kill()
        for rank, process in enumerate(ranks):
            out, err = process.communicate(timeout=murmur.PATIENCE)
            self.assertEqual(process.returncode, -9 if rank == 1 else 0, err)
        self.assertEqual((self.folder / "shared/sweep.csv").read_bytes(),
                         (self.folder / "alone/sweep.csv").read_bytes())

    @unittest.skipUnless(murmur.LONG, "every figure twice: ./test long")
    def test_reproductions_are_dealt_out(self):
        words = ("reproduce", "--all", "--quick", "--progress", "none")
        self.mpirun(2, *words, "--runs", "shared", timeout=3000)
        self.assertEqual(self.start(*words, "--runs", "alone").wait(3000), 0)
        alone, shared = ({p.parent.name: p.read_bytes()
                          for p in (self.folder / runs).rglob("checks-quick.csv")}
                         for runs in ("alone", "shared"))
        self.assertEqual(alone.keys(), shared.keys())
        self.assertGreater(len(alone), 10)
        for name in alone:  # every number and its answer, whichever rank found it
            self.assertEqual(shared[name], alone[name], name)
        self.assertFalse(list((self.folder / "shared").glob(".ranks*")))

    def test_failures_of_other_ranks(self):
        words = ("sweep", "beta=1,2", "T=1,1.03", "dt=0.1", "method=layers", "n=8", "replicas=2")
        alone = self.murmur(*words, "-o", "alone", code=5)
        shared = self.mpirun(2, *words, "-o", "shared", code=5)
        self.assertEqual((self.folder / "shared/failures.jsonl").read_text(),
                         (self.folder / "alone/failures.jsonl").read_text())
        self.assertEqual(sorted(lines_of(shared.stderr)), sorted(lines_of(alone.stderr)))


@unittest.skipIf(PLUGIN.exists(), "built with MPI")
class WithoutMpi(murmur.Case):
    def test_refused(self):
        self.refused(6, "simulate", "n=9", env={"OMPI_COMM_WORLD_SIZE": "2",
                                                "OMPI_COMM_WORLD_RANK": "0"},
                     what="built without MPI", do="MURMUR_MPI")


if __name__ == "__main__":
    murmur.main()
