"""meeting.py: finds the value matrix V with which two swarms meet at a given place and time.

usage: python3 meeting.py [PICTURE.png]     draws both trajectories if matplotlib is installed
"""
import sys

import numpy as np

import murmur

PLACE, TIME = np.array([0.3, 0.4, 1.0]) / np.linalg.norm([0.3, 0.4, 1.0]), 2.0
draw = np.random.default_rng(1)


def swarm(centre):
    x = np.asarray(centre) + 0.25 * draw.standard_normal((12, 3))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def miss(x):
    """The mean squared distance to the place, and its derivative in x."""
    return np.mean(np.sum((x - PLACE) ** 2, axis=1)), 2 * (x - PLACE) / len(x)


def fit(flow, V, updates=200, rate=0.1):
    """Adam (1412.6980) on V only."""
    m = v = np.zeros_like(V)
    for update in range(1, updates + 1):
        g = murmur.gradient(flow, miss, at={"value": V})["value"]
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        V = V - rate * (m / (1 - 0.9**update)) / (np.sqrt(v / (1 - 0.999**update)) + 1e-8)
    return V


def picture(path, trajectories):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    to_us = np.array([0.75, 0.75, 0.9]) / np.linalg.norm([0.75, 0.75, 0.9])  # the direction of view
    right = np.cross([0, 0, 1], to_us)
    right /= np.linalg.norm(right)
    axes = np.stack([right, np.cross(to_us, right)])
    figure, panels = plt.subplots(1, 3, figsize=(11, 3.9), gridspec_kw={"width_ratios": [1, 1, 1.15]})
    for panel, (name, g) in zip(panels, trajectories.items()):
        panel.add_patch(plt.Circle((0, 0), 1, color="#eef2f7", zorder=0))
        for rows, colour in ((slice(0, 12), "#1f77b4"), (slice(12, 24), "#d95f02")):
            paths = g.frames[:, rows] @ axes.T
            panel.plot(paths[..., 0], paths[..., 1], color=colour, lw=0.8, alpha=0.7)
            panel.scatter(*paths[0].T, s=9, color=colour)
            panel.scatter(*paths[-1].T, s=22, color=colour, edgecolor="black", lw=0.5, zorder=3)
        panel.plot(*(axes @ PLACE), "k+", ms=16, mew=1.4, zorder=4)
        panel.set(title=name, xlim=(-1.05, 1.05), ylim=(-1.05, 1.05), aspect="equal")
        panel.axis("off")
    for style, (name, g) in zip(("k--", "k-"), trajectories.items()):
        worst = np.linalg.norm(g.frames - PLACE, axis=2).max(axis=1)
        panels[2].semilogy(g.times, worst, style, lw=1.3, label=name)
    panels[2].set(xlabel="t", title="farthest token from the place")
    panels[2].legend()
    figure.tight_layout()
    figure.savefig(path, dpi=130)


start = np.concatenate([swarm([1, 0, 0.2]), swarm([-0.2, 1, 0.1])])
flow = murmur.Flow(init=start, beta=4, T=TIME, save="every:0.05", rtol=1e-6, atol=1e-8)
V = fit(flow, np.eye(3))
trajectories = {"V = identity": murmur.gradient(flow, miss, at={"value": np.eye(3)}),
           "V fitted": murmur.gradient(flow, miss, at={"value": V})}
for name, g in trajectories.items():
    worst = np.linalg.norm(g.x - PLACE, axis=1).max()
    print(f"{name}: loss {g.loss:.2g}, the farthest token is {worst:.2g} off the place at t = {TIME:g}")
print(np.round(V, 2))
if len(sys.argv) > 1:
    picture(sys.argv[1], trajectories)
