"""Next words: measure show=next-word, render figure=next-word, and the page, on simulated swarms."""

import json

import numpy as np

import murmur

USAGE, INPUT = 2, 3
WORDS = 'word,x,y,z\nsea,1,0,0\n"a, b",0,1,0\nstone,0,0,1\nsalt,0,0,-1\n'


def softmax(x, words, kappa):
    u = x / np.linalg.norm(x)
    e = np.exp(kappa * (words @ u))
    return e / e.sum()


class Readout(murmur.Case):
    def setUp(self):
        super().setUp()
        (self.folder / "words.csv").write_text(WORDS)
        self.simulate("flock", "n=9", "d=3", "T=2", "save=every:1")

    def measured(self, *words):
        out = self.murmur("measure", "flock", "show=next-word", *words, "--json").stdout
        return json.loads(out)

    def test_probabilities_are_those_of_softmax(self):
        points = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, -1]], float)
        frames = murmur.trajectory(self.folder / "flock")
        rows = self.measured("vocabulary=words.csv", "kappa=5", "token=2", "share=0.2")
        self.assertEqual(len(rows), len(frames))
        for row, x in zip(rows, frames):
            for who, place in (("token", x[2]), ("mean", x.mean(0))):
                p = softmax(place, points, 5)
                np.testing.assert_allclose(row[f"{who}_probabilities"], p, atol=1e-12)
                self.assertAlmostEqual(row[f"{who}_entropy"], -(p * np.log(p)).sum(), 10)
                self.assertAlmostEqual(row[f"{who}_outcomes"], np.exp(-(p * np.log(p)).sum()), 10)
                self.assertEqual(row[f"{who}_above"], (p > 0.2).sum())
                self.assertEqual(row[f"{who}_word"], ["sea", "a, b", "stone", "salt"][p.argmax()])
                self.assertAlmostEqual(row[f"{who}_probability"], p.max(), 12)

    def test_one_frame_has_a_row_a_word(self):
        rows = self.measured("vocabulary=words.csv", "frame=-1")
        self.assertEqual([row["word"] for row in rows], ["sea", "a, b", "stone", "salt"])
        self.assertAlmostEqual(sum(row["token"] for row in rows), 1, 12)
        last = self.measured("vocabulary=words.csv")[-1]
        self.assertEqual([row["token"] for row in rows], last["token_probabilities"])

    def test_files_of_points_and_drawn_words(self):
        points = murmur.unit_points(5, 3)
        np.save(self.folder / "words.npy", points)
        (self.folder / "names.txt").write_text("a\nb\nc\nd\ne\n")
        named = self.measured("vocabulary=words.npy", "words=names.txt", "frame=0")
        self.assertEqual([row["word"] for row in named], list("abcde"))
        plain = self.measured("vocabulary=words.npy", "frame=0")
        self.assertEqual([row["word"] for row in plain], list("01234"))
        drawn = self.measured("vocabulary=7", "frame=0")
        self.assertEqual(len(drawn), 7)
        even = self.measured("vocabulary=9", "kappa=0")[0]
        self.assertAlmostEqual(even["token_entropy"], np.log(9), 14)
        self.simulate("high", "n=6", "d=8", "T=1", "save=every:1", "habitat=space")
        out = self.murmur("measure", "high", "show=next-word", "--json").stdout
        self.assertEqual(len(json.loads(out)[0]["token_probabilities"]), 12)

    def test_figures_film_and_page(self):
        render = ("render", "flock", "figure=next-word", "vocabulary=words.csv")
        for ending in ("png", "svg", "pdf"):
            made = self.murmur(*render, "kappa=8", "--frame", "1", "-o", f"next.{ending}").stdout
            self.assertEqual(made.split(), [f"next.{ending}"])
        self.assertIn("<svg", (self.folder / "next.svg").read_text())
        looks = set()
        for look in ("--light", "--style=slides", "--style=dark", "--size=1200x600"):
            self.murmur(*render, look, "-o", "look.svg", "--force")
            looks.add((self.folder / "look.svg").read_text())
        self.assertEqual(len(looks), 4)
        self.murmur(*render, "--fps", "4", "--seconds", "1", "--size", "480x320", "-o", "next.mp4")
        self.assertEqual((self.folder / "next.mp4").read_bytes()[4:8], b"ftyp")
        made = json.loads(self.murmur(*render, "--json").stdout)
        self.assertEqual(made, ["flock/figures/next-word.png"])
        for d in ("2", "7"):
            self.simulate(f"d{d}", "n=5", f"d={d}", "T=1", "save=every:0.5")
            self.murmur("render", f"d{d}", "figure=next-word", "-o", f"d{d}.png")
        page = ("report", "flock", "--no-film", "--json", "-q")
        self.assertNotIn("flock/figures/next-word.svg", json.loads(self.murmur(*page).stdout))
        made = json.loads(self.murmur(*page, "vocabulary=words.csv").stdout)
        self.assertIn("flock/figures/next-word.svg", made)
        self.assertIn("From swarm to next word", (self.folder / "flock/report.html").read_text())

    def test_refusals(self):
        show = ("measure", "flock", "show=next-word")
        (self.folder / "long.csv").write_text("2,0,0\n")
        (self.folder / "torn.csv").write_text("sea,1,0,0\nsky,0,1\n")
        (self.folder / "flat.csv").write_text("1,0\n0,1\n")
        (self.folder / "open.csv").write_text('"sea,1,0,0\n')
        np.save(self.folder / "line.npy", np.ones(3))
        self.refused(INPUT, *show, "vocabulary=0", what="no such vocabulary")
        self.refused(INPUT, *show, "vocabulary=seven", what="no such vocabulary", do=".csv")
        self.refused(INPUT, *show, "vocabulary=long.csv", what="norm 2", do="length")
        self.refused(INPUT, *show, "vocabulary=torn.csv", what="3 fields", where="line 2")
        self.refused(INPUT, *show, "vocabulary=open.csv", what="is not closed")
        self.refused(INPUT, *show, "vocabulary=flat.csv", what="2 coordinates, tokens 3")
        self.refused(INPUT, *show, "vocabulary=line.npy", what="not a vocabulary", do="(V, d)")
        self.refused(INPUT, *show, "words=names.txt", what="points of their own")
        self.refused(INPUT, *show, "kappa=inf", what="not a finite number")
        self.refused(INPUT, *show, "share=2", what="between 0 and 1")
        self.refused(INPUT, *show, "token=9", what="no token 9", do="token=8")
        self.refused(INPUT, "measure", "flock", "show=atoms", "kappa=3", do="show=next-word")
        self.refused(USAGE, "render", "flock", "figure=next-word", "-o", "x.gif", what="cannot be written")
        self.refused(INPUT, "render", "flock", "figure=next-word", "--frame", "7", what="no frame 7")
        self.refused(INPUT, "report", "flock", "vocabluary=3", what="no parameter", do="vocabulary")


if __name__ == "__main__":
    murmur.main()
