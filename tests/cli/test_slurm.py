"""Jobs of a real Slurm of one node: srun, submitted runs, arrays of sweeps, tasks that die."""

import json
import subprocess
import time
import unittest

import murmur
import slurm
import test_ranks

TOOL, USAGE, INPUT = 6, 2, 3
CROWD = ("n=9000", "d=2", "beta=4", "engine=moments", "T=2", "save=every:1")
SWEEP = ("beta=1:9:5", "n=24", "d=3", "replicas=8", "T=2", "times=20")


class Submitted(murmur.Case):
    @classmethod
    def setUpClass(cls):
        why = slurm.why_not()
        if why is None:
            cls.slurm = slurm.Slurm()
            cls.addClassCleanup(cls.slurm.stop)
            why = cls.slurm.start()
        if why is not None:
            raise unittest.SkipTest(f"no Slurm can be started here: {why}")
        cls.env = {"SLURM_CONF": cls.slurm.env["SLURM_CONF"], **test_ranks.OPENMPI}

    def call(self, *words, code=0):
        """A command of Slurm, or the program itself, with this Slurm."""
        done = subprocess.run([str(word) for word in words], cwd=self.folder, text=True,
                              env=murmur.environment(**self.env), stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=murmur.PATIENCE)
        self.assertEqual(done.returncode, code, f"\n$ {words}\n{done.stdout}{done.stderr}")
        return done.stdout

    def submit(self, *words):
        told = json.loads(self.call(murmur.PROGRAM, "submit", *words, "--json"))
        return told["job"], self.folder / told["run"]

    def rows(self):
        return {row["run"]: row for row in json.loads(self.call(murmur.PROGRAM, "runs", "--json"))}

    def wait(self, true, what, seconds=murmur.PATIENCE):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if true():
                return
            time.sleep(0.1)
        self.fail(f"{what}\n{self.slurm.logs()}"
                  + "".join(p.read_text() for p in self.folder.rglob("*.out")))

    def leave(self, job):
        self.wait(lambda: not self.call("squeue", "-h", "-j", job).strip(), f"job {job} goes on")

    @unittest.skipUnless(test_ranks.PLUGIN.exists(), "built without MPI")
    def test_srun(self):
        alone = self.simulate("alone", *CROWD)
        out = self.call("srun", "-n", "2", murmur.PROGRAM, "simulate", *CROWD, "-o", "shared")
        self.assertEqual(out, "shared\n")
        self.assertEqual(murmur.promised(self.folder / "shared"), murmur.promised(alone))
        done = subprocess.run(["srun", "--mpi=none", "-n", "2", str(murmur.PROGRAM), "simulate",
                               "n=9"], cwd=self.folder, text=True, capture_output=True,
                              env=murmur.environment(**self.env), timeout=murmur.PATIENCE)
        self.assertEqual(done.returncode, TOOL, done.stderr)
        self.assertIn("nothing connects them", done.stderr)
        self.assertEqual(done.stderr.count("murmur: "), 1)

    @unittest.skipUnless(test_ranks.PLUGIN.exists(), "built without MPI")
    def test_a_simulation_is_submitted(self):
        alone = self.simulate("alone", *CROWD)
        blocker = self.call("sbatch", "--parsable", "-n", "2", "-o", "/dev/null", "--wrap",
                            "sleep 3000").strip()
        job, run = self.submit("simulate", *CROWD, "--ranks", "2")
        self.assertEqual(self.rows()["runs/flock-0-1"]["job"]["state"], "pending")
        self.assertIn("pending", self.call(murmur.PROGRAM, "runs"))
        _, other = self.submit("simulate", *CROWD)
        self.assertEqual(other.name, "flock-0-2")  # the first has its place already
        self.call("scancel", blocker)
        self.leave(job)
        row = self.rows()["runs/flock-0-1"]
        self.assertEqual((row["status"], row["job"]["state"]), ("done", "completed"))
        self.assertEqual(murmur.promised(run), murmur.promised(alone))

    def test_an_array_equals_the_sweep(self):
        self.murmur("sweep", *SWEEP, "-o", "alone")
        job, run = self.submit("sweep", *SWEEP, "--array", "2", "-o", "runs/map")
        self.leave(job)
        self.assertEqual(murmur.status(run), "done")
        for name in ("sweep.csv", "front.csv", "failures.jsonl"):
            self.assertEqual((run / name).read_bytes(),
                             (self.folder / "alone" / name).read_bytes(), name)
        self.assertEqual(sorted(p.name for p in run.glob("cells/*.csv")),
                         sorted(p.name for p in (self.folder / "alone").glob("cells/*.csv")))
        self.assertEqual(self.rows()["runs/map"]["job"]["state"], "2 completed")
        self.murmur("runs", "verify", "runs/map")

    def test_a_task_that_dies(self):
        """One task of the array is killed; the other does its cells and closes the sweep."""
        words = ("beta=1:9:9", "n=64", "d=3", "replicas=32", "T=8", "times=20")
        self.murmur("sweep", *words, "-o", "alone")
        job, run = self.submit("sweep", *words, "--array", "2", "-o", "runs/map")
        self.wait(lambda: len(list(run.glob("cells/*.csv"))) >= 2, "no cell is done")
        self.call("scancel", "--signal=KILL", "--full", f"{job}_1")
        self.leave(job)
        self.assertEqual(murmur.status(run), "done")
        self.assertEqual((run / "sweep.csv").read_bytes(),
                         (self.folder / "alone/sweep.csv").read_bytes())

    def test_refusals(self):
        env = {"SLURM_CONF": self.env["SLURM_CONF"]}
        self.refused(INPUT, "submit", "simulate", "n=-4", env=env, what="n", where="n=-4")
        self.refused(USAGE, "submit", "render", env=env, what="render cannot be submitted")
        self.refused(USAGE, "submit", env=env, what="nothing to submit")
        self.refused(USAGE, "submit", "simulate", "--array", "3", env=env, what="sweep")
        done = self.murmur("submit", "simulate", "n=9", "--partition", "moon", code=1, env=env)
        self.assertIn("Slurm refuses the job", done.stderr)


class WithoutSlurm(murmur.Case):
    def test_refused(self):
        bare = self.folder / "bin"
        bare.mkdir()
        self.refused(TOOL, "submit", "simulate", "n=9", env={"PATH": str(bare)},
                     what="no Slurm here", do="mpirun")

    def test_script(self):
        told = self.murmur("submit", "simulate", "n=9", "--ranks", "4", "--time", "1:00",
                           "--dry-run")
        self.assertIn("#SBATCH --ntasks=4\n", told.stdout)
        self.assertIn("#SBATCH --time=1:00\n", told.stdout)
        self.assertIn("srun --mpi=pmix", told.stdout)
        self.assertEqual(list(self.folder.iterdir()), [])
        script = self.murmur("submit", "sweep", "beta=1:9:3", "n=8", "--dry-run").stdout
        self.assertIn("#SBATCH --array=0-2\n", script)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    murmur.main()
