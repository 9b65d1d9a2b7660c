"""murmur report over runs of meanfield: the page, its numbers, and what it refuses."""

import json

import murmur

INPUT = 3


class MeanFieldPage(murmur.Case):
    WORDS = ("d=2", "beta=5", "dynamics=USA", "init=mode:3:1e-4", "T=0.02", "-q", "-o", "flow")

    def test_page_tells_rates_beside_theory(self):
        self.murmur("meanfield", *self.WORDS)
        made = json.loads(self.murmur("report", "flow", "--json", "-q").stdout)
        self.assertEqual(made[-1], "flow/report.html")
        for path in made:
            self.assertTrue((self.folder / path).exists(), path)
        page = (self.folder / "flow/report.html").read_text()
        told = json.loads((self.folder / "flow/phases.json").read_text())
        self.assertIn("data:image/svg+xml", page)
        self.assertIn("mode&nbsp;3", page)
        for rates in ("growth_rates", "predicted_rates"):
            self.assertIn(f"{told[rates]['3']:.8g}", page)

    def test_render_draws_what_the_page_shows(self):
        self.murmur("meanfield", *self.WORDS)
        made = self.murmur("render", "flow", "-q").stdout.split()
        self.assertEqual(made, ["flow/figures/meanfield.svg", "flow/figures/meanfield.png"])
        self.assertFalse((self.folder / "flow/report.html").exists())
        self.refused(2, "render", "flow", "-o", "x.png", what="written into it")
        self.refused(INPUT, "render", "flow", "beta=3", what="takes no parameters")

    def test_a_run_without_phases_is_refused(self):
        self.murmur("meanfield", *self.WORDS)
        (self.folder / "flow/phases.json").unlink()
        self.refused(INPUT, "report", "flow", what="did not keep", where="phases.json")


if __name__ == "__main__":
    murmur.main()
