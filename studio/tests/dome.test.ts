// dome.test.ts: the parts of a boid's move: stepped through, told in words, and adding up to the flight's own.
import { existsSync, readFileSync } from "node:fs";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { coreOf } from "../src/core/core";
import type { Core, Dome, FlightInfo, Words } from "../src/core/protocol";
import { exactnessOf, sentenceOf } from "../src/parts/dome";
import { arrowScale, groupsOf, loudestOf } from "../src/scene/dome";
import { Domes, headNow, kParts, partNow, showPart, stepPart, type Seen } from "../src/state/dome";
import type { Player } from "../src/state/player";
import { change, recipe } from "../src/state/recipe";
import { strings } from "../src/strings";

const words = strings.dome;

/** Answers when told to, in the order of asking. */
const asked: { boid: number; answer(dome: Dome): void; refuse(): void }[] = [];
vi.mock("../src/core/client", () => ({
  startCore: async () => ({
    dome: (_: number, __: number, boid: number) =>
      new Promise<Dome>((answer, reject) => {
        asked.push({ boid, answer, refuse: () => reject(new Error("gone")) });
      }),
  }),
}));

/** A dome of two heads and four boids, made up. */
function madeUp(change: Partial<Dome> = {}): Seen {
  const head = {
    k: 3, share: 1, attended: 2.5, beta: 1, message: 3, sameLengths: true, meanLength: 2, concentration: 2 * Math.LN2,
    halfAngle: Math.PI / 3, keyGroups: 2, valueGroups: 1,
  };
  const dome: Dome = {
    heads: [head, { ...head, k: 5, share: 0.5, sameLengths: false, keyGroups: 1 }],
    layers: true, ball: 0.17, diamond: 0.13, dt: 0.1, share: 1, feedForwards: 1, noise: 0,
    lengths: { messages: 4, feedForward: 2, correction: 0, move: 5 },
    weights: Float64Array.of(0.1, 0.6, 0.3, 0, 0.25, 0.25, 0.25, 0.25),
    keys: new Float64Array(24), queries: new Float64Array(6),
    arrows: Float64Array.of(3, 0, 0, 1, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, 0, 4, 2, 0),
    keyLengths: Float64Array.of(1, 2, 2, 3, 1, 2, 2, 3), values: new Float64Array(24),
    keyGroups: Float64Array.of(1, 0, 0, 0.1, 1, 0, 1, 0, 0.9, 3, 0, 0, 1, 1, 4),
    valueGroups: Float64Array.of(1, 0, 0, 1, 4, 0, 0, 1, 1, 4),
    ...change,
  };
  return { flight: 1, frame: 2, boid: 3, dome };
}

