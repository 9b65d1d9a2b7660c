"""What the web page carries: trained swarms, a phase map that can be flown again, digits."""

import csv
import hashlib
import json
import os
import pathlib
import struct
import subprocess
import unittest

import numpy as np

import murmur

PUBLIC = murmur.ROOT / "studio/public"
MNIST = pathlib.Path(os.environ.get("MURMUR_DATA") or murmur.ROOT / "data/mnist")
LARGEST_MAP = 200_000  # bytes: the page loads it whole


def header(path):
    """Metadata and {name: shape} of a safetensors file, and the bytes its arrays take."""
    with open(path, "rb") as file:
        arrays = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        body = len(file.read())
    about = arrays.pop("__metadata__")
    return about, {name: array["shape"] for name, array in arrays.items()}, body


def idx(path, opening):
    return np.frombuffer(path.read_bytes(), np.uint8, offset=opening)


class Models(murmur.Case):
    rows = json.loads((PUBLIC / "models/index.json").read_text())

    def test_every_file_is_listed_once(self):
        files = sorted(path.name for path in (PUBLIC / "models").glob("*.safetensors"))
        self.assertEqual(sorted(row["file"] for row in self.rows), files)
        self.assertEqual([row["name"] for row in self.rows],
                         ["5-6", "3-8", "4-9", "1-7", "0-6", "ten", "same", "alone"])

    def test_the_list_says_what_the_files_say(self):
        for row in self.rows:
            with self.subTest(row["name"]):
                path = PUBLIC / "models" / row["file"]
                about, shapes, body = header(path)
                self.assertEqual(path.stat().st_size, row["bytes"])
                self.assertEqual(about["digits"], ",".join(map(str, row["digits"])))
                self.assertEqual(int(about["blocks"]), row["blocks"])
                self.assertEqual(about["shared"], "true" if row["shared"] else "false")
                self.assertEqual(int(about["d"]), row["d"])
                self.assertEqual(about["data"], "auto")  # no place of one machine
                self.assertEqual(shapes.pop("targets"), [len(row["digits"]), row["d"]])
                parameters = sum(int(np.prod(shape)) for shape in shapes.values())
                self.assertEqual(parameters, row["parameters"])
                self.assertEqual(body, 4 * parameters + 8 * len(row["digits"]) * row["d"])
                free = {name.split(".")[1] for name in shapes}
                self.assertEqual(len(free), 1 if row["shared"] else row["blocks"])

    def test_the_command_would_train_that(self):
        for row in self.rows:
            with self.subTest(row["name"]):
                program, command, *words = row["command"].split()
                self.assertEqual((program, command), ("murmur", "train"))
                told = self.murmur("train", *words, "--dry-run",
                                   env={"MURMUR_DATA": str(MNIST)}).stdout
                said = dict(line.replace('"', "").split(" = ") for line in told.splitlines()
                            if " = " in line)
                self.assertEqual(int(said["blocks"]), row["blocks"])
                self.assertEqual(said["shared"], "true" if row["shared"] else "false")
                self.assertEqual(int(said["d"]), row["d"])
                self.assertEqual(int(said["epochs"]), row["epochs"])
                self.assertEqual(int(said["seed"]), row["seed"])

    def test_accuracies(self):
        """Every test digit, or pair, is asked again; an odd one may lie on the border of a class."""
        if not MNIST.is_dir():
            self.skipTest(f"MNIST is not in {MNIST}")
        for row in self.rows:
            with self.subTest(row["name"]):
                count = 8192 if row["task"] == "same" else 10000
                told = self.murmur("classify", PUBLIC / "models" / row["file"],
                                   f"images=test:0-{count - 1}", "-q",
                                   env={"MURMUR_DATA": str(MNIST)})
                verdicts = [line.split()[-1] for line in told.stdout.splitlines()]
                self.assertEqual(len(verdicts), count)
                asked = verdicts.count("right") + verdicts.count("wrong")
                self.assertEqual(asked + verdicts.count("other"), count)
                self.assertAlmostEqual(verdicts.count("right"), row["test_accuracy"] * asked,
                                       delta=1.01)


