// first.test.ts: sheets, hands and ways: what Digits and the page's frame compute without a screen.
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { coreOf } from "../src/core/core";
import { reachOf, shiftTogether, turnTogether } from "../src/state/moves";
import { opening } from "../src/state/moment";
import { change, follow, recipe } from "../src/state/recipe";
import { beforeStory, goTo, unknownAddress } from "../src/state/views";
import { withoutAttention } from "../src/views/digits/pairs";
import { beside } from "../src/views/digits/gaze";
import { majority } from "../src/views/digits/reading";
import { fitOf, kPixels, type Line } from "../src/views/digits/sheet";
import { onSheet, sheetOn } from "../src/views/digits/pad";

vi.mock("../src/core/client", () => ({ startCore: async () => ({}) }));

const length = (v: readonly number[]) => Math.hypot(...v);
const gap = (a: readonly number[], b: readonly number[]) => length(a.map((x, c) => x - b[c]));

describe("a hand", () => {
  const flock = [3, 0, 0, -1, 0, 0, -1, 2, 0, -1, -2, 0]; // (4, 3), mean 0
  const reach = reachOf(flock, 3);
  const held = new Map([[0, [3, 0, 0]], [2, [-1, 2, 0]]]);
  it("knows how far the flock reaches", () => expect(reach).toEqual({ mean: [0, 0, 0], radius: 3 }));
  it("moves a group by one shift, no farther than twice the radius", () => {
    for (const shift of [[0.5, 0.2, 0], [100, -7, 3], [-4394, 0, 0], [0, 0, 0]]) {
      const moved = shiftTogether(held, shift, reach);
      expect(gap(moved.get(0)!, moved.get(2)!)).toBeCloseTo(gap(held.get(0)!, held.get(2)!), 9);
      for (const place of moved.values()) expect(length(place)).toBeLessThanOrEqual(6 + 1e-9);
    }
    expect(shiftTogether(held, [0.5, 0.2, 0], reach).get(0)).toEqual([3.5, 0.2, 0]);
    expect(Math.max(...[...shiftTogether(held, [100, 0, 0], reach).values()].map(length))).toBeCloseTo(6, 9);
  });
  it("lets one that is farther out already come back", () => {
    const far = new Map([[0, [20, 0, 0]]]);
    expect(shiftTogether(far, [5, 0, 0], reach).get(0)).toEqual([20, 0, 0]);
    expect(shiftTogether(far, [-5, 0, 0], reach).get(0)).toEqual([15, 0, 0]);
  });
  it("turns a group on the sphere as one", () => {
    const unit = (v: number[]) => v.map((x) => x / length(v));
    const group = new Map([[1, unit([1, 0.2, 0, 1])], [2, unit([0.3, 1, -2, 0])], [3, unit([0, 0, 1, 1])]]);
    const to = unit([0.1, 0.9, 0.4, -0.3]);
    const turned = turnTogether(group, group.get(1)!, to);
    turned.get(1)!.forEach((x, c) => expect(x).toBeCloseTo(to[c], 12));
    for (const [i, a] of group) {
      expect(length(turned.get(i)!)).toBeCloseTo(1, 12);
      for (const [j, b] of group) expect(gap(turned.get(i)!, turned.get(j)!)).toBeCloseTo(gap(a, b), 12);
    }
  });
});

describe("a new flight with a hand in it", () => {
  it("waits where the hand was", () => {
    follow("#v=1&view=digits&edit=7:1:0,0,0;4:2:1,1,1");
    expect(opening()).toEqual({ at: 4, play: false });
    follow("#v=1&view=digits&edit=0:2:1,1,1");
    expect(opening()).toEqual({ at: 0, play: false });
    follow("#v=1&view=digits&edit=7:1:0,0,0&at=9");
    expect(opening()).toEqual({ at: 9, play: false });
  });
});

describe("a view", () => {
  it("is remembered as it was left, and words of a link replace that", () => {
    follow("#v=1&view=map&beta=3");
    goTo("flock", { n: "9" });
    change({ seed: 2 });
    goTo("story");
    expect(beforeStory.value).toBe("flock");
    goTo("map");
    expect(recipe.value).toEqual({ view: "map", beta: "3" });
    goTo("flock");
    expect(recipe.value).toEqual({ view: "flock", n: "9", seed: "2" });
    goTo("flock", { n: "4" });
    expect(recipe.value).toEqual({ view: "flock", n: "4" });
  });
  it("that there is not is told, and so is a stop or an address", () => {
    const said = (hash: string) => (follow(hash), unknownAddress(hash));
    for (const hash of ["", "#", "#v=1", "#v=1&view=flock", "#v=1&view=story&stop=9", "#v=1&view=story"]) {
      expect(said(hash)).toBeNull();
    }
    for (const hash of ["#v=1&view=nowhere", "#v=1&view=story&stop=0", "#v=1&view=story&stop=x", "#birds", "#%"]) {
      expect(said(hash)).not.toBeNull();
    }
  });
});

