// story_hand.test.ts: words put elsewhere, typed sentences, messages as arrows, spaces one after another.
import { describe, expect, it } from "vitest";
import { story as storyWords } from "../src/strings/story";
import { firstOf, kLevelFrames, kTurn, seenAt, spaceAt } from "../src/views/story/levels";
import {
  allowed, formatPut, kMostWords, parsePut, placedSentence, topicOf, wordsOf,
} from "../src/views/story/placed_words";
import { kKnobs, type Knobs, type StopName, stopOf, times } from "../src/views/story/stops";
import { kPoint, messagesTo, offsets, roomOf, sightScale, sumOf } from "../src/views/story/messages";
import { pointsOf, sceneOf } from "../src/views/story/scenes";

const scene = (stop: StopName, knobs: Partial<Knobs> = {}) =>
  sceneOf(stopOf(stop), { ...kKnobs, ...knobs }, storyWords.signs);

describe("words put elsewhere", () => {
  it("are one word of the recipe, read and written alike", () => {
    const text = "1:0.31,-0.4;5:0,0.6";
    expect(formatPut(parsePut(text))).toBe(text);
    expect(formatPut(new Map([[5, [0, 0.60004]], [1, [0.31, -0.4]]]))).toBe(text);
    for (const wrong of ["", "x", "1:2", "1:a,b", "1:0.1,0.2,0.3,0.4", "-1:0,0"]) expect(parsePut(wrong).size).toBe(0);
  });

  it("start there, within the page or on the sphere, and keep what no hand reaches", () => {
    const flat = scene("attraction", { put: "1:5,-0.25;99:0,0" });
    expect(flat.tokens[1].place).toEqual([1.05, -0.25]);
    expect(flat.tokens[0]).toEqual(scene("attraction").tokens[0]);
    const sphere = scene("rounds", { put: "0:0,3,4" });
    expect(sphere.tokens[0].place).toEqual([0, 0.6, 0.8]);
    expect(allowed(sphere, [0, 0, 0])).toEqual([0, 0, 1]);
    const asking = scene("asking", { put: "3:0.5,0.5" }).tokens[3].place;
    expect(asking).toEqual([0.5, 0.5, ...scene("asking").tokens[3].place.slice(2)]);
    expect(scene("order", { put: "0:0,0" })).toEqual(scene("order")); // nobody can be put elsewhere
  });
});

describe("a typed sentence", () => {
  it("becomes words, not more than the page can show", () => {
    expect(wordsOf("The bank, they say, wasn't muddy!")).toEqual(["the", "bank", "they", "say", "wasn't", "muddy"]);
    expect(wordsOf("  … ")).toEqual([]);
    expect(wordsOf("word ".repeat(50))).toHaveLength(kMostWords);
    expect(wordsOf("Donaudampfschifffahrt")[0].length).toBeLessThanOrEqual(14);
    expect([topicOf("river"), topicOf("loan"), topicOf("the"), topicOf("bank")]).toEqual(["water", "money", "plain", "open"]);
  });

  it("places water left, money right, little words low, and no two words at one place", () => {
    const tokens = placedSentence("the fisherman counted coins and gold beside the muddy bank in his boat");
    const places = tokens.map(({ place }) => place.join());
    expect(new Set(places).size).toBe(tokens.length);
    for (const { topic, place } of tokens) {
      if (topic === "water") expect(place[0]).toBeLessThan(-0.5);
      if (topic === "money") expect(place[0]).toBeGreaterThan(0.5);
      expect(place[1] < 0).toBe(topic === "plain");
      for (const x of place) expect(Math.abs(x)).toBeLessThanOrEqual(1.05);
    }
  });

  it("is what the stop flies, with the word in question as the listener; one word alone is not", () => {
    const own = scene("listening", { bank: "own", own: "rain on the bank" });
    expect(own.tokens.map(({ text }) => text)).toEqual(["rain", "on", "the", "bank"]);
    expect(own.tokens[own.listener!].text).toBe("bank");
    expect(scene("listening", { bank: "own", own: "bank" }).tokens).toEqual(scene("listening").tokens);
  });
});

