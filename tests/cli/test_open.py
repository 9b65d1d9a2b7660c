"""murmur open: every picture tells what made it, and is made again to the same bytes."""

import json
import pathlib
import random

import murmur

LOUD = ("-q", "--force")


class Open(murmur.Case):
    def again(self, picture):
        """The picture made anew from its own metadata, somewhere else."""
        other = self.folder / ("again" + pathlib.Path(picture).suffix)
        self.murmur("open", str(picture), "-o", str(other), *LOUD)
        return other.read_bytes()

    def simulated(self, name, *words):
        self.murmur("simulate", "-q", *words, "-o", name)
        return name

    def test_one_picture_of_each_kind(self):
        run = self.simulated("swarm", "n=12", "T=2", "save=every:0.1", "seed=5")
        for words in (("scene.png", "--frame", "3", "--light", "--size", "400x320"),
                      ("plot.svg", "--plot", "clusters,energy"), ("log.pdf", "--log-time"),
                      ("order.png", "--plot", "order"),
                      ("film.gif", "--seconds", "0.5", "--fps", "10", "--size", "320x320"),
                      ("film.mp4", "--seconds", "0.5", "--fps", "10", "--size", "320x320")):
            with self.subTest(words[0]):
                self.murmur("render", run, "-o", *words)
                told = json.loads(self.murmur("open", words[0], "--json").stdout)
                self.assertEqual(told["seed"], 5)
                self.assertEqual(told["make"][0], ["simulate", "@config"])
                self.assertEqual(told["make"][1][:2], ["render", "@run"])
                self.assertNotIn("file", told)
                self.assertEqual(self.again(words[0]), (self.folder / words[0]).read_bytes())
        said = self.murmur("open", "scene.png").stdout
        self.assertIn("murmur render swarm --frame 3 --light --size 400x320\n", said)
        self.assertIn("seed = 5\n", said)

    def test_pictures_that_lie_in_runs(self):
        run = self.simulated("swarm", "n=6", "d=2", "T=1")
        self.murmur("render", run, "-q", "--seconds", "0.5", "--fps", "8", "--size", "320x320")
        self.murmur("reproduce", "equiangular", "--quick", "-q", "--runs", "figures")
        self.murmur("meanfield", "-q", "d=2", "T=0.2", "modes=32", "-o", "limit")
        self.murmur("render", "limit", "-q")
        self.murmur("sweep", "-q", "n=6", "T=0.5", "beta=1,2,3", "d=2,3", "-o", "grid")
        pictures = [path for folder in (run, "figures", "limit", "grid")
                    for path in sorted((self.folder / folder).rglob("*"))
                    if path.suffix in (".png", ".svg", ".pdf", ".mp4")]
        self.assertGreater(len(pictures), 12)
        many = murmur.LONG and len(pictures) or 5
        for picture in random.Random(0).sample(pictures, many):
            with self.subTest(str(picture.relative_to(self.folder))):
                self.assertEqual(self.again(picture), picture.read_bytes())

    def test_threads_and_places_change_nothing(self):
        one = self.simulated("one", "n=6", "T=1", "threads=1")
        self.murmur("render", one, "-o", "one.png", "-q")
        two = self.simulated("two", "n=6", "T=1", "threads=2")
        self.murmur("render", str((self.folder / two).resolve()), "--json", "-o", "two.png")
        first = json.loads(self.murmur("open", "one.png", "--json").stdout)
        second = json.loads(self.murmur("open", "two.png", "--json").stdout)
        for told in (first, second):  # other names
            del told["command"], told["run"]
        self.assertEqual(first, second)

    def test_refusals(self):
        (self.folder / "plain.svg").write_text("<svg></svg>\n")
        (self.folder / "text.png").write_text("no picture")
        self.refused(3, "open", "plain.svg", what="no recipe")
        self.refused(3, "open", "text.png", what="no recipe")
        self.refused(3, "open", "missing.png", what="no such picture")
        self.refused(2, "open", what="one picture")
        run = self.simulated("swarm", "n=6", "T=1")
        self.murmur("render", run, "-o", "scene.png")
        self.refused(2, "open", "scene.png", "-o", "scene.svg", what="same kind")
        self.refused(2, "open", "scene.png", "-o", "scene.png", what="already there")

    def test_hostile_recipes(self):
        """A picture may come from anywhere: it can have commands run that make pictures, no others."""
        good = {"murmur": "1", "commit": "x", "seed": 0, "command": "c", "config": "n = 4\n",
                "make": [["simulate", "@config"], ["render", "@run"]]}
        for change in ({"make": []}, {"make": "rm"}, {"make": [["studio"]]}, {"make": [[1]]},
                       {"make": [["runs", "delete", "x"]]}, {"file": "../../etc/passwd"},
                       {"make": [["render", "@run", "-o", "elsewhere.png"]]},
                       {"make": [["simulate", "@config", "--runs=elsewhere"]]},
                       {"make": [["simulate", "@config", "-oelsewhere"]]},
                       {"file": "/etc/passwd"}, {"murmur": 7}, {"run": ".."}, {"run": "a/b"}):
            text = json.dumps({**good, **change})
            (self.folder / "bad.svg").write_text(
                f'<svg>\n<metadata id="murmur"><![CDATA[{text}]]></metadata></svg>\n')
            with self.subTest(str(change)):
                before = murmur.tree(self.folder)
                done = self.murmur("open", "bad.svg", "-o", "new.svg", code=3)
                self.assertEqual(len(done.stderr.splitlines()), 3, done.stderr)
                self.assertEqual(murmur.tree(self.folder), before)

    def test_a_branch_is_not_made_again(self):
        run = self.simulated("swarm", "n=6", "T=1")
        self.murmur("runs", "branch", run, "beta=2", "T=2", "-o", "other", "-q")
        self.murmur("render", "other", "-o", "branch.png")
        self.refused(3, "open", "branch.png", "-o", "again.png", what="branch")


if __name__ == "__main__":
    murmur.main()
