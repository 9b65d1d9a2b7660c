// words.test.ts: the file of the view Words, whom a token hears, and films of layers.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { placeLabels, widthOf, widthOfLabel } from "../src/views/words/draw";
import {
  farthestOf, halfOf, isSpecial, parseWords, placeAt, spaced, spelled, distinctLabels, WordsFilm,
} from "../src/views/words/file";
import {
  amongWords, cellAt, explained, attentionOf, layerAt, loudest, matrixOf, shadeOf, sharesOf,
} from "../src/views/words/matrix";

const read = (name: string) => readFileSync(new URL(`../public/words/${name}.json`, import.meta.url), "utf8");

describe("the bundled traces", () => {
  it.each(["bank", "nail"])("of %s are whole", (name) => {
    const trace = parseWords(read(name));
    expect(trace.texts).toHaveLength(2);
    for (const text of trace.texts) {
      expect(text.frames).toBe(7);
      expect(text.tokens.map(spelled)).toContain(name);
      expect(text.cosine.at(-1)).toBeGreaterThan(text.cosine[0]); // tokens draw together
      expect(text.twin.places.slice(0, 3 * text.tokens.length)).toEqual(text.places.slice(0, 3 * text.tokens.length));
    }
    const shared = trace.shared.find(({ token }) => token === name)!;
    expect(shared.cosine.at(-1)).toBeLessThan(shared.cosine[0]); // and one word parts by its company
  });

  it("hold shares that add up to one, for every head and for their mean", () => {
    const trace = parseWords(read("bank"));
    const text = trace.texts[0];
    const mean = new Float64Array(text.tokens.length);
    for (let head = 0; head < trace.heads; ++head) {
      const shares = sharesOf(text, trace.heads, 2, 5, head)!;
      expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
      shares.forEach((share, j) => (mean[j] += share / trace.heads));
    }
    const all = sharesOf(text, trace.heads, 2, 5, null)!;
    all.forEach((share, j) => expect(share).toBeCloseTo(mean[j], 3));
    expect(sharesOf(text, trace.heads, 2, 99, null)).toBeNull();
    const words = amongWords(text, all);
    expect([words[0], words.at(-1)]).toEqual([0, 0]); // [CLS] and [SEP]
    expect(words.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
    expect(words[8] / words[1]).toBeCloseTo(all[8] / all[1], 9);
  });
});

describe("a file that is off", () => {
  const whole = JSON.parse(read("bank"));
  const off = (change: (copy: typeof whole) => void) => () => {
    const copy = structuredClone(whole);
    change(copy);
    return parseWords(JSON.stringify(copy));
  };
  it.each([
    ["another schema", off((copy) => (copy.schema = "murmur-words-3"))],
    ["attention of another number format", off((copy) => (copy.schema = "murmur-words-1"))],
    ["a share above one", off((copy) => (copy.texts[0].attention = btoa("\xff".repeat(atob(copy.texts[0].attention).length))))],
    ["no texts", off((copy) => (copy.texts = []))],
    ["places cut short", off((copy) => (copy.texts[0].places = copy.texts[0].places.slice(4)))],
    ["places that are no base64", off((copy) => (copy.texts[0].places = "§"))],
    ["attention of another size", off((copy) => (copy.heads = 3))],
    ["a token that is no text", off((copy) => (copy.texts[1].tokens[0] = 5))],
    ["a shared token that is not there", off((copy) => (copy.shared[0].second = 50))],
    ["a twin that is not there", off((copy) => delete copy.texts[0].twin)],
    ["no JSON", () => parseWords("{")],
    ["a list", () => parseWords("[]")],
  ])("is refused: %s", (_, act) => {
    expect(act).toThrow(expect.objectContaining({ fault: 3 }));
  });

  it("may lack attention and a last layer that speaks", () => {
    const trace = off((copy) => (copy.texts[0].attention = null))();
    expect(sharesOf(trace.texts[0], trace.heads, 0, 1, null)).toBeNull();
    expect(trace.texts[0].lens).toEqual([]);
  });
});

describe("shares as files keep them", () => {
  it("are numbers of half precision", () => {
    expect([0x3c00, 0x3800, 0x0001, 0, 0x0400, 0x2e66].map(halfOf)).toEqual([1, 0.5, 2 ** -24, 0, 2 ** -14, 0.0999755859375]);
    expect(halfOf(0x7c00)).toBe(Infinity);
  });

  it("were bytes in files of the first schema", () => {
    const whole = JSON.parse(read("bank"));
    const [n, count] = [whole.texts[0].tokens.length, atob(whole.texts[0].attention).length / 2];
    for (const text of whole.texts) text.attention = btoa("\x33".repeat(atob(text.attention).length / 2));
    const old = parseWords(JSON.stringify({ ...whole, schema: "murmur-words-1" }));
    expect(old.texts[0].attention).toHaveLength(count);
    expect(old.texts[0].attention![7]).toBeCloseTo(0.2, 6);
    expect(sharesOf(old.texts[0], old.heads, 0, 1, null)![3]).toBeCloseTo(1 / n, 9);
  });

  it("tell small shares apart: the smallest is nearer to itself than a part in a thousand", () => {
    const { attention } = parseWords(read("bank")).texts[0];
    const least = attention!.reduce((low, share) => (share > 0 ? Math.min(low, share) : low), 1);
    expect(least).toBeLessThan(0.5 / 255); // a byte would call it nothing
    expect(attention!.some((share) => share > 0 && share < 0.001)).toBe(true);
  });
});

describe("who hears whom", () => {
  const trace = parseWords(read("bank"));
  const text = trace.texts[0];
  const n = text.tokens.length;

  it("has what each token hears as its rows and who hears it as its columns", () => {
    const matrix = matrixOf(text, trace.heads, { layer: 2, head: null, marks: true })!;
    expect([...matrix.slice(5 * n, 6 * n)]).toEqual([...sharesOf(text, trace.heads, 2, 5, null)!]);
    const heard = attentionOf(text, matrix, 3, true);
    heard.forEach((share, i) => expect(share).toBe(sharesOf(text, trace.heads, 2, i, null)![3]));
    expect(matrixOf({ ...text, attention: null }, trace.heads, { layer: 2, head: null, marks: true })).toBeNull();
  });

  it("leaves marks out on both sides where words alone count", () => {
    const matrix = matrixOf(text, trace.heads, { layer: 2, head: 4, marks: false })!;
    for (let i = 0; i < n; ++i) expect(matrix[i * n]).toBe(0); // nobody hears [CLS]
    expect(attentionOf(text, matrix, 3, false)[0]).toBe(0); // nor does it hear
    expect(matrix.slice(5 * n, 6 * n).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
  });

  it("is a map whose cells are found by their places, with names beside few tokens", () => {
    expect(cellAt(64 + 1, 1, 10)).toEqual([0, 0]);
    expect(cellAt(271, 207, 10)).toEqual([9, 9]);
    expect(cellAt(30, 1, 10)).toBeNull();
    expect(cellAt(271, 0, 100)).toEqual([0, 99]);
    expect([shadeOf(0), shadeOf(0.25), shadeOf(2)]).toEqual([0, 0.5, 1]);
  });
});

describe("a film of layers", () => {
  const trace = parseWords(read("nail"));
  const film = new WordsFilm(trace.texts[0], farthestOf(trace.texts));

  it("has a frame a layer, the farthest place at distance 1", async () => {
    expect(await film.need(6)).toBe(true);
    expect(film.end).toBe(6);
    let most = 0;
    for (let e = 0; e < film.positions.length; e += 3) {
      most = Math.max(most, Math.hypot(...film.positions.subarray(e, e + 3)));
    }
    expect(most).toBeLessThanOrEqual(1 + 1e-6);
  });

  it("goes straight from layer to layer, as its twin does", () => {
    const n = film.info.n;
    const half = film.between(2.5, new Float32Array(3 * n));
    const place = placeAt(trace.texts[0].places, n, 4, 2.5, film.scale);
    place.forEach((x, c) => expect(half[12 + c]).toBeCloseTo(x, 6));
    expect(placeAt(trace.texts[0].places, n, 4, 99, 1)).toEqual(placeAt(trace.texts[0].places, n, 4, 6, 1));
  });
});

describe("small things", () => {
  it("tokens are spelled as readers know them", () => {
    expect([" the", "Ġthe", "▁the", "##s", " ", "\n", "<0x0A>"].map(spelled)).toEqual(["the", "the", "the", "##s", "␣", "⏎", "⏎"]);
    expect(["[CLS]", "<s>", "</s>", "<|endoftext|>"].every(isSpecial)).toBe(true);
    expect(["the", "<", ".", "[", "<0x0A>"].some(isSpecial)).toBe(false);
  });
  it("the loudest come first, whispers not at all", () => {
    expect(loudest(Float64Array.of(0.1, 0.5, 0.396, 0.004), 9)).toEqual([1, 2, 0]);
  });
  it("the layer of a frame is the one that acts next, at last the one that acted", () => {
    const text = parseWords(read("bank")).texts[0];
    expect([0, 1, 5, 6].map((frame) => layerAt(frame, text))).toEqual([0, 1, 5, 5]);
  });
  it("lines are wider the more is heard", () => {
    const widths = [0, 0.01, 0.05, 0.2, 0.5, 1].map(widthOf);
    expect(widths).toEqual([...widths].sort((a, b) => a - b));
    expect(new Set(widths).size).toBeGreaterThan(3);
  });
  it("a twin on the spot explains all, one that stays behind nothing", () => {
    expect(explained(0, 2)).toBe(1);
    expect(explained(2, 2)).toBe(0);
    expect(explained(0, 0)).toBeNaN();
  });
});

describe("labels", () => {
  const dots = (places: [number, number][], text = "token") =>
    places.map(([x, y], rank) => ({ x, y, r: 6, text: `${text}${rank}`, rank }));
  const boxes = (all: ReturnType<typeof dots>, width = 600, height = 400) =>
    placeLabels(all, width, height).map((spot, i) => spot && { ...spot, wide: widthOfLabel(all[i].text), high: 16 });

  it("never cover one another, and stand on the canvas", () => {
    const crowd = dots(Array.from({ length: 30 }, (_, k) => [200 + 7 * (k % 6), 150 + 5 * Math.floor(k / 6)]));
    const placed = boxes(crowd).filter((box) => box !== null);
    expect(placed.length).toBeGreaterThan(5);
    placed.forEach((a, i) => placed.slice(i + 1).forEach((b) => {
      const apart = Math.abs(a.x - b.x) >= (a.wide + b.wide) / 2 || Math.abs(a.y - b.y) >= (a.high + b.high) / 2;
      expect(apart).toBe(true);
    }));
    for (const { x, y, wide } of placed) {
      expect(x - wide / 2).toBeGreaterThanOrEqual(0);
      expect(x + wide / 2).toBeLessThanOrEqual(600);
      expect(y).toBeGreaterThan(8);
    }
  });
  it("of the first rank always find room, of tokens apart all do", () => {
    expect(boxes(dots([[5, 5], [5, 6], [6, 5]]))[0]).not.toBeNull();
    expect(boxes(dots([[100, 100], [300, 100], [100, 300]])).every((box) => box !== null && box.y < 300)).toBe(true);
  });
  it("leave out a token behind the camera", () => {
    expect(boxes(dots([[-99, -99]]))).toEqual([null]);
  });
});

describe("a text that goes on", () => {
  it("tells what was given from what the model wrote, as plain sentences, its spaces kept", () => {
    const tokens = ["<s>", "▁Once", "▁up", "on", "▁a", "▁time", ",", "<0x0A>"];
    expect(distinctLabels({ tokens, given: 4 })).toEqual({ given: "Once upon", written: " a time,\n" });
    expect(distinctLabels({ tokens, given: tokens.length }).written).toBe("");
    expect(["▁Once", "on", "▁", "<0x0A>"].map(spaced)).toEqual(["␣Once", "on", "␣", "⏎"]);
  });
});
