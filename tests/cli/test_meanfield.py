"""Measures of infinitely many tokens as a user meets them: rates, files, refusals, the monitor."""

import csv
import json
import random
import resource
import shutil
import signal
import time

import murmur
import numpy as np

FILES = (*murmur.PROMISED, "density.npy", "grid.npy", "phases.json")  # equal bytes, always

# Each computes for about half a second on one core.
FLIGHTS = {
    "circle, spectral": ("beta=4", "init=mode:1:0.3", "modes=256", "T=4", "save=every:0.05",
                         "rtol=1e-11"),
    "circle, spectral, noise": ("beta=2", "dynamics=USA", "noise=0.5", "init=vmf:3@0*0.6,4@2*0.4",
                                "modes=128", "T=1", "save=every:0.05"),
    "circle, quantiles": ("beta=4", "solver=quantiles", "particles=3000", "init=modes:1-3:0.1",
                          "T=6", "save=every:0.1", "merge=1e-4"),
    "sphere, spectral": ("d=3", "beta=2", "init=vmf:3@0.5/1", "modes=24", "T=0.4",
                         "save=every:0.02", "rtol=1e-11"),
    "sphere, quantiles": ("d=3", "beta=3", "solver=quantiles", "particles=800",
                          "init=vmf:4@0.5/0*0.7,4@2/1*0.3", "T=4", "save=every:0.1"),
    "d = 8, spectral": ("d=8", "beta=4", "init=vmf:3@0*0.6,3@pi*0.4", "T=0.4", "modes=128",
                        "save=every:0.02", "rtol=1e-11"),
    "d = 8, particles": ("d=8", "beta=4", "solver=quantiles", "particles=128", "T=8",
                         "init=vmf:3@0*0.6,3@pi*0.4", "save=every:0.2"),
    "causal, spectral": ("dynamics=causal", "beta=3", "prefix=0.2:vmf:2@0", "init=mode:2:0.2",
                         "modes=96", "labels=8", "T=1", "save=every:0.05", "rtol=1e-11"),
    "causal, particles": ("dynamics=USA", "reach=past", "beta=2", "prefix=0.2:atoms:0",
                          "init=uniform", "solver=quantiles", "particles=32", "labels=4", "T=2",
                          "save=every:0.1"),
}
LABELS = ("labels.npy", "label_modes.npy", "label_density.npy")  # of causal ones

GROW = ("d=2", "beta=5", "dynamics=USA", "init=mode:3:1e-4", "T=0.25", "modes=96")


