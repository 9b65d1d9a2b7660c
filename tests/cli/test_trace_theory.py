"""What theory looks for in a traced transformer: attention as numbers, spectra, parts left out, the
phase diagram, candidates for the next token, and films with words and lines."""

import json
import unittest

import murmur
import numpy as np
from test_trace import (FAMILIES, IDS, INPUT, MODELS, SMALL, Trace, USAGE, read_safetensors,
                        write_safetensors)


class Attention(Trace):
    def test_as_numbers(self):
        run = self.trace("run", "llama", "--ids", "5,17,3,42/9,8,7")
        kept = read_safetensors(run / "activations.safetensors")
        pattern = kept["text1.blocks.1.attn.hook_pattern"].astype(float)
        told = json.loads(self.murmur("measure", "run", "show=attention", "text=1", "block=1", "head=2",
                                      "--json").stdout)
        np.testing.assert_allclose(told["weights"], pattern[2], atol=1e-12)
        self.assertEqual(told["tokens"], ["9", "8", "7"])
        np.testing.assert_allclose(told["received"], pattern[2].sum(axis=0), atol=1e-12)
        lines = self.murmur("measure", "run", "show=attention", "-q").stdout.split()
        mean = kept["text0.blocks.2.attn.hook_pattern"].astype(float).mean(axis=0)  # the last, of all heads
        np.testing.assert_allclose([[float(x) for x in line.split(",")] for line in lines], mean,
                                   atol=1e-12)

    def test_that_is_not_there(self):
        self.trace("run", "llama", "--ids", IDS, "--no-activations")
        self.refused(INPUT, "measure", "run", "show=attention", what="keeps no attention")
        self.trace("kept", "llama", "--ids", IDS)
        self.refused(INPUT, "measure", "kept", "show=attention", "block=3", what="no block 3")
        self.refused(INPUT, "measure", "kept", "show=attention", "head=4", what="no head 4")
        self.refused(INPUT, "measure", "kept", "show=attention", "text=1", what="no text 1")
        self.refused(INPUT, "measure", "kept", "show=attention", "frame=1", what="blocks", do="block=")
        self.murmur("simulate", "n=4", "T=1", "-o", "flock", "-q")
        self.refused(INPUT, "measure", "flock", "show=attention", "block=0", what="traced")
        self.murmur("measure", "flock", "show=attention", "-q")


class Spectra(Trace):
    def test_are_those_of_the_weights(self):
        run = self.trace("run", "gpt2", "--ids", IDS)
        spectra = np.load(run / "spectra.npy")
        w = read_safetensors(FAMILIES / "gpt2/model.safetensors")
        d = w["transformer.ln_f.weight"].shape[0]
        blocks, heads, maps, width, parts = spectra.shape
        self.assertEqual((maps, width * heads, parts), (2, d, 2))
        centre = np.eye(d) - 1 / d  # the norm takes the mean away, and then has its gain
        gain = np.diag(w["transformer.h.1.ln_1.weight"].astype(float)) @ centre
        qkv = w["transformer.h.1.attn.c_attn.weight"].astype(float)  # (d, 3 d)
        out = w["transformer.h.1.attn.c_proj.weight"].astype(float)  # (d, d), rows are inputs
        head = slice(width, 2 * width)  # of head 1
        q, k, v = (qkv[:, part * d:(part + 1) * d][:, head].T @ gain for part in range(3))
        for at, m in ((0, q.T @ k), (1, out[head].T @ v)):
            values = np.linalg.eigvals(m)
            values = values[np.argsort(-np.abs(values))][:width]
            ours = spectra[1, 1, at] @ [1, 1j]
            np.testing.assert_allclose(np.abs(ours), np.abs(values), rtol=1e-6)
            np.testing.assert_allclose(ours.sum(), values.sum(), atol=1e-8)
        rows = json.loads(self.murmur("measure", "run", "show=spectrum", "block=1", "head=1",
                                      "--json").stdout)
        np.testing.assert_allclose([r["re"] for r in rows if r["map"] == "ov"], spectra[1, 1, 1, :, 0])
        told = json.loads(self.murmur("measure", "run", "show=heads", "--json").stdout)
        for row in told:
            leading = spectra[row["block"], row["head"], 1, 0]
            self.assertAlmostEqual(row["ov_leading_re"], leading[0], places=12)
            self.assertEqual(row["theory"] == "turns", leading[1] != 0)
            if leading[0] < 0 and leading[1] == 0:
                self.assertEqual(row["theory"], "open")  # of rank w < d, it cannot be near -I
        self.assertTrue({row["theory"] for row in told} <= {"hyperplanes", "turns", "open"})
        self.murmur("render", "run", "figure=spectrum", "-o", "spectrum.svg")

    def test_of_states_from_elsewhere_are_not_known(self):
        self.save("states.npy", np.random.default_rng(1).normal(size=(3, 4, 5)))
        self.murmur("import", "states.npy", "-o", "run", "-q")
        self.refused(INPUT, "measure", "run", "show=spectrum", what="maps of this run are not known")


