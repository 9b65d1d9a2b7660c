"""What is read off points and runs, against numpy: velocities, observables, exports, pictures."""

import io
import json
import os
import shutil
import signal
import time

import numpy as np

import murmur
from observables import components, cosines, expected_row, table

SHORT = ("n=8", "T=1", "save=every:0.25")


class Velocity(murmur.Case):
    def test_to_a_file(self):
        self.save("x.npy", murmur.unit_points(6, 4))
        done = self.murmur("velocity", "x.npy", "beta=2", "-o", "v.npy")
        self.assertEqual(done.stdout, "")
        v = np.load(self.folder / "v.npy")
        self.assertEqual((v.shape, v.dtype), ((6, 4), np.float64))
        self.murmur("velocity", "x.npy", "precision=f32", "-o", "v32.npy", "-q")
        self.assertEqual(np.load(self.folder / "v32.npy").dtype, np.float32)

    def test_to_stdout(self):
        self.save("x.npy", murmur.unit_points(6, 4))
        self.murmur("velocity", "x.npy", "-o", "v.npy")
        v = np.load(self.folder / "v.npy")
        text = self.murmur("velocity", "x.npy").stdout
        self.assertTrue(np.array_equal(np.loadtxt(io.StringIO(text), delimiter=","), v))
        report = json.loads(self.murmur("velocity", "x.npy", "--json").stdout)
        self.assertTrue(np.array_equal(report["velocity"], v))
        self.assertEqual(report["engine"], "reference")


class Measure(murmur.Case):
    def test_run(self):
        run = self.simulate("run", *SHORT)
        got = table(self.murmur("measure", "run").stdout)
        kept = table((run / "observables.csv").read_text())
        self.assertEqual(list(got), list(kept))
        for name in got:
            self.assertTrue(np.array_equal(got[name], kept[name], equal_nan=True), name)

    def test_run_with_masses(self):
        self.save("m.npy", np.arange(1.0, 9))
        run = self.simulate("run", *SHORT, "masses=m.npy")
        got = table(self.murmur("measure", "run").stdout)
        kept = table((run / "observables.csv").read_text())
        self.assertLess(np.abs(got["order"] - kept["order"]).max(), 1e-15)

    def test_points(self):
        x = murmur.unit_points(12, 5)
        self.save("x.npy", x)
        for m, words in ((np.full(12, 1 / 12), ()), (np.arange(1, 13) / 78, ("masses=m.npy",))):
            self.save("m.npy", m)
            with self.subTest(words):
                row = json.loads(self.murmur("measure", "x.npy", "beta=3", *words,
                                             "--json").stdout)[0]
                for name, value in expected_row(x, m, 3.0).items():
                    self.assertAlmostEqual(row[name], value, delta=1e-12 * max(1, abs(value)),
                                           msg=name)

    def test_clusters(self):
        rng = np.random.default_rng(2)
        centres = murmur.unit_points(4, 3, 1)
        x = np.repeat(centres, [1, 5, 2, 9], axis=0) + 0.03 * rng.standard_normal((17, 3))
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        self.save("x.npy", x)
        for tol in (1e-4, 1e-3, 1e-2, 0.3, 2.5):
            row = json.loads(self.murmur("measure", "x.npy", f"cluster_tol={tol}",
                                         "--json").stdout)[0]
            self.assertEqual(sorted(row["sizes"]), components(x, tol))
            self.assertEqual(row["clusters"], len(row["sizes"]))
            self.assertAlmostEqual(row["largest_cluster"], max(row["sizes"]) / 17, delta=1e-12)
            self.assertEqual(row["cluster_tol"], tol)

    def test_trajectory_file(self):
        x = np.array([murmur.unit_points(7, 3, k) for k in range(4)])
        self.save("x.npy", x.astype(np.float32))
        got = table(self.murmur("measure", "x.npy").stdout)
        self.assertEqual(list(got["t"]), [0, 1, 2, 3])
        for k in range(4):
            self.assertAlmostEqual(got["mean_cos"][k], cosines(x[k]).mean(), delta=1e-6)

    def test_hidden_states_in_space(self):
        x = 5 * np.random.default_rng(0).standard_normal((9, 4))
        self.save("h.npy", x)
        row = json.loads(self.murmur("measure", "h.npy", "habitat=space", "--json").stdout)[0]
        self.assertAlmostEqual(row["mean_cos"], cosines(x).mean(), delta=1e-13)
        self.assertAlmostEqual(row["order"], np.linalg.norm(x.mean(axis=0)), delta=1e-13)

    def test_overflowing_energy_is_absent(self):
        self.save("x.npy", murmur.unit_points(5, 3))
        row = json.loads(self.murmur("measure", "x.npy", "beta=1e4", "--json").stdout)[0]
        self.assertIsNone(row["energy"])
        self.assertTrue(0 < row["energy_scaled"] <= 1)

    def test_given_parameters_apply_to_a_run(self):
        self.simulate("run", *SHORT)
        got = table(self.murmur("measure", "run", "cluster_tol=2.5").stdout)
        self.assertEqual(set(got["clusters"]), {1})


