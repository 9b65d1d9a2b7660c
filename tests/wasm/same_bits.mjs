// same_bits.mjs: the core of the page flies as the native library does: by the reference engine the
// same bits, by the vector kernels the same numbers within their tolerance; in whatever pieces a
// flight is asked for, and on an unedited branch.
// node tests/wasm/same_bits.mjs [murmur_facade_hashes]; the core is build/wasm, or $MURMUR_WASM.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask, fly, inRoot } from "./module.mjs";

let wrong = 0;
function check(ok, sentence) {
  if (!ok) ++wrong;
  console.log(`${ok ? "ok   " : "WRONG"} ${sentence}`);
}

function hashOf({ times, frames }) {
  const hash = createHash("sha256").update(times);
  for (const frame of frames) hash.update(frame);
  return hash.digest("hex");
}

const flights = readFileSync(inRoot("tests/wasm/flights.txt"), "utf8")
  .trim()
  .split("\n")
  .map((line) => line.split(" "))
  .map(([name, ...words]) => ({ name, words: words.join("\n") }));
const made = (words, more = "engine=reference") =>
  ask({ do: "flight", words: `${more}\n${words}` }).text;

function nativeHashes(model) {
  const program = process.argv[2] ?? inRoot("build/release/tests/murmur_facade_hashes");
  const done = spawnSync(program, [inRoot("tests/wasm/flights.txt"), model], { encoding: "utf8" });
  if (done.status !== 0) {
    console.error(`murmur: ${program} cannot be run\n${done.error ?? done.stderr}`);
    process.exit(1);
  }
  return new Map(done.stdout.trim().split("\n").map((line) => line.split(" ")));
}

function trainedFlights(model) {
  const [trained, compares] = [model, `${model}.same`].map(
    (file) => ask({ do: "trained" }, readFileSync(file)).text.id,
  );
  const inkOf = (remainder) =>
    Array.from({ length: 28 * 28 }, (_, e) => {
      const [row, column] = [Math.floor(e / 28), e % 28];
      return (row * row + column * column) % 7 === remainder ? 255 : 0;
    });
  const ink = Uint8Array.from(inkOf(1));
  const two = Uint8Array.from([...inkOf(1), ...inkOf(2)]);
  const rows = Float64Array.from({ length: 80 }, (_, e) => (((e * 7) % 41) - 20) / 4);
  const engine = "reference";
  const picture = { do: "flock", trained, height: 28, width: 28, finer: 2, blocks: 6, engine };
  return [
    ["ink", ask(picture, ink).text],
    ["places", ask({ do: "flockOfPoints", trained, engine }, rows).text],
    ["pair", ask({ do: "flock", trained: compares, height: 28, width: 28, engine }, two).text],
  ];
}

const folder = mkdtempSync(join(tmpdir(), "murmur-"));
const model = join(folder, "model.safetensors");
const native = nativeHashes(model);
const all = [...flights.map(({ name, words }) => [name, made(words)]), ...trainedFlights(model)];
rmSync(folder, { recursive: true });
check(all.length === native.size, `${all.length} flights here, ${native.size} there`);
const whole = new Map();
for (const [name, info] of all) {
  const flown = fly(info.id);
  whole.set(name, { info, flown });
  check(flown.frames.length === info.frames, `${name}: ${flown.frames.length} frames`);
  check(hashOf(flown) === native.get(name), `${name}: the same bits in both`);
}

for (const { name, words } of flights) {
  const { flown } = whole.get(name);
  for (const chunk of [1, 3])
    check(hashOf(fly(made(words).id, chunk)) === hashOf(flown), `${name}: ${chunk} at a time`);
}

for (const [name, { info, flown }] of whole) {
  const frame = Math.floor(info.frames / 2);
  const branch = ask({ do: "branch", flight: info.id, frame, edits: [] }).text;
  const again = fly(branch.id, 2);
  const same = again.frames.every((rows, k) => Buffer.compare(rows, flown.frames[frame + k]) === 0);
  check(branch.first === frame && again.frames.length === info.frames - frame && same,
    `${name}: a branch at frame ${frame} flies as the flight did`);
}

{
  const { info, flown } = whole.get("noise");
  const place = [0, 0, 1];
  const edited = ask({ do: "branch", flight: info.id, frame: 2, edits: [{ boid: 3, place }] }).text;
  const there = fly(edited.id).frames.map((rows) => new Float64Array(rows.buffer));
  const here = flown.frames.slice(2).map((rows) => new Float64Array(rows.buffer));
  check(there[0].every((x, e) => x === (e >= 9 && e < 12 ? place[e - 9] : here[0][e])),
    "an edit moves its boid and no other");
  check(there.at(-1).some((x, e) => x !== here.at(-1)[e]), "and the flight is another one then");
}

for (const name of ["noise", "noise-euler", "layers", "rk4", "ink"]) {
  const { info, flown } = whole.get(name);
  const own = [...new Float64Array(flown.frames[1].buffer).slice(0, info.d)];
  const edits = [{ boid: 0, place: own }];
  const again = fly(ask({ do: "branch", flight: info.id, frame: 1, edits }).text.id);
  check(again.frames.every((rows, k) => Buffer.compare(rows, flown.frames[1 + k]) === 0),
    `${name}: a boid put where it is changes nothing, noise included`);
}

for (const precision of ["f64", "f32"]) {
  const words = "n=100\nd=3\nbeta=4\nmethod=rk4\ndt=0.05\nT=2\nsave=final";
  const [a, b] = [made(words), made(words, `engine=simd\nprecision=${precision}`)].map(({ id }) =>
    new Float64Array(fly(id).frames.at(-1).buffer));
  const gap = Math.max(...a.map((x, e) => Math.abs(x - b[e])));
  check(gap > 0 && gap < (precision === "f64" ? 1e-11 : 1e-4), `simd ${precision}: off by ${gap}`);
}

for (const [words, fault] of [["beta=x", 3], ["betta=1", 3], ["init=points.npy", 3],
    ["masses=m.npy", 3], ["model=runs/a", 3], ["n=100000\nsave=every:0.01", 3], ["query=q.npy", 3]]) {
  let refusal = null;
  try {
    made(words, "");
  } catch (error) {
    refusal = error;
  }
  check(refusal?.fault === fault && refusal.what !== "" && refusal.remedy !== "",
    `${words.replace("\n", " ")}: ${refusal?.what}`);
}

console.log(wrong === 0 ? "all agree" : `${wrong} wrong`);
process.exit(wrong === 0 ? 0 : 1);