describe("the parts", () => {
  beforeEach(() => change(Object.fromEntries(Object.keys(recipe.value).map((key) => [key, ""]))));

  it("are all shown at first, and one by one by hand", async () => {
    expect(partNow()).toBe(kParts - 1);
    let frame = 0;
    const player = { frame: { get value() { return frame; } }, step: async (by: number) => {
      frame = Math.max(0, Math.min(1, frame + by)); // a film of two frames
    } } as unknown as Player;
    await stepPart(player, 1); // on to the next block, from its first part
    expect([frame, partNow()]).toEqual([1, 0]);
    await stepPart(player, 1);
    expect([frame, partNow()]).toEqual([1, 1]);
    showPart(kParts - 1);
    await stepPart(player, 1); // there is no next block
    expect([frame, partNow()]).toEqual([1, kParts - 1]);
    showPart(0);
    await stepPart(player, -1);
    expect([frame, partNow()]).toEqual([0, kParts - 1]);
    showPart(0);
    await stepPart(player, -1);
    expect([frame, partNow()]).toEqual([0, 0]);
  });

  it("have a head among those that there are", () => {
    change({ head: 7 });
    expect([headNow(3), headNow(1), headNow(0)]).toEqual([2, 0, 0]);
  });

  it("are told with their numbers", () => {
    expect(sentenceOf(madeUp(), 0, 0)).toContain("Token 3");
    expect(sentenceOf(madeUp(), 0, 0)).toContain(words.vision(Math.PI / 3));
    expect(sentenceOf(madeUp(), 0, 1)).toContain("4 tokens");
    expect(sentenceOf(madeUp(), 0, 2)).toContain("token 1, with 60 %");
    expect(sentenceOf(madeUp(), 0, 3)).toContain("length 3");
    expect(sentenceOf(madeUp(), 0, 4)).toContain("length 2");
    expect(sentenceOf(madeUp({ feedForwards: 0 }), 0, 4)).toBe(words.noWill);
    expect(sentenceOf(madeUp(), 0, 5)).toBe(words.tell[5](5, true));
    const lengths = { messages: 4, feedForward: 2, correction: 1, move: 5 };
    expect(sentenceOf(madeUp({ lengths, layers: false }), 0, 5)).toContain(words.corrected(1, false));
    const heads = madeUp().dome.heads.map((head) => ({ ...head, beta: 0 }));
    expect(sentenceOf(madeUp({ heads }), 0, 2)).toBe(words.sameForAll);
  });

  it("say what is projected, and nothing of what is not", () => {
    expect(exactnessOf(madeUp(), 0, 3)).toBe(`${words.exact} ${words.scale(1 / arrowScale(madeUp().dome))}`);
    const said = exactnessOf(madeUp({ share: 0.8, noise: 1 }), 1, 9);
    for (const words_ of [words.lengths(3), words.values(9), words.around(5, 0.5), words.arrows(9, 0.8), words.ownAxes, words.noise]) {
      expect(said).toContain(words_);
    }
  });

  it("explain a heavy key that is far from the gaze by its length", () => {
    const keys = new Float64Array(24);
    keys.set([1, 0, 0], 3); // the loudest, across the gaze
    const queries = Float64Array.of(0, 0, 1, 0, 0, 1);
    const keyLengths = Float64Array.of(1, 6, 1, 1, 1, 1, 1, 1);
    expect(sentenceOf(madeUp({ keys, queries, keyLengths }), 0, 2)).toContain(words.far(Math.PI / 2, 3));
    keys.set([0, 0, 1], 3);
    expect(sentenceOf(madeUp({ keys, queries, keyLengths }), 0, 2)).not.toContain(words.far(0, 3));
  });

  it("say when the field of vision is the whole dome", () => {
    const heads = madeUp().dome.heads.map((head) => ({ ...head, halfAngle: Math.PI }));
    expect(sentenceOf(madeUp({ heads }), 0, 0)).toContain(words.allVision);
  });

  it("have the groups of each head, heaviest first", () => {
    const { dome } = madeUp();
    expect(groupsOf(dome, 0, "keyGroups").map(({ count }) => count)).toEqual([3, 1]);
    expect(groupsOf(dome, 1, "keyGroups")).toEqual([{ place: [0, 1, -0], weight: 1, count: 4 }]); // the gaze points up
    expect(groupsOf(dome, 1, "valueGroups")[0].place).toEqual([0, 0, 1]);
  });

  it("are drawn at one scale, the longest way within the dome", () => {
    const { dome } = madeUp();
    expect(arrowScale(dome) * Math.hypot(4, 2)).toBeCloseTo(0.86, 12);
    expect(arrowScale({ ...dome, arrows: new Float64Array(18) })).toBe(0);
  });

  it("list the loudest first, and none who is not heard", () => {
    expect(loudestOf(Float64Array.of(0.1, 0.6, 0.3, 0), 9)).toEqual([1, 2, 0]);
    expect(loudestOf(Float64Array.of(0.1, 0.6, 0.3, 0), 1)).toEqual([1]);
  });
});

describe("asking for domes", () => {
  const settled = () => new Promise((resolve) => setTimeout(resolve, 0));
  const wish = (boid: number) => ({ flight: 1, frame: 0, boid });
  beforeEach(() => void asked.splice(0));

  it("answers the last wish, one question at a time", async () => {
    const domes = new Domes();
    for (const boid of [1, 2, 3, 3]) domes.want(wish(boid));
    await settled();
    expect(asked.map(({ boid }) => boid)).toEqual([1]);
    asked[0].answer(madeUp().dome);
    await settled();
    expect(domes.seen.value).toBe(null); // nobody wants that any more
    expect(asked.map(({ boid }) => boid)).toEqual([1, 3]);
    asked[1].answer(madeUp().dome);
    await settled();
    expect(domes.seen.value?.boid).toBe(3);
    domes.want(null);
    expect(domes.seen.value).toBe(null);
  });

  it("shows nothing of a flight that is gone, nor of one without heads", async () => {
    const domes = new Domes();
    domes.want(wish(1));
    await settled();
    asked[0].refuse();
    await settled();
    expect(domes.seen.value).toBe(null);
    domes.want(wish(2));
    await settled();
    asked[1].answer({ ...madeUp().dome, heads: [] });
    await settled();
    expect(domes.seen.value).toBe(null);
  });
});

