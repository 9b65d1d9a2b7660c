// same_words.mjs: the core of the page that reads texts has the same bits as `murmur trace --engine reference`:
// tokens, the residual stream at every layer and all attention; and OpenBLAS comes near it.
// node tests/wasm/same_words.mjs [murmur]; the core is build/wasm, or $MURMUR_WASM.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { coreOf, inRoot } from "./module.mjs";

let wrong = 0;
function check(ok, sentence) {
  if (!ok) ++wrong;
  console.log(`${ok ? "ok   " : "WRONG"} ${sentence}`);
}

const program = process.argv[2] ?? inRoot("build/release/murmur");
const weights = inRoot("studio/public/words/stories260K.bin");
const model = readFileSync(weights);
const tokens = readFileSync(inRoot("studio/public/words/tok512.bin"));
const folder = mkdtempSync(join(tmpdir(), "murmur-"));
const ask = await coreOf("murmur_words");
const about = ask({ do: "model", weights: model.length }, Buffer.concat([model, tokens])).text;

/** The tensors of a safetensors file by name, as bytes. */
function tensors(path) {
  const all = readFileSync(path);
  const begin = 8 + Number(all.readBigUInt64LE(0));
  const header = JSON.parse(all.subarray(8, begin).toString("utf8"));
  return (name) => all.subarray(...header[name].data_offsets.map((at) => begin + at));
}

/** What the program says of a text: tokens, states and attention, as bytes. */
function traced(text, more, engine, run) {
  const words = ["trace", weights, text, "--continue", String(more), "--engine", engine, "--json", "-q", "-o", run];
  const done = spawnSync(program, words, { encoding: "utf8" });
  if (done.status !== 0) {
    console.error(`murmur: ${program} cannot be run\n${done.error ?? done.stderr}`);
    process.exit(1);
  }
  const of = tensors(join(run, "activations.safetensors"));
  const blocks = Array.from({ length: about.layers }, (_, b) => `text0.blocks.${b}.`);
  return {
    tokens: JSON.parse(done.stdout).texts[0].tokens,
    states: Buffer.concat([of("text0.blocks.0.hook_resid_pre"), ...blocks.map((b) => of(`${b}hook_resid_post`))]),
    attention: Buffer.concat(blocks.map((b) => of(`${b}attn.hook_pattern`))),
  };
}

const floats = (bytes) => new Float32Array(Uint8Array.from(bytes).buffer);

const texts = [["Once upon a time", 12], ["She sat on the bank of the river.", 0], ["Žluťoučký kůň — 你好", 4], ["a", 40]];
texts.forEach(([text, more], k) => {
  const here = ask({ do: "read", text, more });
  const words = JSON.parse(here.text.words).texts[0];
  const there = traced(text, more, "reference", join(folder, `r${k}`));
  check(JSON.stringify(words.tokens) === JSON.stringify(there.tokens), `"${text}": ${there.tokens.length} tokens, the same`);
  check(there.states.equals(Buffer.from(here.arrays[0])), `"${text}": the same bits of the residual stream`);
  check(there.attention.equals(Buffer.from(here.arrays[1])), `"${text}": the same bits of attention`);
  const [states, blas] = [here.arrays[0], traced(text, more, "blas", join(folder, `b${k}`)).states].map(floats);
  const most = states.reduce((sum, x) => Math.max(sum, Math.abs(x)), 0);
  const gap = states.reduce((sum, x, e) => Math.max(sum, Math.abs(x - blas[e])), 0);
  check(states.length === blas.length && gap < 1e-5 * most, `"${text}": OpenBLAS is within ${(gap / most).toExponential(1)}`);
});
let refused = null;
try {
  ask({ do: "read", text: "word ".repeat(200), more: 0 });
} catch (error) {
  refused = error;
}
check(refused?.fault === 3, "a text that is too long is refused");
rmSync(folder, { recursive: true });
if (wrong > 0) process.exit(1);
