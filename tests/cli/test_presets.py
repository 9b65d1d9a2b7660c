"""Presets of the commands that read a table of their own: each runs, and refuses by name."""

import json
import re

import murmur

QUICK = {  # of presets that take long, what still shows that they run
    "mean-field": ("T=0.1", "modes=64"),
    "infinite-sphere": ("T=1", "modes=16"),
    "noisy-bifurcation": ("kappa=0.35:0.5:4", "-o", "noise.csv"),
    "perceptron-clusters": ("betas=1:5:2", "n=32"),
    "perceptron-ascent": ("starts=4", "n=32"),
}


class Presets(murmur.Case):
    def presets_of(self, command):
        rows = json.loads(self.murmur("presets", "--json").stdout)
        self.assertTrue(all(row["commands"][0] == "simulate" for row in rows))
        return [row["name"] for row in rows if command in row["commands"]]

    def test_each_command_runs_its_presets(self):
        for command, least in (("meanfield", 3), ("landscape", 2)):
            names = self.presets_of(command)
            self.assertGreaterEqual(len(names), least)
            for name in names:
                with self.subTest(name):
                    self.murmur(command, name, *QUICK[name], "--quiet")

    def test_a_preset_lays_its_own_table(self):
        told = json.loads(
            self.murmur("meanfield", "mean-field", "T=0.05", "modes=64", "--json", "-q").stdout)
        config = (self.folder / told["run"] / "config.toml").read_text()
        self.assertIn("noise = 0.01\n", config)  # of the table,
        self.assertIn('init = "modes:1-12:2e-6"\n', config)
        self.assertIn("T = 0.05\n", config)  # and a word over it
        again = json.loads(self.murmur("meanfield", told["run"], "--json", "-q").stdout)
        self.assertEqual(told["energy"], again["energy"])  # a flat file, as runs keep it

    def test_a_preset_without_the_table(self):
        for command in ("meanfield", "landscape"):
            done = self.murmur(command, "circle", "-o", "never", code=3)
            self.assertEqual(len(done.stderr.splitlines()), 3, done.stderr)
            for name in self.presets_of(command):
                self.assertIn(name, done.stderr)
        self.assertFalse((self.folder / "never").exists())

    def test_files(self):
        both = self.folder / "both.toml"
        both.write_text("n = 5\nd = 2\nT = 1\n\n[meanfield]\nbeta = 2\nT = 0.1\nmodes = 32\n")
        told = json.loads(self.murmur("meanfield", "both.toml", "--json", "-q").stdout)
        self.assertAlmostEqual(told["t"], 0.1)
        self.assertIn("n = 5\n", self.murmur("simulate", "both.toml", "--dry-run").stdout)
        self.murmur("sweep", "both.toml", "beta=1,2", "replicas=2", "-q")
        for text, where in (("[meanfeld]\nT = 1\n", "bad.toml:1"),  # neither a parameter
                            ("[meanfield]\nn = 5\n", "bad.toml:2")):  # nor one of that command
            (self.folder / "bad.toml").write_text(text)
            self.refused(3, "meanfield", "bad.toml", what="no parameter", where=where)

    def test_the_list_says_which(self):
        text = self.murmur("presets").stdout
        lines = re.sub(r"\n {4,}", " ", text).splitlines()  # a long line goes on indented
        told = {line.split()[0] for line in lines if "murmur meanfield" in line}
        self.assertEqual(told, set(self.presets_of("meanfield")))


if __name__ == "__main__":
    murmur.main()
