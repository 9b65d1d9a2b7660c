"""Every wrong request is refused in three lines with its exit code, and nothing is half-written."""

import json
import os
import resource

import numpy as np

import murmur

RUNTIME, USAGE, INPUT, NUMERICAL = 1, 2, 3, 4  # exit codes


class CommandLine(murmur.Case):
    def test_unknown_command(self):
        self.refused(USAGE, "simulat", do="murmur simulate")
        self.refused(USAGE, "frobnicate")
        self.refused(USAGE)

    def test_unknown_flag(self):
        self.refused(USAGE, "simulate", "--frobnicate", what="--frobnicate")
        self.refused(USAGE, "--frobnicate")
        self.refused(USAGE, "simulate", "--progress", "loud", what="progress")
        self.refused(USAGE, "simulate", "--color", "red", what="color")
        self.refused(USAGE, "simulate", "-o")
        self.refused(USAGE, "render", "run", "--fps", "many")

    def test_words(self):
        self.refused(USAGE, "simulate", "circle", "heads")
        self.refused(USAGE, "measure")
        self.refused(USAGE, "runs", "frob")
        self.refused(USAGE, "runs", "show")
        self.refused(USAGE, "runs", "diff", "one")
        self.refused(USAGE, "completion", "ksh", do="bash")
        self.refused(USAGE, "presets", "circle", "heads")


class Parameters(murmur.Case):
    def check(self, cases):
        for words, told in cases.items():
            with self.subTest(words):
                self.refused(INPUT, "simulate", *words.split(), what=told)

    def test_unknown_key(self):
        for words, near in (("betta=4", "beta"), ("metod=rk4", "method"), ("presision=f32",
                            "precision"), ("Dt=1", "dt"), ("cluster_tl=1", "cluster_tol")):
            self.refused(INPUT, "simulate", words, what="parameter", where=words,
                         do=f"did you mean {near}")
        self.refused(INPUT, "simulate", "xylophone=4", what="xylophone", do="explain --parameters")
        for command in ("velocity", "explain", "measure x.npy"):
            self.save("x.npy", np.eye(3))
            self.refused(INPUT, *command.split(), "betta=4", do="did you mean beta")

    def test_wrong_types(self):
        self.check({
            "n=many": "n", "n=1.5": "whole", "n=0": "n = 0", "n=-3": "n = -3", "n=": "n",
            "n=1e99": "n", "d=1": "d = 1", "d=0": "d = 0", "beta=four": "beta", "beta=nan": "beta",
            "beta=inf": "beta", "beta=4x": "beta", "T=0": "T = 0", "T=-1": "T", "T=nan": "T",
            "dt=0": "dt = 0", "dt=-0.1": "dt", "rtol=0": "rtol", "atol=-1": "atol",
            "merge=-1": "merge", "seed=-1": "seed", "seed=1.5": "seed", "self=yes": "self",
            "threads=0": "threads", "threads=-2": "threads", "threads=some": "threads",
            "heads=0": "heads", "cluster_tol=0": "cluster_tol", "max_evaluations=0": "max_eval",
            "name=a/b": "name", "name=": "name", "name=..": "name",
        })

    def test_unknown_words(self):
        for words, near in (("method=rk5", "rk4"), ("engine=refrence", "reference"),
                            ("dynamics=SB", "SA"), ("dynamics=casual", "causal"),
                            ("init=unifrom", "uniform"), ("precision=f6", "f64"),
                            ("query=gausian", "gaussian"), ("habitat=spher", "sphere")):
            self.refused(INPUT, "simulate", words, where=words, do=f"did you mean .*{near}")
        self.refused(INPUT, "simulate", "clock=noon", do="U1, U2, U3, U4")
        self.refused(INPUT, "simulate", "clock=U2", what="USA")  # SA knows one clock

    def test_schedules(self):
        self.check({
            "method=rk4 T=1 dt=0.3": "T = 1", "method=layers T=0.25 dt=0.1": "T",
            "method=rk4 T=1 dt=0.1 save=every:0.15": "save", "save=every:0": "save",
            "save=every:-1": "save", "save=every:soon": "save", "save=sometimes": "save",
            "save=log:1": "save", "save=log:": "save", "save=log:2.5": "save",
            "save=every:1e-12": "save", "method=euler save=log:20": "save",
        })

    def test_merging(self):
        self.check({
            "merge=1e-9": "merge", "merge=1e-8 rtol=1e-6": "merge",
            "merge=1e-3 dynamics=causal": "causal", "merge=1e-3 reach=past": "causal",
            "merge=1e-3 self=false": "self",
        })

    def test_engines(self):
        self.check({"engine=reference precision=f32": "reference", "engine=gpu": "engine"})

    def test_initial_laws(self):
        self.check({
            "init=cap": "init", "init=cap:0": "init", "init=cap:x": "init", "init=cap:4": "init",
            "init=orthonormal n=5 d=3": "init", "init=equiangular:0.5 n=5 d=3": "init",
            "init=equiangular:2 n=3 d=3": "init", "init=clusters:0": "init",
            "init=clusters:99 n=5": "init", "init=uniform:3": "init", "init=gaussian": "init",
            "init=points:1,0;1": "init", "init=points:a,b": "init", "init=points:": "init",
            "init=points:2,0;0,1": "norm 2", "init=points:1,0;0,1 d=3": "d = 3",
            "init=hexagon": "init",
        })

    def test_environment(self):
        self.refused(INPUT, "simulate", env={"MURMUR_BETA": "four"}, what="beta",
                     where="MURMUR_BETA")

    def test_no_force_at_all(self):
        self.refused(INPUT, "simulate", "dynamics=none", what="no force")

    def test_a_line_break_in_a_value_adds_no_line(self):
        self.refused(INPUT, "simulate", "init=a\nb.npy")
        self.refused(INPUT, "simulate", "be\nta")

    def test_too_large_for_the_memory(self):
        def little_memory():
            resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
        self.refused(RUNTIME, "simulate", "n=2000000000", what="memory", preexec_fn=little_memory)


