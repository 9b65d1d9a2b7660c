"""Files of models that do harm: pipes in their place, weights that are cut while they are read."""

import json
import os
import pathlib
import shutil
import subprocess
import time

import murmur

FAMILIES = murmur.ROOT / "tests/fixtures/families"
RUNTIME, INPUT = 1, 3


class Pipes(murmur.Case):
    def pipe(self, name):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        os.mkfifo(path)
        return path

    def model(self, name):
        shutil.copytree(FAMILIES / "llama", self.folder / name)
        return self.folder / name

    def refused(self, *words, **more):  # the tree cannot be compared: reading a pipe waits
        done = self.murmur(*words, code=None, **more)
        self.assertEqual(done.returncode, INPUT, done.stdout + done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 3, done.stderr)

    def test_every_file_of_a_model(self):
        for name in ("config.json", "model.safetensors", "tokenizer.json",
                     "model.safetensors.index.json"):
            with self.subTest(name):
                folder = self.model(f"model-{name}")
                self.pipe(f"{folder.name}/{name}")
                self.refused("trace", folder, "--ids", "1,2")

    def test_single_files(self):
        for name in ("weights.bin", "nano.json", "tok.bin", "odd.safetensors"):
            path = self.pipe(name)
            with self.subTest(name):
                self.refused("trace", path, "--ids", "1,2")
                self.refused("tokenize", path)
                self.refused("trace", FAMILIES / "llama", "--ids", "1,2", "--tokenizer", path)
                self.refused("trace", FAMILIES / "llama", "--verify", path)
        folder = self.folder / "cache"
        (folder / "snapshots/a").mkdir(parents=True)
        self.pipe("cache/refs/main")
        self.refused("trace", folder, "--ids", "1,2")

    def test_inputs_of_other_commands(self):
        for name in ("states.npy", "states.safetensors", "points.csv", "experiment.toml",
                     "texts.txt"):
            path = self.pipe(name)
            with self.subTest(name):
                self.refused("import", path)
                self.refused("simulate", path)
                self.refused("simulate", f"init={path}")
                self.refused("trace", FAMILIES / "llama", "--file", path)
        for name in ("train-images-idx3-ubyte", "train_images.npy", "train/0/a.png"):
            folder = self.folder / f"data-{pathlib.Path(name).name}"
            (folder / "test/0").mkdir(parents=True)
            self.pipe(folder / name)
            with self.subTest(name):
                self.refused("train", f"data={folder}")


class Cut(murmur.Case):
    def test_weights_that_are_cut_while_they_are_mapped(self):
        folder = self.folder / "model"
        shutil.copytree(FAMILIES / "llama", folder)
        tokens = {"version": "1.0", "added_tokens": [], "normalizer": None,
                  "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": None,
                  "decoder": None,
                  "model": {"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "the": 1}}}
        (folder / "tokenizer.json").write_text(json.dumps(tokens))
        weights = folder / "model.safetensors"
        process = subprocess.Popen([str(murmur.PROGRAM), "trace", str(folder)], cwd=self.folder,
                                   env=murmur.environment(), stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self._end, process)
        # The text comes by standard input: until then the model is mapped and its numbers wait.
        mapped = pathlib.Path(f"/proc/{process.pid}/maps")
        while str(weights) not in mapped.read_text() and process.poll() is None:
            time.sleep(0.01)
        os.truncate(weights, 4096)
        out, err = process.communicate("the cat\n", timeout=120)
        self.assertEqual(process.returncode, RUNTIME, out + err)
        lines = err.splitlines()
        self.assertEqual(len(lines), 3, err)
        self.assertEqual(lines[0], "murmur: the file was truncated while it was read")
        self.assertEqual(lines[1], f"  where: {weights}")
        self.assertRegex(lines[2], "^  do:    ")
        self.assertEqual(out, "")


if __name__ == "__main__":
    murmur.main()
