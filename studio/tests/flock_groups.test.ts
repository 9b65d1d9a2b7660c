// flock_groups.test.ts: groups by touch and by peaks, masses as areas, hulls, leaders, and what a flock does at its end.
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { coreOf } from "../src/core/core";
import { strings } from "../src/strings/all";
import { Film } from "../src/state/film";
import { driftAt } from "../src/views/flock/at_end";
import { inPageWords } from "../src/views/flock/faults";
import { massesOf, modes, touching, type Rows } from "../src/views/flock/groups";
import { hullOf, leadersOf } from "../src/views/flock/hull";
import { hearsTheNear, lookFor, ringNoise, stopFor } from "../src/views/flock/look_for";
import { kPresets } from "../src/views/flock/presets";
import { flockParameters, framesFor } from "../src/views/flock/parameters";

const circle = (...degrees: number[]): Rows => ({
  rows: degrees.flatMap((a) => [Math.cos((a * Math.PI) / 180), Math.sin((a * Math.PI) / 180)]), n: degrees.length, d: 2,
  sphere: true,
});

describe("groups", () => {
  it("touch along chains, at 1 - cos on the sphere and at the distance in space", () => {
    const tol = 1 - Math.cos((5 * Math.PI) / 180);
    expect([...touching(circle(0, 4, 8, 90, 200), tol).of]).toEqual([0, 0, 0, 1, 2]);
    expect(touching(circle(0, 6), tol).count).toBe(2);
    const line: Rows = { rows: [0, 0, 0.04, 0, 0.2, 0], n: 3, d: 2, sphere: false };
    expect(touching(line, 0.05).count).toBe(2);
    expect(touching(line, 0.17).count).toBe(1);
  });

  it("by peaks do not chain, and see groups whose tokens do not touch", () => {
    const spread = circle(-20, -10, 0, 10, 20, 160, 170, 180, 190, 200);
    expect(touching(spread, 1e-3).count).toBe(10);
    expect([...modes(spread, 9).of]).toEqual([0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
    expect(modes(circle(-15, 15), 9).count).toBe(1);
    expect(modes(circle(-60, 60), 9).count).toBe(2);
    const plane: Rows = { rows: [0, 0, 0.1, 0, 5, 5, 5.1, 5], n: 4, d: 2, sphere: false };
    expect([...modes(plane, 1).of]).toEqual([0, 0, 1, 1]);
  });

  it("by peaks of two equal dots part where the second derivative at their middle changes its sign", () => {
    // sum of e^(beta cos(theta -+ a)) has one peak while beta sin(a)^2 < cos(a).
    const half = (beta: number) => Math.acos((Math.sqrt(1 + 4 * beta * beta) - 1) / (2 * beta)) * (180 / Math.PI);
    for (const beta of [2, 9, 30]) {
      const a = half(beta);
      expect(modes(circle(-0.9 * a, 0.9 * a), beta).count).toBe(1);
      expect(modes(circle(-1.15 * a, 1.15 * a), beta).count).toBe(2);
    }
  });

  it("have a middle and as many tokens as they have", () => {
    const places = new Float32Array([1, 0, 0, 0, 1, 0, 0, 0, 1]);
    const [mass, ...rest] = massesOf({ of: Int32Array.from([0, 0, 1]), count: 2 }, places, true);
    expect(rest).toEqual([]); // one alone is no group
    expect(mass.tokens).toBe(2);
    expect(Math.hypot(...mass.place)).toBeCloseTo(1, 12);
  });
});

describe("hulls and leaders", () => {
  it("are the corners of a square, and of a cube with its twelve edges", () => {
    const square = new Float32Array([0, 0, 0, 2, 0, 0, 2, 2, 0, 0, 2, 0, 1, 1, 0, 1, 0, 0]);
    expect(hullOf(square, true)).toHaveLength(4);
    const cube = new Float32Array([0, 1].flatMap((x) => [0, 1].flatMap((y) => [0, 1].flatMap((z) => [x, y, z]))));
    expect(hullOf(cube, false)).toHaveLength(12);
    expect(hullOf(new Float32Array([0, 0, 0]), true)).toEqual([]);
  });

  it("lead where nobody is heard better than oneself", () => {
    expect(leadersOf([2, 0, 1, 0.1, 0, 2, -1, -1], 4, 2)).toEqual([0, 2, 3]);
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
    const large = inPageWords("601 frames of 1000 particles with 64 coordinates are too many to keep", {});
    expect(large.text).toBe(said.faults.tooLarge(1000, 64, 601));
    expect(inPageWords("beta = abc: not a finite number", { beta: "abc" }).text).toBe(said.faults.noValue("abc", said.beta));
    expect(inPageWords("hardmax has no energy", {}).text).toContain("hardmax has no energy");
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

  it("know where a ring loses its hold: 1 / kappa_c of 2606.05140", () => {
    expect(1 / ringNoise(1)).toBeCloseTo(1.76941, 5);
    expect(1 / ringNoise(2)).toBeCloseTo(1.25736, 5);
    expect(ringNoise(1e-6)).toBeCloseTo(0.5, 6); // kappa_c = d
    const at = (noise: string) => lookFor(flockParameters({ dynamics: "USA", d: "2", beta: "1", noise }));
    expect(at("0.5")).toContain("one cluster");
    expect(at("0.6")).toContain("no cluster");
  });
});

const wasm = new URL("../src/core/wasm/murmur.wasm", import.meta.url);
describe.skipIf(!existsSync(wasm))("groups of a flown flock", () => {
  it("by touch are as many as the core counts at every frame, and each hardmax token comes to a leader", async () => {
    const glue = new URL("../src/core/wasm/murmur.mjs", import.meta.url);
    const { default: factory } = await import(/* @vite-ignore */ glue.href);
    const core = coreOf(await factory({ wasmBinary: readFileSync(wasm) }));
    const fly = async (recipe: Record<string, string>) => {
      const words = flockParameters(recipe);
      const film = new Film(core, await core.flight(words));
      await film.need(film.last);
      return { film, tol: Number(words.cluster_tol ?? 1e-3) };
    };
    const rowsOf = (film: Film, k: number): Rows =>
      ({ rows: film.frame(k), n: film.info.n, d: film.info.d, sphere: film.info.habitat === "sphere" });
    const { film, tol } = await fly({ n: "60", save: "log:20" });
    const counts = film.column("clusters");
    counts.forEach((count, k) => expect(touching(rowsOf(film, k), tol).count, `frame ${k}`).toBe(count));
    const hard = await fly(kPresets.find(({ name }) => name === "hardmax")!.words);
    const last = rowsOf(hard.film, hard.film.last);
    expect(touching(last, hard.tol).count).toBe(leadersOf(last.rows, last.n, last.d).length);
  }, 60_000);
});

describe("the stop of the Story that tells of a flock", () => {
  it("is attraction only where no matrix turns what is heard", () => {
    const of = (words: Record<string, string>) => stopFor(flockParameters(words));
    expect([of({}), of({ dynamics: "causal" })]).toEqual([3, 3]);
    expect([of({ value: "minus-identity" }), of({ value: "gaussian" })]).toEqual([4, 4]);
    expect([of({ query: "gaussian" }), of({ dynamics: "none" })]).toEqual([6, 1]);
    expect(hearsTheNear(flockParameters({}))).toBe(true);
    expect(hearsTheNear(flockParameters({ key: "goe" }))).toBe(false);
  });
});