class ExperimentFiles(murmur.Case):
    def refused_file(self, text, where, **told):
        self.write("a.toml", text)
        self.refused(INPUT, "simulate", "a.toml", where=where, **told)

    def test_wrong_types(self):
        self.refused_file('beta = 4\nn = "x"\n', r"a\.toml:2:5$", what="n = x")
        self.refused_file("n = 4\nbeta = [1, 2]\n", r"a\.toml:2:8$", what="beta")
        self.refused_file("n = 4\n\n[beta]\nx = 1\n", r"a\.toml:3:\d+$", what="beta")
        self.refused_file("T = 1979-05-27\n", r"a\.toml:1:5$", what="T")
        self.refused_file("n = 1.5\n", r"a\.toml:1:5$", what="whole")
        self.refused_file("beta = nan\n", r"a\.toml:1:8$", what="beta")
        self.refused_file('self = "perhaps"\n', r"a\.toml:1:8$", what="self")
        self.refused_file("init = [[1, 0], 5]\n", r"a\.toml:1:17$", what="list")
        self.refused_file('init = [[1, 0], ["a", 1]]\n', r"a\.toml:1:18$", what="coordinate")
        self.refused_file("init = [[1, 0], [1]]\n", r"a\.toml:1:8$", what="init")
        self.refused_file("init = []\n", r"a\.toml:1:8$", what="init")

    def test_unknown_key(self):
        self.refused_file("n = 4\nbetta = 4\n", r"a\.toml:2:\d+$", what="betta",
                          do="did you mean beta")

    def test_syntax(self):
        self.refused_file("n = 4\nbeta = \n", r"a\.toml:2:\d+$")
        self.refused_file("n = 4\nbeta 4\n", r"a\.toml:2:\d+$")
        self.refused_file('name = "half\n', r"a\.toml:1:\d+$")
        self.refused_file("n = 4\nn = 5\n", r"a\.toml:2:\d+$")

    def test_not_text(self):
        (self.folder / "a.toml").write_bytes(bytes(range(256)))
        self.refused(INPUT, "simulate", "a.toml", where="a.toml")

    def test_missing(self):
        self.refused(INPUT, "simulate", "nowhere.toml", what="nowhere.toml")
        self.refused(INPUT, "simulate", "flagshp", do="did you mean flagship")
        self.refused(INPUT, "presets", "flagshp", what="flagshp")
        (self.folder / "plain").mkdir()
        self.refused(INPUT, "simulate", "plain", what="plain")


