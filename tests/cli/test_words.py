"""Swarms that read sentences: trained, asked, drawn, resumed; chance where theory says so."""

import json
import signal
import time

import murmur
from test_train import promised

USAGE, INPUT = 2, 3  # exit codes
SENTENCES = 4096  # of the test
SMALL = ("blocks=2", "hidden=8", "d=4", "batch=64", "samples=512")


class Words(murmur.Case):
    def train(self, task, name, *more):
        self.murmur("train", f"task={task}", *SMALL, *more, "-q", "-o", name)
        return self.folder / name

    def right(self, run):
        return json.loads((run / "summary.json").read_text())["test_correct"]

    def test_isolation_is_exactly_at_chance(self):
        for seed in range(2):
            run = self.train("sense", "run", "epochs=3", "interaction=none", f"seed={seed}", "--force")
            self.assertEqual(self.right(run), SENTENCES // 2)

    def test_order_without_positions_is_at_chance(self):
        for interaction in ("attention", "uniform"):
            run = self.train("order", "run", "epochs=3", f"interaction={interaction}", "--force")
            self.assertAlmostEqual(self.right(run), SENTENCES // 2, delta=2)

    def test_same_bytes_for_any_threads_and_after_a_stop(self):
        words = ("epochs=40", "positions=learned")
        whole = promised(self.train("sense", "one", *words, "threads=1"))
        self.assertEqual(promised(self.train("sense", "two", *words, "threads=2")) == whole, True)
        process = self.start("train", "task=sense", *SMALL, *words, "--checkpoint", "0.02", "-q", "-o", "run")
        while process.poll() is None and not (self.folder / "run/checkpoint.safetensors").exists():
            time.sleep(0.005)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=murmur.PATIENCE)
        if process.returncode != 0:
            self.murmur("train", "--resume", "run", "-q")
        self.assertEqual(promised(self.folder / "run") == whole, True)

    def test_classify(self):
        run = self.train("sense", "run", "epochs=1")
        told = self.murmur("classify", run, "text=test")
        lines = told.stdout.splitlines()
        self.assertEqual(len(lines), SENTENCES)
        self.assertEqual(sum(" right | " in line for line in lines), self.right(run))
        first = lines[0].split(" | ")[1]
        rows = json.loads(self.murmur("classify", run, "text=test:0", "--json").stdout)
        self.assertEqual(rows[0]["text"], first)
        mine = self.murmur("classify", run, f"text={first}", f"asked={rows[0]['word']}").stdout
        self.assertEqual(mine.split()[1:6], lines[0].split()[1:6])
        told = json.loads(self.murmur("classify", run, "text=The boat lay by the bank.".replace("lay by", "stood near"),
                                      "--json").stdout)[0]
        self.assertEqual((told["word"], set(told["scores"])), ("bank", {"water", "money"}))

    def test_word_sense_has_sixteen_coordinates_unless_asked(self):
        plan = self.murmur("train", "task=sense", "--dry-run").stdout
        for line in ("d = 16\n", "blocks = 3\n", "shared = false\n", "hidden = 64\n", "heads = 2\n"):
            self.assertIn(line, plan)
        plan = self.murmur("train", "task=sense", "d=3", "blocks=4", "--dry-run").stdout
        for line in ("d = 3\n", "blocks = 4\n", "shared = true\n", "hidden = 512\n", "heads = 1\n"):
            self.assertIn(line, plan)
        self.assertIn("d = 3\n", self.murmur("train", "task=order", "--dry-run").stdout)

    def test_the_company_of_a_nail(self):
        """The words of the sentences that docs/words.md asks about are known, and asked of the nail."""
        run = self.train("sense", "run", "epochs=1")
        for text in ("the emergency came again: ocean leaks behind the old nail",
                     "this small nail seemed plain again today, over breakfast"):
            row = json.loads(self.murmur("classify", run, f"text={text}", "--json", "-q").stdout)[0]
            self.assertEqual((row["word"], set(row["scores"])), ("nail", {"tools", "body"}))

    def test_next_words_are_words(self):
        run = self.train("sense", "run", "epochs=1", "positions=sinusoidal")
        self.murmur("simulate", f"model={run}", "init=test:5", "-q", "-o", "five")
        words = json.loads(self.murmur("classify", run, "text=test:5", "--json", "-q").stdout)[0]["text"].split()
        for token in (0, 6):
            show = ("measure", "five", "show=next-word", f"token={token}", "frame=0", "kappa=400", "--json")
            row = max(json.loads(self.murmur(*show).stdout), key=lambda row: row["token"])
            self.assertEqual(row["word"].isalpha(), True)
        self.murmur("render", "five", "figure=next-word", "token=6", "-o", "five.svg", "-q")
        self.murmur("render", "five", "figure=next-word", "vocabulary=5", "-o", "numbers.svg", "-q")
        plain = self.train("sense", "plain", "epochs=1")
        self.murmur("simulate", f"model={plain}", "init=test:5", "-q", "-o", "six")
        for token, word in enumerate(words):
            show = ("measure", "six", "show=next-word", f"token={token}", "frame=0", "kappa=400", "--json")
            row = max(json.loads(self.murmur(*show).stdout), key=lambda row: row["token"])
            self.assertEqual(row["word"], word)  # without positions a token starts at its word

    def test_a_recurrent_reader(self):
        run = self.train("sense", "run", "epochs=1", "reader=recurrent")
        summary = json.loads((run / "summary.json").read_text())
        self.assertEqual(summary["test_count"], SENTENCES)
        self.refused(INPUT, "classify", run, "text=test:0", what="recurrent network", do="reader=recurrent")

    def test_flights_and_pages(self):
        run = self.train("sense", "run", "epochs=1", "positions=sinusoidal")
        self.murmur("simulate", f"model={run}", "init=test:5", "-q", "-o", "five")
        frames, _ = murmur.frames_and_times(self.folder / "five")
        row = json.loads(self.murmur("classify", run, "text=test:5", "--json", "-q").stdout)[0]
        self.assertEqual(frames.shape[1:], (len(row["text"].split()), 4))
        place = row["text"].split().index(row["word"])
        score = max(row["scores"].values())
        self.assertAlmostEqual(abs(frames[-1, place, 0]), score, delta=1e-4 * score + 1e-5)
        self.murmur("report", run, "--no-film", "-q")
        page = (run / "report.html").read_text()
        self.assertIn("senses of a word", page)
        self.assertTrue((run / "figures/sentence.png").exists())
        self.murmur("render", run, "figure=dome", "-o", "dome.png", "-q")
        turned = self.train("order", "turned", "epochs=1", "positions=rotary")
        self.murmur("report", turned, "--no-film", "-q")
        self.refused(INPUT, "simulate", f"model={turned}", "init=test:5", "-o", "x", what="rotary")

    def test_refusals(self):
        run = self.train("sense", "run", "epochs=1")
        self.refused(INPUT, "classify", run, "text=the bankk", what="bankk", do="bank")
        self.refused(INPUT, "classify", run, "images=test:0", what="sentences")
        self.refused(INPUT, "classify", run, f"text=test:{SENTENCES}", what="no such sentences")
        for bad in ("test:1,", "test:,1", "test:1,x", f"test:1,{SENTENCES}"):
            self.refused(INPUT, "classify", run, f"text={bad}", what="no such sentences")
        listed = self.murmur("classify", run, "text=test:4,0-1", "-q").stdout.splitlines()
        self.assertEqual([line.split()[0] for line in listed], ["4", "0", "1"])
        self.murmur("simulate", f"model={run}", "init=test:4", "-q", "-o", "four")
        size = ("--size", "480x320")
        self.murmur("render", "four", "-o", "words.png", *size)
        self.murmur("render", "four", "cluster_tol=0.1", "-o", "clusters.png", *size)
        seen = [(self.folder / name).read_bytes() for name in ("words.png", "clusters.png")]
        seen = [content[content.index(b"IDAT"):] for content in seen]
        self.assertNotEqual(seen[0], seen[1])
        self.refused(USAGE, "classify", run, "text=test:0", "-o", "kept", what="-o")
        self.refused(INPUT, "simulate", f"model={run}", f"init=test:{SENTENCES}", "-o", "x", what="init")
        self.refused(INPUT, "train", "task=sense", "device=cuda", what="cuda")


if __name__ == "__main__":
    murmur.main()
