#!/usr/bin/python3
"""page_digits.py: 500 test digits for the web page, written when it is built.

    scripts/page_digits.py [MNIST [FOLDER]]        data/mnist, studio/public

FOLDER/digits.bin   u8 (500, 28, 28) in C order, no header: rows from the top, 0 paper, 255 ink.
                    Digit k is of class k // 50: the first 50 of each in the test set's order.
FOLDER/digits.json  {"count", "height", "width", "labels": [count], "index": [count], "sha256"}:
                    index is the K of `init=test:K`, sha256 that of digits.bin.
"""

import hashlib
import json
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
A_CLASS = 50


def refuse(what, where, remedy):
    sys.exit(f"murmur: {what}\n  where: {where}\n  do:    {remedy}")


def read_idx(path, axes):
    """An idx file of bytes: 0, 0, 8, number of axes, their lengths in big-endian u4, the bytes."""
    try:
        data = path.read_bytes()
    except OSError as error:
        refuse(f"a file of MNIST cannot be read: {error.strerror}", path,
               "source scripts/common.sh and scripts/mnist.sh, then call fetch_mnist")
    opening = 4 + 4 * axes
    shape = np.frombuffer(data[4:opening].ljust(4 * axes, b"\0"), ">u4").tolist()
    if data[:4] != bytes((0, 0, 8, axes)) or len(data) != opening + np.prod(shape, dtype=np.int64):
        refuse(f"not an idx file of bytes with {axes} axes", path, "fetch MNIST again")
    return np.frombuffer(data, np.uint8, offset=opening).reshape(shape)


def write_digits(mnist, folder):
    images = read_idx(mnist / "t10k-images-idx3-ubyte", 3)  # (10000, 28, 28)
    labels = read_idx(mnist / "t10k-labels-idx1-ubyte", 1)  # (10000)
    if len(images) != len(labels):
        refuse("there are not as many labels as pictures", mnist, "fetch MNIST again")
    index = np.concatenate([np.flatnonzero(labels == digit)[:A_CLASS] for digit in range(10)])
    if len(index) != 10 * A_CLASS:
        refuse(f"a class has fewer than {A_CLASS} pictures", mnist, "fetch MNIST again")
    pictures = images[index].tobytes()
    about = {
        "count": len(index),
        "height": images.shape[1],
        "width": images.shape[2],
        "labels": labels[index].tolist(),
        "index": index.tolist(),
        "sha256": hashlib.sha256(pictures).hexdigest(),
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "digits.bin").write_bytes(pictures)
    (folder / "digits.json").write_text(json.dumps(about, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    given = [pathlib.Path(word) for word in sys.argv[1:]]
    if len(given) > 2 or any(str(word).startswith("-") for word in given):
        refuse("too many words, or an option", "command line", "give at most MNIST and FOLDER")
    defaults = [ROOT / "data/mnist", ROOT / "studio/public"]
    write_digits(*(given + defaults[len(given):]))