class Arrays(murmur.Case):
    def setUp(self):
        super().setUp()
        self.save("x.npy", murmur.unit_points(4, 3))

    def refused_array(self, name, array, *words, what="."):
        self.save(name, array)
        for command in ("simulate", "velocity"):
            with self.subTest(command, words=words, shape=np.shape(array)):
                self.refused(INPUT, command, *words, what=what)

    def test_points(self):
        bad = murmur.unit_points(4, 3)
        bad[2, 1] = np.nan
        self.refused_array("bad.npy", bad, "init=bad.npy", what="particle 2")
        bad[2, 1] = np.inf
        self.refused_array("bad.npy", bad, "init=bad.npy", what="particle 2")
        self.refused_array("bad.npy", 2 * np.eye(3), "init=bad.npy", what="particle 0 has norm 2")
        self.refused_array("bad.npy", np.zeros((2, 3)), "init=bad.npy", what="norm 0")
        almost = murmur.unit_points(4, 3)
        almost[3] *= 1 + 2e-5
        self.refused_array("bad.npy", almost, "init=bad.npy", what="particle 3")
        for shape in ((3,), (2, 3, 3), (0, 3), (3, 0), (3, 1), ()):
            self.refused_array("bad.npy", np.ones(shape), "init=bad.npy", what="shape|points")
        self.refused_array("good.npy", np.eye(3), "init=good.npy", "n=5", what="n = 5")
        self.refused_array("good.npy", np.eye(3), "init=good.npy", "d=5", what="d = 5")

    def test_matrices(self):
        for name in ("query", "key", "value"):
            for shape in ((3,), (3, 4), (0, 3), (2, 2, 3, 3), (2, 3, 4)):
                self.refused_array("m.npy", np.ones(shape), "init=x.npy", f"{name}=m.npy")
            self.refused_array("m.npy", np.full((3, 3), np.nan), "init=x.npy", f"{name}=m.npy",
                               what="finite")
            self.refused_array("m.npy", np.ones((2, 3, 3)), "init=x.npy", f"{name}=m.npy",
                               "heads=3")
        self.refused_array("m.npy", np.ones((2, 3)), "init=x.npy", "value=m.npy")
        self.refused_array("m.npy", np.ones((2, 3)), "init=x.npy", "query=m.npy")  # key is (3, 3)
        self.save("k.npy", np.ones((3, 3, 3)))
        self.refused_array("m.npy", np.ones((2, 3, 3)), "init=x.npy", "query=m.npy", "key=k.npy")

    def test_masses(self):
        for masses in ([1, 2, 3], [[1, 2, 3, 4]], [1, 2, 3, 0], [1, 2, 3, -4],
                       [1, 2, 3, np.nan], [1, 2, 3, np.inf], 1.0):
            self.refused_array("m.npy", np.array(masses, float), "init=x.npy", "masses=m.npy",
                               what="mass")
        self.refused(INPUT, "simulate", "init=x.npy", "masses=heavy")

    def test_perceptron(self):
        good = {"in": np.ones((5, 3)), "out": np.ones((3, 5))}
        for name, array in (("in", np.ones((5, 4))), ("out", np.ones((3, 4))), ("out", np.ones(5)),
                            ("in_bias", np.ones(4)), ("out_bias", np.ones(5)),
                            ("in", np.full((5, 3), np.nan))):
            for key, matrix in {**good, name: array}.items():
                self.save(f"w_{key}.npy", matrix)
            with self.subTest(name, shape=array.shape):
                self.refused(INPUT, "simulate", "init=x.npy", "perceptron=w_*.npy")
            (self.folder / f"w_{name}.npy").unlink()
        for words in ("perceptron=nothing_*.npy", "perceptron=gaussian:0", "perceptron=gaussian:x",
                      "perceptron=big", "perceptron=missing.safetensors"):
            self.refused(INPUT, "simulate", words)

    def test_files_that_are_no_arrays(self):
        whole = (self.folder / "x.npy").read_bytes()
        (self.folder / "folder.npy").mkdir()
        np.save(self.folder / "objects.npy", np.array([{}, []], dtype=object), allow_pickle=True)
        self.save("complex.npy", np.eye(3) * 1j)
        self.save("text.npy", np.array(["a", "b"]))
        files = {
            "truncated.npy": whole[:-5], "header.npy": whole[:40], "empty.npy": b"",
            "longer.npy": whole + b"12345", "garbage.npy": os.urandom(300),
            "lies.npy": whole.replace(b"(4, 3)", b"(9, 9)"),
            "huge.npy": whole.replace(b"(4, 3), }" + 20 * b" ", b"(99999999999, 9999999), }    "),
        }
        for name, content in files.items():
            (self.folder / name).write_bytes(content)
        for name in (*files, "folder.npy", "objects.npy", "complex.npy", "text.npy", "missing.npy"):
            for words in (("simulate", f"init={name}"), ("velocity", name), ("measure", name),
                          ("simulate", "init=x.npy", f"masses={name}"),
                          ("simulate", "init=x.npy", f"query={name}")):
                with self.subTest(" ".join(words)):
                    self.refused(INPUT, *words, where=name)

    def test_measured_arrays(self):
        for array in (np.ones(3), np.ones((2, 2, 2, 2)), np.full((3, 3), np.nan), np.ones((0, 3))):
            self.save("bad.npy", array)
            self.refused(INPUT, "measure", "bad.npy", where="bad.npy")