class MeanField(murmur.Case):
    def meanfield(self, *words, **options):
        return json.loads(self.murmur("meanfield", *words, "--json", "-q", **options).stdout)

    def test_growth_and_files(self):
        told = self.meanfield(*GROW, "-o", "grow")
        self.assertAlmostEqual(told["growth_rates"]["3"], 18.5961, delta=0.0186)
        self.assertAlmostEqual(told["predicted_rates"]["3"], 18.5961, delta=0.0002)
        self.assertIsNone(told["stopped"])
        run = self.folder / "grow"
        density, times = np.load(run / "density.npy"), np.load(run / "times.npy")
        grid = np.load(run / "grid.npy")
        self.assertEqual(density.shape, (101, len(grid)))
        self.assertEqual(len(times), 101)
        np.testing.assert_allclose(density.mean(axis=1), 1, atol=1e-13)
        np.testing.assert_allclose(np.linalg.norm(grid, axis=1), 1, atol=1e-14)
        # The density of the last frame holds the amplitude that observables.csv says.
        theta = np.arctan2(grid[:, 1], grid[:, 0])
        amplitude = abs((density[-1] * np.exp(3j * theta)).mean())
        with open(run / "observables.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertAlmostEqual(float(rows[-1]["mode_3"]), amplitude, places=12)
        energies = [float(row["energy"]) for row in rows]
        self.assertTrue(all(b >= a for a, b in zip(energies, energies[1:])))
        self.assertEqual(murmur.status(run), "done")

    def test_many_coordinates(self):
        for solver in ("spectral", "quantiles"):
            told = self.meanfield("d=64", "beta=5", "init=mode:1:1e-4", "T=2", f"solver={solver}",
                                  "-o", solver)
            # (1/beta) 63 lambda_1 / lambda_0, by the series of Bessel functions
            self.assertAlmostEqual(told["growth_rates"]["1"], 0.978615, delta=1e-5)
            self.assertAlmostEqual(told["predicted_rates"]["1"], 0.978615, delta=1e-6)
            grid = np.load(self.folder / solver / "grid.npy")
            np.testing.assert_allclose(np.linalg.norm(grid, axis=1), 1, atol=1e-14)
            mean = np.load(self.folder / solver / "trajectory.npy")[-1, 0]
            self.assertAlmostEqual(mean[-1], told["order"], places=12)
            self.assertEqual(np.abs(mean[:-1]).max(), 0)

    def test_causal_files(self):
        told = self.meanfield("dynamics=causal", "beta=2", "prefix=0.1:vmf:5@0", "init=uniform",
                              "T=2", "labels=6", "save=every:0.5", "-o", "run")
        run = self.folder / "run"
        labels, modes = np.load(run / "labels.npy"), np.load(run / "label_modes.npy")
        density = np.load(run / "label_density.npy")
        self.assertEqual(modes.shape, (5, 8, 12))
        np.testing.assert_allclose(labels[[0, 1, -1]], (0.1, 0.1, 1))
        self.assertEqual(density.shape, (8, np.load(run / "grid.npy").shape[0]))
        np.testing.assert_allclose(density.mean(axis=1), 1, atol=1e-12)
        # the whole prompt is the trapezoidal sum over labels, the prefix's law counting whole
        weights = np.zeros(8)
        weights[0] = 0.1
        weights[1:-1] += np.diff(labels[1:]) / 2
        weights[2:] += np.diff(labels[1:]) / 2
        np.testing.assert_allclose(weights @ density, np.load(run / "density.npy")[-1], atol=1e-10)
        self.assertTrue((np.diff(modes[-1, 1:, 0]) < 0).all())  # the earlier, the more drawn
        self.assertEqual((told["growth_rates"], told["predicted_rates"]), ({}, {}))

    def test_solvers_agree(self):
        told = [self.meanfield("beta=3", "init=vmf:4@0*0.6,4@2*0.4", "T=0.5", f"solver={solver}",
                               size, "-o", solver)
                for solver, size in (("spectral", "modes=128"), ("quantiles", "particles=3000"))]
        self.assertAlmostEqual(told[0]["energy"], told[1]["energy"], delta=1e-5)

    def test_the_monitor_stops(self):
        done = self.murmur("meanfield", "beta=4", "init=mode:1:0.3", "modes=48", "T=20", "--json",
                           "-o", "lost", code=4)
        told = json.loads(done.stdout)
        self.assertIn("too sharp", told["stopped"]["why"])
        self.assertTrue(0 < told["stopped"]["t"] < 10)
        self.assertEqual(murmur.status(self.folder / "lost"), "failed")
        self.assertTrue(np.load(self.folder / "lost" / "density.npy").min() > -1e-6)

    def test_a_stop_keeps_its_last_good_frame(self):
        self.murmur("meanfield", "beta=4", "init=mode:1:0.3", "modes=48", "T=20", "save=final",
                    "-o", "lost", code=4)
        run = self.folder / "lost"
        told = json.loads((run / "phases.json").read_text())
        self.assertEqual(np.load(run / "times.npy").tolist(), [told["stopped"]["t"]])
        self.assertEqual(len(np.load(run / "density.npy")), 1)
        self.assertTrue((run / "figures/meanfield.svg").exists())
        self.assertEqual(murmur.status(run), "failed")

    def test_a_symmetric_start_is_watched(self):
        done = self.murmur("meanfield", "init=mode:7:.02", "modes=16", "beta=25", "T=1", "-q",
                           "-o", "seven", code=4)
        self.assertIn("use more modes", done.stderr)

    def test_a_start_between_the_modes_stops_at_once(self):
        theta = np.arange(256) * 2 * np.pi / 256
        np.save(self.folder / "fine.npy", (1 + 0.5 * np.cos(100 * theta)) / (2 * np.pi))
        done = self.murmur("meanfield", "init=fine.npy", "modes=64", "-q", "-o", "fine", code=4)
        self.assertIn("above degree 64", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 3, done.stderr)
        self.assertEqual(murmur.status(self.folder / "fine"), "failed")
        self.murmur("meanfield", "init=fine.npy", "-q", "T=0.01", "-o", "held")

    def test_an_error_in_flight_closes_the_run(self):
        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        self.murmur("meanfield", *GROW, "-q", "-o", "full", code=1, preexec_fn=small_files)
        self.assertEqual(murmur.status(self.folder / "full"), "failed")
        self.meanfield(*GROW, "T=0.1", "-o", "other")
        murmur.forget_digests(self.folder / "other")  # else it is refused before it goes on
        config = self.folder / "other/config.toml"
        config.write_text(config.read_text().replace('"spectral"', '"quantiles"'))
        self.murmur("meanfield", "--resume", "other", "T=0.2", code=3)
        # As everywhere: what a corrected request can go on with is interrupted.
        self.assertEqual(murmur.status(self.folder / "other"), "interrupted")

    def test_words_without_effect_are_refused(self):
        for words in (("merge=0.1",), ("particles=100",), ("solver=quantiles", "modes=64"),
                      ("activation=tanh",), ("seed=3",), ("replica=1",), ("clock=U2",)):
            self.refused(3, "meanfield", *words, "T=0.1")

    def test_diagrams_of_no_known_ending_are_refused(self):
        self.refused(2, "meanfield", "dynamics=USA", "kappa=1:2:3", "beta=1", "-o", "diagram.txt",
                     do="csv")

    def test_one_point_is_the_end_and_no_metastable_phase(self):
        told = json.loads(self.murmur("meanfield", "-q", "beta=4", "init=vmf:5@0", "T=200",
                                      "save=final", "solver=quantiles", "particles=200",
                                      "--json").stdout)
        self.assertGreater(told["order"], 0.99)
        self.assertIsNone(told["phases"]["metastable"])

    def test_what_cannot_be_flown_is_refused(self):
        theta = np.arange(64) * 2 * np.pi / 64
        self.save("comb.npy", (1 + 0.5 * np.cos(32 * theta)) / (2 * np.pi))
        self.save("empty.npy", np.zeros(0))
        self.save("p_in.npy", np.ones((4, 3)))
        self.save("p_out.npy", np.ones((2, 4)))
        quantiles = "solver=quantiles"
        for words, what in (
                (("init=mode:20:.02", "modes=16"), "mode 20 is above the 16 modes"),
                (("init=comb.npy",), "does not resolve"),
                (("init=empty.npy",), "shape"),
                (("init=vmf:2@0*1e308,3@1*1e308",), "finite sum"),
                ((quantiles, "init=atoms:0*1e308,1*1e308"), "finite sum"),
                ((quantiles, "merge=5"), "at most 2"),
                (("rtol=1e-30", "atol=1e-300"), "more digits than doubles"),
                (("save=every:1e-300",), "frames"),
                (("save=every:T/1e12",), "frames"),
                ((quantiles, "particles=20000000"), "particles"),
                ((quantiles, "particles=20", "init=mode:9:.5"), "mode 9"),
                ((quantiles, "d=3", "init=vmf:3000@0.3/0.2"), "too coarse"),
                ((quantiles, "d=3", "particles=200", "init=mode:15:.05"), "mode 15"),
                (("perceptron=p_*.npy",), r"perceptron in has shape \(4, 3\)"),
                ((quantiles, "perceptron=p_*.npy"), "perceptron in")):
            self.refused(3, "meanfield", *words, what=what)

    def test_density_from_a_file(self):
        theta = np.arange(256) * 2 * np.pi / 256
        good = (1 + 0.2 * np.cos(2 * theta)) / (2 * np.pi)
        np.save(self.folder / "good.npy", good)
        np.save(self.folder / "heavy.npy", 2 * good)
        np.save(self.folder / "negative.npy", good - good[::8].min() * 1.5 + 0.0)
        told = self.meanfield("beta=2", "init=good.npy", "T=0.2", "modes=64", "-o", "file")
        again = self.meanfield("file/config.toml", "-o", "again")
        self.assertEqual(told["energy"], again["energy"])
        for name in ("heavy", "negative"):
            self.murmur("meanfield", f"init={name}.npy", "-o", "never", code=3)
        self.assertFalse((self.folder / "never").exists())

    def test_bifurcation(self):
        told = self.meanfield("dynamics=USA", "beta=4", "kappa=0.3:0.6:13", "-o", "noise.csv")
        self.assertTrue(told["hysteretic"])
        self.assertAlmostEqual(told["onset"] / told["predicted_onset"], 1, delta=0.01)
        self.assertTrue(told["fold"] < told["transition"] < told["onset"])
        self.assertEqual(len((self.folder / "noise.csv").read_text().splitlines()), 14)
        self.murmur("meanfield", "dynamics=USA", "kappa=0.3:0.6:13", "-o", "noise.csv", code=2)

    def test_the_fold_does_not_depend_on_the_sweep(self):
        for sweep in ("0.3:0.6:5", "0.395:0.6:5"):
            told = self.meanfield("dynamics=USA", "beta=4", f"kappa={sweep}")
            self.assertAlmostEqual(told["fold"], 0.387069, delta=1e-6)
        for word in ("value=minus-identity", "clock=U2", "perceptron=gaussian:4", "noise=0.1",
                     "solver=quantiles", "T=5", "init=uniform"):
            done = self.murmur("meanfield", "dynamics=USA", "beta=4", "kappa=0.3:0.6:5", word,
                               code=3)
            self.assertEqual(len(done.stderr.splitlines()), 3, done.stderr)

    def test_a_start_that_is_not_small_has_no_linear_phase(self):
        told = self.meanfield("beta=1", "init=vmf:1@0*1", "T=0.5", "modes=96", "-o", "bump")
        self.assertIsNone(told["phases"]["linear"])
        self.assertEqual(told["growth_rates"], {})
        self.assertTrue((self.folder / "bump" / "figures" / "meanfield.svg").exists())
        done = self.murmur("meanfield", "beta=1", "init=atoms:0,1", "solver=quantiles", "T=0.5",
                           "-o", "atoms")
        self.assertNotIn("linear", done.stderr)

    def test_refusals(self):
        for words in (("d=129",), ("d=5", "init=vmf:3@1"), ("d=5", "perceptron=gradient:3"),
                      ("d=8", "init=mode:1:0.5"), ("d=5", "init=points:none.npy"),
                      ("prefix=0.1:uniform",), ("labels=8",), ("dynamics=causal", "labels=8"),
                      ("dynamics=causal", "prefix=2:uniform"), ("dynamics=causal", "prefix=0.5"),
                      ("dynamics=causal", "prefix=0.5:file.npy"),
                      ("dynamics=causal", "d=3", "solver=quantiles"),
                      ("d=5", "solver=quantiles", "merge=0.1"), ("dynamics=causal", "alibi=1"),
                      ("reach=past", "dynamics=USA", "kappa=0.3:0.6:7"),
                      ("init=mode:3",), ("solver=magic",), ("beta=-1",), ("modes=3",),
                      ("init=atoms:0,1",), ("noise=1", "solver=quantiles"), ("betta=3",)):
            done = self.murmur("meanfield", *words, "-o", "never", code=3)
            self.assertEqual(len(done.stderr.splitlines()), 3, done.stderr)
        self.assertFalse((self.folder / "never").exists())
        self.meanfield(*GROW, "save=final", "-o", "mine")
        self.murmur("meanfield", *GROW, "-o", "mine", code=2)
        self.meanfield(*GROW, "save=final", "-o", "mine", "--force")

    def test_figures(self):
        for name, words in {"circle": GROW, "sphere": ("d=3", "beta=3", "modes=12", "T=0.3"),
                            "once": (*GROW, "save=final"),
                            "zonal": ("d=16", "beta=3", "modes=32", "T=0.3"),
                            "zonal once": ("d=16", "beta=3", "T=0.3", "save=final"),
                            "causal": ("dynamics=causal", "prefix=0.2:vmf:3@0", "init=uniform",
                                       "T=0.5", "labels=4"),
                            "causal sphere": ("dynamics=causal", "d=3", "prefix=0.2:vmf:1@0/0",
                                              "init=uniform", "modes=12", "T=0.2", "labels=2"),
                            }.items():
            self.meanfield(*words, "-o", name)
            figures = self.folder / name / "figures"
            self.assertTrue((figures / "meanfield.svg").read_text().startswith("<?xml"))
            self.assertEqual((figures / "meanfield.png").read_bytes()[:4], b"\x89PNG")
        self.murmur("meanfield", "dynamics=USA", "beta=4", "kappa=0.3:0.6:7", "-o", "noise.svg")
        self.assertIn("predicted", (self.folder / "noise.svg").read_text())

    def test_without_gnuplot_the_run_is_whole(self):
        (self.folder / "empty").mkdir()
        done = self.murmur("meanfield", *GROW, "-q", "-o", "run",
                           env={"PATH": str(self.folder / "empty")})
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 3, done.stderr)
        self.assertIn("gnuplot", done.stderr)
        self.assertEqual(murmur.status(self.folder / "run"), "done")

    def test_diff_and_landscape(self):
        self.meanfield(*GROW, "-o", "one")
        self.meanfield(*GROW, "beta=4", "-o", "two")
        told = json.loads(self.murmur("runs", "diff", "one", "two", "--json").stdout)
        self.assertEqual(told["parameters"], {"beta": ["5", "4"]})
        self.assertEqual(told["common_frames"], 101)
        self.murmur("landscape", "-q", "n=4", "starts=2", "-o", "hills")
        self.murmur("landscape", "-q", "n=4", "starts=3", "-o", "more")
        told = json.loads(self.murmur("runs", "diff", "hills", "more", "--json").stdout)
        self.assertEqual(told["parameters"], {"starts": ["2", "3"]})
        self.assertIn("already finished", self.murmur("runs", "resume", "hills").stderr)


