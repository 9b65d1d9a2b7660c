"""Each command as its user meets it: data on stdout, talk on stderr, and what was asked for."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
import tomllib

import numpy as np

import murmur
from observables import components, cosines, expected_row, table

COMMANDS = ("simulate", "velocity", "measure", "render", "runs", "export", "presets", "explain",
            "doctor", "completion", "bench", "tokenize", "trace", "import", "model")
SHORT = ("n=8", "T=1", "save=every:0.25")


class Simulate(murmur.Case):
    def test_run_directory(self):
        run = self.simulate("run", *SHORT)
        self.assertEqual(murmur.trajectory(run).shape, (5, 8, 3))
        self.assertEqual(murmur.trajectory(run).dtype, np.float64)
        self.assertEqual(list(np.load(run / "times.npy")), [0, 0.25, 0.5, 0.75, 1])
        columns = table((run / "observables.csv").read_text())
        self.assertEqual(list(columns["t"]), [0, 0.25, 0.5, 0.75, 1])
        for name in ("energy", "clusters", "order", "mean_cos", "min_cos", "max_cos"):
            self.assertIn(name, columns)
        manifest = json.loads((run / "manifest.json").read_text())
        for field in ("schema", "status", "argv", "version", "engine", "seed", "sha256"):
            self.assertIn(field, manifest)
        self.assertEqual(manifest["status"], "done")
        self.assertEqual(manifest["argv"][1:], ["simulate", *SHORT, "-o", "run"])
        for name, digest in manifest["sha256"].items():
            told = subprocess.run(["sha256sum", run / name], capture_output=True, text=True)
            self.assertEqual(told.stdout.split()[0], digest)
        config = tomllib.loads((run / "config.toml").read_text())
        self.assertEqual((config["n"], config["beta"], config["T"]), (8, 4.0, 1.0))
        for line in (run / "events.jsonl").read_text().splitlines():
            json.loads(line)

    def test_observables_are_true(self):
        self.save("m.npy", np.arange(1.0, 9))
        for words, m in (((), np.full(8, 1 / 8)), (("masses=m.npy",), np.arange(1, 9) / 36)):
            run = self.simulate("run", *SHORT, *words, "--force")
            columns = table((run / "observables.csv").read_text())
            for k, x in enumerate(murmur.trajectory(run)):
                for name, value in expected_row(x, m, 4.0).items():
                    self.assertAlmostEqual(columns[name][k], value, msg=f"{name} of frame {k}",
                                           delta=1e-11 * max(1, abs(value)))
                self.assertEqual(columns["clusters"][k], len(components(x, 1e-3)))

    def test_energy_rises_and_tokens_gather(self):
        run = self.simulate("run", "n=24", "T=30")
        columns = table((run / "observables.csv").read_text())
        self.assertGreater(np.diff(columns["energy"]).min(), -1e-9)
        self.assertLess(columns["clusters"][-1], columns["clusters"][0])

    def test_closed_form(self):
        """An orthonormal start keeps one cosine: rho(3) = 0.332986702 at n = 32, beta = 4."""
        run = self.simulate("run", "orthonormal", "T=3")
        c = cosines(murmur.trajectory(run)[-1])
        self.assertLess(np.abs(c - 0.332986702).max(), 2e-9)

    def test_single_precision_is_stored_as_such(self):
        run = self.simulate("run", *SHORT, "precision=f32")
        self.assertEqual(murmur.trajectory(run).dtype, np.float32)
        self.assertEqual(np.load(run / "times.npy").dtype, np.float64)

    def test_json(self):
        done = self.murmur("simulate", *SHORT, "--json", "-o", "run")
        report = json.loads(done.stdout)
        self.assertEqual((report["run"], report["status"], report["frames"], report["t"]),
                         ("run", "done", 5, 1))
        self.assertIsInstance(report["clusters"], (int, float))
        self.assertGreater(report["numbers"]["evaluations"], 0)

    def test_json_of_one_particle(self):
        json.loads(self.murmur("simulate", "n=1", "T=0.1", "--json", "-o", "run").stdout)

    def test_stdout_is_the_directory(self):
        done = self.murmur("simulate", *SHORT)
        self.assertEqual(done.stdout, "runs/flock-0-1\n")
        self.assertTrue(done.stderr)
        done = self.murmur("simulate", *SHORT, "seed=7", "name=mine")
        self.assertEqual(done.stdout, "runs/mine-7-1\n")
        done = self.murmur("simulate", *SHORT, "--quiet")
        self.assertEqual((done.stdout, done.stderr), ("runs/flock-0-2\n", ""))
        done = self.murmur("simulate", *SHORT, "--runs", "elsewhere", "-q")
        self.assertEqual(done.stdout, "elsewhere/flock-0-1\n")
        self.assertTrue((self.folder / "elsewhere/flock-0-1/manifest.json").exists())

    def test_seeds(self):
        same = [murmur.promised(self.simulate(f"same{k}", *SHORT, "seed=3")) for k in (1, 2)]
        self.assertEqual(same[0] == same[1], True)
        other = murmur.promised(self.simulate("other", *SHORT, "seed=4"))
        self.assertNotEqual(same[0]["trajectory.npy"], other["trajectory.npy"])

    def test_dry_run(self):
        done = self.murmur("simulate", *SHORT, "--dry-run")
        config = tomllib.loads(done.stdout)
        self.assertEqual((config["n"], config["T"], config["save"]), (8, 1.0, "every:0.25"))
        self.assertIn("cost", done.stdout)
        report = json.loads(self.murmur("simulate", *SHORT, "--dry-run", "--json").stdout)
        self.assertEqual(report["frames"], 5)
        self.assertEqual(report["trajectory_bytes"], 5 * 8 * 3 * 8)
        self.assertEqual(tomllib.loads(report["config"])["n"], 8)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_dry_run_of_a_resume_runs_nothing(self):
        run = self.simulate("run", *SHORT)
        before = murmur.tree(run)
        self.murmur("simulate", "--resume", "run", "T=5", "--dry-run")
        self.assertEqual(murmur.tree(run), before)

    def config(self, *words, **variables):
        done = self.murmur("simulate", *words, "--dry-run", env=variables)
        return tomllib.loads(done.stdout)

    def test_precedence(self):
        """defaults < preset or file < environment < key=value"""
        self.assertEqual(self.config()["beta"], 4)
        self.assertEqual(self.config("circle")["beta"], 9)
        self.assertEqual(self.config("circle", MURMUR_BETA="7")["beta"], 7)
        self.assertEqual(self.config("circle", MURMUR_BETA="7")["n"], 32)
        self.assertEqual(self.config("circle", "beta=5", MURMUR_BETA="7")["beta"], 5)
        self.assertEqual(self.config("beta=5", "circle")["beta"], 5)
        self.assertEqual(self.config("beta=5", "beta=6")["beta"], 6)
        self.write("mine.toml", 'beta = 8\nsave = "final"\n')
        self.assertEqual(self.config("mine.toml")["beta"], 8)
        self.assertEqual(self.config("mine.toml", MURMUR_beta="2")["beta"], 2)
        self.assertEqual(self.config("mine.toml", "beta=1", MURMUR_N="9")["n"], 9)
        self.assertEqual(self.config(MURMUR_T="2", MURMUR_DT="0.5")["T"], 2)
        self.assertEqual(self.config(MURMUR_UNHEARD_OF="2")["n"], 64)

    def test_defaults(self):
        """As the product says them."""
        config = self.config()
        for key, value in dict(n=64, d=3, beta=4, dynamics="SA", T=10, dt=0.1, method="dopri5",
                               rtol=1e-8, atol=1e-10, merge=0, save="every:0.1", seed=0,
                               precision="f64", threads="all", clock="U1", self=True,
                               cluster_tol=1e-3).items():
            self.assertEqual(config[key], value, key)

    def test_files_beside_an_experiment(self):
        (self.folder / "lab").mkdir()
        self.save("lab/x.npy", murmur.unit_points(5, 2))
        self.write("lab/mine.toml", 'init = "x.npy"\nT = 0.5\nsave = "final"\n')
        run = self.simulate("run", "lab/mine.toml")
        self.assertEqual(murmur.trajectory(run).shape, (1, 5, 2))

    def test_merging(self):
        run = self.simulate("run", "n=32", "d=2", "beta=9", "T=1000", "merge=1e-5", "save=log:50")
        merges = [json.loads(line) for line in murmur.promised(run)["merges"]]
        self.assertGreater(len(merges), 5)
        self.assertEqual([m["left"] for m in merges], list(range(31, 31 - len(merges), -1)))
        self.assertEqual([m["t"] for m in merges], sorted(m["t"] for m in merges))
        last = murmur.trajectory(run)[-1]
        self.assertEqual(len(np.unique(last, axis=0)), merges[-1]["left"])
        heaviest = max(np.unique(last, axis=0, return_counts=True)[1])
        self.assertAlmostEqual(max(m["mass"] for m in merges), heaviest / 32, delta=1e-12)

    def test_read_while_it_runs(self):
        process = self.start("simulate", "n=100", "method=rk4", "dt=0.01", "T=1000",
                             "save=every:0.05", "-o", "run", "-q")
        run, seen = self.folder / "run", 0
        deadline = time.time() + murmur.PATIENCE
        while seen < 20 and time.time() < deadline:
            if not (run / "manifest.json").exists():
                continue
            frames = np.load(run / "trajectory.npy", mmap_mode="r")
            self.assertEqual(frames.shape[1:], (100, 3))
            self.assertGreaterEqual(len(frames), seen)
            if len(frames):
                norms = np.linalg.norm(frames[len(frames) - 1], axis=1)
                self.assertLess(np.abs(norms - 1).max(), 1e-12)
            self.assertGreaterEqual(len(np.load(run / "times.npy", mmap_mode="r")), len(frames))
            seen = max(seen, len(frames))
        self.assertGreaterEqual(seen, 20)
        self.assertEqual(murmur.status(run), "running")
        self.murmur("measure", "run")
        self.murmur("runs", "show", "run")
        process.send_signal(signal.SIGTERM)
        process.communicate()
        self.assertEqual(process.returncode, 143)

    def test_progress_lines(self):
        words = ("simulate", "n=60", "method=rk4", "dt=0.01", "T=10", "save=final", "-o", "run",
                 "--force")
        done = self.murmur(*words, "--progress", "json")
        lines = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
        for line in lines:
            self.assertEqual(set(line), {"what", "done", "of", "fraction", "speed", "speed_of",
                                         "seconds_left", "live", "t", "T", "evaluations",
                                         "evaluations_per_second", "clusters"})
        for how in ("none", "auto"):  # not a terminal: no line is rewritten
            done = self.murmur(*words, "--progress", how)
            self.assertNotIn("\r", done.stderr)
            self.assertNotIn("\033", done.stderr)


class Gallery(murmur.Case):
    def presets(self):
        return json.loads(self.murmur("presets", "--json").stdout)

    def test_every_preset(self):
        presets = self.presets()
        files = {path.stem for path in (murmur.ROOT / "experiments").glob("*.toml")}
        self.assertEqual({preset["name"] for preset in presets}, files)
        for preset in presets:
            name = preset["name"]
            with self.subTest(name):
                self.assertGreater(len(preset["about"]), 20)
                text = self.murmur("presets", name).stdout
                self.assertEqual(text, (murmur.ROOT / "experiments" / f"{name}.toml").read_text())
                config = tomllib.loads(self.murmur("simulate", name, "--dry-run").stdout)
                self.assertEqual(config["name"], name)
                told = self.murmur("explain", name).stdout
                self.assertIn(f"{config['n']} particles", told)
                self.assertIn("x_i'", told)
                self.assertIn("Method:", told)
        groups, names = [], []
        for line in self.murmur("presets").stdout.splitlines():
            if line.startswith("  ") and line[2] != " ":
                names.append(line.split()[0])
            elif line and line[0] != " ":
                groups.append(line)
        self.assertEqual(sorted(names), sorted(files))
        self.assertEqual(sorted(groups), sorted({preset["group"] for preset in presets}))

    def test_explain(self):
        self.assertIn("sum_{j<=i}", self.murmur("explain", "dynamics=causal").stdout)
        for words in ("n=3", "dynamics=none noise=0.1 method=euler", "normalisation=pre",
                      "dynamics=none perceptron=gaussian:4 habitat=space", "dynamics=hardmax"):
            with self.subTest(words):
                told = self.murmur("explain", *words.split()).stdout
                self.assertTrue(told.startswith("  x_i' = "), told)
                self.assertEqual("P_i" in told, "on the unit sphere" in told
                                 and "dynamics=none" not in words, told)
        parameters = json.loads(self.murmur("explain", "--parameters", "--json").stdout)
        names = [parameter["name"] for parameter in parameters]
        for name in ("n", "d", "beta", "dynamics", "T", "save", "engine", "threads"):
            self.assertIn(name, names)
        text = self.murmur("explain", "--parameters").stdout
        for name in names:
            self.assertIn(name, text)


class Program(murmur.Case):
    def test_help(self):
        for command in COMMANDS:
            with self.subTest(command):
                for flag in ("--help", "-h"):
                    done = self.murmur(command, flag)
                    self.assertEqual(done.stderr, "")
                lines = done.stdout.splitlines()
                self.assertGreater(len(lines[0]), 10)
                self.assertTrue(lines[0].endswith("."), lines[0])
                self.assertEqual(lines[2], "Examples:")
                examples = lines[3:next(k for k, line in enumerate(lines)
                                        if line.startswith("Usage"))]
                self.assertGreaterEqual(sum("murmur " + command in e for e in examples), 2)
                for flag in ("--json", "--quiet", "--out", "--help"):
                    self.assertIn(flag, done.stdout)
        top = self.murmur("--help").stdout
        for command in COMMANDS:
            self.assertIn(command, top)
        self.assertGreaterEqual(top.split("Usage")[0].count("\n  murmur "), 2)

    def test_version(self):
        for flag in ("-V", "--version"):
            self.assertRegex(self.murmur(flag).stdout, r"^murmur \d+\.\d+\.\d+")

    def test_completion(self):
        for shell in ("bash", "zsh"):
            script = self.murmur("completion", shell).stdout
            self.write("script", script)
            subprocess.run(["bash", "-n", self.folder / "script"], check=True)
            for word in ("simulate", "flagship", "beta=", "--resume"):
                self.assertIn(word, script)
        self.assertIn("simulate", self.murmur("completion", "fish").stdout)
        script = self.murmur("completion", "bash").stdout + """
            COMP_WORDS=(murmur sim); COMP_CWORD=1; _murmur; echo "${COMPREPLY[@]}"
            COMP_WORDS=(murmur simulate clo); COMP_CWORD=2; _murmur; echo "${COMPREPLY[@]}"
        """
        done = subprocess.run(["bash"], input=script, capture_output=True, text=True,
                              cwd=self.folder)
        self.assertEqual(done.stdout.split(), ["simulate", "clock="], done.stderr)

    def test_completion_runs_no_name_of_a_run(self):
        for name in ("plain", "$(touch${IFS}MADE)", "`touch MADE`"):
            (self.folder / "runs" / name).mkdir(parents=True)
        script = self.murmur("completion", "bash").stdout + """
            COMP_WORDS=(murmur render ""); COMP_CWORD=2; _murmur; printf '%s\\n' "${COMPREPLY[@]}"
        """
        done = subprocess.run(["bash"], input=script, capture_output=True, text=True, cwd=self.folder)
        self.assertIn("plain", done.stdout.split())
        self.assertEqual([p.name for p in self.folder.iterdir()], ["runs"], done.stdout)

    def test_doctor(self):
        report = json.loads(self.murmur("doctor", "--json").stdout)
        for key in ("version", "processor", "cores", "engine", "ffmpeg", "gnuplot", "SUNDIALS",
                    "OpenBLAS", "MPI", "Slurm"):
            self.assertIn(key, report)
        self.assertIn("version", self.murmur("doctor").stdout)
        bare = json.loads(self.murmur("doctor", "--json", env={"PATH": "/nowhere"}).stdout)
        self.assertIsNone(bare["ffmpeg"])

    def test_both_commands_build_the_same_program(self):
        """What ./test installs beside ./demo is for tests: no library that the program is made of."""
        script = (murmur.ROOT / "scripts/common.sh").read_text()
        packages = {name: words.split() for name, words in
                    re.findall(r"^(\w+)_packages=\(([^)]*)\)", script, re.M)}
        self.assertEqual([name for name in packages["test"] if name.startswith("lib")],
                         ["libgtest-dev", "libclang-rt-14-dev"])
        self.assertIn("libsundials-dev", packages["build"])
        for command in ("demo", "test"):
            self.assertIn('install_packages "${build_packages[@]}"',
                          (murmur.ROOT / command).read_text())

    def test_quiet_leaves_errors(self):
        self.refused(3, "simulate", "n=0", "--quiet")

    def on_a_terminal(self, *words, **variables):
        """What a terminal receives on stderr."""
        ours, theirs = pty.openpty()
        os.set_blocking(ours, False)
        process = subprocess.Popen([murmur.PROGRAM, *words], cwd=self.folder, stderr=theirs,
                                   stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                                   env=murmur.environment(**variables))
        self.addCleanup(self._end, process)
        told, over = b"", False
        while not over:
            over = process.poll() is not None  # then one more look
            if select.select([ours], [], [], 0 if over else 0.05)[0]:
                told += os.read(ours, 100_000)
        os.close(ours)
        os.close(theirs)
        return told.decode()

    def test_colours(self):
        red = "\033[31m"
        self.assertIn(red, self.on_a_terminal("simulate", "n=0"))
        self.assertNotIn(red, self.on_a_terminal("simulate", "n=0", NO_COLOR="1"))
        self.assertNotIn(red, self.on_a_terminal("simulate", "n=0", "--color", "never"))
        self.assertNotIn(red, self.murmur("simulate", "n=0", code=3).stderr)
        self.assertIn(red, self.murmur("simulate", "n=0", "--color", "always", code=3).stderr)
        self.assertIn(red, self.on_a_terminal("simulate", "n=0", NO_COLOR=""),
                      "an empty NO_COLOR asks for nothing")

    def test_progress_on_a_terminal(self):
        words = ("simulate", "n=100", "method=rk4", "dt=0.01", "T=20", "save=final")
        told = self.on_a_terminal(*words, "-o", "a")
        self.assertRegex(told, r"t [\d.e-]+ / 20 .*%.*left")
        self.assertEqual(self.on_a_terminal(*words, "-o", "b", "--quiet"), "")

    def test_bench(self):
        done = self.murmur("bench", "velocity", "n=500", "d=3", "--json")
        report = json.loads(done.stdout)
        rows = report if isinstance(report, list) else [report]
        for row in rows:
            for field in ("gpairs_per_second", "engine", "precision", "threads", "n", "d"):
                self.assertIn(field, row)
            self.assertGreater(row["gpairs_per_second"], 0)
            self.assertEqual((row["n"], row["d"]), (500, 3))

    def test_bench_table(self):
        told = json.loads(self.murmur("bench", "--json", "--repetitions", "1",
                                      "--python", sys.executable).stdout)
        for limit in told["core"].values():
            self.assertGreater(limit, 0)
        for row in told["rows"]:
            self.assertGreater(row["seconds"], 0)
            self.assertGreater(row["limit"], 0)
            self.assertGreater(row["numpy"], 0)
            # The same work: what numpy computes is ours, within the rounding of the precision.
            self.assertLess(row["difference"], 1e-4 if row["precision"] == "f32" else 1e-10)
        alone = self.murmur("bench", "--repetitions", "1", "--python", "/nowhere/python3")
        self.assertIn("no Python with numpy", alone.stderr)
        self.assertIn("limit of this core", alone.stdout)


if __name__ == "__main__":
    murmur.main()
