"""The program against a second implementation of the equations, in float64 numpy.

Written from the equations of the papers, not from the sources of the program. Points move on the
unit sphere: x_i' = P_i [ sum over heads of attention + feed-forward ], P_i y = y - <x_i, y> x_i.
"""

import itertools
import math

import numpy as np

import murmur

STEP, END = 0.002, 1.0
TOLERANCE = {"f64": 1e-9, "f32": 1e-5}
ENGINES = (("reference", "f64"), ("simd", "f64"), ("simd", "f32"))


DORMAND_PRINCE = (
    (),
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
)
WEIGHTS = (35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84)


def gelu(z):
    return z * 0.5 * (1 + np.vectorize(math.erf)(z / math.sqrt(2)))


ACTIVATIONS = {"relu": lambda z: np.maximum(z, 0), "tanh": np.tanh, "gelu": gelu}


class Swarm:
    """What moves the points; `heads` is a list of (Q, K, V), `will` is (W1, b1, W2, b2, s)."""

    def __init__(self, beta, heads, dynamics="SA", masses=None, clock="U1", self_seen=True,
                 will=None):
        self.beta, self.heads, self.dynamics, self.clock = beta, heads, dynamics, clock
        self.masses, self.self_seen, self.will = masses, self_seen, will

    def attention(self, x, query, key, value):
        """SA: sum_j softmax_j(beta <Q x_i, K x_j>) V x_j; USA: (1/n) sum_j e^{...} V x_j."""
        n = len(x)
        m = np.full(n, 1 / n) if self.masses is None else self.masses / self.masses.sum()
        score = self.beta * (x @ query.T) @ (x @ key.T).T
        seen = np.ones((n, n), bool)
        if self.dynamics == "causal":
            seen = np.tril(seen)
        if not self.self_seen:
            seen &= ~np.eye(n, dtype=bool)
        if self.dynamics == "USA":
            shift = {"U1": 0, "U2": self.beta, "U3": 0, "U4": self.beta}[self.clock]
            weight = np.where(seen, m * np.exp(score - shift), 0)
            return (self.beta if self.clock == "U3" else 1) * weight @ (x @ value.T)
        top = np.where(seen, score, -np.inf).max(axis=1, keepdims=True)
        top[~np.isfinite(top)] = 0
        weight = np.where(seen, m * np.exp(np.where(seen, score, 0) - top), 0)
        total = weight.sum(axis=1, keepdims=True)
        return np.divide(weight, total, out=np.zeros_like(weight), where=total > 0) @ (x @ value.T)

    def velocity(self, x):
        pull = sum((self.attention(x, *head) for head in self.heads), np.zeros_like(x))
        if self.will is not None:
            w1, b1, w2, b2, activation = self.will
            pull = pull + ACTIVATIONS[activation](x @ w1.T + b1) @ w2.T + b2
        v = pull - np.sum(x * pull, axis=1, keepdims=True) * x
        if self.clock == "U4":  # arc length
            v *= math.log(self.beta) / math.sqrt(np.sum(v * v))
        return v

    def flown(self, x):
        """Dormand and Prince's formula of order five: another method than the program is asked for,
        with an error well below the tolerances here."""
        h = 0.005
        for _ in range(round(END / h)):
            k = []
            for row in DORMAND_PRINCE:
                k.append(self.velocity(x + h * sum(a * stage for a, stage in zip(row, k))))
            x = x + h * sum(b * stage for b, stage in zip(WEIGHTS, k))
            x /= np.linalg.norm(x, axis=1, keepdims=True)
        return x


def identity(d):
    return np.eye(d), np.eye(d), np.eye(d)