class Starts(murmur.Case):
    """Measures out of files."""

    def flight(self, name, *words):
        self.murmur("meanfield", "-q", *words, "-o", name)
        run = self.folder / name
        table = np.genfromtxt(run / "observables.csv", delimiter=",", names=True)
        return np.load(run / "density.npy"), np.array(table["energy"]), np.array(table["mode_3"])

    def close(self, a, b, tolerance):
        for left, right in zip(a, b):
            np.testing.assert_allclose(left, right, rtol=tolerance, atol=tolerance)

    def circle(self, cells):
        theta = np.arange(cells) * 2 * np.pi / cells
        bumps = [np.exp(k * np.cos(theta - at)) / (2 * np.pi * np.i0(k))
                 for k, at in ((4, 0), (6, 2))]
        return 0.6 * bumps[0] + 0.4 * bumps[1]

    def sphere(self, rows, columns):
        polar = np.pi * (np.arange(rows) + 0.5) / rows
        phi = 2 * np.pi * np.arange(columns) / columns
        x = np.stack([np.outer(np.sin(polar), np.cos(phi)), np.outer(np.sin(polar), np.sin(phi)),
                      np.outer(np.cos(polar), np.ones(columns))], axis=-1)
        total = np.zeros((rows, columns))
        for kappa, a, b, weight in ((4, 0.5, 0, 0.7), (3, 2, 1, 0.3)):
            centre = [np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a)]
            total += weight * kappa / (4 * np.pi * np.sinh(kappa)) * np.exp(kappa * (x @ centre))
        return total

    def test_densities_fly_as_the_bumps_they_hold(self):
        self.save("circle.npy", self.circle(256))
        self.save("sphere.npy", np.asfortranarray(self.sphere(48, 90)))
        cases = (("d=2", "circle.npy", "vmf:4@0*0.6,6@2*0.4", "modes=96", "particles=500"),
                 ("d=3", "sphere.npy", "vmf:4@0.5/0*0.7,3@2/1*0.3", "modes=20", "particles=300"))
        for d, file, bumps, modes, particles in cases:
            for solver, size in (("spectral", modes), ("quantiles", particles)):
                with self.subTest(file=file, solver=solver):
                    words = (d, "beta=2", "T=0.2", "save=every:0.1", size, f"solver={solver}")
                    a = self.flight("a", *words, f"init={file}", "--force")
                    b = self.flight("b", *words, f"init={bumps}", "--force")
                    self.close(a, b, 1e-8)
                    again = self.flight("c", "a/config.toml", "--force")
                    self.close(a, again, 0)

    def test_points_fly_as_the_atoms_they_are(self):
        angle = np.array([0, 1, 2.5])
        rows = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        words = ("beta=2", "T=0.5", "save=every:0.1", "solver=quantiles")
        self.save("equal.npy", rows * (1 + 4e-7))
        self.save("weighted.npy", np.asfortranarray(np.column_stack([rows, [1, 2, 3]])))
        for file, atoms in (("equal", "0,1,2.5"), ("weighted", "0*1,1*2,2.5*3")):
            a = self.flight(file, *words, f"init=points:{file}.npy")
            self.close(a, self.flight(file + "-atoms", *words, f"init=atoms:{atoms}"), 1e-9)
            (self.folder / f"{file}.npy").unlink()
            self.close(a, self.flight(file + "-again", f"{file}/config.toml"), 0)
        self.save("whole.npy", np.array([[0, 0, 1], [1, 0, 0]], dtype=np.int64))
        self.save("single.npy", murmur.unit_points(5, 3).astype(np.float32))
        for file in ("whole", "single"):
            self.flight(file, "d=3", *words, f"init=points:{file}.npy")

    def test_what_is_no_measure_is_refused(self):
        flat = np.full((8, 16), 1 / (4 * np.pi))
        bad = {"negative": (3, 5, -0.1), "nan": (0, 7, np.nan), "infinite": (7, 15, np.inf)}
        for name, (i, j, value) in bad.items():
            density = flat.copy()
            density[i, j] = value
            self.save(f"{name}.npy", density)
            self.refused(3, "meanfield", "d=3", f"init={name}.npy", where=rf"cell \({i}, {j}\)")
        self.save("heavy.npy", 4 * np.pi * flat)
        self.refused(3, "meanfield", "d=3", "init=heavy.npy", what="integrates to 12.5663706",
                     do=r"1 / \(4 pi\)")
        self.save("flat.npy", flat)
        self.refused(3, "meanfield", "init=flat.npy", what=r"shape \(8, 16\)", do="cells")
        self.save("row.npy", np.full(16, 1 / (2 * np.pi)))
        self.refused(3, "meanfield", "d=3", "init=row.npy", what="shape")
        self.save("few.npy", flat[:3])
        self.refused(3, "meanfield", "d=3", "init=few.npy", what="too few")
        points = murmur.unit_points(6, 3)
        self.save("points.npy", points)
        self.refused(3, "meanfield", "d=3", "init=points:points.npy", what="atoms", do="quantiles")
        quantiles = ("meanfield", "d=3", "solver=quantiles")
        self.save("long.npy", points * np.array([[1, 1, 1, 1, 1.1, 1]]).T)
        self.refused(3, *quantiles, "init=points:long.npy", what="row 4 has norm 1.1")
        self.save("light.npy", np.column_stack([points, [1, 1, 0, 1, 1, 1]]))
        self.refused(3, *quantiles, "init=points:light.npy", what="row 2 has weight 0")
        self.save("lost.npy", np.column_stack([points, [1, 1, 1, np.nan, 1, 1]]))
        self.refused(3, *quantiles, "init=points:lost.npy", what="row 3 has weight nan")
        self.save("wide.npy", np.ones((3, 5)))
        self.refused(3, *quantiles, "init=points:wide.npy", what=r"shape \(3, 5\)")
        self.refused(3, *quantiles, "init=points:nowhere.npy")


