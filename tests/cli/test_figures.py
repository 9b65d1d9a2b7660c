"""Figures by name: heat maps of attention and cosines, globes, maps; and how time runs."""

import csv

import numpy as np

import murmur

SMALL = ("--size", "400x320")
INPUT, USAGE = 3, 2


class Figures(murmur.Case):
    def rows(self, name):
        with open(self.folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def test_attention_is_that_of_the_formula(self):
        """Against softmax in numpy: the CSV holds log10 of n a_ij, row by row."""
        run = self.simulate("run", "n=7", "d=3", "beta=3", "T=1", "save=every:0.5", "-q")
        self.murmur("render", "run", "figure=attention", "t=0.5", "order=index", "-q",
                    "-o", "a.svg")
        x = murmur.trajectory(run)[1]
        scores = np.exp(3 * x @ x.T)
        weights = scores / scores.sum(axis=1, keepdims=True)
        rows = self.rows("a.csv")
        self.assertEqual(len(rows), 49)
        for row in rows:
            i, j = round(float(row["i"])), round(float(row["j"]))
            self.assertAlmostEqual(float(row["log10_n_a"]),
                                   max(-1.5, np.log10(7 * weights[i, j])), places=9)

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
        self.murmur("meanfield", "-q", "d=2", "T=0.1", "modes=16", "-o", "limit")
        self.refused(INPUT, "render", "limit", "figure=density", "-o", "x.png", what="globe")
        self.refused(INPUT, "render", "limit", "figure=cosines", "-o", "x.png")


if __name__ == "__main__":
    murmur.main()