class Export(murmur.Case):
    def setUp(self):
        super().setUp()
        self.run_directory = self.simulate("run", *SHORT, "d=5")
        self.frames = murmur.trajectory(self.run_directory)

    def export(self, name, *words):
        done = self.murmur("export", "run", *words, "-o", name)
        self.assertEqual(done.stdout, "")
        return self.folder / name

    def test_npy(self):
        self.assertTrue(np.array_equal(np.load(self.export("x.npy")), self.frames))

    def test_csv(self):
        rows = np.loadtxt(self.export("x.csv"), delimiter=",", skiprows=1)
        self.assertTrue(np.array_equal(rows[:, 3:].reshape(self.frames.shape), self.frames))
        self.assertTrue(np.array_equal(rows[::8, 1], np.load(self.run_directory / "times.npy")))
        self.assertTrue(np.array_equal(rows[:8, 2], np.arange(8)))
        other = self.export("y.txt", "--format", "csv")
        self.assertEqual(other.read_bytes(), (self.folder / "x.csv").read_bytes())

    def test_table_of_a_reading(self):
        shown = self.murmur("measure", "run", "show=counts").stdout
        self.assertEqual(self.export("counts.csv", "--format", "counts").read_text(), shown)
        shown = self.murmur("measure", "run", "show=counts", "--json").stdout
        self.assertEqual(json.loads(self.export("counts.json", "--format", "counts").read_text()),
                         json.loads(shown))
        self.refused(2, "export", "run", "--format", "dome", "-o", "dome.csv", what="dome")

    def test_xyz(self):
        lines = self.export("x.xyz").read_text().splitlines()
        self.assertEqual(len(lines), 5 * (8 + 2))
        for f in range(5):
            count, comment, *rows = lines[10 * f:10 * (f + 1)]
            self.assertEqual(count, "8")
            self.assertIn("Properties=species:S:1:pos:R:3", comment)
            values = np.array([row.split()[1:] for row in rows], float)
            self.assertTrue(np.array_equal(values[:, :3], self.frames[f, :, :3]))
            self.assertTrue(np.array_equal(values[:, 3:], self.frames[f]))

    def test_single_precision(self):
        run = self.simulate("single", *SHORT, "precision=f32")
        self.murmur("export", "single", "-o", "s.npy")
        self.assertTrue(np.array_equal(np.load(self.folder / "s.npy"), murmur.trajectory(run)))

    def test_force(self):
        self.write("x.csv", "old")
        self.export("x.csv", "--force")
        self.assertTrue((self.folder / "x.csv").read_text().startswith("frame,t,particle"))