describe("a sheet", () => {
  const line = (...points: [number, number][]): Line => ({
    erases: false, points: points.map(([x, y]) => ({ x, y, width: 20 })),
  });
  it("is left as it is while strokes are on it", () => {
    expect(fitOf([])).toEqual({ scale: 1, x: -0, y: -0 });
    expect(fitOf([line([40, 40], [200, 240])]).scale).toBe(1);
  });
  it("shrinks until strokes beside it are on it", () => {
    const { scale, x, y } = fitOf([line([-300, 40], [500, 140])]);
    for (const [px, py] of [[-310, 40], [510, 140]]) {
      expect(scale * px + x).toBeGreaterThanOrEqual(0);
      expect(scale * px + x).toBeLessThanOrEqual(kPixels);
      expect(scale * py + y).toBeGreaterThanOrEqual(0);
    }
  });
  it("lies on the stage as the camera sees it, and places come back from there", () => {
    const seen = sheetOn([{ x: 100, y: 50 }, { x: 380, y: 70 }, { x: 110, y: 330 }], 500, 400);
    for (const [x, y] of [[0, 0], [kPixels, 0], [77, 199]]) {
      const [a, b, c, d, e, f] = seen;
      const back = onSheet(seen, { x: a * x + c * y + e, y: b * x + d * y + f });
      expect([back.x, back.y].map((v) => Number(v.toFixed(9)))).toEqual([x, y]);
    }
  });
  it("faces the viewer where the camera sees its edge, or its back", () => {
    const edge = sheetOn([{ x: 100, y: 50 }, { x: 110, y: 50 }, { x: 100, y: 330 }], 500, 400);
    const back = sheetOn([{ x: 380, y: 50 }, { x: 100, y: 50 }, { x: 380, y: 330 }], 500, 400);
    const side = 320 / kPixels;
    for (const seen of [edge, back, sheetOn([null, null, null], 500, 400)]) expect(seen).toEqual([side, 0, 0, side, 90, 40]);
  });
});

describe("the card of a boid", () => {
  const [size, room] = [{ w: 100, h: 40 }, { w: 500, h: 300 }];
  it("stands right of it, or left where there is no room, within the stage and off the boid", () => {
    for (const [x, y] of [[20, 20], [250, 150], [490, 150], [490, 295], [3, 2]]) {
      const at = beside({ x, y }, size, room);
      expect(at.x).toBeGreaterThanOrEqual(0);
      expect(at.x + size.w).toBeLessThanOrEqual(room.w);
      expect(at.y).toBeGreaterThanOrEqual(0);
      expect(at.y + size.h).toBeLessThanOrEqual(room.h);
      expect(at.x > x || at.x + size.w < x).toBe(true);
    }
  });
});

describe("the majority", () => {
  it("is the largest group, whoever has the mean", () => {
    const film = {
      info: { n: 5, classes: ["5", "6"] }, first: 0, flown: { value: 1 }, verdicts: Int8Array.of(1, 1, 0, 1, 0),
      scores: Float64Array.of(0.9, 0.1),
    } as unknown as Parameters<typeof majority>[0];
    expect(majority(film, 0)).toEqual({ best: 1, count: 3 });
  });
});

const wasm = new URL("../src/core/wasm/murmur.wasm", import.meta.url);
describe.skipIf(!existsSync(wasm))("attention off", () => {
  it("means that nobody hears anybody: who is left flies as before when others are taken away", async () => {
    const { default: factory } = await import(/* @vite-ignore */ new URL("../src/core/wasm/murmur.mjs", import.meta.url).href);
    const core = coreOf(await factory({ wasmBinary: readFileSync(wasm) }));
    const bytes = new Uint8Array(readFileSync(new URL("../public/models/5-6.safetensors", import.meta.url))).buffer;
    const ends = async (file: ArrayBuffer, rows: number[]) => {
      const info = await core.flockOfPoints((await core.trained(file)).id, Float64Array.from(rows), rows.length / 3);
      for (let ended = null; ended === null; ) ended = (await core.fly(info.id, 64)).ended;
      return [...(await core.frame(info.id, info.frames - 1))].slice(0, 6);
    };
    const all = [1, 2, 0, -3, 1, 0, 4, -5, 0, 2, 2, 0];
    expect(await ends(withoutAttention(bytes), all)).toEqual(await ends(withoutAttention(bytes), all.slice(0, 6)));
    expect(await ends(bytes, all)).not.toEqual(await ends(bytes, all.slice(0, 6)));
  });
});
