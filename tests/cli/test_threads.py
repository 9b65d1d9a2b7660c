"""The number of threads changes how long a run takes, never a bit of what it writes."""

import itertools

import numpy as np

import murmur

THREADS = (1, 2, 3, 7)
SHORT = ("method=rk4", "dt=0.05", "T=0.2", "save=every:0.1", "engine=simd")


class Threads(murmur.Case):
    def check(self, *words, threads=THREADS):
        first = None
        for count in threads:
            run = self.simulate("run", *words, f"threads={count}", "--force")
            written = murmur.promised(run)
            first = first or written
            for name, content in first.items():
                self.assertEqual(written[name] == content, True,
                                 f"{name} differs with {count} threads")

    def test_swarms(self):
        shapes = (("n=1000", "d=3"), ("n=4099", "d=3"), ("n=700", "d=64"), ("n=1001", "d=2"),
                  ("n=257", "d=5"))
        for shape, precision in itertools.product(shapes, ("f32", "f64")):
            with self.subTest(shape=shape, precision=precision):
                self.check(*shape, *SHORT, f"precision={precision}")

    def test_dynamics(self):
        kinds = {
            "USA": ("dynamics=USA", "clock=U2"),
            "arc length": ("dynamics=USA", "clock=U4"),
            "causal": ("dynamics=causal",),
            "heads": ("heads=3", "query=gaussian", "key=gaussian", "value=gaussian"),
            "will": ("perceptron=gaussian:32", "activation=gelu"),
        }
        for (kind, words), precision in itertools.product(kinds.items(), ("f32", "f64")):
            with self.subTest(kind, precision=precision):
                self.check("n=400", "d=3", *SHORT, *words, f"precision={precision}",
                           threads=(1, 3))

    def test_adaptive_steps_and_merging(self):
        """One bit of difference would change a step, and with it every later frame."""
        for precision, tolerance in (("f32", "1e-4"), ("f64", "1e-7")):
            with self.subTest(precision):
                self.check("n=300", "d=3", "T=4", "save=every:0.5", "engine=simd", "merge=1e-3",
                           f"rtol={tolerance}", f"atol={tolerance}", f"precision={precision}",
                           threads=(1, 2, 7))

    def test_velocity(self):
        for precision in ("f32", "f64"):
            self.save("x.npy", murmur.unit_points(1500, 3))
            written = set()
            for count in THREADS:
                self.murmur("velocity", "x.npy", "engine=simd", f"precision={precision}",
                            f"threads={count}", "-o", "v.npy", "--force")
                written.add((self.folder / "v.npy").read_bytes())
            self.assertEqual(len(written), 1)

    def test_resumed_with_another_count(self):
        """Three threads, then whatever the config says, are worth one thread throughout."""
        run = self.simulate("run", "n=200", *SHORT[:2], "T=0.4", "save=every:0.1", "engine=simd",
                            "threads=3")
        whole = self.simulate("whole", "n=200", *SHORT[:2], "T=0.8", "save=every:0.1",
                              "engine=simd", "threads=1")
        self.murmur("simulate", "--resume", "run", "T=0.8")
        self.assertTrue(np.array_equal(murmur.trajectory(run), murmur.trajectory(whole)))


if __name__ == "__main__":
    murmur.main()
