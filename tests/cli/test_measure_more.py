"""What measure shows of a run or a file beyond the row of observables, against numpy."""

import json
import math

import numpy as np

import murmur
from observables import components, cosines, table

INPUT = 3  # exit code


def gon(k, turned=0.0):
    angle = turned + 2 * np.pi * np.arange(k) / k
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


class OneFrame(murmur.Case):
    def test_histogram(self):
        x = murmur.unit_points(30, 4)
        self.save("x.npy", x)
        got = table(self.murmur("measure", "x.npy", "show=histogram", "bins=8").stdout)
        counts, edges = np.histogram(cosines(x), bins=8, range=(-1, 1))
        self.assertTrue(np.array_equal(got["pairs"], counts))
        self.assertEqual(got["pairs"].sum(), 30 * 29 / 2)
        self.assertTrue(np.allclose(got["from"], edges[:-1]))
        self.assertAlmostEqual(got["fraction"].sum(), 1, delta=1e-12)
        rows = json.loads(self.murmur("measure", "x.npy", "show=histogram", "bins=8",
                                      "--json").stdout)
        self.assertEqual([row["pairs"] for row in rows], list(counts))

    def test_what_is_printed_goes_to_a_file(self):
        self.save("x.npy", murmur.unit_points(30, 4))
        words = ("measure", "x.npy", "show=histogram", "bins=8")
        shown = self.murmur(*words).stdout
        done = self.murmur(*words, "-o", "h.csv")
        self.assertEqual(done.stdout, "")
        self.assertEqual((self.folder / "h.csv").read_text(), shown)
        self.murmur(*words, "-o", "h.csv", code=2)  # it is there
        self.murmur("measure", "x.npy", "show=nothing", "-o", "none.csv", code=INPUT)
        self.assertFalse((self.folder / "none.csv").exists())
        self.murmur(*words, "--json", "-o", "h.csv", "--force")
        self.assertEqual(len(json.loads((self.folder / "h.csv").read_text())), 8)

    def test_counts_say_where_clusters_are_chains(self):
        self.save("x.npy", np.stack([gon(1000), np.repeat(gon(4), 250, axis=0)]))
        chain, heaps = json.loads(self.murmur("measure", "x.npy", "show=counts", "--json").stdout)
        self.assertEqual((chain["clusters"], chain["chained"]), (1, True))
        self.assertAlmostEqual(heaps["width"], 0, delta=1e-12)
        self.assertEqual([heaps[key] for key in ("clusters", "finer", "coarser", "chained")],
                         [4, 4, 4, False])

    def test_modes_of_a_gon(self):
        self.save("x.npy", gon(5, 0.1))
        got = table(self.murmur("measure", "x.npy", "show=modes", "modes=1-11", "frame=0").stdout)
        self.assertEqual(list(got["mode"]), list(range(1, 12)))
        self.assertLess(np.abs(got["amplitude"] - (got["mode"] % 5 == 0)).max(), 1e-14)
        self.assertAlmostEqual(got["phase"][4], 0.5, delta=1e-13)

    def test_modes_of_the_sphere_are_legendre_sums(self):
        x = murmur.unit_points(20, 3)
        self.save("x.npy", x)
        rows = json.loads(self.murmur("measure", "x.npy", "show=modes", "modes=3", "frame=last",
                                      "--json").stdout)
        c = x @ x.T
        self.assertAlmostEqual(rows[0]["power"], ((5 * c**3 - 3 * c) / 2).mean(), delta=1e-13)
        self.assertIsNone(rows[0]["phase"])

    def test_attention(self):
        x = murmur.unit_points(7, 3)
        self.save("x.npy", x)
        got = json.loads(self.murmur("measure", "x.npy", "beta=3", "show=attention",
                                     "share=0.2", "--json").stdout)
        a = np.exp(3 * x @ x.T)
        a /= a.sum(axis=1, keepdims=True)
        self.assertLess(np.abs(np.array(got["weights"]) - a).max(), 1e-14)
        self.assertEqual(got["rank"], np.linalg.matrix_rank(a, tol=1e-6 * np.linalg.norm(a, 2)))
        self.assertEqual(got["leaders"], [j for j in range(7) if a[:, j].sum() > 0.2 * 7])
        text = self.murmur("measure", "x.npy", "beta=3", "show=attention").stdout
        rows = np.array([[float(v) for v in line.split(",")] for line in text.splitlines()])
        self.assertTrue(np.array_equal(rows, got["weights"]))

    def test_the_start_of_a_preset(self):
        """cat: who looks for whom, by its query; with Q = K attention is symmetric."""
        rows = lambda *words: np.array([[float(v) for v in line.split(",")] for line in self.murmur(
            "measure", "cat", "show=attention", *words).stdout.splitlines()])
        high, low = np.array([np.exp(4), 1]) / (np.exp(4) + 2)
        np.testing.assert_allclose(rows(), [[low, high, low], [low, low, high], [1 / 3] * 3], atol=1e-15)
        np.testing.assert_allclose(rows("query=identity"), np.full((3, 3), low) + (high - low) * np.eye(3),
                                   atol=1e-15)
        energy = table(self.murmur("measure", "cat").stdout)
        self.assertEqual((float(energy["t"]), int(energy["clusters"])), (0, 3))
        self.write("two.toml", 'n = 2\nd = 2\ninit = "points:1,0;0,1"\nbeta = 1\n')
        two = self.murmur("measure", "two.toml", "show=attention").stdout.splitlines()[0].split(",")
        self.assertAlmostEqual(float(two[0]), np.e / (np.e + 1), places=14)
        self.refused(INPUT, "measure", "cats", what="cats", do="murmur runs")
        self.refused(INPUT, "measure", "cat", "show=attention", "frame=1", what="no frame 1")
        self.refused(INPUT, "measure", "cat", "show=heads", what="traced")

    def test_centres(self):
        angle = np.array([0, 0.3, 0.6, 0.9, 3])
        self.save("x.npy", np.stack([np.cos(angle), np.sin(angle)], axis=1))
        got = table(self.murmur("measure", "x.npy", "show=centres", "delta=0.5").stdout)
        self.assertEqual(list(got["particle"]), [0, 2, 4])
        self.assertEqual(list(got["strong"]), [1, 0, 1])
        again = table(self.murmur("measure", "x.npy", "show=centres", "beta=64").stdout)
        self.assertEqual(list(again["particle"]), [0, 2, 4])  # delta = 4 / sqrt(beta)

    def test_density_modes(self):
        self.save("x.npy", gon(5, 0.1))
        got = table(self.murmur("measure", "x.npy", "show=density-modes", "beta=50").stdout)
        self.assertTrue(np.allclose(got["angle"], 0.1 + 2 * np.pi * np.arange(5) / 5))
        line = np.stack([[0, 1, 1, 9], [3, 3, 3, 3]], axis=1).astype(float)
        self.save("y.npy", line)
        words = ("measure", "y.npy", "habitat=space", "show=density-modes", "beta=100")
        self.assertTrue(np.allclose(table(self.murmur(*words).stdout)["place"], [0, 1, 9]))
        self.assertTrue(np.allclose(table(self.murmur(*words, "axis=1").stdout)["place"], [3]))


