// story.test.ts: the story's scenes, figures and labels hold what they promise.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { strings } from "../src/strings";
import { gather, joined, middle } from "../src/views/story/draw";
import { kDepth, kInfluence, kLadders, kStopOf, revealed, rungAt } from "../src/views/story/measured";
import { nextWord } from "../src/views/story/reckon";
import { kKnobs, kRow, kShuffle, kStops, pointsOf, sceneOf } from "../src/views/story/scenes";

const signs = strings.story.signs;
const scene = (stop: number, knobs = {}) => sceneOf(stop, { ...kKnobs, ...knobs }, signs);
const file = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

describe("figures", () => {
  it("are those of the ladder's page", () => {
    const same = kLadders.find(({ task }) => task === "same")!;
    const page = file("docs/same-or-different.md").replaceAll("*", "");
    expect(same.readers.length).toBeGreaterThanOrEqual(6);
    for (const { reader, accuracy, sd } of same.readers) {
      const figures = accuracy.map((mean, k) => `${mean.toFixed(1)} ± ${sd[k].toFixed(1)}`);
      expect(page).toContain(`| ${reader} | ${figures.join(" | ")} |`);
    }
  });

  it("come stop by stop, and only selection passes what isolation cannot", () => {
    for (const ladder of kLadders) {
      for (const { key, blocks } of ladder.readers) {
        expect(blocks, key).toContain(kDepth);
        const stop = kStopOf[key];
        if (stop === undefined) continue;
        expect(revealed(ladder, stop - 1).map((one) => one.key)).not.toContain(key);
        expect(revealed(ladder, stop).map((one) => one.key)).toContain(key);
      }
    }
    const [same] = kLadders;
    for (const rungs of same.readers) {
      const selects = rungs.key.startsWith("selected");
      expect(rungAt(rungs, kDepth)!.mean > same.bound!, rungs.reader).toBe(selects);
    }
    expect(rungAt(same.readers[0], 3)).toBeNull();
  });

  it("say the messenger's ratio of first to last as the page of figures does", () => {
    const [first, last] = [kInfluence[0], kInfluence[9]];
    expect(first / last).toBeCloseTo(0.00015, 5);
    expect(file("docs/flock-argument.md")).toContain("| 43.8 | 0.00015 |");
  });
});

describe("text", () => {
  it("has nine stops, each with a question that has one right answer and a place where the picture breaks", () => {
    expect(strings.story.stops).toHaveLength(kStops);
    for (const stop of strings.story.stops) {
      expect(stop.choices.filter((choice) => choice.right)).toHaveLength(1);
      expect(stop.breaks.length).toBeGreaterThan(40);
      for (const text of [...stop.text, stop.question]) expect(text.split("_").length % 2).toBe(1);
    }
  });

  it("names formulas that exist", () => {
    const equations = JSON.parse(file("studio/src/strings/equations.json")) as Record<string, string>;
    for (const stop of strings.story.stops) expect(equations).toHaveProperty(stop.equation);
  });
});

