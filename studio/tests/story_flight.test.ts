// story_flight.test.ts: the story's scenes, flown by the core, do what the text says of them.
import { existsSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { coreOf } from "../src/core/core";
import type { Core } from "../src/core/protocol";
import { story as storyWords } from "../src/strings/story";
import { Film } from "../src/state/film";
import { apart, movedByGuest } from "../src/views/story/derived";
import { flyLevels } from "../src/views/story/joined_film";
import { pointsOf, sceneOf } from "../src/views/story/scenes";
import { kKnobs, stopOf, type Knobs, type StopName } from "../src/views/story/stops";

const wasm = new URL("../src/core/wasm/murmur.wasm", import.meta.url);
const glue = new URL("../src/core/wasm/murmur.mjs", import.meta.url);

/** Where each word of a stop is at its first and last frame, and the shares of its listener at the start. */
async function flown(core: Core, stop: StopName, knobs: Partial<Knobs> = {}) {
  const scene = sceneOf(stopOf(stop), { ...kKnobs, ...knobs }, storyWords.signs);
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
    const { rows, first, last } = await flown(core, "alone");
    for (const frame of rows) expect(frame[0]).toEqual(frame[1]);
    expect(gap(first[0], last[0])).toBeGreaterThan(0.2);
    expect(Math.max(...rows.flat(2).map(Math.abs))).toBeLessThan(1.1); // stays in the picture
    const apart = await flown(core, "alone", { apart: 0.05 });
    expect(gap(apart.last[0], apart.last[1])).toBeGreaterThan(0.01); // what differs at the start differs later
  });

  it("2: nobody moves while the messenger walks", async () => {
    const { first, last } = await flown(core, "messenger");
    expect(last).toEqual(first);
  });

  it("3: all meet, and the middle stays", async () => {
    const { first, last } = await flown(core, "attraction");
    const middle = (frame: number[][], c: number) => frame.reduce((sum, p) => sum + p[c], 0) / frame.length;
    for (const c of [0, 1]) expect(middle(last, c)).toBeCloseTo(middle(first, c), 5);
    const widest = Math.max(...last.map((p) => gap(p, last[0])));
    expect(widest).toBeLessThan(0.05);
  });

  it("4: V brings the nail over and up, and drives ocean and emergency apart", async () => {
    const { first, last, word } = await flown(core, "messages");
    const [nail, ocean, emergency] = ["nail", "ocean", "emergency"].map(word);
    expect(last[nail][0] - first[nail][0]).toBeGreaterThan(0.5);
    expect(last[nail][1]).toBeGreaterThan(first[nail][1] + 0.2);
    expect(last[emergency][1] - last[ocean][1]).toBeGreaterThan(1.5 * (first[emergency][1] - first[ocean][1]));
    const plain = await flown(core, "messages", { push: false });
    expect(plain.last[emergency][1] - plain.last[ocean][1]).toBeLessThan(first[emergency][1] - first[ocean][1]);
  });

  it("5: bank flies to the words it listens to; with beta 0 all go to the middle", async () => {
    const river = await flown(core, "listening");
    const money = await flown(core, "listening", { bank: "money" });
    expect(river.last[river.word("bank")][0]).toBeLessThan(-0.3);
    expect(money.last[money.word("bank")][0]).toBeGreaterThan(0.3);
    const shares = river.gaze!.weights;
    expect(shares[river.word("river")]).toBeGreaterThan(50 * shares[river.word("the")]);
    const deaf = await flown(core, "listening", { beta: 0 });
    for (const share of deaf.gaze!.weights) expect(share).toBeCloseTo(1 / 5, 12);
    expect(Math.max(...deaf.last.map((p) => Math.abs(p[0] - deaf.last[0][0])))).toBeLessThan(0.05); // one topic
    river.first.forEach((p, i) => expect(river.last[i][1]).toBe(p[1])); // V speaks of the topic alone
  });

  it("5: a typed sentence flies to the topic of its words", async () => {
    for (const [own, side] of [["we fished in the rain at the bank", -1], ["he paid cash at the bank", 1]] as const) {
      const { last, word } = await flown(core, "listening", { bank: "own", own });
      expect(side * last[word("bank")][0]).toBeGreaterThan(0.3);
    }
  });

  it("6: puppy hears small and brown, sleeps hears puppy and is told of something cute; with K = Q they do not", async () => {
    const { first, last, gaze, word } = await flown(core, "asking");
    const [small, brown, puppy, sleeps] = ["small", "brown", "puppy", "sleeps"].map(word);
    expect(gaze!.weights[small] + gaze!.weights[brown]).toBeGreaterThan(0.95);
    expect(last[puppy][1] - first[puppy][1]).toBeGreaterThan(0.4); // its looks are known
    expect(last[sleeps][0] - first[sleeps][0]).toBeGreaterThan(0.6); // cute
    first.forEach((place, i) => expect(last[i].slice(2)).toEqual(place.slice(2))); // what kind of word it is stays
    const mirror = await flown(core, "asking", { mirror: true });
    expect(mirror.gaze!.weights[puppy]).toBeGreaterThan(0.9);
    expect(mirror.last[sleeps][0] - mirror.first[sleeps][0]).toBeLessThan(0.3);
  });

  it("9: the wedding ends in doubt after three spaces, and stays sure without the second", async () => {
    const ends = async (skip: boolean) => {
      const scene = sceneOf(stopOf("levels"), { ...kKnobs, skip }, storyWords.signs);
      const reel = await flyLevels(core, scene);
      await reel.need(reel.last);
      const { d } = reel.info;
      const place = (text: string, frame: number) => {
        const i = scene.tokens.findIndex((token) => token.text === text);
        return [...reel.frame(frame).subarray(i * d, (i + 1) * d)];
      };
      const seen = { feet: place("feet", reel.last), cold: place("cold", reel.last), wedding: place("wedding", reel.last) };
      const start = reel.flightAt(0);
      const shares = (await core.gaze(start.id, start.frame, 4)).weights;
      expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
      expect(Math.max(...reel.frame(reel.last).map(Math.abs))).toBeLessThan(1.1); // stays in the picture
      reel.close();
      return seen;
    };
    const whole = await ends(false);
    expect(Math.abs(whole.cold[0] - whole.feet[0])).toBeLessThan(0.1); // one phrase
    expect(whole.feet[1]).toBeGreaterThan(0.5); // of feelings
    expect(whole.wedding[2]).toBeGreaterThan(0.3);
    const without = await ends(true);
    expect(without.feet[1]).toBeLessThan(-0.5);
    expect(without.wedding[2]).toBeLessThan(-0.15);
  });

  it("8: three clusters form with and without thinking, bank among the water words", async () => {
    for (const think of [true, false]) {
      const { last, word } = await flown(core, "rounds", { think });
      const far = (a: string, b: string) => gap(last[word(a)], last[word(b)]);
      for (const a of ["mud", "shore", "boat", "bank"]) expect(far("river", a)).toBeLessThan(0.1);
      for (const a of ["coin", "vault", "rate"]) expect(far("loan", a)).toBeLessThan(0.1);
      for (const a of ["nail", "plank"]) expect(far("hammer", a)).toBeLessThan(0.1);
      for (const [a, b] of [["river", "loan"], ["river", "hammer"], ["loan", "hammer"]]) {
        expect(far(a, b)).toBeGreaterThan(0.5);
      }
    }
  });

  it("10: a guest moves the mean by about its vote, and CLS by less", async () => {
    const alone = await flown(core, "speaker");
    const joined = await flown(core, "speaker", { guest: true });
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

  /** Both flocks of the stop of order in the end: how far the same words are apart. */
  async function orders(placed: boolean) {
    const scene = sceneOf(stopOf("order"), { ...kKnobs, placed }, storyWords.signs);
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

  it("7: another order ends alike, until places are written on the words", async () => {
    const plain = await orders(false);
    for (const gap of plain.gaps) expect(gap).toBeLessThan(1e-6);
    const written = await orders(true);
    expect(written.gaps[1]).toBeGreaterThan(0.2); // bites starts at one place in both
    expect(written.verb[0]).toBeLessThan(-0.1); // and flies to the dog, who came first
  });

  it("10: one guest moves mean and CLS, in a tight and in a wide flock", async () => {
    for (const wide of [false, true]) {
      const { mean, cls } = await movedByGuest(core, wide, storyWords.signs);
      for (const moved of [mean, cls]) expect(moved).toBeGreaterThan(0.01);
      expect(Math.max(mean, cls)).toBeLessThan(1);
    }
  });

  it("11: what was said narrows what may come, to water words or to money words", async () => {
    for (const [bank, topic] of [["river", "water"], ["money", "money"]] as const) {
      const { rows } = await flown(core, "next", { bank });
      const { vocabulary } = sceneOf(stopOf("next"), { ...kKnobs, bank }, storyWords.signs);
      const said = (frame: number[][]) => core.nextWord(frame[frame.length - 1], pointsOf(vocabulary!).rows, 16);
      const [first, last] = [await said(rows[0]), await said(rows[rows.length - 1])];
      expect(last.outcomes).toBeLessThan(0.6 * first.outcomes);
      const right = vocabulary!.reduce((sum, word, v) => sum + (word.topic === topic ? last.probability[v] : 0), 0);
      expect(right).toBeGreaterThan(0.9);
    }
  });
});