class Histories(murmur.Case):
    def test_genealogy_of_the_preset_kinetic(self):
        self.simulate("run", "kinetic", "-q")
        got = json.loads(self.murmur("measure", "run", "show=genealogy", "--json").stdout)
        self.assertEqual([e["kind"] for e in got["events"]], ["merge"] * 4)
        for event, exact in zip(got["events"], (1.27, 2.41, 5.20, 328.37)):
            self.assertLess(event["after"], exact + 0.005)
            self.assertGreater(event["by"], exact - 0.005)
            self.assertLess(event["by"], 1.05 * event["after"])
        self.assertEqual(len(got["clusters"]), 9)
        self.assertEqual(sorted(c["size"] for c in got["clusters"])[-1], 5)
        x, _ = murmur.frames_and_times(self.folder / "run")
        self.assertEqual(components(x[-1], 1e-3), [5])
        lines = self.murmur("measure", "run", "show=genealogy").stdout.splitlines()
        self.assertEqual(lines[0], "kind,after,by,from,to,mass")
        self.assertEqual(len(lines), 5)

    def test_plateaus_of_the_preset_staircase(self):
        self.simulate("run", "staircase", "-q")
        got = table(self.murmur("measure", "run", "show=plateaus").stdout)
        self.assertEqual(len(got["level"]), 4)
        self.assertLess(np.abs(got["level"] - [0.28, 0.44, 0.52, 1]).max(), 0.01)
        self.assertLess(np.abs(got["rise"][1:] - [0.01710, 0.04120, 0.09702]).max(), 1e-4)
        self.assertTrue(math.isnan(got["rise"][0]))

    def test_the_bounds_on_metastability(self):
        """Recomputed from the frames; a wrong frame, of one cluster, or low beta promise nothing."""
        words = ("n=9", "d=16", "init=clusters:3:0.01", "cluster_tol=0.05", "rtol=1e-12",
                 "atol=1e-12")
        run = self.simulate("run", *words, "beta=40", "T=1300", "save=every:100")

        def bounds(*extra):
            told = self.murmur("measure", "run", "show=metastability", "--json", *extra)
            return json.loads(told.stdout)[0]

        got = bounds("rate=0.5")
        x = np.load(run / "trajectory.npy")
        label = np.arange(9) % 3
        w = np.array([x[0][label == q].mean(axis=0) for q in range(3)])
        w /= np.linalg.norm(w, axis=1)[:, None]
        self.assertGreaterEqual(got["eps"], (1 - (x[0] * w[label]).sum(axis=1)).max())
        nearest = np.arccos((w @ w.T)[np.triu_indices(3, 1)].max())
        alpha = math.cos(nearest - 2 * math.acos(1 - 2 * got["eps"]))
        self.assertAlmostEqual(got["alpha"], alpha, delta=1e-12)
        self.assertAlmostEqual(
            got["gap"], 1 - alpha - 8 * got["eps"] - math.log(162 / got["eps"]) / 40, delta=1e-12)
        self.assertAlmostEqual(got["begins"], 18 * math.exp(320 * got["eps"])
                               + math.e * 4.5 * 1600 / 39, delta=1e-6)
        self.assertAlmostEqual(got["ends"] / (got["eps"] / 9 * math.exp((1 - alpha) * 40)), 1,
                               delta=1e-9)
        inside = x[-got["frames"]:]
        spread = max(np.linalg.norm(frame[i] - frame[j]) for frame in inside
                     for i in range(9) for j in range(i) if label[i] == label[j])
        self.assertAlmostEqual(got["spread"], spread, delta=1e-15)
        self.assertLess(got["spread"], got["bound"])
        self.assertAlmostEqual(got["bound"], math.sqrt(2) * math.exp(-10), delta=1e-15)
        low = bounds("beta=4")
        self.assertLess(low["gap"], 0)
        self.assertIsNone(low["ends"])
        for extra, what in (("cluster_tol=2", "one cluster"), ("dynamics=sinkhorn", "."),
                            ("value=minus-identity", "does not apply to"), ("beta=0.5", "does not apply to")):
            self.refused(3, "measure", "run", "show=metastability", extra, what=what)

    def test_growth_of_a_mode(self):
        # Quantile points of 1 + 1e-4 cos 3 theta, at beta = 5: USA grows at 9 I_3(5) / 5.
        n, k = 600, 3
        level = 2 * np.pi * (np.arange(n) + 0.5) / n
        angle = level.copy()
        for _ in range(50):
            angle = level - 1e-4 * np.sin(k * angle) / k
        self.save("x.npy", np.stack([np.cos(angle), np.sin(angle)], axis=1))
        self.simulate("run", "init=x.npy", "dynamics=USA", "beta=5", "T=0.2", "save=every:0.01",
                      "-q")
        got = table(self.murmur("measure", "run", "show=growth", "modes=3", "low=6e-5",
                                "high=5e-3").stdout)
        self.assertAlmostEqual(got["rate"][0], 18.5961, delta=0.001 * 18.5961)
        self.assertLess(got["error"][0], 0.01)
        self.assertGreater(got["points"][0], 10)
        wide = table(self.murmur("measure", "run", "show=modes", "modes=2-4").stdout)
        self.assertEqual(list(wide), ["t", "mode_2", "mode_3", "mode_4"])
        self.assertAlmostEqual(wide["mode_3"][0], 5e-5, delta=1e-8)

    def test_time_to_near_clustering(self):
        self.save("x.npy", np.stack([np.cos([-0.6, 0.6]), np.sin([-0.6, 0.6])], axis=1))
        self.simulate("run", "init=x.npy", "beta=0", "T=8", "save=every:0.01", "-q")
        got = table(self.murmur("measure", "run", "show=clustering", "delta=1e-3").stdout)
        exact = math.log(math.tan(0.6) / math.tan(math.acos(1 - 1e-3) / 2))
        self.assertAlmostEqual(got["all"][0], exact, delta=1e-4)
        never = table(self.murmur("measure", "run", "show=clustering", "delta=1e-9").stdout)
        self.assertTrue(math.isnan(never["all"][0]))

    def test_counts_of_every_frame(self):
        self.simulate("run", "d=2", "n=20", "T=1", "save=every:0.5", "-q")
        for show, column in (("density-modes", "modes"), ("centres", "strong")):
            got = table(self.murmur("measure", "run", f"show={show}", "frame=all").stdout)
            self.assertEqual(list(got["t"]), [0, 0.5, 1])
            self.assertTrue((got[column] >= 1).all())


