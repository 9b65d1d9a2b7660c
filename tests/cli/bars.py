"""bars.py: a small set of pictures to learn from: bars that lean left (3) or right (7)."""

import numpy as np

DIGITS = (3, 7)  # labels of bars that lean left and right


def draw(count, seed, size=28):
    """(count, size, size) bytes and labels: thick bars, leaning left or right."""
    random = np.random.default_rng(seed)
    labels = np.array([DIGITS[k % 2] for k in range(count)], dtype=np.uint8)
    row, col = np.mgrid[0:size, 0:size] - (size - 1) / 2
    pictures = np.zeros((count, size, size), dtype=np.uint8)
    for k in range(count):
        angle = (0.5 if labels[k] == DIGITS[1] else -0.5) + random.normal(0, 0.1)
        away = np.abs(col * np.cos(angle) + row * np.sin(angle) + random.normal(0, 1))
        along = np.abs(row * np.cos(angle) - col * np.sin(angle))
        pictures[k][(away < 2) & (along < size / 3)] = 255
    return pictures, labels


def save(folder):
    """A data set of npy files: 400 bars to learn from, 60 to be tested on."""
    folder.mkdir()
    for part, count, seed in (("train", 400, 1), ("test", 60, 2)):
        pictures, labels = draw(count, seed)
        np.save(folder / f"{part}_images.npy", pictures)
        np.save(folder / f"{part}_labels.npy", labels)
    return folder
