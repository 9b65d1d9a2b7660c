#!/usr/bin/python3
"""Times torch on the pass of a bert or a GPT-2 over a prompt, beside bench_transformer.

The formulas are written out: products by torch's linear and matmul, softmax, gelu and layer norm by
its functions, no gradients; every layer and every attention matrix is kept, as a trace keeps them.
The best of all turns counts; processor time is that of all threads, and memory the largest resident
set. `write` makes a folder with a GPT-2 of the small model's shape and random weights.

usage: transformer_torch.py MODEL [TOKENS [TURNS [THREADS]]]
       transformer_torch.py write FOLDER
"""
import json
import os
import pathlib
import resource
import sys
import time


def read_safetensors(path):
    """Tensors by name as torch's, in single precision."""
    import numpy as np
    import torch

    content = np.memmap(path, np.uint8, "r")
    length = int.from_bytes(content[:8].tobytes(), "little")
    header = json.loads(content[8 : 8 + length].tobytes())
    types = {"F32": np.float32, "F16": np.float16}
    tensors = {}
    for name, at in header.items():
        if name == "__metadata__" or at["dtype"] not in types:
            continue
        begin, end = (8 + length + place for place in at["data_offsets"])
        array = np.frombuffer(content[begin:end], types[at["dtype"]]).reshape(at["shape"])
        tensors[name] = torch.from_numpy(array.astype(np.float32))
    return tensors


def heads_of(x, heads):
    return x.view(x.shape[0], heads, -1).transpose(0, 1)


def attention(q, k, v, heads, causal):
    """(n, d) and the weights (heads, n, n)."""
    import torch

    q, k, v = (heads_of(x, heads) for x in (q, k, v))
    scores = q @ k.transpose(1, 2) / q.shape[2] ** 0.5
    if causal:
        n = scores.shape[1]
        scores = scores.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), float("-inf"))
    weights = scores.softmax(-1)
    return (weights @ v).transpose(0, 1).reshape(q.shape[1], -1), weights


def bert(w, config, ids):
    from torch.nn.functional import gelu, layer_norm, linear

    e, heads, width = config["layer_norm_eps"], config["num_attention_heads"], (config["hidden_size"],)

    def map_(x, name):
        return linear(x, w[name + ".weight"], w[name + ".bias"])

    def norm(x, name):
        return layer_norm(x, width, w[name + ".weight"], w[name + ".bias"], e)

    at = "embeddings."
    x = w[at + "word_embeddings.weight"][ids] + w[at + "token_type_embeddings.weight"][0]
    x = norm(x + w[at + "position_embeddings.weight"][: len(ids)], at + "LayerNorm")
    kept = [x]
    for layer in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{layer}."
        q, k, v = (map_(x, f"{at}attention.self.{name}") for name in ("query", "key", "value"))
        heard, weights = attention(q, k, v, heads, False)
        x = norm(x + map_(heard, at + "attention.output.dense"), at + "attention.output.LayerNorm")
        middle = x
        x = norm(x + map_(gelu(map_(x, at + "intermediate.dense")), at + "output.dense"),
                 at + "output.LayerNorm")
        kept += [weights, middle, x]
    return kept


def gpt2(w, config, ids):
    import torch
    from torch.nn.functional import gelu, layer_norm

    e, heads, width = config["layer_norm_epsilon"], config["n_head"], (config["n_embd"],)

    def map_(x, name):
        return torch.addmm(w[name + ".bias"], x, w[name + ".weight"])

    def norm(x, name):
        return layer_norm(x, width, w[name + ".weight"], w[name + ".bias"], e)

    x = w["transformer.wte.weight"][ids] + w["transformer.wpe.weight"][: len(ids)]
    kept = [x]
    for layer in range(config["n_layer"]):
        at = f"transformer.h.{layer}."
        q, k, v = map_(norm(x, at + "ln_1"), at + "attn.c_attn").chunk(3, 1)
        heard, weights = attention(q, k, v, heads, True)
        x = x + map_(heard, at + "attn.c_proj")
        middle = x
        own = gelu(map_(norm(x, at + "ln_2"), at + "mlp.c_fc"), approximate="tanh")
        x = x + map_(own, at + "mlp.c_proj")
        kept += [weights, middle, x]
    last = norm(x, "transformer.ln_f")
    return kept + [last, last @ w["transformer.wte.weight"].T]


def write_gpt2(folder):
    import numpy as np

    d, layers, vocabulary, context = 768, 12, 50257, 1024
    shapes = {"transformer.wte.weight": (vocabulary, d), "transformer.wpe.weight": (context, d),
              "transformer.ln_f.weight": (d,), "transformer.ln_f.bias": (d,)}
    for layer in range(layers):
        at = f"transformer.h.{layer}."
        for name, out, into in (("attn.c_attn", 3 * d, d), ("attn.c_proj", d, d), ("mlp.c_fc", 4 * d, d),
                                ("mlp.c_proj", d, 4 * d)):
            shapes[f"{at}{name}.weight"], shapes[f"{at}{name}.bias"] = (into, out), (out,)
        for name in ("ln_1", "ln_2"):
            shapes[f"{at}{name}.weight"] = shapes[f"{at}{name}.bias"] = (d,)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps({
        "model_type": "gpt2", "n_embd": d, "n_layer": layers, "n_head": 12, "vocab_size": vocabulary,
        "n_positions": context, "layer_norm_epsilon": 1e-5, "activation_function": "gelu_new"}))
    header, at = {}, 0
    for name, shape in shapes.items():
        size = 4 * int(np.prod(shape))
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    chance = np.random.default_rng(0)
    with open(folder / "model.safetensors", "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for name, shape in shapes.items():
            values = 0.02 * chance.standard_normal(shape, np.float32)
            gain = len(shape) == 1 and ".ln_" in name and name.endswith("weight")
            file.write((values + np.float32(1 if gain else 0)).tobytes())


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == "write":
        return write_gpt2(pathlib.Path(sys.argv[2]))
    folder = pathlib.Path(sys.argv[1])
    n, turns, threads = (int(w) for w in (sys.argv[2:] + ["128", "20", "1"][len(sys.argv) - 2 :])[:3])
    os.environ["OMP_NUM_THREADS"] = str(threads)
    import torch

    torch.set_num_threads(threads)
    config = json.loads((folder / "config.json").read_text())
    files = [f for f in folder.glob("*.safetensors") if f.name.startswith("model")]
    w, forward = read_safetensors(files[0]), {"bert": bert, "gpt2": gpt2}[config["model_type"]]
    ids = torch.arange(n) % (config.get("vocab_size") or 1)
    best = wall = float("inf")
    with torch.no_grad():
        for turn in range(turns + 1):
            start, clock = time.process_time(), time.perf_counter()
            kept = forward(w, config, ids)
            if turn > 0:
                best, wall = min(best, time.process_time() - start), min(wall, time.perf_counter() - clock)
            del kept
    print(f"torch {torch.__version__}, {threads} threads, {n} tokens: {1e3 * best:.2f} ms of processor, "
          f"{1e3 * wall:.2f} ms of clock, largest resident set "
          f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