class Refusals(murmur.Case):
    def setUp(self):
        super().setUp()
        self.save("x.npy", gon(4))

    def no(self, *words, **told):
        self.refused(INPUT, "measure", *words, **told)

    def test_words(self):
        self.no("x.npy", "show=histgram", what="histgram", do="did you mean show=histogram")
        self.no("x.npy", "show=everything", do="histogram, modes")
        self.no("x.npy", "shwo=histogram", where="shwo=histogram", do="did you mean show")
        self.no("x.npy", "show=histogram", "bin=3", do="did you mean bins")
        self.no("x.npy", "bins=3", what="bins", do="show=histogram")
        self.no("x.npy", "show=centres", "bins=3", what="does not use bins", do="show=histogram")
        self.no("x.npy", "show=histogram", "betta=3", do="did you mean beta")

    def test_values(self):
        self.no("x.npy", "show=histogram", "bins=0", what="bins", where="bins = 0")
        self.no("x.npy", "show=histogram", "bins=many", what="not a finite number")
        self.no("x.npy", "show=histogram", "frame=1", what="no frame 1", do="0 to 0")
        self.no("x.npy", "show=histogram", "frame=all", what="one frame")
        self.no("x.npy", "show=modes", "modes=8-1", what="range of modes", do="modes=1-8")
        self.no("x.npy", "show=centres", "delta=-1", what="above 0")
        self.no("x.npy", "show=attention", "head=1", what="no such head", do="0 to 0")
        self.no("x.npy", "show=plateaus", "time=slow", do="time=log")
        self.no("x.npy", "show=growth", what="one mode")
        self.no("x.npy", "show=growth", "modes=2", what="too few points")

    def test_what_a_dynamics_does_not_have(self):
        alone = ("x.npy", "dynamics=none", "perceptron=gaussian:4")
        self.no(*alone, "show=attention", what="no attention", where="x.npy", do="dynamics SA")
        self.no(*alone, "show=plateaus", what="energy_scaled does not exist",
                where="x.npy: column=energy_scaled", do="clusters")
        self.no("x.npy", "show=plateaus", "column=enrgy", do="did you mean column=energy")
        self.save("y.npy", murmur.unit_points(5, 3))
        self.no("y.npy", "show=density-modes", what="circle", where="d = 3")


if __name__ == "__main__":
    murmur.main()