class Map(murmur.Case):
    path = PUBLIC / "maps/circle.json"
    map = json.loads(path.read_text())
    betas, times = (axis["values"] for axis in map["axes"])

    def replay(self, name, **pixel):
        """observables.csv of one flight of the map, by the words the page uses."""
        settings = {**self.map["replay"]["words"], **pixel}
        run = self.simulate(name, *(f"{key}={value}" for key, value in settings.items()), "-q")
        with open(run / "observables.csv", newline="") as file:
            return list(csv.DictReader(file))

    def sweep(self, name, **changed):
        """sweep.csv of the map's own command with some of its words changed."""
        program, command, *words = self.map["command"].split()
        self.assertEqual((program, command), ("murmur", "sweep"))
        settings = {**dict(word.split("=") for word in words), **changed}
        self.murmur("sweep", "-q", *(f"{key}={value}" for key, value in settings.items()),
                    "-o", name)
        with open(self.folder / name / "sweep.csv", newline="") as file:
            return list(csv.DictReader(file))

    def test_shape(self):
        self.assertLessEqual(self.path.stat().st_size, LARGEST_MAP)
        self.assertEqual([axis["name"] for axis in self.map["axes"]], ["beta", "t"])
        np.testing.assert_allclose(self.betas, np.linspace(0.1, 9, 90), atol=1e-12)
        np.testing.assert_allclose(self.times, np.linspace(0, 30, 101), atol=1e-12)
        values = {name: np.array(rows, float) for name, rows in self.map["values"].items()}
        self.assertEqual(set(values) | {"last_counts"}, set(self.map["columns"]))
        for name, rows in values.items():
            self.assertEqual(rows.shape, (90, 101), name)
        n, clusters = self.map["replay"]["words"]["n"], values["clusters"]
        for counts in (clusters, values["replica_0"]):
            self.assertTrue(np.all((counts >= 1) & (counts <= n)))
        self.assertTrue(np.all((values["close_pairs"] >= 0) & (values["close_pairs"] <= 1)))
        for k, counts in enumerate(self.map["last_counts"]):
            replicas = sum(counts.values())
            self.assertEqual(replicas, self.map["replicas"])
            mean = sum(int(many) * those for many, those in counts.items()) / replicas
            self.assertAlmostEqual(mean, clusters[k, -1], delta=5.1e-4)

    def test_the_command_makes_the_numbers(self):
        rows = self.sweep("again", beta=",".join(map(str, self.betas[9::20])))
        values = self.map["values"]
        self.assertEqual(len(rows), 5 * 101)
        for k, row in enumerate(rows):
            b, t = 9 + 20 * (k // 101), k % 101
            self.assertEqual(float(row["beta"]), self.betas[b])
            self.assertAlmostEqual(float(row["t"]), self.times[t])
            for name in ("clusters", "clusters_se", "close_pairs"):
                self.assertAlmostEqual(float(row[name]), values[name][b][t], delta=5.1e-4)

    def test_pixels_fly_again(self):
        """A pixel's own T ends at its count; the whole row's flight passes through all of them."""
        stored = self.map["values"]["replica_0"]
        for b, t in ((0, 10), (19, 33), (39, 77), (64, 50), (89, 2), (89, 100)):
            with self.subTest(beta=self.betas[b], t=self.times[t]):
                flight = self.replay(f"pixel-{b}-{t}", beta=self.betas[b], T=self.times[t],
                                     replica=0)
                self.assertEqual(float(flight[-1]["t"]), self.times[t])
                self.assertEqual(float(flight[-1]["clusters"]), stored[b][t])
        for b in (4, 34, 74):
            flight = self.replay(f"row-{b}", beta=self.betas[b], T=self.times[-1], replica=0)
            self.assertEqual([float(frame["clusters"]) for frame in flight[::3]], stored[b])

    def test_replicas_of_the_sweep_are_replicas_of_simulate(self):
        """The mean over a sweep's replicas is the mean over flights of replica 0, 1, 2, ..."""
        beta, last = self.betas[79], self.times[20]
        cell = self.sweep("cell", beta=beta, replicas=16, T=last, times=21)
        flights = [self.replay(f"replica-{r}", beta=beta, T=last, replica=r) for r in range(16)]
        for k, row in enumerate(cell):
            for name, digits in (("clusters", 12), ("mean_cos", 9)):
                mean = np.mean([float(flight[3 * k][name]) for flight in flights])
                self.assertAlmostEqual(mean, float(row[name]), digits)
        self.assertGreater(len({flight[-1]["mean_cos"] for flight in flights}), 10)

    def test_switches(self):
        told = json.loads(self.murmur("reproduce", "fastest-modes", "--quick", "--json",
                                      "--progress", "none").stdout)
        ours = [row["circle"] for row in told["switches"]]
        switches = self.map["fastest_mode"]["switches"]
        self.assertTrue(switches and switches[-1] <= self.betas[-1] < ours[len(switches)])
        np.testing.assert_allclose(switches, ours[:len(switches)], atol=1e-6)


class Digits(murmur.Case):
    script = murmur.ROOT / "scripts/page_digits.py"

    def test_digits(self):
        if not MNIST.is_dir():
            self.skipTest(f"MNIST is not in {MNIST}")
        subprocess.run([self.script, MNIST, self.folder], check=True)
        about = json.loads((self.folder / "digits.json").read_text())
        content = (self.folder / "digits.bin").read_bytes()
        self.assertEqual(hashlib.sha256(content).hexdigest(), about["sha256"])
        shape = (about["count"], about["height"], about["width"])
        self.assertEqual(shape, (500, 28, 28))
        pictures = np.frombuffer(content, np.uint8).reshape(shape)
        labels = idx(MNIST / "t10k-labels-idx1-ubyte", 8)
        images = idx(MNIST / "t10k-images-idx3-ubyte", 16).reshape(-1, 28, 28)
        taken = {digit: 0 for digit in range(10)}
        expected = {}
        for k, label in enumerate(labels.tolist()):
            if taken[label] < 50:
                expected[50 * label + taken[label]] = k
                taken[label] += 1
        self.assertEqual(about["index"], [expected[k] for k in range(500)])
        self.assertEqual(about["labels"], [k // 50 for k in range(500)])
        np.testing.assert_array_equal(pictures, images[about["index"]])

    def test_refusals(self):
        for words in (["nowhere"], ["a", "b", "c"], ["--help"]):
            done = subprocess.run([self.script, *words], cwd=self.folder, capture_output=True,
                                  text=True)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"^murmur: .+\n  where: .+\n  do:    .+\n$")
        short = self.folder / "short"
        short.mkdir()
        (short / "t10k-images-idx3-ubyte").write_bytes(b"\0\0\x08\x03\0\0")
        done = subprocess.run([self.script, short, self.folder], capture_output=True, text=True)
        self.assertIn("not an idx file", done.stderr)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["short"])


if __name__ == "__main__":
    murmur.main()
