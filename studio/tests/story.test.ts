// story.test.ts: the story's scenes, figures and labels hold what they promise.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { story as storyWords } from "../src/strings/story";
import { gather, joined, shared, within } from "../src/views/story/labels";
import { middle } from "../src/views/story/draw";
import { depthOf, kInfluence, kLadders, type Ladder, accuracyAt, readersOf } from "../src/views/story/ladder";
import { kShuffle, pointsOf, sceneOf } from "../src/views/story/scenes";
import { kKnobs, kStopNames, kStops, stopOf, type Knobs, type StopName } from "../src/views/story/stops";

const signs = storyWords.signs;
const scene = (stop: StopName, knobs: Partial<Knobs> = {}) => sceneOf(stopOf(stop), { ...kKnobs, ...knobs }, signs);
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

  it("come in the order of the stops, and only selection passes what isolation cannot", () => {
    const [same] = kLadders;
    expect(depthOf(same)).toBe(10);
    expect(readersOf(same).map(({ key }) => key)).toEqual(["isolated", "attraction", "uniform", "selected", "selected_bare"]);
    for (const rungs of same.readers) {
      const selects = rungs.key.startsWith("selected");
      expect(accuracyAt(rungs, depthOf(same))!.mean > same.bound!, rungs.reader).toBe(selects);
    }
    expect(accuracyAt(same.readers[0], 3)).toBeNull();
  });

  it("of a task whose readers share another depth are compared there", () => {
    const reader = (key: string, blocks: number[]) => ({
      key, reader: key, blocks, accuracy: blocks.map(() => 60), sd: blocks.map(() => 1),
    });
    const all = [1, 2, 4, 8, 12];
    const sense: Ladder = {
      task: "sense", chance: 50, bound: 50, seeds: 3,
      readers: [reader("isolated", all), reader("messenger", [4]), reader("selected", all), reader("uniform_bare", all)],
    };
    expect(depthOf(sense)).toBe(4);
    expect(readersOf(sense).map(({ key }) => key)).toEqual(["isolated", "messenger", "selected"]);
  });

  it("say the messenger's ratio of first to last as the page of figures does", () => {
    const [first, last] = [kInfluence[0], kInfluence[9]];
    expect(first / last).toBeCloseTo(0.00015, 5);
    expect(file("docs/flock-argument.md")).toContain("| 43.8 | 0.00015 |");
  });
});

describe("text", () => {
  it("has as many stops as scenes, each with a question that has one right answer and a place where the picture breaks", () => {
    expect(storyWords.stops).toHaveLength(kStops);
    expect(kStopNames).toHaveLength(kStops);
    for (const stop of storyWords.stops) {
      expect(stop.choices.filter((choice) => choice.right)).toHaveLength(1);
      expect(stop.breaks.length).toBeGreaterThan(40);
      expect(stop.goal.length).toBeGreaterThan(30);
      expect(stop.task.length).toBeGreaterThan(30);
      for (const text of [...stop.text, stop.question, stop.breaks, stop.formula]) expect(text.split("_").length % 2).toBe(1);
    }
  });

  it("names formulas that exist", () => {
    const equations = JSON.parse(file("studio/src/strings/equations.json")) as Record<string, string>;
    for (const stop of storyWords.stops) expect(equations).toHaveProperty(stop.equation);
  });
});

