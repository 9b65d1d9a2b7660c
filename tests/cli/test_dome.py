"""murmur render figure=dome: figures and films of one token's move, of simulations and trainings."""

import json

import murmur

USAGE, INPUT = 2, 3
LAYERS = ("n=12", "d=5", "heads=3", "query=gaussian", "key=gaussian", "perceptron=gaussian:8",
          "method=layers", "dt=0.25", "T=1", "save=every:0.25")


class Dome(murmur.Case):
    def test_every_ending_of_blocks_and_flows(self):
        self.simulate("blocks", *LAYERS)
        self.simulate("flow", "n=12", "d=3", "T=1", "save=every:0.5")
        for run, when in (("blocks", "block=2"), ("flow", "t=0.6")):
            for ending in ("png", "svg", "pdf"):
                out = f"{run}.{ending}"
                made = self.murmur("render", run, "figure=dome", "token=3", when, "-o", out).stdout
                self.assertEqual(made.split(), [out])
        self.assertIn("<svg", (self.folder / "blocks.svg").read_text())
        looks = set()
        for look in ("--light", "--style=slides", "--style=dark"):
            self.murmur("render", "flow", "figure=dome", look, "-o", "look.svg", "--force")
            looks.add((self.folder / "look.svg").read_text())
        self.assertEqual(len(looks), 3)

    def test_a_film_of_the_blocks(self):
        self.simulate("blocks", *LAYERS)
        self.murmur("render", "blocks", "figure=dome", "head=1", "--fps", "4", "--seconds", "3",
                    "--size", "480x320", "-o", "dome.mp4")
        self.assertEqual((self.folder / "dome.mp4").read_bytes()[4:8], b"ftyp")

    def test_without_a_name_it_lies_in_the_run(self):
        self.simulate("blocks", *LAYERS)
        made = json.loads(self.murmur("render", "blocks", "figure=dome", "--json").stdout)
        self.assertEqual(made, ["blocks/figures/dome.png"])

    def test_the_page_shows_it(self):
        self.simulate("blocks", *LAYERS)
        made = json.loads(self.murmur("report", "blocks", "--no-film", "--json", "-q").stdout)
        self.assertIn("blocks/figures/dome.svg", made)
        page = (self.folder / "blocks/report.html").read_text()
        self.assertIn("One token's move", page.replace("&#39;", "'"))
        self.assertIn("Exact: the weights a_ij", page)
        self.assertIn("and the longer the key is", page)

    def test_refusals(self):
        self.simulate("blocks", *LAYERS)
        self.simulate("flow", "n=12", "d=3", "T=1", "save=every:0.5")
        render = ("render", "blocks", "figure=dome")
        self.refused(INPUT, "render", "blocks", "figure=door", what="no such figure")
        self.refused(INPUT, *render, "block=4", what="no block 4", do="block=3")
        self.refused(INPUT, *render, "token=12", what="no such token", do="0 to 11")
        self.refused(INPUT, *render, "head=3", what="no head 3", do="head=2")
        self.refused(INPUT, *render, "head=x", what="not the number of a head")
        self.refused(INPUT, *render, "t=inf", what="not a time")
        self.refused(INPUT, *render, "picture=3", what="does not apply to a simulation")
        self.refused(INPUT, "render", "flow", "figure=dome", "block=1", what="a flow in time")
        self.refused(USAGE, *render, "-o", "dome.gif", what="cannot be written as", do=".mp4")
        self.refused(INPUT, "render", "blocks", "token=3", what="no parameter token")
        self.refused(USAGE, "render", "flow", "--style", "slides", what="only for figure=NAME")


if __name__ == "__main__":
    murmur.main()
