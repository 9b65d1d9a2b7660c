// digits.test.ts: ink and places survive the address, and pictures become ink whichever way they are drawn.
import { describe, expect, it, vi } from "vitest";
import type { Gaze } from "../src/core/protocol";
import type { Film } from "../src/state/film";
import {
  decodeBytes, fitPlaces, hasInk, inkOfGrey, decodeInk, kFirstInk, kSide, decodePlaces, encodeBytes, encodeInk,
  encodePlaces,
} from "../src/views/digits/ink";
import { randomDigit, type SwarmEntry } from "../src/views/digits/library";
import { meanAttention } from "../src/scene/heads";
import { drawnAt, gazeLines, loudest, moved, toScene, trueAt, voteOf } from "../src/views/digits/draw";
import { chanceOverTime, chancesAt, dissenters, dissentOverTime, leader, majority } from "../src/views/digits/reading";

vi.mock("../src/core/client", () => ({ startCore: async () => ({}) }));
const { entryOf, firstDigit, inkOf, kNothing, truthOf } = await import("../src/views/digits/flight");
const { foursOf } = await import("../src/views/digits/pairs");

describe("the vote between the gates", () => {
  const gates = [[-10, 0, 0], [10, 0, 0]];
  it("is in the middle while undecided, in a gate when sure, and on the side of the verdict between", () => {
    expect(voteOf(gates, [0.5, 0.5])).toEqual([0, 0, 0]);
    expect(voteOf(gates, [0, 1])).toEqual([10, 0, 0]);
    expect(voteOf(gates, [0.75, 0.25])).toEqual([-5, 0, 0]);
    expect(voteOf([[0, 10], [10, 0]], [0.25, 0.75])).toEqual([7.5, 2.5, 0]); // gates in a plane
  });
  it("goes to the gate that the mean lies farthest towards, however far off that mean is", () => {
    const mean = [3, 14, -9]; // a sure six that ends far above its gate
    const scores = gates.map((gate) => gate.reduce((sum, x, c) => sum + x * mean[c], 0) / 10);
    const weights = scores.map((score) => Math.exp(score - Math.max(...scores)));
    const chances = weights.map((weight) => weight / (weights[0] + weights[1]));
    const [x, y, z] = voteOf(gates, chances);
    expect(x).toBeGreaterThan(9.9);
    expect([y, z]).toEqual([0, 0]);
  });
});