describe("scenes", () => {
  it("start both banks of the first stop at one place", () => {
    const [a, b] = scene(1).tokens;
    expect([a.text, b.text]).toEqual(["bank", "bank"]);
    expect(a.place).toEqual(b.place);
  });

  it("walk the same ten words in both orders", () => {
    expect([...kShuffle].sort((a, b) => a - b)).toEqual(kRow.map((_, i) => i));
    const words = (shuffled: boolean) => scene(2, { shuffled }).tokens.map((token) => token.text);
    expect(words(false)).toEqual(kRow);
    expect([...words(true)].sort()).toEqual([...kRow].sort());
    expect(words(true)).not.toEqual(kRow);
    expect(kInfluence).toHaveLength(kRow.length);
  });

  it("start bank at the same place in both sentences", () => {
    const bank = (which: "river" | "money") => scene(5, { bank: which }).tokens.find((t) => t.text === "bank");
    expect(bank("river")!.place).toEqual(bank("money")!.place);
    for (const which of ["river", "money"] as const) {
      const { tokens, listener } = scene(5, { bank: which });
      expect(tokens[listener!].text).toBe("bank");
    }
  });

  it("put the words of the sixth stop on the unit sphere", () => {
    for (const { place } of scene(6).tokens) expect(Math.hypot(...place)).toBeCloseTo(1, 12);
  });

  it("turn by their knobs", () => {
    expect(scene(4, { push: false }).words.value).toBe("identity");
    expect(scene(5, { beta: 0 }).words.beta).toBe(0);
    expect(scene(6, { think: false }).words).not.toHaveProperty("perceptron");
    expect(scene(7, { guest: true }).tokens).toHaveLength(scene(7).tokens.length + 1);
    expect(scene(7, { guest: true }).beside).toEqual(scene(7).tokens);
    const width = (wide: boolean) => Math.max(...scene(7, { wide }).tokens.map(({ place }) => place[0] - place[1]));
    expect(width(false)).toBeLessThan(width(true));
    const verb = (tokens: { text: string; place: number[] }[]) => tokens.find(({ text }) => text === "bites")!.place;
    const placed = scene(8, { placed: true });
    expect(verb(placed.tokens)).toEqual(verb(placed.beside!)); // second in both rows
    expect(placed.tokens[0].place).not.toEqual(scene(8).tokens[0].place);
  });

  it("hand their places to the core row by row", () => {
    const { rows, n, d } = pointsOf(scene(4).tokens);
    expect([n, d]).toEqual([4, 2]);
    expect([...rows.subarray(2, 4)]).toEqual(scene(4).tokens[1].place);
  });
});

describe("the next word", () => {
  const words = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  it("is any of all at kappa 0, and the nearest at a large one", () => {
    const any = nextWord([0.2, 0.3, -0.1], words, 0);
    expect(any.outcomes).toBeCloseTo(3, 12);
    expect(any.entropy).toBeCloseTo(Math.log(3), 12);
    expect(nextWord([0.1, 0.9, 0.2], words, 400).probability[1]).toBeCloseTo(1, 12);
  });
  it("depends on the direction alone, and on differences of cosines by e to the kappa", () => {
    const [near, far] = [nextWord([0.6, 0.8, 0], words, 7), nextWord([6, 8, 0], words, 7)];
    far.probability.forEach((p, v) => expect(p).toBeCloseTo(near.probability[v], 12));
    expect(near.probability[1] / near.probability[0]).toBeCloseTo(Math.exp(7 * 0.2), 9);
    expect(near.probability.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 12);
  });
  it("has a vocabulary on the unit sphere", () => {
    for (const { place } of scene(9).vocabulary!) expect(Math.hypot(...place)).toBeCloseTo(1, 12);
  });
});

describe("labels", () => {
  it("are shared by boids that are too near to be read apart", () => {
    const at = (x: number, y: number, text: string) => ({ x, y, text });
    expect(gather([at(0, 0, "river"), at(200, 0, "bank")])).toEqual([[0], [1]]);
    expect(gather([at(0, 0, "river"), at(20, 3, "bank"), at(200, 0, "the")])).toEqual([[0, 1], [2]]);
    expect(gather([at(0, 0, "a"), at(0, 40, "b")])).toEqual([[0], [1]]);
    expect(joined(["a", "b", "c", "d"], 3)).toBe("a · b · c\nd");
  });

  it("leave CLS out of the middle", () => {
    const { tokens } = scene(7);
    const places = new Float32Array(2 * tokens.length);
    const cls = tokens.findIndex((token) => token.text === "CLS");
    tokens.forEach((_, i) => places.set(i === cls ? [100, 100] : [1, -2], 2 * i));
    expect(middle(places, tokens)).toEqual([1, -2]);
  });
});
