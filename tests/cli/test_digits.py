"""A swarm is trained on pictures of leaning bars, asked, flown, reported; nonsense is refused."""

import gzip
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile
import unittest
import zlib

import numpy as np

import bars
import murmur

USAGE, INPUT = 2, 3  # exit codes
SMALL = ("--size", "480x320")


def idx(array):
    shape = b"".join(struct.pack(">I", extent) for extent in array.shape)
    return bytes([0, 0, 8, array.ndim]) + shape + array.astype(np.uint8).tobytes()


def png(pixels):
    """A grey PNG of (height, width) bytes."""
    def chunk(kind, body):
        check = struct.pack(">I", zlib.crc32(kind + body))
        return struct.pack(">I", len(body)) + kind + body + check
    height, width = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels.astype(np.uint8))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head)
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def with_text(model, key, value):
    """The bytes of a safetensors file with one text of its metadata changed."""
    length = struct.unpack("<Q", model[:8])[0]
    header = json.loads(model[8:8 + length])
    header["__metadata__"][key] = value
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + model[8 + length:]


class Digits(murmur.Case):
    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="murmur-digits-", dir=murmur.SCRATCH))
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)
        cls.data = bars.save(cls.shared / "bars")
        cls.pictures, cls.labels = bars.draw(60, 2)
        cls.run_ = cls.shared / "trained"
        subprocess.run([str(murmur.PROGRAM), "train", f"data={cls.data}", "digits=3,7", "epochs=12",
                        "hidden=16", "blocks=3", "batch=20", "-q", "-o", str(cls.run_)],
                       check=True, env=murmur.environment(), stdout=subprocess.DEVNULL)

    def file(self, name, content):
        (self.folder / name).write_bytes(content)
        return name

    def classify(self, images, *words, **options):
        done = self.murmur("classify", self.run_, f"images={images}", "--json", *words, **options)
        return json.loads(done.stdout)


