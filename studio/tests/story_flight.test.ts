// story_flight.test.ts: the story's scenes, flown by the core, do what the text says of them.
import { existsSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { coreOf } from "../src/core/core";
import type { Core } from "../src/core/protocol";
import { strings } from "../src/strings";
import { Film } from "../src/state/film";
import { apart, movedByGuest, nextWord } from "../src/views/story/reckon";
import { kKnobs, pointsOf, sceneOf, type Knobs } from "../src/views/story/scenes";

const wasm = new URL("../src/core/wasm/murmur.wasm", import.meta.url);
const glue = new URL("../src/core/wasm/murmur.mjs", import.meta.url);

/** Where each word of a stop is at its first and last frame, and the shares of its listener at the start. */
async function flown(core: Core, stop: number, knobs: Partial<Knobs> = {}) {
  const scene = sceneOf(stop, { ...kKnobs, ...knobs }, strings.story.signs);
  const info = await core.flight(scene.words, pointsOf(scene.tokens));
  const rows: number[][][] = [];
  for (let ended = false; !ended; ) {
    const frames = await core.fly(info.id, 64);
    ended = frames.ended !== null;
    for (let k = 0; k < frames.count; ++k) {
      const at = (i: number) => [...frames.positions.subarray((k * info.n + i) * info.d, (k * info.n + i + 1) * info.d)];
      rows.push(scene.tokens.map((_, i) => at(i)));
    }
  }
  const gaze = scene.listener === null ? null : await core.gaze(info.id, 0, scene.listener);
  const word = (text: string) => scene.tokens.findIndex((token) => token.text === text);
  await core.close(info.id);
  return { rows, first: rows[0], last: rows[rows.length - 1], gaze, word };
}

const gap = (a: number[], b: number[]) => Math.hypot(...a.map((x, c) => x - b[c]));

describe.skipIf(!existsSync(wasm))("the stops, flown", () => {
  let core: Core;
  beforeAll(async () => {
    const { default: factory } = await import(/* @vite-ignore */ glue.href);
    core = coreOf(await factory({ wasmBinary: readFileSync(wasm) }));
  });

  it("1: the two banks never part, though they move", async () => {
    const { rows, first, last } = await flown(core, 1);
    for (const frame of rows) expect(frame[0]).toEqual(frame[1]);
    expect(gap(first[0], last[0])).toBeGreaterThan(0.2);
    expect(Math.max(...rows.flat(2).map(Math.abs))).toBeLessThan(1.1); // stays in the picture
  });

  it("2: nobody moves while the messenger walks", async () => {
    const { first, last } = await flown(core, 2);
    expect(last).toEqual(first);
  });

  it("3: all meet, and the middle stays", async () => {
    const { first, last } = await flown(core, 3);
    const middle = (frame: number[][], c: number) => frame.reduce((sum, p) => sum + p[c], 0) / frame.length;
    for (const c of [0, 1]) expect(middle(last, c)).toBeCloseTo(middle(first, c), 5);
    const widest = Math.max(...last.map((p) => gap(p, last[0])));
    expect(widest).toBeLessThan(0.05);
  });

  it("4: V brings the nail over and up, and drives ocean and emergency apart", async () => {
    const { first, last, word } = await flown(core, 4);
    const [nail, ocean, emergency] = ["nail", "ocean", "emergency"].map(word);
    expect(last[nail][0] - first[nail][0]).toBeGreaterThan(0.5);
    expect(last[nail][1]).toBeGreaterThan(first[nail][1] + 0.2);
    expect(last[emergency][1] - last[ocean][1]).toBeGreaterThan(1.5 * (first[emergency][1] - first[ocean][1]));
    const plain = await flown(core, 4, { push: false });
    expect(plain.last[emergency][1] - plain.last[ocean][1]).toBeLessThan(first[emergency][1] - first[ocean][1]);
  });

  it("5: bank flies to the words it listens to; with beta 0 all go to the middle", async () => {
    const river = await flown(core, 5);
    const money = await flown(core, 5, { bank: "money" });
    expect(river.last[river.word("bank")][0]).toBeLessThan(-0.3);
    expect(money.last[money.word("bank")][0]).toBeGreaterThan(0.3);
    const shares = river.gaze!.weights;
    expect(shares[river.word("river")]).toBeGreaterThan(50 * shares[river.word("the")]);
    const deaf = await flown(core, 5, { beta: 0 });
    for (const share of deaf.gaze!.weights) expect(share).toBeCloseTo(1 / 5, 12);
    expect(Math.max(...deaf.last.map((p) => gap(p, deaf.last[0])))).toBeLessThan(0.05);
  });

  it("6: three clusters form with and without thinking, bank among the water words", async () => {
    for (const think of [true, false]) {
      const { last, word } = await flown(core, 6, { think });
      const far = (a: string, b: string) => gap(last[word(a)], last[word(b)]);
      for (const a of ["mud", "shore", "boat", "bank"]) expect(far("river", a)).toBeLessThan(0.1);
      for (const a of ["coin", "vault", "rate"]) expect(far("loan", a)).toBeLessThan(0.1);
      for (const a of ["nail", "plank"]) expect(far("hammer", a)).toBeLessThan(0.1);
      for (const [a, b] of [["river", "loan"], ["river", "hammer"], ["loan", "hammer"]]) {
        expect(far(a, b)).toBeGreaterThan(0.5);
      }
    }
  });

  it("7: a guest moves the mean by about its vote, and CLS by less", async () => {
    const alone = await flown(core, 7);
    const joined = await flown(core, 7, { guest: true });
    const cls = alone.word("CLS");
    const mean = (frame: number[][]) => {
      const votes = frame.filter((_, i) => i !== cls);
      return [0, 1].map((c) => votes.reduce((sum, p) => sum + p[c], 0) / votes.length);
    };
    const moved = gap(mean(alone.last), mean(joined.last));
    expect(moved).toBeGreaterThan(0.05);
    expect(moved).toBeLessThan(0.3);
    expect(gap(alone.last[cls], joined.last[cls])).toBeLessThan(moved);
  });

  /** Both flocks of the eighth stop in the end: how far the same words are apart. */
  async function orders(placed: boolean) {
    const scene = sceneOf(8, { ...kKnobs, placed }, strings.story.signs);
    const films = [];
    for (const tokens of [scene.tokens, scene.beside!]) {
      const film = new Film(core, await core.flight(scene.words, pointsOf(tokens)));
      await film.need(film.last);
      films.push(film);
    }
    const gaps = apart(scene, films[0], films[1], films[0].last).map(({ gap }) => gap);
    const verb = [...films[0].frame(films[0].last).subarray(2, 4)];
    films.forEach((film) => film.close());
    return { gaps, verb };
  }

  it("8: another order ends alike, until places are written on the words", async () => {
    const plain = await orders(false);
    for (const gap of plain.gaps) expect(gap).toBeLessThan(1e-6);
    const written = await orders(true);
    expect(written.gaps[1]).toBeGreaterThan(0.2); // bites starts at one place in both
    expect(written.verb[0]).toBeLessThan(-0.1); // and flies to the dog, who came first
  });

  it("7: one guest moves mean and CLS, in a tight and in a wide flock", async () => {
    for (const wide of [false, true]) {
      const { mean, cls } = await movedByGuest(core, wide, strings.story.signs);
      for (const moved of [mean, cls]) expect(moved).toBeGreaterThan(0.01);
      expect(Math.max(mean, cls)).toBeLessThan(1);
    }
  });

  it("9: what was said narrows what may come, to water words or to money words", async () => {
    for (const [bank, topic] of [["river", "water"], ["money", "money"]] as const) {
      const { rows } = await flown(core, 9, { bank });
      const { vocabulary } = sceneOf(9, { ...kKnobs, bank }, strings.story.signs);
      const said = (frame: number[][]) => nextWord(frame[frame.length - 1], vocabulary!.map(({ place }) => place), 16);
      const [first, last] = [said(rows[0]), said(rows[rows.length - 1])];
      expect(last.outcomes).toBeLessThan(0.6 * first.outcomes);
      const right = vocabulary!.reduce((sum, word, v) => sum + (word.topic === topic ? last.probability[v] : 0), 0);
      expect(right).toBeGreaterThan(0.9);
    }
  });
});