function noise(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

describe("bytes as text", () => {
  it.each([0, 1, 2, 3, 4, 5, 64, 65])("keeps %i bytes", (length) => {
    const next = noise(length + 1);
    const bytes = Uint8Array.from({ length }, () => Math.floor(256 * next()));
    const text = encodeBytes(bytes);
    expect(text).toMatch(/^[A-Za-z0-9_-]*$/);
    expect(text).toBe(Buffer.from(bytes).toString("base64url"));
    expect(decodeBytes(text)).toEqual(bytes);
  });
  it("refuses letters that do not belong", () => {
    expect(decodeBytes("AB*D")).toBeNull();
    expect(decodeBytes("ABCDE")).toBeNull();
  });
});

describe("ink as text", () => {
  it("keeps sixteen shades, and what is above half", () => {
    const next = noise(7);
    for (let round = 0; round < 20; ++round) {
      const pixels = Uint8Array.from({ length: kSide * kSide }, () => {
        const x = next();
        return x < 0.6 ? 0 : x < 0.75 ? 255 : Math.floor(256 * next());
      });
      const back = decodeInk(encodeInk({ height: kSide, width: kSide, pixels }))!;
      expect(Math.max(...back.pixels.map((p, k) => Math.abs(p - pixels[k])))).toBeLessThanOrEqual(9);
      expect([...back.pixels].map((p) => p > 127.5)).toEqual([...pixels].map((p) => p > 127.5));
    }
  });
  it("is short for a digit", () => {
    const first = decodeInk(kFirstInk)!;
    expect(hasInk(first)).toBe(true);
    expect(encodeInk(first)).toBe(kFirstInk);
    expect(kFirstInk.length).toBeLessThan(260);
  });
  it("refuses what is no picture", () => {
    const wrong = ["", "none", kFirstInk.slice(0, -4), `${kFirstInk}AAAA`, "!!!!"];
    for (const text of wrong) expect(decodeInk(text)).toBeNull();
  });
});

describe("grey pictures", () => {
  const away = (k: number) => Math.hypot((k % 20) - 9.5, Math.floor(k / 20) - 9.5);
  const disc = (inside: number, outside: number) =>
    Float64Array.from({ length: 400 }, (_, k) => (away(k) < 5 ? inside : outside));
  it.each([
    ["dark on light", 10, 250],
    ["light on dark", 240, 5],
    ["dark on grey", 0, 128],
  ])("find their ink: %s", (_, inside, outside) => {
    const ink = inkOfGrey(disc(inside, outside), 20, 20);
    expect(ink.pixels[0]).toBe(0);
    expect(ink.pixels[10 * 20 + 10]).toBeGreaterThan(200);
  });
  it("have none when they are even", () => {
    expect(hasInk(inkOfGrey(disc(99, 99), 20, 20))).toBe(false);
    expect(hasInk(inkOfGrey(disc(250, 255), 20, 20))).toBe(false);
  });
});

describe("places", () => {
  it("survive the address to a thousandth", () => {
    const rows = Float64Array.of(-10, 9.9994, 0, 0.0005, -0.25, 3.1416);
    const back = decodePlaces(encodePlaces(rows))!;
    back.forEach((x, k) => expect(Math.abs(x - rows[k])).toBeLessThanOrEqual(0.0005 + 1e-12));
    expect(decodePlaces("AAA")).toBeNull();
  });
  it("stay where they are when they fit, and are fitted when not", () => {
    expect([...fitPlaces(Float64Array.of(1, 2, -3, 4), 2).rows]).toEqual([1, 2, 0, -3, 4, 0]);
    const far = fitPlaces(Float64Array.of(0, 0, 100, 50), 2);
    expect(far.scaled).toBe(true);
    expect([...far.rows]).toEqual([-10, -5, 0, 10, 5, 0]);
  });
});

describe("distances in the scene", () => {
  it("are true to the gates, grow beyond them, and end", () => {
    expect(drawnAt(7)).toBe(7);
    let before = 10;
    for (const r of [10.001, 12, 20, 100, 1e5]) {
      expect(drawnAt(r)).toBeGreaterThan(before);
      before = drawnAt(r);
      if (r <= 100) expect(trueAt(drawnAt(r)) / r).toBeCloseTo(1, 9);
    }
    expect(drawnAt(Infinity)).toBe(16);
  });
  it("let a hand put a boid where the pointer is", () => {
    const to = moved([30, 0, 0], [0, 3, 0], true);
    const out = new Float32Array(3);
    toScene(Float32Array.from(to), 3, true, out);
    expect(out[0]).toBeCloseTo(drawnAt(30), 4);
    expect(out[1]).toBeCloseTo(3, 4);
    expect(moved([1, 2, 3], [1, 1, 1], true)).toEqual([2, 3, 4]);
  });
});

describe("what a flight says", () => {
  const film = {
    info: { n: 3, classes: ["5", "6"] }, first: 0, flown: { value: 3 },
    scores: Float64Array.of(0.5, 0.5, 0.2, 0.8, 0.9, 0.1),
    verdicts: Int8Array.of(0, 1, 1, 1, 1, 0, 0, 0, 0),
  } as unknown as Film;
  it("lies between its frames", () => {
    expect([...chancesAt(film, 0.5)].map((c) => Number(c.toFixed(6)))).toEqual([0.35, 0.65]);
    expect([...chancesAt(film, 9)]).toEqual([0.9, 0.1]);
    expect(leader([0.2, 0.5, 0.5])).toBe(1);
  });
  it("has its dissenters", () => {
    expect([0, 1, 2].map((k) => dissenters(film, k))).toEqual([2, 1, 0]);
    expect([...dissentOverTime(film)]).toEqual([2 / 3, 1 / 3, 0]);
  });
  it("is told against the vote that is shown, which between frames may have turned before its tokens", () => {
    expect(leader(chancesAt(film, 1.4))).toBe(1);
    expect(dissenters(film, 1.4)).toBe(1);
    expect(leader(chancesAt(film, 1.45))).toBe(0);
    expect(dissenters(film, 1.45)).toBe(2);
    expect(majority(film, 1.45)).toEqual({ best: 1, count: 2 });
  });
  it("has a chance of every class", () => {
    expect([...chanceOverTime(film, 1)]).toEqual([0.5, 0.8, 0.1]);
  });
});

describe("two pictures", () => {
  const ink = { height: 28, width: 28, pixels: new Uint8Array(784) };
  const classes = ["same", "different"];
  const pair = (left: number | null, right: number | null) =>
    ({ ...kNothing, ink, label: left, other: { ink, label: right } });
  it("are the same or different where both digits are known", () => {
    expect(truthOf(pair(5, 5), classes)).toBe("same");
    expect(truthOf(pair(5, 6), classes)).toBe("different");
    expect(truthOf(pair(5, null), classes)).toBeNull();
    expect(truthOf({ ...kNothing, label: 7 }, ["1", "7"])).toBe("7");
  });
  it("take off once both are there", () => {
    expect(inkOf(pair(5, 6))).toEqual([ink, ink]);
    expect(inkOf({ ...kNothing, ink })).toBe(ink);
    expect(inkOf({ ...kNothing, ink, other: { ink: null, label: null } })).toBeNull();
    expect(inkOf({ ...kNothing, other: { ink, label: 5 } })).toBeNull();
  });
  const labels = Array.from({ length: 40 }, (_, k) => Math.floor(k / 10) + 4); // ten of 4, 5, 6 and 7
  const fours = foursOf(labels, [5, 6]);
  it("are asked about in fours, so that every picture is as often in a same as in a different pair", () => {
    expect(fours.length).toBe(20);
    for (const side of [0, 1] as const) {
      for (const picture of new Set(fours.map((four) => four[side]))) {
        expect(fours.filter((four) => four[side] === picture).map((four) => four[2]).sort()).toEqual([false, true]);
      }
    }
    for (const [left, right, same] of fours) expect(labels[left] === labels[right]).toBe(same);
  });
  it("give no sum of two separate votes more than three quarters", () => {
    const next = noise(3);
    for (let round = 0; round < 200; ++round) {
      const votes = [labels.map(() => next() - 0.5), labels.map(() => next() - 0.5)];
      const right = fours.filter(([l, r, same]) => votes[0][l] + votes[1][r] > 0 === same).length;
      expect(right).toBeLessThanOrEqual(15);
    }
  });
});

describe("a gaze", () => {
  const gaze = { weights: Float64Array.of(0.1, 0.2, 0.7, 0.3, 0.6, 0.1), heads: 2 } as Gaze;
  it("is the mean of its heads, the loudest first, without the boid itself", () => {
    expect([...meanAttention(gaze)].map((w) => Number(w.toFixed(6)))).toEqual([0.2, 0.4, 0.4]);
    expect(loudest(meanAttention(gaze), 1, 5)).toEqual([2, 0]);
  });
  it("is drawn thicker to those heard louder", () => {
    const [thin, middle, thick] = gazeLines(gaze, 1, Float32Array.of(0, 0, 0, 1, 1, 1, 2, 2, 2), () => [1, 1, 1]);
    expect([thin.points.length, middle.points, thick.points]).toEqual([0, [1, 1, 1, 0, 0, 0], [1, 1, 1, 2, 2, 2]]);
    expect(thick.width).toBeGreaterThan(middle.width);
  });
});

describe("the list of swarms", () => {
  const entries = [{ name: "5-6", digits: [5, 6] }, { name: "3-8", digits: [3, 8] }] as SwarmEntry[];
  it("gives the one that is named, else the first", () => {
    expect(entryOf(entries, "3-8")?.name).toBe("3-8");
    expect(entryOf(entries, "9-9")?.name).toBe("5-6");
    expect(entryOf([], "5-6")).toBeNull();
  });
  it("has a first digit of a class it knows", () => {
    expect(firstDigit(entries[0])).toBeNull();
    expect(Math.floor(firstDigit(entries[1])! / 50)).toBe(3);
  });
  it("draws test digits of the classes only, and another each time", () => {
    const labels = [0, 1, 2, 1];
    for (let k = 0; k < 20; ++k) expect(randomDigit(labels, [1], 1)).toBe(3);
    expect(randomDigit(labels, [7], -1)).toBeNull();
  });
});
