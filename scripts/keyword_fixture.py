#!/usr/bin/python3
"""Makes tests/fixtures/families/kwt: a tiny keyword transformer and what its formulas say of it.

Random weights, and a pass in double precision, written after 2104.00769: frames are mapped, a class
token goes before them, positions are added; blocks are attention and feed-forward, each added and
then normalised; the class token is asked for the label.

usage: keyword_fixture.py [FOLDER]
"""
import json
import pathlib
import sys

import numpy as np

D, LAYERS, HEADS, HIDDEN, FRAMES, FEATURES, LABELS, EPSILON = 32, 3, 2, 64, 9, 5, 4, 1e-6
ROOT = pathlib.Path(__file__).resolve().parent.parent


def drawn(chance):
    """Tensors by name, float32, large enough that every term matters."""
    def normal(*shape, scale=1.0):
        return (scale * chance.standard_normal(shape)).astype(np.float32)

    w = {"patch_proj.weight": normal(D, FEATURES, scale=0.5), "patch_proj.bias": normal(D, scale=0.3),
         "cls_token": normal(1, D), "pos_embed": normal(FRAMES + 1, D, scale=0.5),
         "head.weight": normal(LABELS, D, scale=0.3), "head.bias": normal(LABELS, scale=0.3)}
    for layer in range(LAYERS):
        at = f"layers.{layer}."
        for name in "qkvo":
            w[f"{at}{name}.weight"] = normal(D, D, scale=0.35)
        w[f"{at}o.bias"] = normal(D, scale=0.2)
        w[f"{at}fc1.weight"], w[f"{at}fc1.bias"] = normal(HIDDEN, D, scale=0.3), normal(HIDDEN, scale=0.3)
        w[f"{at}fc2.weight"], w[f"{at}fc2.bias"] = normal(D, HIDDEN, scale=0.3), normal(D, scale=0.3)
        for name in ("ln1", "ln2"):
            w[f"{at}{name}.weight"] = 1 + normal(D, scale=0.2)
            w[f"{at}{name}.bias"] = normal(D, scale=0.2)
    return w


def normalised(x, gain, bias):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + EPSILON) * gain + bias


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def passed(weights, mfcc):
    """Hidden states, attentions and logits of one spectrum (frames, features)."""
    w = {name: value.astype(np.float64) for name, value in weights.items()}
    x = np.concatenate([w["cls_token"], mfcc @ w["patch_proj.weight"].T + w["patch_proj.bias"]])
    x = x + w["pos_embed"]
    states, attentions, width = [x], [], D // HEADS
    for layer in range(LAYERS):
        at = f"layers.{layer}."
        q, k, v = (x @ w[f"{at}{name}.weight"].T for name in "qkv")
        heads, weights_of = [], []
        for h in range(HEADS):
            own = slice(h * width, (h + 1) * width)
            score = q[:, own] @ k[:, own].T / np.sqrt(width)
            a = np.exp(score - score.max(-1, keepdims=True))
            a /= a.sum(-1, keepdims=True)
            weights_of.append(a)
            heads.append(a @ v[:, own])
        attentions.append(np.stack(weights_of))
        heard = np.concatenate(heads, 1) @ w[f"{at}o.weight"].T + w[f"{at}o.bias"]
        x = normalised(x + heard, w[f"{at}ln1.weight"], w[f"{at}ln1.bias"])
        own = gelu(x @ w[f"{at}fc1.weight"].T + w[f"{at}fc1.bias"])
        own = own @ w[f"{at}fc2.weight"].T + w[f"{at}fc2.bias"]
        x = normalised(x + own, w[f"{at}ln2.weight"], w[f"{at}ln2.bias"])
        states.append(x)
    return states, attentions, x[0] @ w["head.weight"].T + w["head.bias"]


def write_safetensors(path, tensors):
    header, at = {}, 0
    for name, value in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [at, at + value.nbytes]}
        at += value.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(v.tobytes() for v in tensors.values()))


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "tests/fixtures/families/kwt"
    folder.mkdir(parents=True, exist_ok=True)
    chance = np.random.default_rng(0)
    weights = drawn(chance)
    (folder / "config.json").write_text(json.dumps({
        "model_type": "kwt", "hidden_size": D, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS,
        "intermediate_size": HIDDEN, "num_frames": FRAMES, "num_features": FEATURES, "num_labels": LABELS,
        "layer_norm_eps": EPSILON, "hidden_act": "gelu_new"}, indent=2) + "\n")
    write_safetensors(folder / "model.safetensors", weights)
    golden = {}
    for case in range(2):
        mfcc = chance.standard_normal((FRAMES, FEATURES)).astype(np.float32)
        states, attentions, logits = passed(weights, mfcc.astype(np.float64))
        golden[f"case{case}.mfcc"] = mfcc
        for k, x in enumerate(states):
            golden[f"case{case}.hidden_states.{k}"] = x.astype(np.float32)
        for k, a in enumerate(attentions):
            golden[f"case{case}.attentions.{k}"] = a.astype(np.float32)
        golden[f"case{case}.logits"] = logits.astype(np.float32)
    write_safetensors(folder / "golden.safetensors", golden)


if __name__ == "__main__":
    main()