describe("scenes", () => {
  it("start both banks of the first stop at one place", () => {
    const [a, b] = scene("alone").tokens;
    expect([a.text, b.text]).toEqual(["bank", "bank"]);
    expect(a.place).toEqual(b.place);
  });

  it("walk the same ten words in both orders", () => {
    expect([...kShuffle].sort((a, b) => a - b)).toEqual(storyWords.signs.row.map((_, i) => i));
    const words = (shuffled: boolean) => scene("messenger", { shuffled }).tokens.map((token) => token.text);
    expect(words(false)).toEqual(storyWords.signs.row);
    expect([...words(true)].sort()).toEqual([...storyWords.signs.row].sort());
    expect(words(true)).not.toEqual(storyWords.signs.row);
    expect(kInfluence).toHaveLength(storyWords.signs.row.length);
  });

  it("start bank at the same place in both sentences", () => {
    const bank = (which: "river" | "money") => scene("listening", { bank: which }).tokens.find((t) => t.text === "bank");
    expect(bank("river")!.place).toEqual(bank("money")!.place);
    for (const which of ["river", "money"] as const) {
      const { tokens, listener } = scene("listening", { bank: which });
      expect(tokens[listener!].text).toBe("bank");
    }
  });

  it("put the words of the rounds on the unit sphere", () => {
    for (const { place } of scene("rounds").tokens) expect(Math.hypot(...place)).toBeCloseTo(1, 12);
  });

  it("turn by their knobs", () => {
    expect(scene("messages", { push: false }).value).toEqual([[1, 0], [0, 1]]);
    expect(scene("attraction", { pull: 0 }).words.value).toBe("matrix:0,0;0,0");
    expect(scene("alone", { apart: 0.1 }).tokens[1].place[0]).toBeCloseTo(scene("alone").tokens[0].place[0] + 0.1, 12);
    expect(scene("asking", { mirror: true }).words.key).toBe(scene("asking").words.query);
    expect(scene("listening", { beta: 0 }).words.beta).toBe(0);
    expect(scene("rounds", { think: false }).words).not.toHaveProperty("perceptron");
    expect(scene("speaker", { guest: true }).tokens).toHaveLength(scene("speaker").tokens.length + 1);
    expect(scene("speaker", { guest: true }).beside).toEqual(scene("speaker").tokens);
    const width = (wide: boolean) => Math.max(...scene("speaker", { wide }).tokens.map(({ place }) => place[0] - place[1]));
    expect(width(false)).toBeLessThan(width(true));
    const verb = (tokens: { text: string; place: number[] }[]) => tokens.find(({ text }) => text === "bites")!.place;
    const placed = scene("order", { placed: true });
    expect(verb(placed.tokens)).toEqual(verb(placed.beside!)); // second in both rows
    expect(placed.tokens[0].place).not.toEqual(scene("order").tokens[0].place);
  });

  it("hand their places to the core row by row", () => {
    const { rows, n, d } = pointsOf(scene("messages").tokens);
    expect([n, d]).toEqual([4, 2]);
    expect([...rows.subarray(2, 4)]).toEqual(scene("messages").tokens[1].place);
  });
});

describe("the next word", () => {
  it("has a vocabulary on the unit sphere", () => {
    for (const { place } of scene("next").vocabulary!) expect(Math.hypot(...place)).toBeCloseTo(1, 12);
  });
});

describe("labels", () => {
  it("are shared by boids that are too near to be read apart", () => {
    const at = (x: number, y: number, text: string) => ({ x, y, text });
    expect(gather([at(0, 0, "river"), at(200, 0, "bank")])).toEqual([[0], [1]]);
    expect(gather([at(0, 0, "river"), at(20, 3, "bank"), at(200, 0, "the")])).toEqual([[0, 1], [2]]);
    expect(gather([at(0, 0, "a"), at(0, 40, "b")])).toEqual([[0], [1]]);
    expect(gather([at(0, 0, "to"), at(4, 20, "the")])).toEqual([[0, 1]]); // a label would lie on a boid
  });

  it("are never a pile: of more than two lines one word stands, the listener's where it is there, and how many more", () => {
    const named = (words: string[], first = -1) => words.map((text, i) => ({ x: 0, y: 0, text, first: i === first }));
    const seven = ["river", "bank", "muddy", "the", "was", "boat", "money"];
    expect(shared(named(seven.slice(0, 6)), 3)).toBe("river · bank · muddy\nthe · was · boat");
    expect(shared(named(seven, 1), 3)).toBe("bank + 6");
    expect(shared(named(seven), 3)).toBe("river + 6");
    expect(shared(named(seven.slice(0, 5), 1), 2)).toBe("bank + 4"); // on a phone
  });

  it("have even lines, break no word and stay on the canvas", () => {
    expect(joined(["a", "b", "c", "d"], 3)).toBe("a · b\nc · d");
    expect(joined(["a", "b", "c"], 3)).toBe("a · b · c");
    expect(joined(["a", "b", "c", "d", "e", "f", "g"], 3)).toBe("a · b · c\nd · e · f\ng");
    expect(within("river", 5, 3, 400, 300)).toEqual({ x: 24, y: 17 });
    expect(within("river", 200, 150, 400, 300)).toEqual({ x: 200, y: 150 });
    expect(within("river", 399, 320, 400, 300)).toEqual({ x: 376, y: 300 });
  });

  it("leave CLS out of the middle", () => {
    const { tokens } = scene("speaker");
    const places = new Float32Array(2 * tokens.length);
    const cls = tokens.findIndex((token) => token.text === "CLS");
    tokens.forEach((_, i) => places.set(i === cls ? [100, 100] : [1, -2], 2 * i));
    expect(middle(places, tokens)).toEqual([1, -2]);
  });
});
