"""test_reproduce.py: named reproductions: their tables, their verdicts, and going on after a stop."""

import csv
import json
import re
import signal
import subprocess
import sys
import time
import unittest

import murmur
import numpy as np

FIELDS = {"what", "published", "ours", "tolerance", "agrees", "expected", "kind", "source", "rule"}
TINY = ("hidden=4", "epochs=1", "batch=16", "threads=1", "data=pictures")


def pictures(folder, seed=0):
    """Ten classes, 12 x 12: class c has its ink around the c-th of ten places on a circle."""
    folder.mkdir()
    random = np.random.default_rng(seed)
    rows, columns = np.mgrid[0:12, 0:12]
    for name, count in (("train", 200), ("test", 60)):
        labels = np.arange(count) % 10
        angle = 2 * np.pi * labels / 10
        apart = np.hypot(
            rows - (5.5 + 3.5 * np.sin(angle))[:, None, None],
            columns - (5.5 + 3.5 * np.cos(angle))[:, None, None],
        )
        ink = (apart + random.normal(0, 0.5, apart.shape)) < 2.5
        np.save(folder / f"{name}_images.npy", (255 * ink).astype(np.uint8))
        np.save(folder / f"{name}_labels.npy", labels.astype(np.int64))


class Reproduce(murmur.Case):
    def setUp(self):
        super().setUp()
        pictures(self.folder / "pictures")

    def reproduce(self, name, *words):
        """The result as JSON; the exit code must say what its checks say."""
        done = self.murmur("reproduce", name, *words, "--json", code=None)
        result = json.loads(done.stdout)
        agrees = {"agrees": True, "disagrees": False}
        for check in result["checks"]:
            self.assertIs(agrees.get(check["answer"]), check["agrees"])
        expected = all(check["answer"] == check["expected"] for check in result["checks"])
        self.assertEqual(done.returncode, 0 if expected else 7, done.stderr)
        self.assertEqual(result["as_expected"], expected)
        counted = [c for c in result["checks"] if c["kind"] in ("published", "predicted")]
        self.assertEqual(sum(result["counted"].values()), len(counted))
        counted = [c["agrees"] for c in counted if c["answer"] != "does not apply"]
        if False in counted:
            self.assertIs(result["agrees"], False)
        elif None in counted or not counted:
            self.assertIsNone(result["agrees"])
        else:
            self.assertIs(result["agrees"], True)
        for check in result["checks"]:
            self.assertLessEqual(FIELDS, set(check))
        self.assertRegex(done.stderr, r"published and predicted: \d+ agree, \d+ disagree, \d+ open")
        return result, done.stderr

    def test_rules_are_those_of_the_page(self):
        table = self.murmur("reproduce", "rules").stdout
        page = (murmur.ROOT / "docs/reproduce.md").read_text()
        self.assertIn(table, page, "docs/reproduce.md: paste what `murmur reproduce rules` prints")
        rules = json.loads(self.murmur("reproduce", "rules", "--json").stdout)
        self.assertEqual(table.count("\n"), 2 + len(rules))

    def test_null_models_are_those_of_the_page(self):
        table = self.murmur("reproduce", "null-models").stdout
        page = (murmur.ROOT / "docs/null-models.md").read_text()
        self.assertIn(table, page, "docs/null-models.md: paste what `murmur reproduce null-models` prints")
        rows = json.loads(self.murmur("reproduce", "null-models", "--json").stdout)
        rules = json.loads(self.murmur("reproduce", "rules", "--json").stdout)
        self.assertEqual([row["name"] for row in rows], [rule["name"] for rule in rules])
        for row in rows:
            for null in ("zero field", "random row-stochastic attention", "constant answer"):
                self.assertIn(row[null]["answer"], {"rejected", "agrees", "does not apply", "not run"})
                self.assertEqual(row[null]["answer"] == "rejected", row[null]["explanation"] == "")

    def test_settings_are_those_of_the_page_and_of_each_figure(self):
        table = self.murmur("reproduce", "settings").stdout
        page = (murmur.ROOT / "docs/reproduce.md").read_text()
        self.assertIn(table, page, "docs/reproduce.md: paste what `murmur reproduce settings` prints")
        settings = {s["name"]: s for s in json.loads(self.murmur("reproduce", "settings", "--json").stdout)}
        names = self.murmur("reproduce", "list", "--json").stdout
        self.assertEqual(list(settings), [row["name"] for row in json.loads(names)])
        printed = self.murmur("reproduce", "fastest-modes", "--quick").stdout
        self.assertIn("normalisation: no published setting (source: derived here)", printed)
        result, _ = self.reproduce("kinetic", "--quick")
        own = {key: settings["kinetic"][key] for key in ("authors", "source", "ours")}
        self.assertEqual(result["setting"], own)
        self.assertIn("kinetic.py", own["source"])

    def test_the_companions_swarm_is_what_its_script_draws(self):
        script = murmur.ROOT / "scripts/published_perceptron.py"
        subprocess.run([sys.executable, script, "--check"], check=True)

    def test_checks_are_kept_as_csv(self):
        result, _ = self.reproduce("fastest-modes", "--quick")
        with open(self.folder / "runs/fastest-modes/checks-quick.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["what"] for row in rows], [c["what"] for c in result["checks"]])
        for row, check in zip(rows, result["checks"]):
            for key in ("kind", "source", "rule_name", "expected"):
                self.assertEqual(row[key], check[key])
            self.assertEqual(float(row["ours"]), check["ours"])
            self.assertEqual(row["answer"] == "agrees", check["agrees"])

    def test_figures_are_drawn_light_and_dark_for_page_and_print(self):
        self.murmur("reproduce", "layers-clock", "--quick")
        kept = self.folder / "runs/layers-clock"
        for stem in ("layers-clock-quick", "layers-clock-quick-dark"):
            self.assertIn("<svg", (kept / f"{stem}.svg").read_text())
            self.assertEqual((kept / f"{stem}.pdf").read_bytes()[:5], b"%PDF-")
            self.assertEqual((kept / f"{stem}.png").read_bytes()[:4], b"\x89PNG")
        words = (kept / "layers-clock-quick.txt").read_text()
        self.assertIn("1 + η", words)
        self.assertIn("stretch-quick.csv", words)
        self.assertTrue((kept / "stretch-quick.csv").exists())
        self.murmur("reproduce", "layers-clock", "--quick", "--style", "dark", "--resume")
        self.assertTrue((kept / "layers-clock-quick-light.svg").exists())

    def test_each_line_of_the_list_begins_with_a_name(self):
        names = self.murmur("reproduce", "list", "--names").stdout.split()
        self.assertEqual(names[:2], ["swarm-table", "flock-argument"])
        self.assertGreaterEqual(len(names), 36)
        done = self.murmur("reproduce", "list")
        lines = done.stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines], names)
        for line in lines + done.stderr.splitlines():
            self.assertLessEqual(len(line), 120, line)
        rows = json.loads(self.murmur("reproduce", "list", "--json").stdout)
        self.assertEqual([row["name"] for row in rows], names)
        for row, line in zip(rows, lines):
            self.assertIn(row["meaning"], line)
            self.assertTrue(row["parameters"] or row["trains"], row["name"])

    def test_every_quick_figure_of_the_pages_is_a_test(self):
        pages = [murmur.ROOT / "README.md", *(murmur.ROOT / "docs").glob("*.md")]
        shown = {name for page in pages
                 for name in re.findall(r"murmur reproduce ([a-z][a-z0-9-]+)[^\n`]* --quick",
                                        page.read_text())}
        known = set(self.murmur("reproduce", "list", "--names").stdout.split())
        tests = (murmur.ROOT / "tests/CMakeLists.txt").read_text()
        tried = set(re.findall(r"[a-z0-9-]+", " ".join(
            re.findall(r"foreach\((?:figure|table) ([^)]*)\)", tests))))
        self.assertLess({"equiangular", "ladder"}, shown & known)
        # A changed figure is tried by the test of its page, or here.
        self.assertLessEqual(shown & known, tried | {"perceptron-clusters"})

    def test_a_paper_names_its_figures(self):
        rows = json.loads(self.murmur("reproduce", "list", "2411.04990", "--json").stdout)
        self.assertEqual([row["name"] for row in rows], ["causal-centres"])
        self.refused(2, "reproduce", "2411.99999", what="of the paper 2411.99999", do="2312.10794")
        self.refused(2, "reproduce", "list", "2411.99999", do="the papers are")
        self.refused(2, "reproduce", "list", "kinetik", do="kinetic")
        self.refused(3, "reproduce", "2412.09080", "--quick", "beta=3", what="density-modes")
        done = self.murmur("reproduce", "2412.09080", "--quick", "starts=2", "panel_starts=2",
                           "betas=125,250")
        self.assertEqual(done.stdout, "runs/reproduce-2412.09080-quick.html\n")
        page = (self.folder / done.stdout.strip()).read_text()
        self.assertIn("changed: starts=2 instead of 10", page)

    def test_parameters_are_those_of_the_page(self):
        table = self.murmur("reproduce", "parameters").stdout
        page = (murmur.ROOT / "docs/reproduce.md").read_text()
        self.assertIn(table, page,
                      "docs/reproduce.md: paste what `murmur reproduce parameters` prints")
        names = self.murmur("reproduce", "list", "--names").stdout.split()
        told = json.loads(self.murmur("reproduce", "parameters", "--json").stdout)
        self.assertEqual(set(told), set(names))
        script = self.murmur("completion", "bash").stdout
        for figure, parameters in told.items():
            self.assertIn(f" {figure} ", script)
            help_text = self.murmur("reproduce", figure, "--help").stdout
            for parameter in parameters:
                self.assertIn(f"| `{figure}` | `{parameter['name']}` |", table)
                self.assertRegex(help_text, rf"(?m)^  {parameter['name']} ")
                self.assertIn(f" {parameter['name']}=", script)

    def changed(self, name, *words):
        """The result of a quick figure with changed parameters, labelled and kept beside the other."""
        result, talk = self.reproduce(name, "--quick", *words)
        self.assertEqual(result["changed"], list(words))
        self.assertTrue(result["label"].startswith(f"changed: {words[0]} instead of "))
        self.assertIn(result["label"], talk)
        kept = self.folder / "runs" / name
        self.assertEqual(json.loads((kept / "result-quick-changed.json").read_text()), result)
        self.assertFalse((kept / "result-quick.json").exists())
        record = json.loads((kept / "record-quick-changed.json").read_text())
        self.assertEqual(record["settings"]["changed"], list(words))
        for figure in kept.glob("*-quick-changed.txt"):
            self.assertIn(f"Changed: {words[0]} instead of", figure.read_text())
            self.assertIn(f"murmur reproduce {name} {' '.join(words)} --quick", figure.read_text())
        return result, {check["rule_name"]: check for check in result["checks"]}

    def test_one_number_is_changed(self):
        result, checks = self.changed("kinetic", "beta=3")
        for rule in ("kinetic.flow", "kinetic.layers"):
            self.assertEqual(checks[rule]["answer"], "does not apply")
            self.assertEqual(checks[rule]["explanation"], "does not apply: beta was changed")
            self.assertIsNone(checks[rule]["published"])
        self.assertTrue(checks["kinetic.families"]["agrees"])
        times = [row["exact flow"] for row in result["merges"]]
        self.assertLess(times[-1], 300)  # at beta = 4 the last merge is at 328
        result, checks = self.changed("long-context", "rho=0.5")
        self.assertTrue(checks["long-context.layer"]["agrees"])  # a formula of the cosine
        result, checks = self.changed("circle-clusters", "betas=16", "replicas=64")
        self.assertEqual(list(result["counts"][0])[1], "β = 16 layers")
        self.assertEqual({c["answer"] for c in checks.values()}, {"does not apply"})
        result, checks = self.changed("equiangular", "n=8", "betas=2")
        self.assertTrue(checks["equiangular.cosine"]["agrees"])
        self.assertEqual({row["beta"] for row in result["courses"]}, {2})
        result, _ = self.changed("staircase", "betas=1500")
        self.assertEqual((result["checks"], {row["beta"] for row in result["rises"]}), ([], {1500}))

    def test_a_changed_value_that_is_the_default_changes_no_number(self):
        plain, _ = self.reproduce("fastest-modes", "--quick")
        same, _ = self.reproduce("fastest-modes", "--quick", "beta_max=50", "quantiles=600")
        for key in ("switches", "modes"):
            self.assertEqual(same[key], plain[key])

    def test_tables_of_checks_fit_the_terminal(self):
        for words in (("kinetic",), ("kinetic", "beta=5"), ("growth", "modes=2"), ("long-context",)):
            told = self.murmur("reproduce", *words, "--quick", code=None).stdout
            for line in told.splitlines():
                self.assertLessEqual(len(line), 120, line)
            self.assertIn("Sources of the numbers:", told)

    def test_wrong_parameters_are_refused_and_leave_nothing(self):
        self.refused(3, "reproduce", "kinetic", "betta=5", what="kinetic has no parameter betta",
                     where="betta=5", do="did you mean beta?")
        self.refused(3, "reproduce", "kinetic", "beta=warm", where="beta=warm")
        self.refused(3, "reproduce", "chaos", "sizes=10,20", "clouds=3", do="as many numbers")
        self.refused(3, "reproduce", "next-token", "betas=3,3", what="betas names 3 twice")
        self.refused(3, "reproduce", "phase-diagram", "beta_min=5", "beta_max=2",
                     what="beta_min = 5 is not below beta_max = 2")
        self.refused(3, "reproduce", "next-token", "betas=0", what="betas takes no 0",
                     where="betas=0", do="from 0.01 to 1000")
        self.refused(3, "reproduce", "next-token", "starts=many", do="whole number")
        self.refused(3, "reproduce", "equiangular", "seeds=3", what="no parameter seeds")
        self.assertFalse(list(self.folder.glob("runs/*/*")))
        self.assertFalse((self.folder / "runs/kinetic").exists())

    def test_the_marks_of_the_flock_argument_are_the_answers_of_its_rules(self):
        known = set(re.findall(r"\| `([a-z-]+\.[a-z-]+)` \|", self.murmur("reproduce", "rules").stdout))
        source = (murmur.ROOT / "src/reproduce/rules.cpp").read_text()
        constants = {re.sub("[.-]", "_", name): name for name in known}
        dissents = re.findall(r'\{rule::(\w+),\s*"([^"]*)",\s*Answer::disagrees,\s*ExpectedAnswer::(\w+)',
                              source)
        dissents = {(constants[rule], what) for rule, what, size in dissents if size != "quick"}
        page = (murmur.ROOT / "docs/flock-argument.md").read_text()
        rows = [row.split(" | ") for row in page.splitlines() if re.match(r"\|.*held\*\* \|", row)]
        self.assertGreaterEqual(len(rows), 12)
        marks = set()
        for claim, mark, _, rules in rows:
            answers = re.findall(r"`([a-z.-]+)` (?:\(([^)]*)\) )?(agrees|disagrees)", rules)
            self.assertTrue(answers, claim)
            for rule, what, answer in answers:
                self.assertIn(rule, known, claim)
                said = any(rule == r and (w == what or not w) for r, w in dissents)
                self.assertEqual(answer == "disagrees", said, f"{claim}: {rule}")
                if answer == "disagrees":
                    self.assertEqual(mark, "**not held**", claim)
            marks.add(mark)
        self.assertEqual(marks, {"**held**", "**not held**"})

    def test_saved_work_holds_every_way_against_plainer_ones(self):
        result, _ = self.reproduce("saved-work", "--quick", *TINY)
        self.assertEqual([c["rule_name"] for c in result["checks"]],
                         ["saved-work.rest", "saved-work.merge"])
        chosen = {row["way"]: row for row in result["chosen"]}
        self.assertEqual(len(chosen), 7)
        self.assertEqual(chosen["all of it"]["work"], 1)
        stops = [row for row in result["stops"] if row["way"] == "fewer blocks for all"]
        for row in stops:
            self.assertAlmostEqual(row["work"], row["setting"] / 10)
        for way in ("stop at rest", "stop when sure"):
            blocks = [row["blocks"] for row in result["stops"] if row["way"] == way]
            self.assertEqual(blocks, sorted(blocks))  # settings ask for more and more
        work = [row["work"] for row in result["tokens"] if row["way"] == "merge tokens"]
        self.assertEqual(work, sorted(work))
        self.assertLess(work[0], work[-1])

    def test_blocks_of_a_model_that_is_not_here_are_open(self):
        result, talk = self.reproduce("skipped-blocks", "--quick")
        self.assertEqual({c["agrees"] for c in result["checks"]}, {None})
        self.assertEqual(len(result["checks"]), 14)
        self.assertIn("the model is not here", talk)

    def test_wrong_requests_are_refused(self):
        self.refused(2, "reproduce", "swarm-tabel", *TINY, what="no reproduction", do="swarm-table")
        self.refused(2, "reproduce", do="list")
        self.refused(2, "reproduce", "swarm-table", "seed=3", "data=pictures", do="seeds=N")
        self.refused(3, "reproduce", "swarm-table", "seeds=0", "data=pictures", where="seeds=0")
        self.refused(3, "reproduce", "swarm-table", "hiden=3", "data=pictures", do="hidden")
        self.refused(3, "reproduce", "swarm-table", "data=nowhere")

    def test_swarm_table(self):
        result, _ = self.reproduce("swarm-table", "--quick", *TINY)
        self.assertEqual(result["name"], "swarm-table")
        rows = {check["what"]: check for check in result["checks"]}
        self.assertEqual(rows["5 vs 6, 1 block"]["answer"], "does not apply")  # a changed training
        self.assertIsNone(rows["5 vs 6, 1 block"]["published"])
        self.assertNotIn("5 vs 6, 10 free d=100", rows)
        self.assertIsNone(rows["ten classes, 10 free"]["published"])
        kept = self.folder / "runs/swarm-table"
        for row in result["runs"]:
            summary = json.loads((kept / row["run"] / "summary.json").read_text())
            self.assertAlmostEqual(row["test_accuracy"], 100 * summary["test_accuracy"])
        self.assertEqual(json.loads((kept / "result-quick-changed.json").read_text()), result)
        before = {p: b for p, b in murmur.tree(kept).items() if not p.startswith("result")}
        again, talk = self.reproduce("swarm-table", "--quick", *TINY)
        self.assertEqual(again, result)
        self.assertEqual(talk.count("kept from before"), len(result["runs"]))
        after = {p: b for p, b in murmur.tree(kept).items() if not p.startswith("result")}
        self.assertEqual(after, before)

    def test_more_seeds_keep_the_first(self):
        one, _ = self.reproduce("swarm-table", "d=3", "seeds=1", *TINY, "--runs", "few")
        two, talk = self.reproduce("swarm-table", "d=3", "seeds=2", *TINY, "--runs", "few")
        self.assertEqual(talk.count("kept from before"), len(one["runs"]))
        for before, after in zip(one["checks"], two["checks"]):
            if "recipe published" in before["what"]:  # its rule was written for eight seeds
                self.assertEqual((before, before["seeds"]), (after, 8))
                continue
            self.assertEqual((before["seeds"], after["seeds"]), (1, 2))
            self.assertIsNone(before["sd"])
            self.assertGreaterEqual(after["sd"], 0)

    def test_flock_argument(self):
        result, _ = self.reproduce("flock-argument", "--quick", *TINY)
        readers = {row["reader"]: row for row in result["readers"]}
        for name in ("isolated tokens", "attraction only", "messages to all", "full flock"):
            self.assertEqual(readers[name]["changed_by_shuffle"], 0, name)
            self.assertLess(readers[name]["margin_shift"], 1e-4, name)
            self.assertGreater(readers[name + ", numbered"]["margin_shift"], 1e-3, name)
        self.assertGreater(readers["one messenger"]["margin_shift"], 1e-3)
        for table in ("influence", "influence_shuffled"):
            self.assertEqual(len(result[table]), 10)
            lines = (self.folder / f"runs/flock-argument/{table}-quick-changed.csv").read_text()
            self.assertEqual(lines.count("\n"), 11)
        self.assertEqual({row["readout"] for row in result["guests"]}, {"mean", "cls"})

    def test_ladder(self):
        words = ("--quick", "epochs=1", "samples=32", "validation=0.4", "threads=1", "data=pictures")
        result, _ = self.reproduce("ladder", *words)
        rungs = {(row["reader"], row["blocks"]): row for row in result["rungs"]}
        whole = rungs["selected messages", 4]["parameters"]
        for (name, _), row in rungs.items():
            if "no feed-forward" not in name:
                self.assertLess(abs(row["parameters"] / whole - 1), 0.02, name)
        self.assertEqual({blocks for _, blocks in rungs}, {1, 4})
        words_rungs = {(row["reader"], row["blocks"]): row for row in result["rungs_sense"]}
        whole = words_rungs["selected messages", 2]["parameters"]
        for (name, _), row in words_rungs.items():
            if "no feed-forward" not in name:
                self.assertLess(abs(row["parameters"] / whole - 1), 0.02, name)
        checks = {check["rule_name"]: check for check in result["checks"]}
        self.assertEqual(set(checks), {f"ladder.{rule}" for rule in (
            "additive", "selected", "lead", "depth", "alone", "bag", "words", "choice",
            "one-block", "bare")})
        for theorem in ("additive", "alone", "bag"):  # trained or not
            self.assertTrue(checks[f"ladder.{theorem}"]["agrees"], theorem)
        self.assertTrue((self.folder / "runs/ladder/ladder-quick-changed.svg").exists())
        again, talk = self.reproduce("ladder", *words)
        self.assertEqual(talk.count("kept from before"), len(rungs) + len(words_rungs))
        self.assertEqual(again["rungs"], result["rungs"])
        alone, _ = self.reproduce("ladder", *words, "task=sense")
        self.assertEqual(alone["rungs_sense"], result["rungs_sense"])
        self.assertNotIn("rungs", alone)
        wrong, _ = self.reproduce("ladder", *words, "blocks=1", "--runs", "wrong")
        checks = {check["rule_name"]: check for check in wrong["checks"]}
        self.assertEqual((checks["ladder.depth"]["ours"], checks["ladder.depth"]["answer"]),
                         (0, "does not apply"))

    def test_order(self):
        words = ("--quick", "epochs=1", "samples=64", "threads=1")
        result, _ = self.reproduce("order", *words)
        self.assertEqual([row["positions"] for row in result["codes"]],
                         ["none", "learned", "sinusoidal", "rotary"])
        checks = [(check["rule_name"], check["agrees"]) for check in result["checks"]]
        self.assertEqual(checks[0], ("order.chance", True))
        self.assertEqual(len(checks), 4)
        wrong, _ = self.reproduce("order", *words, "positions=sinusoidal", "--runs", "wrong")
        self.assertEqual(wrong["checks"][0]["explanation"], "does not apply: positions was changed")

    def test_table_on_stdout(self):
        done = self.murmur("reproduce", "swarm-table", "--quick", *TINY, code=None)
        self.assertTrue(done.stdout.startswith("changed: hidden=4, epochs=1, batch=16\n\n"))
        head = done.stdout.splitlines()[2]
        for word in ("what", "compared with", "ours", "tolerance", "agrees"):
            self.assertIn(word, head)
        self.assertIn("5 vs 6, 10 shared", done.stdout)

    def test_interrupted_and_continued(self):
        words = ("--quick", "hidden=64", "epochs=40", *TINY[2:])
        expected, _ = self.reproduce("flock-argument", *words, "--runs", "whole")
        process = self.start("reproduce", "flock-argument", *words)
        for _ in range(400):
            if list(self.folder.glob("runs/flock-argument/messenger*")):
                break
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=murmur.PATIENCE)
        self.assertEqual((process.returncode, out), (130, ""), err)
        self.assertIn("continue with", err)
        got, talk = self.reproduce("flock-argument", *words)
        self.assertIn("kept from before", talk)
        for key in ("checks", "readers", "influence", "guests"):
            self.assertEqual(got[key], expected[key], key)


if __name__ == "__main__":
    murmur.main()
