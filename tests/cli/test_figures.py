"""Figures by name: heat maps of attention and cosines, globes, maps; and how time runs."""

import csv
import io

import numpy as np

import murmur

SMALL = ("--size", "400x320")
INPUT, USAGE = 3, 2


class Figures(murmur.Case):
    def rows(self, name):
        with open(self.folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def test_attention_is_that_of_the_formula(self):
        """Against softmax in numpy: the CSV holds a_ij and log10 of n a_ij, neither of them clipped."""
        run = self.simulate("run", "n=7", "d=3", "beta=9", "T=1", "save=every:0.5", "-q")
        self.murmur("render", "run", "figure=attention", "t=0.5", "order=index", "-q",
                    "-o", "a.svg")
        x = murmur.trajectory(run)[1]
        scores = np.exp(9 * x @ x.T)
        weights = scores / scores.sum(axis=1, keepdims=True)
        rows = self.rows("a.csv")
        self.assertEqual(len(rows), 49)
        for row in rows:
            i, j = round(float(row["i"])), round(float(row["j"]))
            self.assertAlmostEqual(float(row["log10_n_a"]), np.log10(7 * weights[i, j]), places=9)
            self.assertAlmostEqual(float(row["a"]), weights[i, j], places=12)
        self.assertLess(min(float(row["log10_n_a"]) for row in rows), -3)  # colours end at -1.5

    def row_sums(self, name):
        sums = {}
        for row in self.rows(name):
            sums.setdefault((row["panel"], row["i"]), []).append(float(row["a"]))
        return {key: sum(weights) for key, weights in sums.items()}

    def test_rows_of_attention_sum_to_one(self):
        """Of all heads and times, under a causal mask, and in groups of two."""
        for name, cells, words in (("two", 6, ("n=6", "heads=2")), ("past", 5, ("n=5", "dynamics=causal")),
                                   ("many", 65, ("n=130",))):
            self.simulate(name, *words, "d=3", "beta=9", "T=1", "save=every:0.5", "-q")
            self.murmur("render", name, "figure=attention", "-q", "-o", f"{name}.svg")
            sums = self.row_sums(f"{name}.csv")
            self.assertEqual(len({i for _, i in sums}), cells)
            for total in sums.values():
                self.assertAlmostEqual(total, 1, places=12)
        future = [row for row in self.rows("past.csv") if float(row["j"]) > float(row["i"])]
        self.assertEqual({(float(row["a"]), row["log10_n_a"]) for row in future}, {(0, "")})

    def test_distances_are_those_of_the_frames(self):
        run = self.simulate("run", "n=9", "d=4", "T=1", "save=every:0.5", "-q")
        self.murmur("render", "run", "figure=distances", "time=linear", "-o", "d.svg", "-q")
        rows = self.rows("d.csv")
        self.assertEqual({float(row["t"]) for row in rows}, {0, 0.5, 1})
        for t, x in zip((0, 0.5, 1), murmur.trajectory(run)):
            apart = np.linalg.norm(x[:, None] - x[None], axis=2)[np.triu_indices(9, 1)]
            counted = np.histogram(apart, bins=40, range=(0, 2))[0] / len(apart)
            told = [float(row["share"]) for row in rows if float(row["t"]) == t]
            np.testing.assert_allclose(told, counted, atol=1e-12)

    def test_distances_in_space_at_one_time(self):
        """Up to the longest distance of that time."""
        run = self.simulate("run", "n=9", "d=2", "habitat=space", "init=box:5", "T=1", "save=every:0.5", "-q")
        self.murmur("render", "run", "figure=distances", "t=0.6", "bins=7", "-o", "d.png", "-q", "--light")
        rows = self.rows("d.csv")
        x = murmur.trajectory(run)[1]
        longest = np.linalg.norm(x[:, None] - x[None], axis=2).max()
        self.assertEqual({float(row["t"]) for row in rows}, {0.5})
        self.assertEqual(len(rows), 7)
        self.assertAlmostEqual(float(rows[-1]["to"]), longest, places=12)
        self.assertAlmostEqual(sum(float(row["share"]) for row in rows), 1, places=12)
        self.murmur("render", "run", "figure=distances", "-q")
        self.assertTrue((self.folder / "run/figures/distances.csv").exists())

    def test_tables_over_time_as_pictures(self):
        """The CSV next to the picture is the table that measure prints."""
        self.simulate("run", "n=9", "d=2", "T=1", "save=every:0.5", "-q")
        for name, option in (("modes", "modes=2-4"), ("counts", None), ("atoms", "share=0.7")):
            words = [option] if option else []
            self.murmur("render", "run", f"figure={name}", *words, "-o", f"{name}.svg", "-q")
            self.assertIn("<svg", (self.folder / f"{name}.svg").read_text())
            shown = self.murmur("measure", "run", f"show={name}", *words).stdout
            self.assertEqual((self.folder / f"{name}.csv").read_text(), shown)
        self.murmur("render", "run", "figure=counts", "time=log", "-q")
        self.assertTrue((self.folder / "run/figures/counts.png").exists())
        self.refused(INPUT, "render", "run", "figure=modes", "modes=0", "-o", "x.png", what="range of modes")

    def test_tables_of_pairs(self):
        run = self.simulate("run", "n=9", "d=3", "T=1", "save=every:0.5", "-q")
        self.murmur("render", "run", "figure=distances", "time=linear", "bins=50", "-o", "d.svg", "-q")
        drawn, shown = self.rows("d.csv"), self.murmur("measure", "run", "show=distances").stdout
        told = list(csv.DictReader(io.StringIO(shown)))
        self.assertEqual(len(told), 3 * 50)
        for row, other in zip(drawn, told):
            self.assertEqual((row["t"], row["from"], row["to"]), (other["t"], other["from"], other["to"]))
            self.assertAlmostEqual(float(row["share"]), float(other["share"]), places=12)
        shown = self.murmur("measure", "run", "show=cosines", "bins=8").stdout
        told = list(csv.DictReader(io.StringIO(shown)))
        for k, x in enumerate(murmur.trajectory(run)):
            pairs = (x @ x.T)[np.triu_indices(9, 1)]
            shares = np.histogram(pairs, bins=8, range=(-1, 1))[0] / len(pairs)
            np.testing.assert_allclose([float(row["share"]) for row in told[8 * k:8 * k + 8]], shares)
        self.simulate("one", "n=1", "T=1", "-q")
        self.refused(INPUT, "measure", "one", "show=cosines", what="no pairs")

    def test_metastability_has_angles_and_counts(self):
        """Two clusters on the circle that meet after e^(beta (1 - cos)), as two bodies do."""
        angles = np.array([0, 0.02, 0.04, 1.6, 1.62, 1.64])
        points = ";".join(f"{np.cos(a):.12g},{np.sin(a):.12g}" for a in angles)
        run = self.simulate("run", f"init=points:{points}", "beta=6", "T=1e3", "save=log:120", "-q")
        self.murmur("render", "run", "figure=metastability", "-o", "m.svg", "-q")
        rows = self.rows("m.csv")
        x = murmur.trajectory(run)
        self.assertEqual(len(rows), len(x) - 1)  # t = 0 has no place in log t
        self.assertEqual({int(row["clusters"]) for row in rows[-5:]}, {1})
        self.assertIn(2, {int(row["clusters"]) for row in rows})
        end = x[-1].mean(axis=0)
        angle = np.arctan2(end[0] * x[5, :, 1] - end[1] * x[5, :, 0], x[5] @ end)
        told = [float(rows[4][f"angle_{i}"]) for i in range(6)]
        np.testing.assert_allclose(told, angle, atol=1e-12)
        told = (self.folder / "m.svg").read_text()
        for words in ("2 clusters from t =", "one cluster from t =", "two-body prediction: "):
            self.assertIn(words, told)

    def test_cosines_are_those_of_the_frames(self):
        run = self.simulate("run", "n=9", "d=4", "T=1", "save=every:0.5", "-q")
        self.murmur("render", "run", "figure=cosines", "time=linear", "-o", "c.png", "-q")
        shares = {}
        for row in self.rows("c.csv"):
            if row["log10_share"]:
                shares.setdefault(float(row["t"]), []).append(10 ** float(row["log10_share"]))
        self.assertEqual(sorted(shares), [0, 0.5, 1])
        for t in shares:
            self.assertAlmostEqual(sum(shares[t]), 1, places=9)
        x = murmur.trajectory(run)[2]
        told = np.array([10 ** float(row["log10_share"]) if row["log10_share"] else 0
                         for row in self.rows("c.csv") if float(row["t"]) == 1])
        cosines = (x @ x.T)[np.triu_indices(9, 1)]
        counted = np.histogram(cosines, bins=80, range=(-1, 1))[0] / len(cosines)
        np.testing.assert_allclose(told, counted, atol=1e-12)

    def test_globes_of_tokens_and_of_mean_fields(self):
        self.simulate("run", "n=20", "T=1", "-q")
        self.murmur("render", "run", "figure=density", "-q", "-o", "globe.png", *SMALL)
        self.murmur("render", "run", "figure=density", "-q", "-o", "globe.mp4", *SMALL,
                    "--seconds", "0.3", "--fps", "10")
        self.murmur("meanfield", "-q", "d=3", "beta=2", "modes=12", "T=0.1", "-o", "limit")
        self.murmur("render", "limit", "figure=density", "-q", "-o", "limit.png", "--light", *SMALL)
        for name in ("globe.png", "globe.mp4", "limit.png"):
            self.assertGreater((self.folder / name).stat().st_size, 1000)
        self.murmur("render", "run", "figure=density", "-q", *SMALL)
        self.assertTrue((self.folder / "run/figures/density.png").exists())

    def test_time_changes_scenes_and_only_time(self):
        self.simulate("run", "n=8", "d=2", "T=50", "-q")
        for time in ("log", "linear"):
            self.murmur("render", "run", f"time={time}", "-q", "-o", f"{time}.png", *SMALL)
        self.murmur("render", "run", "-q", "-o", "chosen.png", *SMALL)
        log, linear = ((self.folder / f"{time}.png").read_bytes() for time in ("log", "linear"))
        self.assertNotEqual(log, linear)

    def test_runs_of_feed_forward_alone_are_maps(self):
        self.simulate("run", "dynamics=none", "perceptron=gaussian:4", "n=6", "T=1", "-q")
        for figure in ("map", "flight"):
            self.murmur("render", "run", f"figure={figure}", "-q", "-o", f"{figure}.png", *SMALL)
        self.murmur("render", "run", "-q", "-o", "usual.png", *SMALL)
        self.assertNotEqual((self.folder / "map.png").read_bytes(),
                            (self.folder / "flight.png").read_bytes())

    def test_refusals(self):
        self.simulate("run", "n=6", "d=2", "T=1", "-q")
        self.refused(INPUT, "render", "run", "figure=moon", what="no such figure", do="attention")
        self.refused(INPUT, "render", "run", "time=sideways", what="time", do="linear")
        for word in ("time=log", "--log-time"):
            self.refused(INPUT, "render", "run", "figure=dome", word, what="no time axis")
        for figure in ("attention", "distances"):
            self.refused(INPUT, "render", "run", f"figure={figure}", "t=1", "time=log", "-o", "x.png",
                         what="no time axis")
        self.refused(INPUT, "render", "run", "figure=attention", "order=size", "-o", "x.png",
                     what="order")
        self.refused(INPUT, "render", "run", "figure=attention", "head=3", "-o", "x.png",
                     what="no head 3")
        self.refused(INPUT, "render", "run", "figure=attention", "token=3", "-o", "x.png",
                     what="all tokens")
        self.refused(USAGE, "render", "run", "figure=attention", "-o", "x.mp4", what="mp4")
        self.refused(USAGE, "render", "run", "figure=density", "-o", "x.svg", what="svg")
        self.refused(INPUT, "render", "run", "figure=density", "-o", "x.png", what="globe")
        self.refused(INPUT, "render", "run", "figure=map", "-o", "x.png", what="see each other")
        distances = ("render", "run", "figure=distances", "-o", "x.png")
        self.refused(INPUT, *distances, "bins=0", what="0 bins", do="1 to 1000")
        self.refused(INPUT, *distances, "bins=many", what="many", do="whole number")
        self.refused(INPUT, *distances, "t=late", what="late", do="t=2.5")
        self.refused(USAGE, "render", "run", "figure=distances", "-o", "x.mp4", what="mp4")
        self.simulate("one", "n=1", "d=2", "T=1", "-q")
        self.refused(INPUT, "render", "one", "figure=distances", "-o", "x.png", what="no pairs")
        self.refused(INPUT, "render", "one", "figure=metastability", "-o", "x.png", what="one cluster")
        self.simulate("space", "n=4", "d=2", "habitat=space", "T=1", "-q")
        self.refused(INPUT, "render", "space", "figure=metastability", "-o", "x.png", what="sphere")
        self.assertFalse(list(self.folder.glob("x.*")))
        self.murmur("meanfield", "-q", "d=2", "T=0.1", "modes=16", "-o", "limit")
        self.refused(INPUT, "render", "limit", "figure=distances", "-o", "x.png")
        self.refused(INPUT, "render", "limit", "figure=density", "-o", "x.png", what="globe")
        self.refused(INPUT, "render", "limit", "figure=cosines", "-o", "x.png")


if __name__ == "__main__":
    murmur.main()
