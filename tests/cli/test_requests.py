"""Requests that say nothing, or ask for what cannot be, are refused before anything is begun."""


import murmur

RUNTIME, USAGE, INPUT = 1, 2, 3


class Steps(murmur.Case):
    def test_longer_than_the_run(self):
        for words in ("method=rk4 dt=1e9", "method=rk4 dt=1e9 T=1", "method=euler dt=2 T=1",
                      "method=layers dt=1e30 T=1", "method=strang noise=0.1 dt=1e12 T=1",
                      "method=rk4 dt=1e300"):
            with self.subTest(words):
                self.refused(INPUT, "simulate", *words.split(), what="dt", do="dt|dopri5")
                self.refused(INPUT, "sweep", "beta=1,2", *words.split())

    def test_that_resolve_nothing(self):
        for dt in ("1e9", "1e20", "1e300"):
            self.refused(INPUT, "simulate", "method=rk4", f"dt={dt}", f"T={dt}", what="dt")

    def test_of_the_whole_run(self):
        run = self.simulate("run", "method=rk4", "dt=1", "T=1", "n=4", "-q")
        self.assertEqual(murmur.frames_and_times(run)[1].tolist(), [0, 1])


class Words(murmur.Case):
    def test_empty_values(self):
        for command in ("simulate", "train", "sweep", "meanfield", "landscape"):
            self.refused(USAGE, command, "--resume", "", what="--resume")
        self.refused(USAGE, "simulate", "")
        self.refused(USAGE, "simulate", "n=4", "T=1", "-o", "", what="--out")
        self.refused(USAGE, "runs", "--runs", "", what="--runs")
        self.refused(USAGE, "runs", "show", "")

    def test_seconds_between_checkpoints(self):
        for command in ("simulate", "train", "meanfield", "landscape", "reproduce"):
            for seconds in ("nan", "inf", "-inf", "-1", "1e99", "x", "-nan"):
                with self.subTest(command, seconds=seconds):
                    self.refused(USAGE, command, f"--checkpoint={seconds}", what="checkpoint")
        self.simulate("run", "n=4", "T=1", "--checkpoint", "0.5", "-q")
        for seconds in ("nan", "inf", "0", "-3"):
            self.refused(USAGE, "render", "run", f"--seconds={seconds}", what="seconds")

    def test_stray(self):
        for words in ("doctor foo", "doctor beta=3", "completion bash fish", "completion bash n=3",
                      "explain --parameters foo", "studio foo", "presets circle heads"):
            self.refused(USAGE, *words.split())


class Variables(murmur.Case):
    def test_unknown_ones_are_told(self):
        for name, near in (("MURMUR_BETTA", "did you mean MURMUR_BETA?"),
                           ("MURMUR_metod", "did you mean MURMUR_METHOD?"),
                           ("MURMUR_XYLOPHONE", "is not a parameter")):
            done = self.murmur("simulate", "n=4", "T=1", "--dry-run", env={name: "4"})
            lines = done.stderr.splitlines()
            self.assertEqual(len(lines), 1, done.stderr)
            self.assertIn(name, lines[0])
            self.assertIn(near, lines[0])
            quiet = self.murmur("simulate", "n=4", "T=1", "--dry-run", "-q", env={name: "4"})
            self.assertEqual(quiet.stderr, "")

    def test_those_of_other_commands_are_not(self):
        for name in ("MURMUR_BETA", "MURMUR_beta", "MURMUR_DATA", "MURMUR_EPOCHS", "MURMUR_REPLICAS",
                     "MURMUR_STARTS", "MURMUR_OBSERVE"):
            done = self.murmur("presets", env={name: "4"})
            self.assertEqual(done.stderr, "", name)


class AtOnce(murmur.Case):
    def answers(self, *words):
        """Three seconds of the processor at most: a busy machine delays the clock, not these."""
        before = murmur.processor_seconds()
        self.murmur(*words)
        self.assertLess(murmur.processor_seconds() - before, 3, " ".join(words))

    def test_a_million_cells(self):
        self.answers("sweep", "beta=0:10:1000", "d=2:1001:1000", "n=4", "T=1", "--dry-run")
        self.answers("sweep", "n=1:100:100", "d=2:101:100", "beta=1:2:100", "T=1", "--dry-run",
                     "--json")

    def test_a_thousand_threads(self):
        for words in ("simulate n=8", "sweep beta=0:10:10 n=4", "train"):
            self.answers(*words.split(), "threads=1000", "--dry-run")
        self.answers("simulate", "n=8", "T=1", "threads=1000", "-o", "run", "--force", "-q")


if __name__ == "__main__":
    murmur.main()