class Runs(murmur.Case):
    def setUp(self):
        super().setUp()
        for words in ((), ("seed=1",), ("beta=5", "name=hot")):
            self.murmur("simulate", *SHORT, *words)

    def test_list(self):
        rows = json.loads(self.murmur("runs", "list", "--json").stdout)
        self.assertEqual([row["run"] for row in rows],
                         ["runs/flock-0-1", "runs/flock-1-1", "runs/hot-0-1"])
        self.assertEqual({row["status"] for row in rows}, {"done"})
        self.assertEqual(len(self.murmur("runs").stdout.splitlines()), 3)
        done = self.murmur("runs", "list", "--runs", "nowhere")
        self.assertEqual(done.stdout, "")
        self.assertIn("no runs", done.stderr)
        self.assertEqual(json.loads(self.murmur("runs", "--runs", "nowhere", "--json").stdout), [])

    def test_one_broken_run_does_not_hide_the_others(self):
        (self.folder / "runs/flock-0-1/trajectory.npy").write_bytes(b"")
        done = self.murmur("runs", "list", "--json")
        self.assertEqual(len(json.loads(done.stdout)), 2)
        self.assertIn("flock-0-1", done.stderr)

    def test_show(self):
        for word in ("flock-0-1", "runs/flock-0-1"):
            self.assertIn("beta = 4.0", self.murmur("runs", "show", word).stdout)
        manifest = json.loads(self.murmur("runs", "show", "flock-0-1", "--json").stdout)
        self.assertEqual(manifest["status"], "done")

    def test_diff(self):
        report = json.loads(self.murmur("runs", "diff", "flock-0-1", "hot-0-1", "--json").stdout)
        self.assertEqual([float(text) for text in report["parameters"]["beta"]], [4, 5])
        self.assertEqual(set(report["parameters"]), {"beta", "name"})
        self.assertEqual(report["common_frames"], 5)
        a, b = (murmur.trajectory(self.folder / "runs" / name) for name in ("flock-0-1", "hot-0-1"))
        self.assertAlmostEqual(report["largest_difference"], np.abs(a - b).max(), delta=1e-15)
        same = json.loads(self.murmur("runs", "diff", "hot-0-1", "hot-0-1", "--json").stdout)
        self.assertEqual((same["parameters"], same["largest_difference"]), ({}, 0))
        self.assertIn("beta", self.murmur("runs", "diff", "flock-0-1", "hot-0-1").stdout)

    def test_resume(self):
        self.murmur("runs", "resume", "hot-0-1", "T=2")
        times = np.load(self.folder / "runs/hot-0-1/times.npy")
        self.assertEqual((len(times), times[-1]), (9, 2))


class Render(murmur.Case):
    def setUp(self):
        super().setUp()
        self.simulate("run", *SHORT)

    def test_scene(self):
        done = self.murmur("render", "run", "-o", "x.png", "--size", "400x320", "--frame", "0")
        self.assertEqual(done.stdout, "x.png\n")
        head = (self.folder / "x.png").read_bytes()[:24]
        self.assertEqual(head[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual((int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")),
                         (400, 320))

    def test_plot(self):
        if not shutil.which("gnuplot"):
            self.skipTest("gnuplot is not here")
        self.murmur("render", "run", "--plot", "energy,clusters", "-o", "x.svg")
        self.assertIn("<svg", (self.folder / "x.svg").read_text()[:2000])
        without = self.murmur("render", "run", "-o", "y.svg", env={"PATH": "/nowhere"}, code=6)
        self.assertEqual(len(without.stderr.splitlines()), 3, without.stderr)
        self.assertFalse((self.folder / "y.svg").exists())

    def test_film(self):
        if not shutil.which("ffmpeg"):
            self.skipTest("ffmpeg is not here")
        self.murmur("render", "run", "-o", "x.mp4", "--size", "320x320", "--seconds", "0.5",
                    "--fps", "10")
        self.assertEqual((self.folder / "x.mp4").read_bytes()[4:8], b"ftyp")
        without = self.murmur("render", "run", "-o", "y.mp4", env={"PATH": "/nowhere"}, code=6)
        self.assertEqual(len(without.stderr.splitlines()), 3, without.stderr)
        self.assertEqual([path.name for path in self.folder.iterdir() if "y.mp4" in path.name], [])

    def test_a_tool_that_fails_at_length(self):
        """Whatever the tool had to say, the error stays three lines and nothing is left."""
        tools = self.folder / "tools"
        tools.mkdir()
        for name in ("gnuplot", "ffmpeg"):
            (tools / name).write_text("#!/bin/sh\nprintf 'one\\ntwo\\nthree\\n' >&2\nexit 1\n")
            (tools / name).chmod(0o755)
        path = f"{tools}:{os.environ['PATH']}"
        for name in ("x.svg", "x.mp4"):
            self.refused(1, "render", "run", "-o", name, env={"PATH": path})

    def test_interrupted(self):
        """Ctrl-C ends a long film soon, and leaves no part of it."""
        if not shutil.which("ffmpeg"):
            self.skipTest("ffmpeg is not here")
        before = murmur.tree(self.folder)
        process = self.start("render", "run", "-o", "x.mp4", "--seconds", "3000")
        murmur.wait_until(lambda: murmur.handles(process, signal.SIGINT))
        time.sleep(1)
        _, told = self.ends_soon(process, signal.SIGINT, 15)
        self.assertEqual(process.returncode, 130, told)
        self.assertEqual(murmur.tree(self.folder), before)


if __name__ == "__main__":
    murmur.main()
