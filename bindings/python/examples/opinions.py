"""opinions.py: opinions under bounded confidence (Deffuant, Hegselmann-Krause), with a user-defined force.

x_i' = mean of x_j - x_i over the particles within reach: people listen to those with similar opinions.
"""
import numpy as np

import murmur

REACH = 0.2


def bounded_confidence(t, x):
    near = np.linalg.norm(x[:, None] - x[None], axis=2) < REACH
    return near @ x / near.sum(axis=1, keepdims=True) - x


draw = np.random.default_rng(7)
start = np.column_stack([draw.uniform(0, 1, 200), np.zeros(200)])  # opinions on one line
run = murmur.simulate(init=start, dynamics="none", habitat="space", T=40, rtol=1e-6, atol=1e-8,
                      external=murmur.External("bounded-confidence", bounded_confidence),
                      cluster_tol=0.01)
camps = run.clusters().count
print(run)
print(f"{camps} camps, of {', '.join(str(size) for size in run.clusters().size)} people")
