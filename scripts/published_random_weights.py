#!/usr/bin/env python3
"""One cell of Fig. 5 of 2312.10794 by numpy, in both normalisations of its random matrices.

Prints the share of pairs with cosine above 0.999 at t = 30 for n = 32 tokens, d = 128, beta = 4, V = I,
layers of 0.1: first with the scores of the companion code (phase-diagrams.py, randomKQ=1: Q^T K = G1 G2 / sqrt(d),
entries of G standard normal), then with entries of Q and K of variance 1 / d. Takes the number of swarms, 64.
`murmur reproduce random-weights` compares its own cells with what this printed for 512 swarms. Needs numpy.
"""

import sys

import numpy as np

N, D, BETA, STEP, LAYERS = 32, 128, 4.0, 0.1, 300


def unit(x):
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def share_of_close_pairs(rng, scale):
    """Of one swarm with its own start and matrices; `scale` multiplies Q^T K of entries of variance 1."""
    x = unit(rng.standard_normal((N, D)))
    scores = scale * rng.standard_normal((D, D)) @ rng.standard_normal((D, D)) / np.sqrt(D)
    for _ in range(LAYERS):
        s = BETA * x @ scores @ x.T
        a = np.exp(s - s.max(axis=1, keepdims=True))
        x = unit(x + STEP * (a / a.sum(axis=1, keepdims=True)) @ x)
    return (x @ x.T)[~np.eye(N, dtype=bool)].__gt__(0.999).mean()


def main():
    swarms = int(sys.argv[1]) if len(sys.argv) > 1 else 64
    for name, scale in (("companion code", 1.0), ("entries of variance 1/d", 1 / np.sqrt(D))):
        rng = np.random.default_rng(1)
        shares = [share_of_close_pairs(rng, scale) for _ in range(swarms)]
        error = np.std(shares, ddof=1) / np.sqrt(swarms)
        print(f"{name}: {np.mean(shares):.4f} +- {error:.4f} over {swarms} swarms")


if __name__ == "__main__":
    main()