describe("messages on the listener", () => {
  const equal = (n: number) => new Float64Array(n).fill(1 / n);
  it("are shares of V (x_j - x_i), and add up to the velocity", () => {
    const { tokens, value, listener } = scene("messages");
    const rows = pointsOf(tokens).rows;
    const found = messagesTo(scene("messages"), rows, listener!, equal(tokens.length));
    expect(found).toHaveLength(tokens.length - 1); // itself says nothing
    for (const { from, way } of found) {
      const gap = tokens[from].place.map((x, c) => x - tokens[listener!].place[c]);
      times(value!, gap).forEach((x, c) => expect(way[c]).toBeCloseTo(x / tokens.length, 12));
    }
    const sum = sumOf(found);
    expect(sum[0]).toBeCloseTo(found.reduce((all, { way }) => all + way[0], 0), 12);
  });

  it("point away from their speakers where V turns them, at them where V is the identity", () => {
    const angle = (push: boolean) => {
      const at = scene("messages", { push });
      const rows = pointsOf(at.tokens).rows;
      return messagesTo(at, rows, 0, equal(at.tokens.length)).map(({ from, way }) => {
        const [dx, dy] = at.tokens[from].place.map((x, c) => x - at.tokens[0].place[c]);
        const turn = Math.atan2(way[1], way[0]) - Math.atan2(dy, dx);
        return Math.abs((180 / Math.PI) * Math.atan2(Math.sin(turn), Math.cos(turn)));
      });
    };
    for (const degrees of angle(true)) expect(degrees).toBeGreaterThan(10);
    for (const degrees of angle(false)) expect(degrees).toBeLessThan(1e-6);
  });

  it("are tangent on the sphere, and V x_j where query, key and value are told apart", () => {
    const sphere = scene("rounds");
    const here = sphere.tokens[11].place;
    for (const { way } of messagesTo(sphere, pointsOf(sphere.tokens).rows, 11, equal(12))) {
      expect(way.reduce((sum, x, c) => sum + x * here[c], 0)).toBeCloseTo(0, 12);
    }
    const asking = scene("asking");
    const found = messagesTo(asking, pointsOf(asking.tokens).rows, 4, [0, 0, 0, 1, 0]);
    expect(found).toHaveLength(1);
    expect(found[0].way).toEqual([0.85, 0, 0]); // puppy says cute
  });

  it("lie side by side", () => {
    const way = (x: number): [number, number, number] => [x, 0, 0];
    const found = [0.5, 0.4, 0.3].map((x, from) => ({ from, share: x, way: way(x) }));
    const ys = offsets(found, 0.1).map(([, y]) => y).sort((a, b) => a - b);
    [-0.1, 0, 0.1].forEach((y, k) => expect(ys[k]).toBeCloseTo(y, 12));
    const across = [[1, 0, 0], [0, 1, 0], [-1, 0, 0], [-1, -0, 0]].map((to, from) => ({ from, share: 1, way: to as [number, number, number] }));
    const apart = offsets(across, 0.1).map(([x, y]) => Math.hypot(x, y));
    expect(apart.slice(0, 2)).toEqual([0, 0]); // nobody else goes there
    expect(apart[2]).toBeCloseTo(0.05, 12);
    expect(apart[3]).toBeCloseTo(0.05, 12);
  });

  it("are drawn so long that each can be read at the start, by one factor, within the page and not past everyone", () => {
    const { tokens, listener } = scene("attraction");
    const rows = pointsOf(tokens).rows;
    const found = messagesTo(scene("attraction"), rows, listener!, equal(tokens.length));
    const from = [...rows.slice(2 * listener!, 2 * listener! + 2)];
    const scale = sightScale(found, { least: 1, longest: 0.36, room: roomOf(found, from) });
    expect(found).toHaveLength(tokens.length - 1);
    for (const { way } of found) expect(scale * Math.hypot(...way)).toBeGreaterThan(kPoint); // each an arrow
    for (const { way } of found) [0, 1].forEach((c) => expect(Math.abs(from[c] + scale * way[c])).toBeLessThan(1.15));
    const middle = [0, 1].map((c) => tokens.reduce((sum, { place }) => sum + place[c], 0) / tokens.length);
    sumOf(found).slice(0, 2).forEach((x, c) => expect(from[c] + scale * x).toBeCloseTo(middle[c], 9)); // all of them together lead there
  });

  it("stay as long as they are where they are long, and end where there is next to nothing left", () => {
    const one = (x: number) => [{ from: 0, share: 1, way: [x, 0, 0] as [number, number, number] }];
    const wish = { least: 1, longest: 0.36, room: Infinity };
    expect(sightScale(one(0.7), wish)).toBe(1);
    expect(sightScale(one(0.7), { ...wish, least: 0.5 })).toBeCloseTo(0.36 / 0.7, 12);
    expect(sightScale(one(0.0001), wish)).toBe(100);
    expect(sightScale([], wish)).toBe(1);
    expect(sightScale(one(0.01), { ...wish, room: roomOf(one(0.01), [1, 0]) })).toBeCloseTo(14, 9); // not off the page
    expect(sightScale([one(0.2)[0], one(0.2)[0]], wish)).toBeCloseTo(0.5 / 0.4, 12); // nor far past where they lead
  });
});

describe("spaces one after another", () => {
  it("are flown in turn, and the view turns between them", () => {
    expect(spaceAt(0, 3)).toEqual({ space: 0, turned: 0 });
    expect(spaceAt(kLevelFrames, 3)).toEqual({ space: 0, turned: 0 });
    expect(spaceAt(kLevelFrames + kTurn / 2, 3)).toEqual({ space: 0, turned: 0.5 });
    expect(spaceAt(firstOf(1), 3)).toEqual({ space: 1, turned: 0 });
    expect(spaceAt(firstOf(2) + kLevelFrames, 3)).toEqual({ space: 2, turned: 0 });
    const vector = [0.1, 0.2, 0.3, 0.4];
    expect(seenAt(vector, 0, 3)).toEqual([0.1, 0.4]);
    expect(seenAt(vector, firstOf(2), 3)).toEqual([0.3, 0.4]);
    const half = seenAt(vector, kLevelFrames + kTurn / 2, 3);
    expect(half[0]).toBeCloseTo((0.1 + 0.2) / Math.sqrt(2), 12);
  });
});