class Resume(murmur.Case):
    """Kill it at any instant, go on, and the bytes are those of a run that was never disturbed."""

    def setUp(self):
        super().setUp()
        self.random = random.Random(21)
        self.bare = {"PATH": str(self.folder)}  # without gnuplot: strikes meet the flight itself

    def kept(self, name):
        files = [*FILES, *(file for file in LABELS if (self.folder / name / file).exists())]
        return {file: (self.folder / name / file).read_bytes() for file in files}

    def same(self, name, expected):
        self.assertEqual(murmur.status(self.folder / name), "done")
        for file, content in self.kept(name).items():
            self.assertEqual(content == expected[file], True, f"{file} differs")

    def disturbed(self, words, strike, strikes, seconds):
        """Starts, strikes at random instants and resumes until done; the number of strikes made."""
        run, struck = self.folder / "run", 0
        while True:
            words_now = ("--resume", "run") if run.exists() else (*words, "-o", "run")
            process = self.start("meanfield", *words_now, "-q", "--checkpoint",
                                 self.random.choice(("0", "0.01", "10")), env=self.bare)
            if struck < strikes:
                time.sleep(self.random.uniform(0, seconds))
                process.send_signal(strike)
            _, err = process.communicate(timeout=murmur.PATIENCE)
            self.assertIn(err.partition(":")[2].partition(":")[0],
                          ("", " the mean field is not drawn"))
            if process.returncode == 0:
                return struck
            self.assertIn(process.returncode, (-strike, 128 + strike))
            struck += 1

    def check(self, flight, strike, strikes):
        words, struck = FLIGHTS[flight], 0
        began = time.time()
        self.murmur("meanfield", *words, "-q", "-o", "whole", "--force", env=self.bare)
        seconds, expected = time.time() - began, self.kept("whole")
        for _ in range(10 * strikes):
            struck += self.disturbed(words, strike, strikes - struck, 0.9 * seconds)
            self.same("run", expected)
            shutil.rmtree(self.folder / "run")
            if struck >= strikes:
                return
        self.fail(f"only {struck} of {strikes} strikes hit a run")

    def test_killed(self):
        for flight in FLIGHTS:
            with self.subTest(flight):
                self.check(flight, signal.SIGKILL, 20 if murmur.LONG else 4)

    def test_terminated(self):
        for flight, strike in zip(FLIGHTS, (signal.SIGTERM, signal.SIGINT) * 3):
            with self.subTest(flight):
                self.check(flight, strike, 20 if murmur.LONG else 2)

    def test_interrupt_says_how_to_go_on(self):
        process = self.start("meanfield", "beta=2", "solver=quantiles", "particles=20000", "T=1e5",
                             "-o", "run")
        while not (self.folder / "run/density.npy").exists():
            time.sleep(0.01)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=murmur.PATIENCE)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(out, "run\n")
        self.assertIn("murmur meanfield --resume run", err)
        self.assertEqual(murmur.status(self.folder / "run"), "interrupted")
        self.assertTrue((self.folder / "run/checkpoint.safetensors").exists())

    def test_extended(self):
        """To T by steps, and there at once; by either command."""
        for flight, words in FLIGHTS.items():
            with self.subTest(flight):
                last = float(next(word for word in words if word.startswith("T="))[2:])
                self.murmur("meanfield", "-q", *words, "-o", "whole", "--force")
                self.murmur("meanfield", "-q", *words, f"T={last / 4}", "-o", "run", "--force")
                self.murmur("meanfield", "-q", "--resume", "run", f"T={last / 2}")
                self.murmur("runs", "-q", "resume", "run", f"T={last:g}")
                self.same("run", self.kept("whole"))
                self.assertEqual((self.folder / "run/config.toml").read_text(),
                                 (self.folder / "whole/config.toml").read_text())

    def test_ends_that_are_not_binary_fractions(self):
        for flight in ("circle, spectral", "circle, quantiles"):
            words = (*FLIGHTS[flight], "save=every:0.05")
            self.murmur("meanfield", "-q", *words, "T=0.7", "-o", "whole", "--force")
            self.murmur("meanfield", "-q", *words, "T=0.05", "-o", "run", "--force")
            for T in (0.15, 0.3, 0.35, 0.7):
                self.murmur("meanfield", "-q", "--resume", "run", f"T={T}")
            self.same("run", self.kept("whole"))

    def test_an_extension_stops_where_the_whole_flight_does(self):
        words = ("beta=4", "init=mode:1:0.3", "modes=48", "save=every:0.01")
        self.murmur("meanfield", "-q", *words, "T=20", "-o", "whole", code=4)
        self.murmur("meanfield", "-q", *words, "T=0.5", "-o", "run")
        self.murmur("meanfield", "-q", "--resume", "run", "T=20", code=4)
        self.assertEqual(self.kept("run") == self.kept("whole"), True)
        self.murmur("meanfield", "-q", "--resume", "run", code=4)
        self.assertEqual(self.kept("run") == self.kept("whole"), True)

    def test_rules(self):
        self.murmur("meanfield", "-q", *GROW, "-o", "run")
        before = murmur.tree(self.folder / "run")
        for words in (("meanfield", "--resume", "run"), ("runs", "resume", "run")):
            self.assertEqual(self.murmur(*words).stdout, "run\n")
            self.assertEqual(murmur.tree(self.folder / "run") == before, True)
        self.refused(3, "meanfield", "--resume", "run", "beta=4", what="beta=4 cannot change")
        self.refused(3, "meanfield", "--resume", "run", "T=0.1", what="below")
        self.refused(3, "meanfield", "--resume", "nowhere", what="not a run")
        self.simulate("flock", "n=4", "T=0.1", "-q")
        self.refused(3, "meanfield", "--resume", "flock", what="murmur simulate")
        self.refused(3, "simulate", "--resume", "run", what="murmur meanfield")


if __name__ == "__main__":
    murmur.main()