const wasm = new URL("../src/core/wasm/murmur.wasm", import.meta.url);
const glue = new URL("../src/core/wasm/murmur.mjs", import.meta.url);
const inPublic = (path: string) => readFileSync(new URL(`../public/${path}`, import.meta.url));

describe.skipIf(!existsSync(wasm))("domes of the core", () => {
  let core: Core;
  beforeAll(async () => {
    const { default: factory } = await import(/* @vite-ignore */ glue.href);
    core = coreOf(await factory({ wasmBinary: readFileSync(wasm) }));
  });

  async function flown(info: FlightInfo): Promise<FlightInfo> {
    for (let ended = null; ended === null; ) ended = (await core.fly(info.id, 64)).ended;
    return info;
  }
  const simulated = async (given: Words) => flown(await core.flight(given));

  function expectWhole(dome: Dome, n: number): void {
    const heads = dome.heads.length;
    expect([dome.weights.length, dome.keys.length, dome.queries.length]).toEqual([heads * n, 3 * heads * n, 3 * heads]);
    expect([dome.keyLengths.length, dome.values.length]).toEqual([heads * n, 3 * heads * n]);
    for (let h = 0; h < heads; ++h) {
      for (const which of ["keyGroups", "valueGroups"] as const) {
        const groups = groupsOf(dome, h, which);
        expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(n);
        expect(groups.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 12);
      }
      expect(dome.weights.subarray(h * n, (h + 1) * n).reduce((sum, w) => sum + w, 0)).toBeCloseTo(1, 12);
    }
    const row = (k: number) => dome.arrows.subarray(3 * k, 3 * k + 3);
    for (let c = 0; c < 3; ++c) {
      const messages = dome.heads.reduce((sum, _, h) => sum + row(h)[c], 0);
      expect(messages).toBeCloseTo(row(heads)[c], 9);
      expect(row(heads)[c] + row(heads + 1)[c] + row(heads + 2)[c]).toBeCloseTo(row(heads + 3)[c], 9);
    }
  }

  it("lead a boid of a trained flock from block to block", async () => {
    const trained = await core.trained(new Uint8Array(inPublic("models/3-8.safetensors")).buffer);
    const rows = Float64Array.from({ length: 30 }, (_, e) => (e % 3 === 2 ? 0 : 10 * Math.sin(e)));
    const info = await flown(await core.flockOfPoints(trained.id, rows, 10));
    for (const frame of [0, 4]) {
      const [before, after] = await Promise.all([core.frame(info.id, frame), core.frame(info.id, frame + 1)]);
      const dome = await core.dome(info.id, frame, 6);
      expectWhole(dome, 10);
      expect([dome.layers, dome.feedForwards]).toEqual([true, 1]);
      for (let c = 0; c < 3; ++c) {
        expect(dome.arrows[3 * (dome.heads.length + 3) + c]).toBeCloseTo(after[18 + c] - before[18 + c], 9);
      }
    }
  });

  it("know every head of an ideal flock, in many dimensions", async () => {
    const info = await simulated({
      n: 12, d: 9, heads: 3, query: "gaussian", key: "gaussian", method: "layers", dt: 0.25, T: 1, save: "every:0.25",
    });
    const dome = await core.dome(info.id, 2, 5);
    expectWhole(dome, 12);
    expect(dome.heads.map(({ k }) => k)).toEqual([9, 9, 9]);
    expect(dome.heads[0].share).toBeLessThan(1);
    for (let j = 0; j < 12; ++j) expect(Math.hypot(...dome.keys.subarray(3 * j, 3 * j + 3))).toBeCloseTo(1, 9);
  });

  it("give the velocity of a flow on the sphere, along it", async () => {
    const info = await simulated({ n: 12, d: 3, beta: 4, T: 1, save: "every:0.5" });
    const dome = await core.dome(info.id, 1, 2);
    expectWhole(dome, 12);
    expect(dome.layers).toBe(false);
    const place = (await core.frame(info.id, 1)).subarray(6, 9);
    const move = dome.arrows.subarray(12, 15);
    expect(place[0] * move[0] + place[1] * move[1] + place[2] * move[2]).toBeCloseTo(0, 9);
    const [velocity] = [await core.velocity(info.id, 1, Float64Array.from(place))];
    for (let c = 0; c < 3; ++c) expect(move[c]).toBeCloseTo(velocity[c], 9);
    await expect(core.dome(info.id, 1, 12)).rejects.toMatchObject({ fault: 3 });
  });
});
