// flock_groups.test.ts: groups by touch and by peaks, masses as areas, hulls, leaders, and what a flock does at its end.
import { existsSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { coreOf } from "../src/core/core";
import type { Core, Fault, Grouping, Words } from "../src/core/protocol";
import { strings } from "../src/strings/all";
import { Film } from "../src/state/film";
import { driftAt } from "../src/views/flock/motion";
import { attendsToNear, describeRefusal, lookFor, stopFor } from "../src/views/flock/look_for";
import { hullOf, massesOf } from "../src/views/flock/overlay";
import { flockParameters, framesFor, kPresets } from "../src/views/flock/parameters";

vi.mock("../src/core/client", () => ({ startCore: async () => ({}) }));
const wasm = new URL("../src/core/wasm/murmur.wasm", import.meta.url);
let core: Core;
beforeAll(async () => {
  if (!existsSync(wasm)) return;
  const glue = new URL("../src/core/wasm/murmur.mjs", import.meta.url);
  const { default: factory } = await import(/* @vite-ignore */ glue.href);
  core = coreOf(await factory({ wasmBinary: readFileSync(wasm) }));
});
const onCircle = (...degrees: number[]) => degrees.flatMap((a) => [Math.cos((a * Math.PI) / 180), Math.sin((a * Math.PI) / 180)]);

describe.skipIf(!existsSync(wasm))("groups", () => {
  const groups = async (rows: number[], sphere: boolean, by: Grouping) => [...(await core.groups(rows, 2, sphere, by)).of];
  const count = (of: number[]) => new Set(of).size;

  it("touch along chains, at 1 - cos on the sphere and at the distance in space", async () => {
    const tol = 1 - Math.cos((5 * Math.PI) / 180);
    expect(await groups(onCircle(0, 4, 8, 90, 200), true, { tol })).toEqual([0, 0, 0, 1, 2]);
    expect(count(await groups(onCircle(0, 6), true, { tol }))).toBe(2);
    const line = [0, 0, 0.04, 0, 0.2, 0];
    expect(count(await groups(line, false, { tol: 0.05 }))).toBe(2);
    expect(count(await groups(line, false, { tol: 0.17 }))).toBe(1);
  });

  it("by peaks do not chain, and see groups whose tokens do not touch", async () => {
    const spread = onCircle(-20, -10, 0, 10, 20, 160, 170, 180, 190, 200);
    expect(count(await groups(spread, true, { tol: 1e-3 }))).toBe(10);
    expect(await groups(spread, true, { beta: 9 })).toEqual([0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
    expect(count(await groups(onCircle(-15, 15), true, { beta: 9 }))).toBe(1);
    expect(count(await groups(onCircle(-60, 60), true, { beta: 9 }))).toBe(2);
    expect(await groups([0, 0, 0.1, 0, 5, 5, 5.1, 5], false, { beta: 1 })).toEqual([0, 0, 1, 1]);
  });

  it("by peaks of two equal dots part where the second derivative at their middle changes its sign", async () => {
    // sum of e^(beta cos(theta -+ a)) has one peak while beta sin(a)^2 < cos(a).
    const half = (beta: number) => Math.acos((Math.sqrt(1 + 4 * beta * beta) - 1) / (2 * beta)) * (180 / Math.PI);
    for (const beta of [2, 9, 30]) {
      const a = half(beta);
      expect(count(await groups(onCircle(-0.9 * a, 0.9 * a), true, { beta }))).toBe(1);
      expect(count(await groups(onCircle(-1.15 * a, 1.15 * a), true, { beta }))).toBe(2);
    }
  });

  it("of many by peaks take in those between the seeds", async () => {
    const many = Array.from({ length: 300 }, (_, i) => (i % 2 === 0 ? 0 : 180) + (i % 7));
    expect(await groups(onCircle(...many), true, { beta: 9 })).toEqual(many.map((_, i) => i % 2));
  });

  it("have leaders, who hear nobody better than themselves", async () => {
    expect([...(await core.groups([2, 0, 1, 0.1, 0, 2, -1, -1], 2, false, { tol: 0.1 })).leaders]).toEqual([0, 2, 3]);
  });
});

describe("masses", () => {
  it("have a middle and as many tokens as they have", () => {
    const places = new Float32Array([1, 0, 0, 0, 1, 0, 0, 0, 1]);
    const [mass, one] = massesOf(Int32Array.from([0, 0, 1]), places, true);
    expect([mass.tokens, one.tokens]).toEqual([2, 1]);
    expect(Math.hypot(...mass.place)).toBeCloseTo(1, 12);
  });
});

describe("hulls", () => {
  it("are the corners of a square, and of a cube with its twelve edges", () => {
    const square = new Float32Array([0, 0, 0, 2, 0, 0, 2, 2, 0, 0, 2, 0, 1, 1, 0, 1, 0, 0]);
    expect(hullOf(square, true)).toHaveLength(4);
    const cube = new Float32Array([0, 1].flatMap((x) => [0, 1].flatMap((y) => [0, 1].flatMap((z) => [x, y, z]))));
    expect(hullOf(cube, false)).toHaveLength(12);
    expect(hullOf(new Float32Array([0, 0, 0]), true)).toEqual([]);
  });
});

describe("the end", () => {
  it("rests, drifts and comes to rest again", () => {
    expect(driftAt(0)).toBe(0);
    expect(driftAt(2.4)).toBe(0);
    expect(driftAt(20)).toBeCloseTo(0.1, 12);
    expect(driftAt(200)).toBe(0);
  });
});

describe("words of the page", () => {
  const said = strings.flock;
  it("are said for what the core refuses", () => {
    const fault = { fault: 3, what: "hardmax has no energy", where: "", remedy: "" };
    expect(describeRefusal({ ...fault, n: 1000, d: 64, frames: 601 }, {}).text).toBe(said.faults.tooLarge(1000, 64, 601));
    expect(describeRefusal({ ...fault, where: "beta=abc" }, { beta: "abc" }).text).toBe(said.faults.noValue("abc", said.beta));
    expect(describeRefusal(fault, {}).text).toContain("hardmax has no energy");
    for (const hint of [said.faults.tooLargeHint, said.faults.refusedHint]) expect(hint).not.toMatch(/=|save|every:/);
  });

  it("keep as many frames as fit", () => {
    expect(framesFor("log:240", 200, 3)).toBe("log:240");
    expect(framesFor("log:240", 1000, 64)).toBe("log:130");
    expect(framesFor("every:T/240", 1000, 64)).toBe("every:T/130");
    expect(framesFor("every:0.1", 1000, 64)).toBe("every:0.1"); // what was asked for is refused, not changed
    expect(flockParameters({ n: "1000", d: "64" }).save).toBe("log:130");
  });

  it("say of every preset and every dynamics what to look for", () => {
    for (const { words } of kPresets) expect(lookFor(flockParameters(words)).length).toBeGreaterThan(20);
    for (const dynamics of Object.keys(said.dynamicsNames)) expect(lookFor(flockParameters({ dynamics })).length).toBeGreaterThan(20);
    expect(lookFor(flockParameters({ beta: "0.5" }))).toBe(said.look_for.one(0.5));
    expect(lookFor(flockParameters({ beta: "20" }))).toBe(said.look_for.groups(20, 3));
  });

  it.skipIf(!existsSync(wasm))("are said for what the core refuses of a flight", async () => {
    const refused = (words: Words) => core.flight(words).then(() => "", (fault: Fault) => describeRefusal(fault, words).text);
    expect(await refused({ n: 1000, d: 64, save: "every:0.1", T: 60 })).toBe(said.faults.tooLarge(1000, 64, 601));
    expect(await refused({ beta: "abc" })).toBe(said.faults.noValue("abc", said.beta));
  });

  it.skipIf(!existsSync(wasm))("know where a ring loses its hold: 1 / kappa_c of 2606.05140", async () => {
    const at = async (noise: string) => {
      const words = flockParameters({ dynamics: "USA", d: "2", beta: "1", noise });
      return lookFor(words, (await core.flight(words)).known);
    };
    expect(await at("0.56515")).toContain("one cluster"); // kappa_c = 1.76941
    expect(await at("0.56517")).toContain("no cluster");
    expect(lookFor(flockParameters({ dynamics: "USA", beta: "1", noise: "0.5" }))).toBe(said.look_for.noise(0.5));
  });
});

describe.skipIf(!existsSync(wasm))("groups of a flown flock", () => {
  it("by touch are as many as the core counts at every frame, and each hardmax token comes to a leader", async () => {
    const fly = async (recipe: Record<string, string>) => {
      const words = flockParameters(recipe);
      const film = new Film(core, await core.flight(words));
      await film.need(film.last);
      return { film, tol: Number(words.cluster_tol ?? 1e-3) };
    };
    const groupsOf = async ({ film, tol }: { film: Film; tol: number }, k: number) => {
      const { of, leaders } = await core.groups(film.frame(k), film.info.d, film.info.habitat === "sphere", { tol });
      return { count: new Set(of).size, leaders: leaders.length };
    };
    const soft = await fly({ n: "60", save: "log:20" });
    for (const [k, count] of soft.film.column("clusters").entries()) expect((await groupsOf(soft, k)).count, `frame ${k}`).toBe(count);
    const hard = await fly(kPresets.find(({ name }) => name === "hardmax")!.words);
    const last = await groupsOf(hard, hard.film.last);
    expect(last.count).toBe(last.leaders);
  }, 60_000);
});

describe("the stop of the Story that tells of a flock", () => {
  it("is attraction only where no matrix turns what is heard", () => {
    const of = (words: Record<string, string>) => stopFor(flockParameters(words));
    expect([of({}), of({ dynamics: "causal" })]).toEqual([3, 3]);
    expect([of({ value: "minus-identity" }), of({ value: "gaussian" })]).toEqual([4, 4]);
    expect([of({ query: "gaussian" }), of({ dynamics: "none" })]).toEqual([6, 1]);
    expect(attendsToNear(flockParameters({}))).toBe(true);
    expect(attendsToNear(flockParameters({ key: "goe" }))).toBe(false);
  });
});
