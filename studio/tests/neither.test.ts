// neither.test.ts: strokes, letters and noise are refused, test digits are not, through the page's own code.
import { existsSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { coreOf } from "../src/core/core";
import type { Core, Ink, TrainedInfo } from "../src/core/protocol";
import { decodeInk, kFirstInk, encodeInk } from "../src/views/digits/ink";
import { directionsOf, kFeatures, kLawNumbers, strangeness } from "../src/views/digits/neither";
import { inkOfLines, nonDigits, randomOf, type NonDigit } from "./nondigits";

vi.mock("../src/core/client", () => ({ startCore: async () => ({}) }));
const { opinionOf } = await import("../src/views/digits/pairs");

const here = (path: string) => new URL(path, import.meta.url);
const wasm = here("../src/core/wasm/murmur.wasm");
const mnist = (name: string) => here(`../../data/mnist/${name}-ubyte`);
const laws = new Float32Array(new Uint8Array(readFileSync(here("../public/models/digit_laws.bin"))).buffer);
const percent = (part: number, all: number) => `${((100 * part) / all).toFixed(2)} %`;

describe("the features of ink", () => {
  const five = decodeInk(kFirstInk)!;
  it("do not change with how dark the ink is", () => {
    const faint: Ink = { ...five, pixels: five.pixels.map((p) => p >> 1) };
    directionsOf(faint).forEach((x, k) => expect(Math.abs(x - directionsOf(five)[k])).toBeLessThan(0.02));
  });
  it("turn with the ink: a quarter turn swaps lying and standing edges", () => {
    const pixels = five.pixels.map((_, k) => five.pixels[(27 - (k % 28)) * 28 + Math.floor(k / 28)]);
    const turned: Ink = { ...five, pixels };
    const [before, after] = [directionsOf(five), directionsOf(turned)];
    for (let y = 0; y < 4; ++y)
      for (let x = 0; x < 4; ++x)
        for (let bin = 0; bin < 4; ++bin)
          expect(after[(x * 4 + 3 - y) * 4 + ((bin + 2) % 4)]).toBeCloseTo(before[(y * 4 + x) * 4 + bin], 9);
  });
  it("are zeros without ink", () => {
    const none = directionsOf({ height: 28, width: 28, pixels: new Uint8Array(784) });
    expect(none).toEqual(new Float64Array(kFeatures));
  });
  it("have a law for each of ten digits", () => expect(laws.length).toBe(10 * kLawNumbers));
});

describe.skipIf(!existsSync(wasm))("neither", () => {
  let core: Core;
  let trained: TrainedInfo;
  beforeAll(async () => {
    const { default: factory } = await import(/* @vite-ignore */ here("../src/core/wasm/murmur.mjs").href);
    core = coreOf(await factory({ wasmBinary: readFileSync(wasm) }));
    trained = await core.trained(new Uint8Array(readFileSync(here("../public/models/5-6.safetensors"))).buffer);
  });
  const refused = async (ink: Ink) =>
    strangeness(laws, ink, Number((await opinionOf(core, trained, ink)).name)) > 1;
  const drawn = async (ink: Ink) => decodeInk(encodeInk(await core.centre(ink)))!; // as the pad hands it on

  it("is said of at least 90 % of a thousand non-digits", async () => {
    const kinds: Record<NonDigit["kind"], [number, number]> = { stroke: [0, 0], letter: [0, 0], noise: [0, 0] };
    for (const { kind, ink } of nonDigits(1000, 20261117)) {
      ++kinds[kind][1];
      if (await refused(await drawn(ink))) ++kinds[kind][0];
    }
    const all = Object.values(kinds).reduce((sum, [count]) => sum + count, 0);
    const each = Object.entries(kinds).map(([kind, [count, of]]) => `${kind} ${percent(count, of)}`);
    console.log(`refused: ${percent(all, 1000)} of 1,000 non-digits (${each.join(", ")})`);
    expect(all).toBeGreaterThanOrEqual(900);
  }, 300_000);

  it("is said of at most 2 % of the test set's fives and sixes", async () => {
    const labels = readFileSync(mnist("t10k-labels-idx1")).subarray(8);
    const images = readFileSync(mnist("t10k-images-idx3")).subarray(16);
    const own = [...labels.keys()].filter((k) => labels[k] === 5 || labels[k] === 6);
    let count = 0;
    for (const k of own) {
      const pixels = new Uint8Array(images.subarray(784 * k, 784 * (k + 1)));
      if (await refused({ height: 28, width: 28, pixels })) ++count;
    }
    console.log(`refused: ${percent(count, own.length)} of ${own.length} test digits`);
    expect(own.length).toBe(1850);
    expect(count).toBeLessThanOrEqual(0.02 * own.length);
  }, 300_000);

  it("is said of few fives and sixes that a pen draws", async () => {
    const next = randomOf(3);
    let count = 0;
    for (let k = 0; k < 100; ++k) {
      const lines = k % 2 === 0 ? five(next) : six(next);
      if (await refused(await drawn(inkOfLines(lines, 18 + 12 * next())))) ++count;
    }
    console.log(`refused: ${count} of 100 drawn fives and sixes`);
    expect(count).toBeLessThanOrEqual(10);
  }, 60_000);
});

type Line = [number, number][];

/** A six in one stroke, no two alike. */
function six(next: () => number): Line[] {
  const lean = 0.2 + 0.12 * next();
  const [r, x, y] = [0.13 + 0.04 * next(), 0.48 + 0.04 * next(), 0.66 + 0.04 * next()];
  const stem = Array.from({ length: 12 }, (_, k): [number, number] => {
    const s = k / 11;
    return [x - r + lean * (1 - Math.sin((Math.PI / 2) * s)), 0.14 + (y - 0.14) * s];
  });
  const bowl = Array.from({ length: 24 }, (_, k): [number, number] => {
    const a = Math.PI - (2 * Math.PI * (k + 1)) / 24;
    return [x + r * Math.cos(a), y + r * Math.sin(a)];
  });
  return [[...stem, ...bowl]];
}

/** A five in two strokes. */
function five(next: () => number): Line[] {
  const [left, top, mid] = [0.34 + 0.04 * next(), 0.16 + 0.04 * next(), 0.42 + 0.06 * next()];
  const r = 0.17 + 0.03 * next();
  const bowl = Array.from({ length: 16 }, (_, k): [number, number] => {
    const a = -0.62 * Math.PI + (1.35 * Math.PI * k) / 15;
    return [0.47 + r * Math.cos(a), mid + r + r * Math.sin(a) * 0.95];
  });
  return [[[0.68, top], [left, top], [left - 0.02, mid], ...bowl]];
}