class Edges(murmur.Case):
    """Unusual requests that are right."""

    def check(self, *words, frames=101):
        run = self.simulate("run", *words, "--force")
        x, times = murmur.frames_and_times(run)
        self.assertEqual(len(x), frames)
        self.assertEqual(len(times), frames)
        self.assertTrue(np.isfinite(x).all())
        self.assertLess(np.abs(np.linalg.norm(x, axis=2) - 1).max(), 1e-12)
        return x

    def test_one_particle_rests(self):
        for dynamics in ("SA", "USA", "causal"):
            x = self.check("n=1", f"dynamics={dynamics}", "T=1")
            self.assertLess(np.abs(x - x[0]).max(), 1e-13)
        self.murmur("measure", "run", "--json")

    def test_beta(self):
        for beta in ("-4", "0", "-1e4", "1e4"):
            self.check(f"beta={beta}", "T=1", "n=16")

    def test_great_beta_on_the_scaled_clock(self):
        self.check("beta=1e4", "dynamics=USA", "clock=U2", "T=1", "n=16")

    def test_overflow_ends_with_a_sentence(self):
        for method in ("dopri5", "rk4"):
            with self.subTest(method):
                done = self.murmur("simulate", "beta=1e4", "dynamics=USA", "n=16", "T=1",
                                   f"method={method}", "-o", method, code=NUMERICAL)
                what, where, do = done.stderr.splitlines()
                self.assertIn("finite", what)
                self.assertRegex(where, r"t = 0, particle \d+")
                self.assertIn("clock=U2", do)
                run = self.folder / method
                manifest = json.loads((run / "manifest.json").read_text())
                self.assertEqual(manifest["status"], "failed")
                self.assertIn("finite", manifest["sentence"])
                x, times = murmur.frames_and_times(run)
                self.assertEqual(list(times), [0])
                self.assertTrue(np.isfinite(x).all())
                self.murmur("measure", method)
                self.murmur("runs", "show", method)
        self.refused(NUMERICAL, "velocity", "beta=1e4", "dynamics=USA", what="finite",
                     do="clock=U2")

    def test_evaluations_run_out(self):
        done = self.murmur("simulate", "n=8", "T=10", "max_evaluations=50", "-o", "run",
                           code=NUMERICAL)
        self.assertEqual(len(done.stderr.splitlines()), 3, done.stderr)
        self.assertIn("max_evaluations", done.stderr)
        x, times = murmur.frames_and_times(self.folder / "run")
        self.assertEqual(len(x), len(times))
        self.assertTrue(0 < times[-1] < 10)

    def test_hard_attention_that_slides_ends_with_a_sentence(self):
        """Everybody flees from the nearest other: between two of them a particle is driven to and fro."""
        words = ("n=17", "dynamics=hardmax", "habitat=sphere", "self=false", "direction=descent",
                 "T=2")
        done = self.murmur("simulate", *words, "-o", "run", code=NUMERICAL)
        what, where, do = done.stderr.splitlines()
        self.assertIn("slides", what)
        self.assertRegex(where, r"t = 0\.\d+, particle \d+")
        self.assertIn("method=euler", do)
        manifest = json.loads((self.folder / "run" / "manifest.json").read_text())
        self.assertEqual(manifest["status"], "failed")
        self.assertLess(manifest["numbers"]["evaluations"], 50_000)
        self.check(*words, "method=euler", "dt=0.01")

    def test_points_nearly_on_the_sphere_are_normalised(self):
        self.save("x.npy", murmur.unit_points(5, 3) * (1 + 9e-6))
        self.check("init=x.npy", "T=1")
        self.save("x.npy", murmur.unit_points(5, 3).astype(np.float32))
        self.check("init=x.npy", "T=1")
        self.save("x.npy", np.asfortranarray(murmur.unit_points(5, 3)))
        x = self.check("init=x.npy", "T=1")
        self.assertLess(np.abs(x[0] - murmur.unit_points(5, 3)).max(), 1e-15)

    def test_whole_numbers_in_floating_notation(self):
        self.assertEqual(self.check("n=1e1", "d=3.0", "T=1").shape[1:], (10, 3))


if __name__ == "__main__":
    murmur.main()