class Verdicts(Trace):
    """Of llamas with one head and d = 4 whose O V is V; the theorems' hypotheses, met and missed."""

    def heads(self, value, query=1.0):
        d, eye = len(value), np.eye(len(value))
        config = json.loads((FAMILIES / "llama/config.json").read_text())
        config |= {"head_dim": d, "hidden_size": d, "num_attention_heads": 1, "num_key_value_heads": 1,
                   "num_hidden_layers": 1, "intermediate_size": 2}
        draw = np.random.default_rng(1).normal
        block = {"self_attn.q_proj": query * eye, "self_attn.k_proj": eye, "self_attn.v_proj": value,
                 "self_attn.o_proj": eye, "mlp.gate_proj": np.zeros((2, d)),
                 "mlp.up_proj": np.zeros((2, d)), "mlp.down_proj": np.zeros((d, 2)),
                 "input_layernorm": np.ones(d), "post_attention_layernorm": np.ones(d)}
        (self.folder / "model").mkdir(exist_ok=True)
        self.write("model/config.json", json.dumps(config))
        write_safetensors(self.folder / "model/model.safetensors",
                          {"model.embed_tokens.weight": draw(size=(97, d)), "model.norm.weight": np.ones(d),
                           "lm_head.weight": draw(size=(97, d))} |
                          {f"model.layers.0.{name}.weight": w for name, w in block.items()})
        self.murmur("trace", "model", "--ids", IDS, "-o", "run", "-q", "--force")
        return self.murmur("measure", "run", "show=heads", "--json")

    def said(self, *words):
        return json.loads(self.heads(*words).stdout)[0]["theory"]

    def end(self, value, beta):
        """Smallest and largest cosine that the flow with that V ends in."""
        matrix = ";".join(",".join(map(str, row)) for row in value)
        self.murmur("simulate", "n=16", "d=4", f"beta={beta}", f"value=matrix:{matrix}", "T=40", "seed=1",
                    "-o", "flow", "-q", "--force")
        last = murmur.trajectory(self.folder / "flow")[-1]
        return (last @ last.T).min()

    def test_name_their_hypotheses(self):
        done = self.heads(0.5 * np.eye(4))
        row = json.loads(done.stdout)[0]
        self.assertEqual(row["theory"], "gathers")
        self.assertAlmostEqual(row["ov_identity"], 1, places=6)
        self.assertIn("for a single head that is the same in all layers, without mask", done.stderr)
        self.assertEqual(self.said(0.5 * np.eye(4), -1.0), "gathers")
        self.assertEqual(self.said(-np.eye(4)), "repels")
        self.assertEqual(self.said(np.diag([2, -1, 0.5, 0.2])), "hyperplanes")
        self.assertEqual(self.said(np.diag([2, -1, 0.5, 0.2]), -1.0), "open")
        self.assertEqual(self.said(np.diag([2, -2, 0.5, 0.2])), "open")

    def test_are_none_where_there_is_no_theorem(self):
        """Symmetric and positive, and yet two opposite points; the leading eigenvalue is negative, and
        yet one point: neither may be said to gather or to repel."""
        stretched, mixed = np.diag([4, 3.5, 3, 2.5]), np.diag([-2.0, 1, 1, 1])
        self.assertAlmostEqual(self.end(stretched, 4), -1, places=6)
        self.assertEqual(self.said(stretched, -1.0), "open")
        self.assertEqual(self.said(stretched), "hyperplanes")  # that of R^d, seen through e^{-tV}
        self.assertAlmostEqual(self.end(mixed, 1), 1, places=6)
        self.assertEqual(self.said(mixed), "open")

    def test_read_keys_behind_their_norms(self):
        w = read_safetensors(FAMILIES / "qwen3/model.safetensors")
        config = json.loads((FAMILIES / "qwen3/config.json").read_text())
        run = self.trace("run", "qwen3", "--ids", IDS)
        told = json.loads(self.murmur("measure", "run", "show=heads", "--json").stdout)
        width, share = config["head_dim"], config["num_attention_heads"] // config["num_key_value_heads"]
        at = "model.layers.1."
        gain = w[at + "input_layernorm.weight"].astype(float)
        for head in range(config["num_attention_heads"]):
            q = w[at + "self_attn.q_proj.weight"].astype(float)[head * width:(head + 1) * width] * gain
            k = w[at + "self_attn.k_proj.weight"].astype(float)[head // share * width:][:width] * gain
            m = ((w[at + "self_attn.q_norm.weight"].astype(float)[:, None] * q).T @
                 (w[at + "self_attn.k_norm.weight"].astype(float)[:, None] * k))
            row = next(r for r in told if (r["block"], r["head"]) == (1, head))
            self.assertAlmostEqual(row["qk_symmetry"], np.trace(m @ m) / (m * m).sum(), places=9)
            self.assertAlmostEqual(row["qk_identity"],
                                   np.trace(m) / np.sqrt(len(m) * (m * m).sum()), places=9)

    @unittest.skipUnless(MODELS, "no folder of trained models is given by MURMUR_MODELS")
    def test_of_keywords_hang_on_the_sign_of_the_values(self):
        """KWT-1 spreads its tokens; with the sign of its values changed it gathers them."""
        self.save("yes.npy", read_safetensors(MODELS / "kwt1/golden_yes.safetensors")["mfcc"])
        weights = read_safetensors(MODELS / "kwt1/kwt1.safetensors")
        (self.folder / "turned").mkdir()
        write_safetensors(self.folder / "turned/kwt1.safetensors",
                          {name: -w if name.endswith(".v.weight") else w for name, w in weights.items()})
        ends = []
        for model in (MODELS / "kwt1", "turned"):
            self.murmur("trace", model, "yes.npy", "-o", "run", "-q", "--force")
            rows = json.loads(self.murmur("measure", "run", "--json").stdout)
            ends.append(rows[-1]["mean_cos"] - rows[0]["mean_cos"])
        self.assertLess(ends[0], -0.15)
        self.assertGreater(ends[1], 0.5)


class Parts(Trace):
    def layers(self, name):
        return json.loads(self.murmur("measure", name, "show=layers", "--json").stdout)

    def test_left_out_in_turn(self):
        self.trace("run", "bert", "--ids", IDS, "--parts")
        rows = json.loads(self.murmur("measure", "run", "show=parts", "--json").stdout)
        self.assertEqual([r["without"] for r in rows if r["layer"] == 0],
                         ["none", "attention", "feed-forward", "norm"])
        for part, flags in (("none", ()), ("attention", ("--no-attention",)),
                            ("feed-forward", ("--no-ffn",)), ("norm", ("--no-norm",))):
            self.trace(f"without-{part}", "bert", "--ids", IDS, *flags)
            for row, layer in zip([r for r in rows if r["without"] == part],
                                  self.layers(f"without-{part}")):
                for key in ("mean_cos", "clusters", "effective_rank"):
                    self.assertAlmostEqual(row[key], layer[key], places=6, msg=f"{part} {key}")
        self.murmur("render", "run", "figure=parts", "-o", "parts.svg")
        self.refused(INPUT, "measure", "without-norm", "show=parts", what="no part", do="--parts")

    def test_a_run_made_without_attention_says_so(self):
        run = self.trace("run", "llama", "--ids", IDS, "--no-attention", "--no-norm")
        trace = json.loads((run / "trace.json").read_text())
        self.assertEqual((trace["attention"], trace["norms"], trace["feed_forward"]), (False, False, True))
        kept = read_safetensors(run / "activations.safetensors")
        np.testing.assert_array_equal(kept["text0.blocks.0.hook_resid_mid"],
                                      kept["text0.blocks.0.hook_resid_pre"])


class Phase(Trace):
    def test_places_of_layers(self):
        self.trace("run", "llama", "--ids", IDS)
        rows = json.loads(self.murmur("measure", "run", "show=phase", "--json").stdout)
        trace = json.loads((self.folder / "run/trace.json").read_text())
        self.assertEqual([r["layer"] for r in rows], [0, 1, 2, 3])
        betas = trace["block_beta"]
        np.testing.assert_allclose([r["beta"] for r in rows], np.clip([betas[0], *betas], -20, 20))
        frames = murmur.trajectory(self.folder / "run")
        twin = json.loads(self.murmur("measure", "run", "show=twin", "--json").stdout)
        flown = np.cumsum([r["tau"] for r in twin])
        for row, x, time in zip(rows, frames, flown):
            n = len(x)
            self.assertAlmostEqual(row["mean_cos"], ((x @ x.T).sum() - n) / (n * (n - 1)), places=9)
            self.assertAlmostEqual(row["flown"], time, places=6)
            self.assertTrue(row["t"] is None or 0 <= row["t"] <= 16)
        self.murmur("render", "run", "figure=phase", "-o", "phase.svg")
        self.assertIn("beta", (self.folder / "phase.csv").read_text())

    def test_the_flow_is_found_where_it_is(self):
        """Frames of the ideal flow from uniform tokens lie at their own times, for beta 1 of an import."""
        self.murmur("simulate", "n=32", "d=64", "beta=1", "seed=7", "T=4", "save=every:1", "-o", "flock",
                    "-q")
        self.save("states.npy", np.load(self.folder / "flock/trajectory.npy"))
        self.murmur("import", "states.npy", "-o", "read", "-q")
        rows = json.loads(self.murmur("measure", "read", "show=phase", "--json").stdout)
        np.testing.assert_allclose([r["t"] for r in rows], [0, 1, 2, 3, 4], atol=0.35)


class Candidates(Trace):
    def test_are_what_the_model_says(self):
        run = self.trace("run", "llama", "--ids", IDS)
        words = (run / "candidates.txt").read_text().split()
        points = np.load(run / "candidates.npy")
        self.assertEqual(points.shape, (12, 32))
        np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1, atol=1e-12)
        trace = json.loads((run / "trace.json").read_text())
        says = [row["token"] for row in trace["texts"][0]["lens"][-1]["says"]]
        self.assertEqual(words[:5], says)
        rows = json.loads(self.murmur("measure", "run", "show=next-word", "frame=last", "--json").stdout)
        x = murmur.trajectory(run)[-1, -1]
        scores = trace["candidates"]["kappa"] * points @ x
        expected = np.exp(scores - scores.max())
        self.assertEqual([row["word"] for row in rows], words)
        np.testing.assert_allclose([row["token"] for row in rows], expected / expected.sum(), atol=1e-9)
        # Logits are the scores, each with the length of its own word.
        w = read_safetensors(FAMILIES / "llama/model.safetensors")
        name = "lm_head.weight" if "lm_head.weight" in w else "model.embed_tokens.weight"
        u = w[name][[int(word) for word in words]] * w["model.norm.weight"]
        np.testing.assert_allclose(u / np.linalg.norm(u, axis=1, keepdims=True), points, atol=1e-6)
        self.murmur("render", "run", "figure=next-word", "-o", "next.png")

    def test_of_an_encoder_there_are_none(self):
        self.assertFalse((self.trace("run", "distilbert", "--ids", IDS) / "candidates.npy").exists())


class Films(Trace):
    def test_have_words_and_lines(self):
        self.trace("run", "llama", "--ids", IDS)
        self.murmur("render", "run", "-o", "film.mp4", *SMALL)
        self.murmur("render", "run", "-o", "all.png")
        self.murmur("render", "run", "token=2", "head=1", "-o", "one.png")
        self.murmur("render", "run", "token=2", "-o", "mean.png")
        pictures = [(self.folder / name).read_bytes() for name in ("all.png", "one.png", "mean.png")]
        self.assertEqual(len(set(pictures)), 3)
        self.trace("bare", "llama", "--ids", IDS, "--no-activations")
        self.murmur("render", "bare", "-o", "bare.png")
        self.refused(INPUT, "render", "run", "token=5", "-o", "no.png", what="no token 5")
        self.refused(INPUT, "render", "run", "head=4", "-o", "no.png", what="no head 4")
        self.refused(INPUT, "render", "run", "token=x", "-o", "no.png", what="not a whole number")
        self.refused(USAGE, "trace", FAMILIES / "llama", "--ids", IDS, "--part")


if __name__ == "__main__":
    murmur.main()
