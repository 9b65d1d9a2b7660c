"""test_explain.py: murmur explain answers every name, and --help and presets are in groups."""

import json
import re
import shlex

import murmur
import numpy as np

INPUT = 3


class Explain(murmur.Case):
    def names(self):
        return json.loads(self.murmur("explain", "--names", "--json").stdout)

    def meanings(self, name):
        return json.loads(self.murmur("explain", name, "--json").stdout)["meanings"]

    def test_every_meaning_is_whole(self):
        for entry in self.names():
            with self.subTest(entry["name"], kind=entry["kind"]):
                self.assertRegex(entry["meaning"], r"^([^a-z]|[a-z][ ^]).{3,}[.]$")
                self.assertTrue((murmur.ROOT / entry["page"]).is_file(), entry["page"])
                if entry["kind"] == "parameter":
                    self.assertTrue(entry["type"] and entry["takes"] and entry["commands"])
                if not entry["kind"].startswith("flag"):
                    self.assertRegex(entry["example"], r"^murmur \w+")

    def test_what_is_declared_is_explained(self):
        kinds = {}
        for entry in self.names():
            kinds.setdefault(entry["name"], set()).add(entry["kind"].split(",")[0])
        parameters = json.loads(self.murmur("explain", "--parameters", "--json").stdout)
        for parameter in parameters:
            self.assertIn("parameter", kinds[parameter["name"]])
        for row in json.loads(self.murmur("reproduce", "list", "--json").stdout):
            self.assertTrue(any(k.startswith("figure of") for k in kinds[row["name"]]), row["name"])
        for preset in json.loads(self.murmur("presets", "--json").stdout):
            self.assertIn("preset", kinds[preset["name"]])
        run = self.simulate("run", "n=4", "T=1")
        for column in (run / "observables.csv").read_text().splitlines()[0].split(",")[1:]:
            self.assertIn("observable", kinds[column])
        for value, of in (("dopri5", "method"), ("layers", "method"), ("bdf", "method"),
                          ("simd", "engine"), ("moments", "engine"), ("cuda", "engine"),
                          ("USA", "dynamics"), ("causal", "dynamics"), ("hemisphere", "init"),
                          ("cap", "init"), ("relu", "activation"), ("dome", "figure"),
                          ("genealogy", "show"), ("published", "recipe")):
            self.assertIn(f"value of {of}", kinds[value])

    def test_examples_of_simulate_and_train_are_accepted(self):
        lines = {entry["example"] for entry in self.names()
                 if (entry["kind"] == "parameter" or entry["kind"].startswith("value"))
                 and re.match("murmur (simulate|train) ", entry["example"])}
        self.assertGreater(len(lines), 60)
        self.save("layers.npy", np.zeros((4, 3, 3)))
        for line in sorted(lines):
            words = shlex.split(line, comments=True)[1:]
            if any("runs/" in word for word in words) or "--resume" in words:
                continue  # it works on a run; tests/cli/test_examples.py has one
            if "cuda" in line or "bdf" in line:
                continue  # not in every build
            with self.subTest(line):
                self.murmur(*words, "--dry-run", env={"MURMUR_DATA": str(self.folder)})

    def test_several_meanings_are_all_listed(self):
        commands = [entry["commands"] for entry in self.meanings("beta")]
        self.assertGreaterEqual(len(commands), 3)
        for command in ("simulate", "sweep", "meanfield", "landscape"):
            self.assertTrue(any(command in listed for listed in commands), command)
        told = self.murmur("explain", "beta").stdout
        self.assertTrue(told.startswith(f"beta has {len(commands)} meanings."), told)
        for label in ("equation", "type", "takes", "default", "commands", "example", "see also"):
            self.assertIn(f"  {label}", told)
        self.assertLessEqual(max(map(len, told.splitlines())), 100)

    def test_observables_have_their_formula(self):
        energy = next(e for e in self.meanings("energy") if e["kind"].startswith("observable"))
        self.assertIn("exp(", energy["equation"])
        self.assertEqual(energy["page"], "docs/observables.md")

    def test_what_is_known_is_listed(self):
        listed = self.murmur("explain", "--known").stdout
        rows = json.loads(self.murmur("explain", "--known", "--json").stdout)
        self.assertGreater(len(rows), 20)
        for row in rows:
            self.assertIn(row["name"], listed)
            self.assertRegex(row["source"], r"\d{4}\.\d{5}|derived")
            self.assertGreater(len(row["about"]), 10)
        self.refused(2, "explain", "--known", "beta=9", do="murmur explain beta=9")
        self.refused(2, "explain", "--known", "--names", what="exclude each other")

    def test_steps_of_fixed_length_have_no_theorem(self):
        told = self.murmur("explain", "method=layers", "dt=2").stdout
        self.assertNotIn("never falls", told)
        self.assertIn("steps of fixed length, here 2, need not follow it", told)

    def test_capitals_do_not_matter(self):
        self.assertEqual(self.meanings("usa")[0]["name"], "USA")

    def test_presets_tell_their_equation_too(self):
        told = json.loads(self.murmur("explain", "staircase", "--json").stdout)
        self.assertIn("x_i'", told["explanation"])
        kinds = [entry["kind"] for entry in told["meanings"]]
        self.assertIn("preset", kinds)
        self.assertTrue(any(kind.startswith("figure of reproduce") for kind in kinds))

    def test_unknown_names_are_refused(self):
        for name, near in (("betta", "beta"), ("enrgy", "energy"), ("dorpi5", "dopri5"),
                           ("momentz", "moments"), ("hemisfere", "hemisphere"),
                           ("kinetik", "kinetic")):
            self.refused(INPUT, "explain", name, what=name, do=f"explain {near}")
        self.refused(INPUT, "explain", "qqqqqqqq", do="--names")


class Groups(murmur.Case):
    def test_the_commands_are_in_groups(self):
        lines = self.murmur("--help").stdout.splitlines()
        titles = [line.rstrip(":") for line in lines if re.match(r"[A-Z].*:$", line)]
        expected = ["Simulate and train", "Look and measure", "Published figures and tables",
                    "Trained transformers", "Runs and machines", "Help"]
        self.assertEqual([title for title in titles if title in expected], expected)
        listed = [line.split()[0] for line in lines if re.match(r"  [a-z]+ +[A-Z]", line)]
        told = json.loads(self.murmur("explain", "--commands", "--json").stdout)
        self.assertEqual(listed, [command["name"] for command in told])


if __name__ == "__main__":
    murmur.main()
