"""observables.py: the observables by their definitions, in numpy, for the tests."""

import csv
import io
import math

import numpy as np


def table(text):
    """Columns of a csv by name; an empty cell is NaN."""
    rows = list(csv.DictReader(io.StringIO(text)))
    return {name: np.array([float(row[name] or "nan") for row in rows]) for name in rows[0]}


def cosines(x):
    """Of the pairs i < j."""
    u = x / np.linalg.norm(x, axis=1, keepdims=True)
    return (u @ u.T)[np.triu_indices(len(x), 1)]


def expected_row(x, m, beta):
    """The observables by their definitions, for Q = K = V = I on the sphere."""
    g = x @ x.T
    scores = beta * g + np.log(m)
    a = np.exp(scores - scores.max(axis=1, keepdims=True))
    a /= a.sum(axis=1, keepdims=True)
    s = np.linalg.svd(x, compute_uv=False)
    s = s[s > 1e-14] / s.sum()
    c = cosines(x)
    return {
        "energy": m @ np.exp(beta * g) @ m / (2 * beta),
        "energy_scaled": m @ np.exp(beta * (g - 1)) @ m,
        "order": np.linalg.norm(m @ x),
        "mean_cos": c.mean(), "min_cos": c.min(), "max_cos": c.max(),
        "close_pairs": (c > 0.999).mean(),
        "attention_entropy": -(a * np.log(a)).sum(axis=1).mean(),
        "effective_rank": math.exp(-(s * np.log(s)).sum()),
    }


def components(x, tol):
    """Sizes of the components of the graph <x_i, x_j> > 1 - tol."""
    left, sizes = set(range(len(x))), []
    while left:
        stack, size = [left.pop()], 0
        while stack:
            i = stack.pop()
            size += 1
            near = [j for j in left if x[i] @ x[j] > 1 - tol]
            left.difference_update(near)
            stack += near
        sizes.append(size)
    return sorted(sizes)
