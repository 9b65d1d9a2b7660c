"""Each refusal in its own words: leaving one out must not be hidden by the next."""

import numpy as np

import murmur


class Refusals(murmur.Case):
    def each(self, code, *rows):
        for words, what in rows:
            with self.subTest(words=words):
                self.refused(code, *words.split(), what=what)

    def test_words_of_commands(self):
        self.save("x.npy", murmur.unit_points(4, 2))
        (self.folder / "folder").mkdir()
        self.simulate("run", "n=4", "T=1")
        self.murmur("sweep", "beta=1:2:2", "n=4", "T=1", "replicas=2", "times=2", "-q", "-o", "cells")
        self.each(
            2,
            ("bench n=4", "bench takes velocity"),
            ("bench digits", "bench takes velocity"),
            ("bench velocity n=4 --python python3", "is only for the table"),
            ("runs verify", "no run to verify"),
            ("runs delete", "no run to delete"),
            ("runs list beta=3", "is for runs resume and runs branch"),
            ("measure run x.npy", "only one thing can be measured"),
            ("meanfield dynamics=USA beta=1 kappa=1:3:4 -o folder", "is a directory"),
            ("sweep --resume cells -o other", "stays in its run"),
            ("reproduce nothing", "no reproduction nothing"),
            ("reproduce kinetic equiangular", "only one reproduction"),
            ("reproduce --all kinetic", "takes no name"),
            ("reproduce kinetic -o place", "is written below the folder"),
            ("reproduce 2312.1079", "no reproduction 2312.1079"),
            ("reproduce swarm-table seed=3", "has its own seeds"),
        )

    def test_words_of_measure(self):
        self.save("x.npy", murmur.unit_points(4, 2))
        self.save("y.npy", murmur.unit_points(4, 3))
        self.each(
            3,
            ("measure x.npy show=centres beta=0", "distance of centres"),
            ("measure x.npy show=histogram bins=2.5", "not a whole number"),
            ("measure x.npy bins=3", "needs show="),
            ("measure y.npy show=distance to=uniform", "to=uniform needs w1 or w2"),
            ("measure x.npy show=distance to=uniform distance=sliced",
             "to=uniform needs w1 or w2"),
            ("measure x.npy cluster_tol=-1", "cluster_tol"),
        )

    def test_parameters_of_simulations(self):
        self.save("flat.npy", np.ones(3))
        self.save("w_in.npy", np.ones((4, 3)))
        self.save("v_in.npy", np.ones(4))
        self.save("v_out.npy", np.ones((3, 4)))
        self.each(
            3,
            ("simulate rtol=1e-16 atol=1e-17", "more digits than doubles have"),
            ("simulate method=rk4 dt=2 T=1", "longer than T"),
            ("simulate method=strang noise=-1", "must be 0 or above"),
            ("simulate value=gaussian redraw=-1", "must be 0 or above"),
            ("simulate habitat=ellipsoid gains=1,2 d=3", "has 2 numbers for 3 coordinates"),
            ("simulate init=clusters:x", "is not a number"),
            ("simulate init=clusters:3:0.1:4", "wrong number of arguments"),
            ("simulate perceptron=nonsense", "is neither none, gaussian:H"),
            ("simulate d=3 perceptron=w_*.npy", "has no array named out"),
            ("simulate d=3 perceptron=v_*.npy", "in is not a matrix"),
            ("simulate habitat=space normalisation=mix:x", "is not a number of 0 or above"),
            ("simulate normalisation=ngpt:-1", "ngpt"),
            ("simulate engine=nonsense", "engine"),
            ("simulate model=nothing-there", "names no model|there is no"),
        )

    def test_parameters_of_other_runs(self):
        self.each(
            3,
            ("landscape tolerance=2", "is not from 1e-14 to 1"),
            ("meanfield solver=quantiles noise=0.1 dynamics=USA", "needs the spectral solver"),
            ("meanfield init=modes:", "names no modes"),
            ("meanfield init=nonsense", "is not a measure"),
            ("meanfield init=atoms:0*", "has no weight"),
            ("sweep beta=1:2:1000001", "from 1 to 1000000 values"),
            ("sweep beta=-1:2:5:log", "lies above 0"),
            ("sweep beta={1,2", "never closed"),
            ("sweep beta=1:2:3 axes=beta,beta", "there twice"),
        )

    def test_branches(self):
        self.simulate("run", "n=6", "d=3", "T=1", "save=every:0.5")
        self.each(
            3,
            ("runs branch run n=7", "n=7 cannot change in a branch"),
            ("runs branch run habitat=space", "the manifold cannot change"),
        )


if __name__ == "__main__":
    murmur.main()
