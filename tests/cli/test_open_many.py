"""Pictures of randomly chosen kinds and parameters are made again, byte for byte."""

import json
import os
import random
import shlex

import murmur

COUNT = 50 if murmur.LONG else 6
SEED = 20261117
ENDINGS = (".png", ".svg", ".pdf", ".mp4")
FILM = ("--seconds", "0.4", "--fps", "10", "--size", "320x320")
DATA = {"MURMUR_DATA": os.environ.get("MURMUR_DATA", str(murmur.ROOT / "data/mnist"))}


class Many(murmur.Case):
    """One draw of a kind is one picture; what a kind needs first (a training) is made once."""

    def murmur(self, *words, **options):
        return super().murmur(*words, env=DATA, **options)

    def swarm(self, draw, k):
        """A simulation of any manifold, force and method, small."""
        d = draw.choice((2, 3, 3, 4, 6))
        words = [f"n={draw.randint(4, 14)}", f"d={d}", f"beta={draw.choice((0.5, 2, 9))}",
                 f"seed={draw.randint(0, 99)}", f"T={draw.choice((0.5, 2))}",
                 f"dynamics={draw.choice(('SA', 'USA', 'causal', 'sinkhorn', 'euclidean'))}",
                 f"save={draw.choice(('every:0.1', 'log:12'))}"]
        if draw.random() < 0.4:
            words += [f"heads={draw.randint(1, 3)}", "query=gaussian", "value=gaussian"]
        if draw.random() < 0.3:
            words += ["perceptron=gaussian:5"]
        self.murmur("simulate", "-q", *words, "-o", f"run{k}")
        return f"run{k}"

    def look(self, draw):
        return [*draw.choice(((), ("--light",))),
                "--size", draw.choice(("320x320", "480x360", "640x360"))]

    def scene(self, draw, k):
        run = self.swarm(draw, k)
        self.murmur("render", run, "-q", "-o", f"{k}.png", *self.look(draw), "--frame",
                    draw.choice(("-1", "0", "2")), f"time={draw.choice(('log', 'linear'))}")
        return f"{k}.png"

    def film(self, draw, k):
        run = self.swarm(draw, k)
        self.murmur("render", run, "-q", "-o", f"{k}.mp4", *FILM, *draw.choice(((), ("--light",))))
        return f"{k}.mp4"

    def plot(self, draw, k):
        name = f"{k}{draw.choice(('.svg', '.pdf', '.png'))}"
        self.murmur("render", self.swarm(draw, k), "-q", "-o", name, "--plot",
                    ",".join(draw.sample(("order", "clusters", "effective_rank"), 2)))
        return name

    def dome(self, draw, k):
        name = f"{k}{draw.choice(ENDINGS)}"
        self.murmur("render", self.swarm(draw, k), "-q", "figure=dome", "-o", name,
                    f"token={draw.randint(0, 3)}", *(FILM if name.endswith("mp4") else ()))
        return name

    def figure(self, draw, k):
        figure = draw.choice(("attention", "cosines"))
        name = f"{k}{draw.choice(('.svg', '.pdf', '.png'))}"
        self.murmur("render", self.swarm(draw, k), "-q", f"figure={figure}", "-o", name,
                    *draw.choice(((), ("--style", "dark"))))
        return name

    def density(self, draw, k):
        self.murmur("simulate", "-q", f"n={draw.randint(5, 60)}", f"seed={draw.randint(0, 9)}",
                    "T=1", "-o", f"run{k}")
        name = f"{k}{draw.choice(('.png', '.mp4'))}"
        self.murmur("render", f"run{k}", "-q", "figure=density", "-o", name,
                    *(FILM if name.endswith("mp4") else self.look(draw)))
        return name

    def flow_map(self, draw, k):
        habitat = draw.choice(("sphere", "space"))
        self.murmur("simulate", "-q", "dynamics=none", "perceptron=gaussian:6", "n=5",
                    f"habitat={habitat}", f"d={draw.choice((2, 3))}", f"seed={draw.randint(0, 9)}",
                    "T=1", "save=every:0.1", "-o", f"run{k}")
        name = f"{k}{draw.choice(('.png', '.mp4'))}"
        self.murmur("render", f"run{k}", "-q", "-o", name,
                    *(FILM if name.endswith("mp4") else self.look(draw)))
        return name

    def one_below(self, draw, folder):
        return draw.choice([str(path) for path in sorted((self.folder / folder).rglob("*"))
                            if path.suffix in ENDINGS])

    def rendered(self, draw, k):
        run = self.swarm(draw, k)
        self.murmur("render", run, "-q", *FILM)
        return self.one_below(draw, run)

    def reported(self, draw, k):
        run = self.swarm(draw, k)
        self.murmur("report", run, "-q", "--no-film",
                    "--style", draw.choice(("paper", "slides", "dark")))
        return self.one_below(draw, run)

    def meanfield(self, draw, k):
        self.murmur("meanfield", "-q", "d=2", f"beta={draw.uniform(1, 4):.3f}", "T=0.2", "modes=32",
                    "-o", f"run{k}")
        return self.one_below(draw, f"run{k}")

    def bifurcation(self, draw, k):
        name = f"{k}{draw.choice(('.svg', '.pdf', '.png'))}"
        self.murmur("meanfield", "-q", "dynamics=USA", "beta=4",
                    f"kappa=0.3:{draw.choice((0.5, 0.6))}:5", "-o", name)
        return name

    def landscape(self, draw, k):
        self.murmur("landscape", "-q", "d=2", "n=4", "starts=4", f"seed={draw.randint(0, 9)}",
                    "-o", f"run{k}")
        return self.one_below(draw, f"run{k}")

    def sweep(self, draw, k):
        self.murmur("sweep", "-q", "n=6", "T=0.5", "beta=1,2,3", "d=2,3",
                    f"seed={draw.randint(0, 9)}", "-o", f"run{k}")
        return self.one_below(draw, f"run{k}")

    def reproduction(self, draw, k):
        self.murmur("reproduce", draw.choice(("equiangular", "kinetic")), "--quick", "-q",
                    "--runs", f"figures{k}")
        return self.one_below(draw, f"figures{k}")

    def training(self):
        if not (self.folder / "digits").exists():
            self.murmur("train", "-q", "epochs=1", "blocks=2", "hidden=4", "every=4",
                        "-o", "digits")
        return "digits"

    def classified(self, draw, k):
        self.murmur("classify", self.training(), f"images=test:{draw.choice((8, 11, 15))}", "-q",
                    "-o", f"kept{k}", *draw.choice(((), ("--no-film",))))
        return self.one_below(draw, f"kept{k}")

    def trained(self, draw, k):
        run = self.training()
        if not (self.folder / run / "figures").exists():
            self.murmur("report", run, "-q", "--no-film")
        return self.one_below(draw, run)

    KINDS = (scene, film, plot, dome, figure, density, flow_map, rendered, reported, meanfield,
             bifurcation, landscape, sweep, reproduction, classified, trained)

    def test_pictures_of_many_kinds(self):
        draw = random.Random(SEED)
        kinds = [kind for _ in range(COUNT) for kind in draw.sample(self.KINDS, len(self.KINDS))]
        same = 0
        for k, kind in enumerate(kinds[:COUNT]):
            with self.subTest(kind=kind.__name__, k=k):
                picture = kind(self, draw, k)
                told = json.loads(self.murmur("open", picture, "--json").stdout)
                self.assertLessEqual({"murmur", "commit", "command", "seed"}, set(told))
                shown = next(line for line in self.murmur("open", picture).stdout.splitlines()
                             if line.startswith("to create it again: murmur "))
                words = shlex.split(shown.partition(": murmur ")[2])
                self.murmur(*words, "-q", "--force")
                self.assertEqual((self.folder / words[-1]).read_bytes(),
                                 (self.folder / picture).read_bytes())
                same += 1
        print(f"{same} of {COUNT} pictures made again, byte for byte", flush=True)


if __name__ == "__main__":
    murmur.main()
