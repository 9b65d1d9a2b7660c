#!/usr/bin/env python3
"""published_perceptron.py: writes src/reproduce/published_perceptron.h, the swarm that the companion code of 2601.21366 draws.

Its units come from numpy's default_rng(777): two directions on the circle, then a standard normal factor each. Its 200 angles
come from default_rng(42), uniform. With --check the file is compared and not written.

Usage: python3 scripts/published_perceptron.py [--check]
"""
import pathlib
import sys

import numpy as np

PATH = pathlib.Path(__file__).resolve().parent.parent / "src/reproduce/published_perceptron.h"
HEAD = """// published_perceptron.h: units and angles that the companion code of 2601.21366 draws.
// Written by scripts/published_perceptron.py.
#pragma once

namespace murmur {

// clang-format off
"""


def numbers(values, a_line=4):
    words = [f"{value!r}" for value in map(float, values)]
    lines = [", ".join(words[k : k + a_line]) for k in range(0, len(words), a_line)]
    return "{\n    " + ",\n    ".join(lines) + "}"


def text():
    draw = np.random.default_rng(777)
    units = draw.normal(size=(2, 2))
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    factors = draw.normal(size=2)
    angles = np.random.default_rng(42).uniform(0, 2 * np.pi, 200)
    return (
        HEAD
        + f"inline constexpr double kPublishedUnits[4] = {numbers(units.ravel())};  // (2, 2): a_m\n"
        + f"inline constexpr double kPublishedFactors[2] = {numbers(factors)};  // omega_m\n"
        + f"inline constexpr double kPublishedAngles[200] = {numbers(angles)};\n"
        + "// clang-format on\n\n}  // namespace murmur\n"
    )


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if PATH.read_text() == text() else f"{PATH} is not what this script writes: run it")
    PATH.write_text(text())
