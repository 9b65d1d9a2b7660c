"""Measures of infinitely many tokens as a user meets them: rates, files, refusals, the monitor."""

import csv
import json

import murmur
import numpy as np

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

    def test_solvers_agree(self):
        told = [self.meanfield("beta=3", "init=vmf:4@0*0.6,4@2*0.4", "T=0.5", f"solver={solver}",
                               "particles=3000", "modes=128", "-o", solver)
                for solver in ("spectral", "quantiles")]
        self.assertAlmostEqual(told[0]["energy"], told[1]["energy"], delta=1e-5)

    def test_the_monitor_stops(self):
        done = self.murmur("meanfield", "beta=4", "init=mode:1:0.3", "modes=48", "T=20", "--json",
                           "-o", "lost", code=4)
        told = json.loads(done.stdout)
        self.assertIn("too sharp", told["stopped"]["why"])
        self.assertTrue(0 < told["stopped"]["t"] < 10)
        self.assertEqual(murmur.status(self.folder / "lost"), "failed")
        self.assertTrue(np.load(self.folder / "lost" / "density.npy").min() > -1e-6)

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
        self.assertEqual(len((self.folder / "noise.csv").read_text().splitlines()), 14)
        self.murmur("meanfield", "dynamics=USA", "kappa=0.3:0.6:13", "-o", "noise.csv", code=2)

    def test_refusals(self):
        for words in (("d=5",), ("init=mode:3",), ("solver=magic",), ("beta=-1",), ("modes=3",),
                      ("init=atoms:0,1",), ("noise=1", "solver=quantiles"), ("betta=3",)):
            done = self.murmur("meanfield", *words, "-o", "never", code=3)
            self.assertEqual(len(done.stderr.splitlines()), 3, done.stderr)
        self.assertFalse((self.folder / "never").exists())
        self.meanfield(*GROW, "save=final", "-o", "mine")
        self.murmur("meanfield", *GROW, "-o", "mine", code=2)
        self.meanfield(*GROW, "save=final", "-o", "mine", "--force")


if __name__ == "__main__":
    murmur.main()
