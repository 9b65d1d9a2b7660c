"""test_distance.py: murmur measure show=distance and show=atoms, against numpy."""

import itertools
import json
import math

import murmur
import numpy as np
from observables import components, table

INPUT = 3  # exit code


def on_circle(angle):
    angle = np.asarray(angle, dtype=float)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def brute_force(x, y, p, arcs):
    """The best of all permutations."""
    far = np.arccos(np.clip(x @ y.T, -1, 1)) if arcs else np.linalg.norm(x[:, None] - y, axis=2)
    cost = min(sum(far[i, j] ** p for i, j in enumerate(order)) / len(x)
               for order in itertools.permutations(range(len(x))))
    return cost ** (1 / p)


class Distance(murmur.Case):
    def distance(self, *words):
        return table(self.murmur("measure", *words).stdout)

    def test_files_against_all_permutations(self):
        for d, habitat in ((2, "sphere"), (3, "sphere"), (3, "space")):
            x, y = murmur.unit_points(6, d), murmur.unit_points(6, d)[::-1] @ np.linalg.qr(
                np.random.default_rng(d).normal(size=(d, d)))[0]
            self.save("x.npy", x)
            self.save("y.npy", y)
            for kind, p in (("w2", 2), ("w1", 1)):
                got = self.distance("x.npy", f"habitat={habitat}", "show=distance", "to=y.npy",
                                    f"distance={kind}")
                self.assertAlmostEqual(got[kind][0], brute_force(x, y, p, habitat == "sphere"),
                                       delta=1e-12)
            got = self.distance("x.npy", f"habitat={habitat}", "show=distance", "to=y.npy",
                                "distance=entropic")
            exact = brute_force(x, y, 2, habitat == "sphere")
            self.assertLessEqual(got["least"][0], exact + 1e-12)
            self.assertGreaterEqual(got["most"][0], exact - 1e-12)
            got = self.distance("x.npy", f"habitat={habitat}", "show=distance", "to=y.npy",
                                "distance=sliced", "slices=32")
            self.assertGreater(got["error"][0], 0 if d == 3 else -1)

    def test_uniform(self):
        self.save("x.npy", on_circle([1.0]))
        rows = json.loads(self.murmur("measure", "x.npy", "show=distance", "to=uniform",
                                      "--json").stdout)
        self.assertAlmostEqual(rows[0]["w2"], math.pi / math.sqrt(3), delta=1e-14)

    def test_frames_of_runs(self):
        for seed in (0, 1):
            self.simulate(f"run{seed}", "n=20", "d=2", "T=2", "save=every:1", f"seed={seed}", "-q")
        got = self.distance("run0", "show=distance", "to=run1", "frame=all")
        self.assertEqual(list(got["t"]), [0, 1, 2])
        self.assertTrue((got["w2"] > 0).all())
        last = self.distance("run0", "show=distance", "to=run1")
        self.assertEqual(last["w2"][0], got["w2"][2])
        own = self.distance("run0", "show=distance", "to=run0", "frame=all")
        self.assertEqual(list(own["w2"]), [0, 0, 0])
        start = self.distance("run0", "show=distance", "to=start", "frame=all")
        self.assertEqual(start["w2"][0], 0)
        self.assertGreater(start["w2"][2], start["w2"][1])

    def test_atoms(self):
        x = on_circle([0, 0, 0, 1, 1, 2, 3, 4, 5, 6])
        self.save("x.npy", x)
        sizes = sorted(components(x, 1e-3))[::-1]
        for share in (0.3, 0.31, 0.5, 0.95):
            got = self.distance("x.npy", "show=atoms", f"share={share}")
            expected = int(np.argmax(np.cumsum(sizes) / 10 >= share - 1e-12)) + 1
            self.assertEqual(got["atoms"][0], expected)

    def test_wrong_requests(self):
        self.save("x.npy", on_circle([0, 1]))
        self.save("y.npy", murmur.unit_points(3, 3))
        self.save("z.npy", np.stack([on_circle([0, 1])] * 3))
        self.save("w.npy", np.stack([on_circle([0, 1])] * 2))
        no = lambda *words, **told: self.refused(INPUT, "measure", *words, **told)
        no("x.npy", "show=distance", do="to=RUN")
        no("x.npy", "show=distance", "to=y.npy", what="two coordinates")
        no("x.npy", "show=distance", "to=x.npy", "distance=w3", do="distance=w2")
        no("y.npy", "show=distance", "to=uniform", what="circle")
        no("z.npy", "show=distance", "to=w.npy", "frame=0", what="numbers of frames differ")
        no("x.npy", "show=atoms", "share=2", what="fraction")
        no("x.npy", "show=histogram", "to=y.npy", what="does not use to")


if __name__ == "__main__":
    murmur.main()