class Classify(Digits):
    def test_reads_its_test_set(self):
        rows = self.classify("test")
        self.assertEqual([row["index"] for row in rows], list(range(60)))
        self.assertEqual([row["label"] for row in rows], list(self.labels))
        right = sum(row["verdict"] == row["label"] for row in rows)
        self.assertGreaterEqual(right, 57)
        summary = json.loads((self.run_ / "summary.json").read_text())
        self.assertAlmostEqual(right / 60, summary["test_accuracy"], places=12)
        for row in rows:
            self.assertEqual(set(row["scores"]), {"3", "7"})
            best = max(row["scores"], key=row["scores"].get)
            self.assertEqual(best, str(row["verdict"]))
            odds = np.exp(np.array(list(row["scores"].values())) - row["scores"][best])
            self.assertAlmostEqual(row["chance"], 1 / odds.sum(), places=9)

    def test_every_kind_of_file_says_the_same(self):
        expected = [row["scores"] for row in self.classify("test:4-6")]
        chosen = self.pictures[4:7]
        self.save("some.npy", chosen)
        self.file("some-images-idx3-ubyte", idx(chosen))
        self.file("packed-images-idx3-ubyte.gz", gzip.compress(idx(chosen)))
        for name in ("some.npy", "some-images-idx3-ubyte", "packed-images-idx3-ubyte.gz",
                     "some.npy:0-2"):
            rows = self.classify(name)
            self.assertEqual([row["scores"] for row in rows], expected, name)
            self.assertNotIn("label", rows[0])
        for k in range(3):
            self.assertEqual(self.classify(self.file("one.png", png(chosen[k])))[0]["scores"],
                             expected[k])
            dark_on_light = self.file("ink.png", png(255 - chosen[k]))
            self.assertEqual(self.classify(dark_on_light)[0]["scores"], expected[k])
        self.assertEqual(self.classify("some.npy:1")[0]["index"], 1)

    def test_labels_beside_are_used(self):
        for packed in (False, True):
            wrap = gzip.compress if packed else bytes
            self.file("my-images-idx3-ubyte", idx(self.pictures))
            self.file("my-labels-idx1-ubyte" + (".gz" if packed else ""), wrap(idx(self.labels)))
            rows = self.classify("my-images-idx3-ubyte:0-3")
            self.assertEqual([row["label"] for row in rows], list(self.labels[:4]))
            os.remove(self.folder / ("my-labels-idx1-ubyte" + (".gz" if packed else "")))
        self.file("my-labels-idx1-ubyte", idx(np.full(60, 9, dtype=np.uint8)))
        told = self.murmur("classify", self.run_, "images=my-images-idx3-ubyte:0").stdout.split()
        self.assertEqual(told[-2:], ["9", "other"])
        self.file("my-labels-idx1-ubyte", idx(self.labels[:5]))
        self.refused(INPUT, "classify", self.run_, "images=my-images-idx3-ubyte",
                     what="60 pictures and 5 labels")

    def test_lines(self):
        done = self.murmur("classify", self.run_, "images=test:3-4")
        for line, index in zip(done.stdout.splitlines(), (3, 4)):
            fields = line.split()
            self.assertEqual(fields[0], str(index))
            self.assertIn(int(fields[1]), bars.DIGITS)
            self.assertGreaterEqual(float(fields[2]), 0.5)
            self.assertEqual(fields[5], str(self.labels[index]))
            self.assertEqual(fields[6], "right" if fields[1] == fields[5] else "wrong")
        self.assertRegex(done.stderr, r"of 2 right")

    def test_a_large_drawing_is_centred_and_shown(self):
        large = np.full((300, 200), 240, dtype=np.uint8)  # light paper, and a bar in a corner
        row, col = np.mgrid[0:300, 0:200]
        large[(np.abs((col - 50) + 0.55 * (row - 60)) < 6) & (np.abs(row - 60) < 45)] = 30
        done = self.murmur("classify", self.run_, "images=" + self.file("big.png", png(large)))
        self.assertIn("200 pixels wide, 300 high", done.stderr)
        self.assertIn("20 x 20", done.stderr)
        self.assertRegex(done.stderr, "[▀▄█]")
        self.assertEqual(done.stdout.split()[1], "7")  # top right to bottom left
        quiet = self.murmur("classify", self.run_, "images=big.png", "-q")
        self.assertEqual(quiet.stderr, "")

    def test_keeps_a_flight(self):
        self.murmur("classify", self.run_, "images=test:5", "--no-film", "-o", "kept")
        self.murmur("simulate", f"model={self.run_}", "init=test:5", "-o", "flown")
        kept, flown = self.folder / "kept", self.folder / "flown"
        self.assertEqual(murmur.promised(kept), murmur.promised(flown))
        for name in ("flight.png", "dissent.png"):
            self.assertTrue((kept / "figures" / name).read_bytes().startswith(b"\x89PNG"))
        self.murmur("measure", "kept")
        self.murmur("render", "kept", "-o", "end.png")
        self.refused(USAGE, "classify", self.run_, "images=test:5", "-o", "kept")

    def test_keeps_flights_past_the_depth(self):
        self.murmur("classify", self.run_, "images=test:5,2", "blocks=7", "--no-film", "-o", "two")
        self.assertEqual(sorted(path.name for path in (self.folder / "two").iterdir()),
                         ["2", "5", "figures"])
        self.murmur("simulate", f"model={self.run_}", "init=test:5", "T=0.7", "-o", "flown")
        self.assertEqual(murmur.promised(self.folder / "two/5"),
                         murmur.promised(self.folder / "flown"))
        frames, _ = murmur.frames_and_times(self.folder / "two/2")
        self.assertEqual(len(frames), 8)
        self.murmur("measure", "two/2")
        scores = json.loads(self.murmur("classify", self.run_, "images=test:2", "blocks=7",
                                        "--json").stdout)[0]["scores"]
        self.assertAlmostEqual(scores["7"], frames[-1].mean(axis=0)[0], places=3)
        ask = ("classify", self.run_)
        self.refused(USAGE, *ask, "images=test:1,2", "-o", "two", what="already there")
        self.murmur(*ask, "images=test:2,5", "--no-film", "-o", "two", "--force")
        self.assertEqual(len(murmur.frames_and_times(self.folder / "two/2")[0]), 4)
        self.refused(USAGE, *ask, "images=test:0-12", "-o", "more", what="at most 12")
        self.refused(USAGE, *ask, "images=test:0-3,2", "-o", "more", what="given twice")
        self.refused(USAGE, *ask, "images=test:1", "without_head=0", "-o", "more", what="does not work with")
        for bad in ("0", "-1", "x", "1000", ""):
            self.refused(INPUT, *ask, "images=test:1", f"blocks={bad}", "-o", "more",
                         where="blocks=")
        self.assertFalse((self.folder / "more").exists())

    def test_lists(self):
        rows = self.murmur("classify", self.run_, "images=test:0-3,8,5-6").stdout.splitlines()
        self.assertEqual([row.split()[0] for row in rows], list("0123856"))
        for row in rows:
            alone = self.murmur("classify", self.run_, f"images=test:{row.split()[0]}").stdout
            self.assertEqual(alone.strip(), row)
        np.save(self.folder / "a,b.npy", self.pictures[:4])
        rows = self.murmur("classify", self.run_, "images=a,b.npy:1,3").stdout.splitlines()
        self.assertEqual([row.split()[0] for row in rows], ["1", "3"])

    def test_refusals(self):
        ask = ("classify", self.run_)
        self.refused(USAGE, "classify")
        self.refused(USAGE, *ask)
        self.refused(USAGE, *ask, "images=")
        self.refused(INPUT, *ask, "image=test", do="classify takes images, ")
        self.refused(INPUT, "classify", "nowhere", "images=test")
        self.refused(INPUT, *ask, "images=nowhere")
        self.refused(INPUT, *ask, "images=nowhere.png")
        self.refused(INPUT, *ask, "images=test:60", what="60", do="0 to 59")
        self.refused(INPUT, *ask, "images=test:5-99999", what="99999")
        self.refused(INPUT, *ask, "images=test:1,60", what="60", do="0 to 59")
        self.refused(INPUT, *ask, "images=test:1,999999999", what="999999999")
        for bad in ("test:", "test:x", "test:5-", "test:-5", "test:7-3", "test:1-2-3",
                    "test:99999999999999999999", "test:1.5", "test:1,", "test:,1", "test:1,,2",
                    "test:1,x", "test:1,3-2", "test:1 ,2"):
            self.refused(INPUT, *ask, f"images={bad}", where="images=")
        self.refused(INPUT, *ask, "images=test", "data=nowhere", where="nowhere")
        black = np.zeros((2, 28, 28), dtype=np.uint8)
        self.refused(INPUT, *ask, "images=" + self.save("black.npy", black), what="no ink")
        self.refused(INPUT, *ask, "images=" + self.file("black.png", png(black[0])), what="ink")
        small = bars.draw(2, 3, size=14)[0]
        self.refused(INPUT, *ask, "images=" + self.save("small.npy", small), what="14 x 14")
        self.refused(INPUT, *ask, "images=" + self.file("s-images-idx3-ubyte", idx(small)),
                     what="14 x 14")
        self.refused(INPUT, *ask, "images=" + self.save("float.npy", small / 255), do="bytes")
        whole = idx(self.pictures[:2])
        packed = gzip.compress(whole)
        for cut in (0, 3, 15, 400, len(whole) - 1):
            self.refused(INPUT, *ask, "images=" + self.file("cut", whole[:cut]), where="cut")
        for cut in (5, len(packed) // 2, len(packed) - 1):
            self.refused(INPUT, *ask, "images=" + self.file("cut.gz", packed[:cut]), where="cut.gz")
        one = png(self.pictures[0])
        for cut in (0, 20, len(one) // 2):
            self.refused(INPUT, *ask, "images=" + self.file("cut.png", one[:cut]), where="cut.png")
        self.refused(INPUT, *ask, "images=" + self.file("labels", idx(self.labels)), what="label")

    def test_other_models_are_refused(self):
        model = (self.run_ / "model.safetensors").read_bytes()
        self.file("cut.safetensors", model[:-4])
        self.refused(INPUT, "classify", "cut.safetensors", "images=test", where="cut.safetensors")
        self.file("other.safetensors", with_text(model, "hidden", "17"))
        self.refused(INPUT, "classify", "other.safetensors", "images=test",
                     what=r"blocks\.0\.in.* \(17, 3\).*\(16, 3\)", where="other.safetensors")
        self.simulate("plain", "n=4", "T=1")
        self.refused(INPUT, "classify", "plain", "images=test", what="no trained swarm")
        self.refused(INPUT, "simulate", "model=plain", what="no trained swarm")
        self.refused(INPUT, "simulate", "model=nowhere")
        self.refused(INPUT, "simulate", "model=")


class Saving(Digits):
    def verdicts(self, *words):
        done = self.murmur("classify", self.run_, "images=test:0-9", *words)
        return [line.split()[1] for line in done.stdout.splitlines()], done.stderr

    def test_pictures_stop_when_their_tokens_rest(self):
        shallow, _ = self.verdicts("blocks=1")
        first, talk = self.verdicts("rest=1000")
        self.assertEqual(first, shallow)
        self.assertIn("1.00 of 3 blocks on average; 33.3 % of the multiply-adds", talk)
        whole, _ = self.verdicts()
        never, talk = self.verdicts("rest=1e-9")
        self.assertEqual(never, whole)
        self.assertIn("3.00 of 3 blocks on average; 100.0 % of the multiply-adds, 100.0 % of the pairs",
                      talk)

    def test_tokens_that_are_near_become_one(self):
        shares = []
        for merge in ("1e-9", "0.8", "3"):
            _, talk = self.verdicts(f"merge={merge}")
            shares.append(float(talk.split(" % of the pairs")[0].split()[-1]))
        self.assertEqual(shares[0], 100)
        self.assertGreater(shares[0], shares[1])
        self.assertGreater(shares[1], shares[2])
        one = self.classify("test:3", "merge=0.8")[0]
        self.assertEqual(set(one), {"index", "verdict", "chance", "scores", "label"})

    def test_wrong_distances_are_refused(self):
        for word in ("rest=soon", "rest=-1", "merge=nan", "merge="):
            self.refused(INPUT, "classify", self.run_, "images=test:0", word, what="distance",
                         where=word, do="10 from the centre")
        self.refused(USAGE, "classify", self.run_, "images=test:0", "rest=1", "-o", "kept",
                     what="without -o")


class Simulate(Digits):
    def fly(self, name, *words, **options):
        return self.simulate(name, f"model={self.run_}", *words, **options)

    def test_a_frame_a_block(self):
        run = self.fly("run", "init=test:1")
        frames, times = murmur.frames_and_times(run)
        np.testing.assert_allclose(times, [0, 0.1, 0.2, 0.3])
        ink = np.argwhere(self.pictures[1] > 127)
        expected = 20 * (ink / 27 - 0.5)
        np.testing.assert_allclose(frames[0], np.c_[expected[:, 1], -expected[:, 0], 0 * ink[:, 0]],
                                   atol=1e-6)
        mean = frames[-1].mean(axis=0)
        scores = self.classify("test:1")[0]["scores"]
        self.assertAlmostEqual(scores["3"], -mean[0], places=3)
        self.assertAlmostEqual(scores["7"], mean[0], places=3)

    def test_the_run_needs_its_model_no_longer(self):
        copy = self.folder / "copy"
        shutil.copytree(self.run_, copy)
        self.simulate("long", "model=copy", "init=test:2", "T=0.9")
        self.simulate("run", "model=copy", "init=test:2")
        shutil.rmtree(copy)
        self.murmur("simulate", "--resume", "run", "T=0.9")
        run, long = self.folder / "run", self.folder / "long"
        self.assertEqual(murmur.promised(run), murmur.promised(long))
        self.murmur("measure", "run", "--json")
        self.murmur("export", "run", "-o", "run.xyz")
        self.murmur("render", "run", "-o", "run.png")
        self.murmur("runs", "show", "run")
        self.murmur("runs", "diff", "run", "long")
        self.assertIn("as trained", self.murmur("explain", "run").stdout)
        self.murmur("classify", "run", "images=test:0", f"data={self.data}")

    def test_starts(self):
        n = np.load(self.fly("a", "init=test:3") / "trajectory.npy").shape[1]
        finer = np.load(self.fly("b", "init=test:3:2") / "trajectory.npy").shape[1]
        self.assertGreater(finer, 3 * n)
        self.file("digit.png", png(self.pictures[3]))
        plane = murmur.trajectory(self.folder / "a")[0][:, :2]
        self.save("plane.npy", plane)
        self.save("space.npy", np.c_[plane, 0 * plane[:, 0]])
        for k, init in enumerate(("digit.png", "plane.npy", "space.npy")):
            run = self.fly(f"c{k}", f"init={init}")
            np.testing.assert_allclose(murmur.trajectory(run), murmur.trajectory(self.folder / "a"),
                                       atol=1e-9)
        self.fly("d", "init=train:0")
        self.fly("e")  # test:0
        self.fly("f", "init=gaussian", "n=5")

    def test_is_drawn_with_gates_and_verdict(self):
        run = self.fly("run", "init=test:1")
        data = f"data={self.data}"
        self.murmur("render", "run", data, "-o", "known.png", *SMALL)
        self.murmur("render", "run", "-o", "same.png", *SMALL)  # where the swarm learned
        elsewhere = {"HOME": "/nowhere", "XDG_DATA_HOME": "", "MURMUR_DATA": "/nowhere"}
        self.murmur("render", "run", data, "-o", "start.png", "--frame", "0", *SMALL)
        self.murmur("render", "run", "cluster_tol=0.1", "-o", "clusters.png", *SMALL)
        model = self.file("m.safetensors", with_text((self.run_ / "model.safetensors").read_bytes(),
                                                     "data", "/nowhere"))
        self.simulate("unknown", f"model={model}", "init=test:1", data)
        self.murmur("render", "unknown", "-o", "unknown.png", *SMALL, env=elsewhere)  # no truth
        self.murmur("render", "unknown", data, "-o", "found.png", *SMALL, env=elsewhere)
        seen = {path.name: path.read_bytes() for path in self.folder.glob("*.png")}
        seen = {name: content[content.index(b"IDAT"):] for name, content in seen.items()}
        for name in ("same.png", "found.png"):
            self.assertEqual(seen[name], seen["known.png"], name)
        for name in ("start.png", "clusters.png", "unknown.png"):
            self.assertNotEqual(seen[name], seen["known.png"], name)
        self.refused(INPUT, "render", "unknown", "data=/nowhere", "-o", "x.png", where="nowhere")
        self.refused(INPUT, "render", "run", "--frame", "9", "-o", "x.png", what="frame 9")
        for word in ("time=log", "--log-time"):  # frames are blocks; observables have a time axis
            self.refused(INPUT, "render", "run", word, "-o", "x.png", what="no time axis")
            self.refused(INPUT, "render", str(self.run_), word, what="no time axis")
        self.murmur("render", "run", "time=linear", "-o", "plot.svg")
        self.assertFalse((self.folder / "x.png").exists())
        self.assertTrue((run / "trajectory.npy").is_file())

    def test_refusals(self):
        go = ("simulate", f"model={self.run_}")
        for word in ("beta=4", "query=identity", "dynamics=USA", "habitat=sphere", "d=4"):
            self.refused(INPUT, *go, word, what=word.split("=")[0], where=word)
        for init in ("test:60", "test:x", "test:", "test:1:0", "test:1:2:3", "train:1e9",
                     "nowhere.png", "nowhere.npy", "tset:4"):
            self.refused(INPUT, *go, f"init={init}")
        self.save("wide.npy", np.ones((4, 5)))
        self.refused(INPUT, *go, "init=wide.npy", what=r"\(4, 5\)")
        self.refused(INPUT, *go, "T=0.25", what="T")
        self.refused(INPUT, *go, "init=test:0", "data=nowhere", where="nowhere")
        self.refused(INPUT, "simulate", "init=test:0", do="model=")

    def test_where_pictures_are_looked_for(self):
        model = self.file("m.safetensors", with_text((self.run_ / "model.safetensors").read_bytes(),
                                                     "data", "auto"))
        nowhere = {"HOME": "/nowhere", "XDG_DATA_HOME": ""}
        self.refused(INPUT, "simulate", f"model={model}", env=nowhere, do="data")
        self.refused(INPUT, "classify", model, "images=test", env=nowhere, do="data")
        shutil.copytree(self.data, self.folder / "share/murmur/mnist")
        places = ({"MURMUR_DATA": str(self.data)}, {"XDG_DATA_HOME": str(self.folder / "share")})
        for k, place in enumerate(places):
            self.simulate(f"run{k}", f"model={model}", env={**nowhere, **place})
            self.murmur("classify", model, "images=test:0", env={**nowhere, **place})
        shutil.copytree(self.data, self.folder / "data/mnist")
        self.simulate("here", f"model={model}", env=nowhere)
        self.simulate("named", f"model={self.run_}", "data=mnist", env=nowhere)


class Fields(Digits):
    def test_every_ending_style_and_view(self):
        draw = ("render", self.run_, "figure=fields")
        for k, words in enumerate((["-o", "f.png"], ["-o", "f.svg"], ["-o", "f.pdf", "--light"],
                                   ["view=space", "-o", "space.svg"], ["z=5", "-o", "high.svg"],
                                   ["view=plane", "block=2", "head=0", "-o", "plane.svg"],
                                   ["-o", "light.svg", "--style", "paper"],
                                   ["-o", "small.png", "--size", "640x700"])):
            self.murmur(*draw, *words)
        recipe = re.compile(rb"<metadata.*?</metadata>", re.DOTALL)
        bytes_of = {path.name: recipe.sub(b"", path.read_bytes())
                    for path in self.folder.glob("*.svg")}
        self.assertEqual(len(set(bytes_of.values())), 4, "block=2 of shared blocks is the same")
        self.assertEqual(bytes_of["f.svg"], bytes_of["plane.svg"])
        width, height = struct.unpack(">II", (self.folder / "small.png").read_bytes()[16:24])
        self.assertEqual((width, height), (640, 700))
        self.murmur(*draw, "-q")
        self.assertTrue((self.run_ / "figures/fields.png").is_file())

    def test_a_row_a_head(self):
        self.murmur("train", f"data={self.data}", "digits=3,7", "epochs=1", "hidden=4", "heads=2",
                    "blocks=2", "d=4", "-q", "-o", "heads")
        for words in (["-o", "all.svg"], ["head=1", "-o", "one.svg"], ["head=0", "-o", "zero.svg"]):
            self.murmur("render", "heads", "figure=fields", *words)
        self.assertEqual(len({(self.folder / f"{name}.svg").read_bytes()
                              for name in ("all", "one", "zero")}), 3)
        self.refused(INPUT, "render", "heads", "figure=fields", "head=2", "-o", "x.svg",
                     what="no head 2", do="head=1")

    def test_refusals(self):
        draw = ("render", self.run_, "figure=fields", "-o", "x.svg")
        self.refused(INPUT, *draw, "block=3", what="no block 3", do="block=2")
        self.refused(INPUT, *draw, "head=1", what="no head 1")
        self.refused(INPUT, *draw, "head=x", what="x")
        self.refused(INPUT, *draw, "z=high", what="is not a height", where="z=high")
        self.refused(INPUT, *draw, "z=nan", what="is not a height")
        self.refused(INPUT, *draw, "view=side", what="side", do="view=space")
        self.refused(INPUT, *draw, "view=space", "z=1", what="takes no height")
        self.refused(INPUT, *draw, "colour=red", where="colour=red")
        self.refused(USAGE, "render", self.run_, "figure=fields", "-o", "x.mp4", what="mp4")
        self.simulate("plain", "n=4", "T=1")
        self.refused(INPUT, "render", "plain", "figure=fields", "-o", "x.svg",
                     what="no trained swarm")
        self.assertFalse((self.folder / "x.svg").exists())


class Reports(Digits):
    def test_training(self):
        copy = self.folder / "copy"
        shutil.copytree(self.run_, copy)
        done = self.murmur("report", "copy", "--no-film")
        for line in done.stdout.splitlines():
            self.assertGreater((self.folder / line).stat().st_size, 1000, line)
        page = (copy / "report.html").read_text()
        self.assertIn("test accuracy", page)
        self.assertNotIn("published", page)  # nobody published leaning bars
        self.assertGreaterEqual(page.count("data:image/"), 6)
        self.assertNotRegex(page, r'(src|href)="(?!data:|#)')
        for name in ("training.svg", "confusion.png", "mistakes.png", "flight.png", "dissent.png",
                     "fields-block-0.png", "fields-block-0.svg", "fields-block-0-space.svg",
                     "fields-block-0-planes.png"):
            self.assertTrue((copy / "figures" / name).is_file(), name)

    def test_flight(self):
        self.simulate("run", "n=8", "T=2", "save=every:0.5")
        done = self.murmur("report", "run", "--no-film")
        self.assertTrue(done.stdout.splitlines()[-1].endswith("report.html"))
        page = (self.folder / "run/report.html").read_text()
        self.assertIn("effective_rank", page)
        self.assertNotIn("<video", page)

    @unittest.skipUnless(shutil.which("ffmpeg"), "no ffmpeg")
    def test_film(self):
        self.murmur("classify", self.run_, "images=test:1", "-o", "kept")
        self.assertGreater((self.folder / "kept/video/flight.mp4").stat().st_size, 10_000)
        if murmur.LONG:
            shutil.copytree(self.run_, self.folder / "copy")
            self.murmur("report", "copy")
            self.assertIn("<video", (self.folder / "copy/report.html").read_text())

    def test_refusals(self):
        self.refused(USAGE, "report")
        self.refused(INPUT, "report", "nowhere")
        self.simulate("run", "n=4", "T=1")
        self.refused(INPUT, "report", "run", "beta=3", what="beta")
        self.refused(USAGE, "report", "run", "-o", "x.html")
        unfinished = self.folder / "unfinished"
        shutil.copytree(self.run_, unfinished)
        (unfinished / "model.safetensors").unlink()
        self.refused(INPUT, "report", "unfinished", what="no trained swarm", do="murmur train")


if __name__ == "__main__":
    murmur.main()
