// gif.test.ts: a GIF decodes to the pictures it was made of, holds its comment, and keeps only what changes.
import { describe, expect, it } from "vitest";
import { carriedBy } from "../src/export/file_recipe";
import { changed, gifComment, GifMaker, Histogram, packed, paletteOf } from "../src/export/gif";

/** Reads the codes as any decoder of GIF does (8 bits an index). */
function unpacked(bytes: Uint8Array): number[] {
  const out: number[] = [];
  let [at, size] = [0, 9];
  let table: number[][] = [];
  let before: number[] | null = null;
  const reset = () => {
    table = Array.from({ length: 258 }, (_, k) => (k < 256 ? [k] : []));
    size = 9;
    before = null;
  };
  for (;;) {
    let code = 0;
    for (let bit = 0; bit < size; ++bit, ++at) code |= ((bytes[at >> 3] >> (at & 7)) & 1) << bit;
    if (code === 257) return out;
    if (code === 256) {
      reset();
      continue;
    }
    const string: number[] = table[code] ?? [...before!, before![0]];
    if (before && table.length < 4096) table.push([...before, string[0]]);
    if (table.length === 1 << size && size < 12) ++size;
    out.push(...string);
    before = string;
  }
}

describe("codes", () => {
  it.each([
    ["one", Uint8Array.of(7)],
    ["a flat field", new Uint8Array(70_000).fill(3)],
    ["stripes", Uint8Array.from({ length: 5000 }, (_, k) => (k % 13) * 19)],
    ["noise, past the end of the table", Uint8Array.from({ length: 30_000 }, (_, k) => ((k * 2654435761) >>> 13) & 255)],
  ])("of %s are read back", (_, indices) => {
    expect(unpacked(packed(indices))).toEqual([...indices]);
  });
  it("of every length up to a change of their width end where they should", () => {
    for (let n = 1; n < 700; ++n) {
      const indices = Uint8Array.from({ length: n }, (_, k) => ((k * 40503) >>> 3) & 255);
      expect(unpacked(packed(indices)).length).toBe(n);
    }
  });
});

describe("palettes", () => {
  it("hold few colours exactly, and many nearly", () => {
    const few = new Histogram();
    few.add(Uint8ClampedArray.from([251, 250, 246, 255, 26, 33, 48, 255, 194, 59, 82, 255]));
    expect(paletteOf(few).sort()).toEqual([[194, 59, 82], [251, 250, 246], [26, 33, 48]]);
    const many = new Histogram();
    many.add(Uint8ClampedArray.from({ length: 4 * 4096 }, (_, k) => (k * 37) % 256));
    expect(paletteOf(many).length).toBeLessThanOrEqual(255);
  });
});

describe("a GIF", () => {
  const options = { width: 4, height: 2, delay: 8, rest: 100, comment: "#v=1&view=flock&ink=é" };
  it("carries its recipe, and loses it nowhere when it is cut", () => {
    const maker = new GifMaker(options);
    maker.add(new Uint8ClampedArray(32).fill(200));
    maker.add(new Uint8ClampedArray(32).fill(90));
    const gif = maker.finish();
    expect(gifComment(gif)).toBe(options.comment);
    expect(carriedBy(gif)).toBe(options.comment);
    expect(gif.at(-1)).toBe(0x3b);
    for (let cut = 0; cut < gif.length; ++cut) expect(() => gifComment(gif.subarray(0, cut))).not.toThrow();
  });
  it("knows the smallest box of what differs", () => {
    const a = new Uint8Array(12);
    const b = a.slice();
    expect(changed(a, b, 4)).toBeNull();
    b[5] = b[10] = 1;
    expect(changed(b, a, 4)).toEqual({ x: 1, y: 1, w: 2, h: 2 });
  });
});