class Independent(murmur.Case):
    def words_of(self, swarm, x):
        """The same swarm in the words of the command line; arrays go to files."""
        d = x.shape[1]
        words = ["init=" + self.save("x.npy", x), f"beta={swarm.beta}",
                 f"dynamics={swarm.dynamics}", f"clock={swarm.clock}",
                 f"self={str(swarm.self_seen).lower()}"]
        for k, name in enumerate(("query", "key", "value")):
            stack = np.array([head[k] for head in swarm.heads])
            if len(stack) == 1:
                stack = stack[0]
                if np.array_equal(stack, np.eye(d)):
                    continue
            words.append(f"{name}=" + self.save(f"{name}.npy", stack))
        if swarm.masses is not None:
            words.append("masses=" + self.save("m.npy", swarm.masses))
        if swarm.will is not None:
            for name, array in zip(("in", "in_bias", "out", "out_bias"), swarm.will):
                self.save(f"will_{name}.npy", array)
            words += ["perceptron=will_*.npy", f"activation={swarm.will[4]}"]
        return words

    def compare(self, swarm, x, engines=ENGINES):
        words = self.words_of(swarm, x)
        velocity, flown = swarm.velocity(x), swarm.flown(x)
        for engine, precision in engines:
            with self.subTest(engine=engine, precision=precision):
                how = [f"engine={engine}", f"precision={precision}"]
                self.murmur("velocity", *words, *how, "-o", "v.npy", "--force")
                got = np.load(self.folder / "v.npy")
                scale = max(1, np.abs(velocity).max())
                self.assertEqual(got.dtype, precision.replace("f64", "float64")
                                 .replace("f32", "float32"))
                self.assertLessEqual(np.abs(got - velocity).max() / scale,
                                     1e-12 if precision == "f64" else 1e-5, "velocity")
                run = self.simulate("run", *words, *how, "method=rk4", f"dt={STEP}", f"T={END}",
                                    "save=final", "--force")
                frames = murmur.trajectory(run)
                self.assertEqual(frames.shape, (1, *x.shape))
                off = np.abs(frames[-1] - flown).max()
                self.assertLessEqual(off, TOLERANCE[precision], "final frame")
                norms = np.linalg.norm(frames[-1].astype(float), axis=1)
                self.assertLessEqual(np.abs(norms - 1).max(),
                                     1e-14 if precision == "f64" else 1e-6, "norm")

    def heads(self, count, k, d, seed):
        """Random Q, K (k, d) and V (d, d), of the size of an orthogonal matrix."""
        draw = np.random.default_rng(seed).standard_normal
        return [(draw((k, d)) / math.sqrt(k), draw((k, d)) / math.sqrt(k),
                 draw((d, d)) / math.sqrt(d)) for _ in range(count)]

    def test_softmax_attention(self):
        for n, d in ((1, 2), (2, 3), (7, 2), (33, 3), (20, 5), (24, 64)):
            with self.subTest(n=n, d=d):
                self.compare(Swarm(3.0, [identity(d)]), murmur.unit_points(n, d, n))

    def test_unnormalised_attention(self):
        for n, d in ((7, 2), (33, 3), (20, 5), (24, 64)):
            with self.subTest(n=n, d=d):
                self.compare(Swarm(1.5, [identity(d)], "USA"), murmur.unit_points(n, d, n))

    def test_causal_attention(self):
        for n, d in ((1, 3), (9, 2), (33, 3), (12, 64)):
            with self.subTest(n=n, d=d):
                self.compare(Swarm(4.0, [identity(d)], "causal"), murmur.unit_points(n, d, n))

    def test_heads_with_general_matrices(self):
        shapes = ((9, 2, 1, 2), (17, 3, 3, 2), (20, 5, 2, 3), (12, 64, 16, 4))
        for (n, d, k, count), dynamics in itertools.product(shapes, ("SA", "USA", "causal")):
            with self.subTest(n=n, d=d, k=k, heads=count, dynamics=dynamics):
                self.compare(Swarm(0.8, self.heads(count, k, d, n), dynamics),
                             murmur.unit_points(n, d, n), ENGINES[1:])

    def test_reference_with_general_matrices(self):
        for dynamics in ("SA", "USA", "causal"):
            with self.subTest(dynamics=dynamics):
                self.compare(Swarm(1.0, self.heads(3, 2, 5, 8), dynamics),
                             murmur.unit_points(10, 5), ENGINES[:1])

    def test_masses(self):
        masses = np.random.default_rng(5).uniform(0.1, 7, 15)
        for dynamics in ("SA", "USA", "causal"):
            with self.subTest(dynamics=dynamics):
                self.compare(Swarm(2.0, [identity(3)], dynamics, masses),
                             murmur.unit_points(15, 3))

    def test_masses_stand_for_copies(self):
        x = murmur.unit_points(4, 3)
        masses = np.array([1.0, 2, 3, 4])
        copies = np.repeat(x, [1, 2, 3, 4], axis=0)
        self.save("x.npy", x), self.save("m.npy", masses), self.save("c.npy", copies)
        for dynamics in ("SA", "USA"):
            self.murmur("velocity", "x.npy", "masses=m.npy", f"dynamics={dynamics}", "-o", "a.npy",
                        "--force")
            self.murmur("velocity", "c.npy", f"dynamics={dynamics}", "-o", "b.npy", "--force")
            few, many = np.load(self.folder / "a.npy"), np.load(self.folder / "b.npy")
            self.assertLess(np.abs(np.repeat(few, [1, 2, 3, 4], axis=0) - many).max(), 1e-12)

    def test_not_seeing_oneself(self):
        for n, dynamics in itertools.product((1, 2, 11), ("SA", "USA", "causal")):
            with self.subTest(n=n, dynamics=dynamics):
                self.compare(Swarm(2.0, self.heads(1, 3, 3, 2), dynamics, self_seen=False),
                             murmur.unit_points(n, 3))

    def test_clocks(self):
        for clock in ("U1", "U2", "U3"):
            with self.subTest(clock=clock):
                self.compare(Swarm(1.3, [identity(3)], "USA", clock=clock),
                             murmur.unit_points(12, 3))

    def test_arc_length_clock(self):
        x = murmur.unit_points(12, 3)  # at the end of the arc the flow stops; compare at the start
        swarm = Swarm(5.0, [identity(3)], "USA", clock="U4")
        for engine, precision in ENGINES:
            self.murmur("velocity", *self.words_of(swarm, x), f"engine={engine}",
                        f"precision={precision}", "-o", "v.npy", "--force")
            off = np.abs(np.load(self.folder / "v.npy") - swarm.velocity(x)).max()
            self.assertLessEqual(off, 1e-12 if precision == "f64" else 1e-5)

    def test_signs_of_beta(self):
        for beta in (-2.0, 0.0, 1e-3):
            for dynamics in ("SA", "USA"):
                with self.subTest(beta=beta, dynamics=dynamics):
                    self.compare(Swarm(beta, [identity(3)], dynamics), murmur.unit_points(10, 3))

    def test_perceptron(self):
        draw = np.random.default_rng(9).standard_normal
        for activation, d in itertools.product(ACTIVATIONS, (2, 5)):
            with self.subTest(activation=activation, d=d):
                will = (draw((6, d)), 0.3 * draw(6), draw((d, 6)) / 3, 0.1 * draw(d), activation)
                x = murmur.unit_points(9, d)
                # relu has a kink, where Runge-Kutta is of first order only: compare velocities
                swarm = Swarm(1.0, [identity(d)], will=will)
                words = self.words_of(swarm, x)
                for engine, precision in ENGINES:
                    self.murmur("velocity", *words, f"engine={engine}", f"precision={precision}",
                                "-o", "v.npy", "--force")
                    off = np.abs(np.load(self.folder / "v.npy") - swarm.velocity(x)).max()
                    self.assertLessEqual(off, 1e-12 if precision == "f64" else 2e-5)
                if activation != "relu":
                    self.compare(swarm, x)

    def test_will_alone(self):
        draw = np.random.default_rng(3).standard_normal
        will = (draw((4, 3)), np.zeros(4), draw((3, 4)), np.zeros(3), "tanh")
        x = murmur.unit_points(6, 3)
        words = [w for w in self.words_of(Swarm(1.0, [identity(3)], will=will), x)
                 if not w.startswith("dynamics=")]
        self.murmur("velocity", *words, "dynamics=none", "-o", "v.npy")
        off = np.abs(np.load(self.folder / "v.npy") - Swarm(1.0, [], will=will).velocity(x)).max()
        self.assertLessEqual(off, 1e-12)

    def test_space(self):
        """In R^d nothing is projected and points may lie anywhere."""
        x = 2 * np.random.default_rng(6).standard_normal((9, 4))
        for dynamics in ("SA", "USA", "causal"):
            swarm = Swarm(0.3, self.heads(1, 4, 4, 7), dynamics)
            for engine, precision in ENGINES:
                self.murmur("velocity", *self.words_of(swarm, x), "habitat=space",
                            f"engine={engine}", f"precision={precision}", "-o", "v.npy", "--force")
                expected = swarm.attention(x, *swarm.heads[0])
                off = np.abs(np.load(self.folder / "v.npy") - expected).max()
                self.assertLessEqual(off / max(1, np.abs(expected).max()),
                                     1e-12 if precision == "f64" else 1e-5)

    def test_layers_are_the_papers_scheme(self):
        """x <- N(x + dt A): attention is not projected, and the feed-forward phase comes second."""
        draw = np.random.default_rng(4).standard_normal
        will = (draw((4, 3)), draw(4), draw((3, 4)), draw(3), "relu")
        swarm = Swarm(2.0, [identity(3)], will=will)
        x = murmur.unit_points(8, 3)
        run = self.simulate("run", *self.words_of(swarm, x), "method=layers", "dt=0.1", "T=0.5",
                            "save=every:0.1", "engine=reference")
        frames = murmur.trajectory(run)
        self.assertEqual(frames.shape, (6, 8, 3))
        w1, b1, w2, b2, activation = will
        for frame in frames:
            self.assertLessEqual(np.abs(frame - x).max(), 1e-12)
            x = x + 0.1 * swarm.attention(x, *identity(3))
            x /= np.linalg.norm(x, axis=1, keepdims=True)
            x = x + 0.1 * (ACTIVATIONS[activation](x @ w1.T + b1) @ w2.T + b2)
            x /= np.linalg.norm(x, axis=1, keepdims=True)

    def test_dopri5_meets_its_tolerance(self):
        x = murmur.unit_points(16, 3)
        swarm = Swarm(4.0, [identity(3)])
        run = self.simulate("run", *self.words_of(swarm, x), "T=1", "rtol=1e-11", "atol=1e-12",
                            "save=every:0.25")
        self.assertLessEqual(np.abs(murmur.trajectory(run)[-1] - swarm.flown(x)).max(), 1e-9)
        self.assertEqual(list(np.load(run / "times.npy")), [0, 0.25, 0.5, 0.75, 1])


if __name__ == "__main__":
    murmur.main()
