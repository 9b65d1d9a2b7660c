// fields.test.ts: slices, arrows, streamlines and test particles of the view fields.
import { existsSync, readFileSync } from "node:fs";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { coreOf } from "../src/core/core";
import type { Core, Fault, FlightInfo, TrainedInfo } from "../src/core/protocol";
import { Pieces } from "../src/scene/ink";
import { addVector, lengthsOf, scaleOf, scalesOf } from "../src/views/fields/draw";
import {
  carried, cellOf, formatDrops, gridOf, isOn, parseDrops, placeOn, type Slice, streamlines,
} from "../src/views/fields/slice";

const slice: Slice = { axis: "y", offset: 2, half: 10, count: 5 };
const always = () => true;

describe("slice", () => {
  it("lies across its axis", () => {
    const rows = gridOf(slice, 3);
    expect(rows.length).toBe(75);
    for (let k = 0; k < 25; ++k) expect(rows[3 * k + 1]).toBe(2);
    expect([...rows.subarray(0, 3)]).toEqual([-10, 2, -10]);
    expect([...rows.subarray(72)]).toEqual([10, 2, 10]);
    expect(cellOf(slice)).toBe(5);
  });

  it("fills coordinates beyond the third with 0", () => {
    const rows = gridOf({ ...slice, count: 3 }, 5);
    expect(rows.length).toBe(45);
    expect([rows[3], rows[4]]).toEqual([0, 0]);
  });

  it("knows what is on it", () => {
    expect(isOn(slice, placeOn(slice, 1, -1))).toBe(true);
    expect(isOn(slice, [10.1, 2, 0])).toBe(false);
  });

  it("reads drops back, and leaves out what is none", () => {
    const drops = [[1.5, -2, 0], [0.1234, 3, 4]];
    expect(parseDrops(formatDrops(drops), 9)).toEqual(drops);
    expect(parseDrops("1,2;x,1,2;3,4,5;,,", 9)).toEqual([[3, 4, 5]]);
    expect(parseDrops("1,2,3;4,5,6", 1)).toEqual([[1, 2, 3]]);
  });
});

describe("arrows", () => {
  it("are scaled so that a field's longest usual vector fits a cell", () => {
    expect(scaleOf([1, 2, 4], 2)).toBe(0.5);
    expect(scaleOf([0, 0], 2)).toBe(0);
    expect(scaleOf([NaN, 1], 3)).toBe(3);
  });

  it("measure each field of (count, 4, d) by itself", () => {
    const values = new Float64Array(2 * 4 * 3);
    for (let k = 0; k < 2; ++k) for (let f = 0; f < 4; ++f) values[(4 * k + f) * 3] = (f + 1) * (k + 1);
    expect([...lengthsOf(values, 2 * 3, 12, 3)]).toEqual([3, 6]);
    expect(scalesOf(values, 3, 1)).toEqual([1 / 2, 1 / 4, 1 / 6, 1 / 8]);
  });

  it("end at place plus vector, and vanish when too short", () => {
    const pieces = new Pieces();
    addVector(pieces, [1, 2, 3], [0, 0, 2], { colour: [1, 0, 0], cell: 1 });
    expect([...pieces.lines.points.subarray(0, 6)]).toEqual([1, 2, 3, 1, 2, 5]);
    expect(pieces.lines.points.length).toBe(5 * 6);
    pieces.clear();
    addVector(pieces, [1, 2, 3], [0, 0, 0.001], { colour: [1, 0, 0], cell: 1 });
    expect(pieces.lines.points.length).toBe(0);
  });

  it("keep pieces when there are many", () => {
    const pieces = new Pieces();
    for (let k = 0; k < 1000; ++k) pieces.add([k, 0, 0], [k, 1, 0], [0, 0, 0]);
    expect(pieces.lines.points.length).toBe(6000);
    expect(pieces.lines.points[6 * 999]).toBe(999);
    expect(pieces.lines.points[0]).toBe(0);
  });
});

describe("lines", () => {
  const turning = async (rows: Float64Array) => rows.map((_, e) => (e % 2 === 0 ? -rows[e + 1] : rows[e - 1]));

  it("follow a turning field round its circle", async () => {
    const seeds = Float64Array.of(1, 0, 0, 2);
    const ways = await streamlines(turning, seeds, 2, { steps: 100, step: 0.01, current: always });
    expect(ways.length).toBe(101 * 4);
    for (let k = 0; k <= 100; k += 20) {
      expect(Math.hypot(ways[4 * k], ways[4 * k + 1])).toBeCloseTo(1, 4);
      expect(Math.hypot(ways[4 * k + 2], ways[4 * k + 3])).toBeCloseTo(2, 4);
    }
    expect(Math.atan2(ways[401], ways[400])).toBeCloseTo(1, 3); // a way of length 1 on the unit circle
  });

  it("stand still where the field vanishes", async () => {
    const nothing = async (rows: Float64Array) => new Float64Array(rows.length);
    const ways = await streamlines(nothing, Float64Array.of(3, 4), 2, { steps: 3, step: 1, current: always });
    expect([...ways]).toEqual([3, 4, 3, 4, 3, 4, 3, 4]);
  });

  it("stop when nobody waits", async () => {
    let asked = 0;
    const ask = async (rows: Float64Array) => (++asked, rows);
    const ways = await streamlines(ask, Float64Array.of(1, 0), 2, { steps: 50, step: 1, current: () => asked < 4 });
    expect(asked).toBe(4);
    expect(ways.length).toBe(2 * 2);
  });

  it("carry test particles piece by piece from frame to frame", async () => {
    const asked: number[][] = [];
    const carry = async (frame: number, frames: number, rows: Float64Array) => {
      asked.push([frame, frames]);
      return Float64Array.from({ length: frames * rows.length }, (_, e) => rows[e % 2] + 1 + Math.floor(e / 2));
    };
    const ways = await carried(carry, Float64Array.of(0, 10), { first: 3, last: 43, current: always });
    expect(asked).toEqual([[3, 16], [19, 16], [35, 8]]);
    expect([...ways]).toEqual(Array.from({ length: 41 }, (_, k) => [k, 10 + k]).flat());
  });

  it("end where the core carries them no farther, and where nobody waits", async () => {
    const short = async (_: number, __: number, rows: Float64Array) => rows.slice();
    const ways = await carried(short, Float64Array.of(5), { first: 0, last: 30, current: always });
    expect([...ways]).toEqual([5, 5]);
    const never = await carried(short, Float64Array.of(5), { first: 0, last: 30, current: () => false });
    expect([...never]).toEqual([5]);
  });
});

const wasm = new URL("../src/core/wasm/murmur.wasm", import.meta.url);
const glue = new URL("../src/core/wasm/murmur.mjs", import.meta.url);
const inPublic = (path: string) => readFileSync(new URL(`../public/${path}`, import.meta.url));

describe.skipIf(!existsSync(wasm))("test particles beside a trained flock", () => {
  let core: Core;
  let info: FlightInfo;
  const last = 40; // three pieces, past the trained depth

  beforeAll(async () => {
    const { default: factory } = await import(/* @vite-ignore */ glue.href);
    core = coreOf(await factory({ wasmBinary: readFileSync(wasm) }));
    const trained = await core.trained(new Uint8Array(inPublic("models/3-8.safetensors")).buffer);
    const { height, width, labels } = JSON.parse(inPublic("digits.json").toString("utf8"));
    const size = height * width;
    const digit = labels.indexOf(3);
    const pixels = new Uint8Array(inPublic("digits.bin").subarray(digit * size, (digit + 1) * size));
    info = await core.flock(trained.id, { height, width, pixels }, { blocks: last });
    let frames = await core.fly(info.id, 1);
    while (frames.ended === null) frames = await core.fly(info.id, 64);
  });
  const carry = (frame: number, frames: number, rows: Float64Array) => core.carry(info.id, frame, frames, rows);
  const gap = (a: ArrayLike<number>, b: Float64Array) =>
    b.reduce((most, x, e) => Math.max(most, Math.abs(x - a[e])), 0);

  it("stay on the boids they are dropped on, to the end", async () => {
    const seeds = await core.frame(info.id, 0);
    const ways = await carried(carry, seeds, { first: 0, last, current: always });
    expect(ways.length).toBe((last + 1) * seeds.length);
    for (let k = 0; k <= last; ++k) {
      const there = await core.frame(info.id, k);
      expect(gap(ways.subarray(k * seeds.length, (k + 1) * seeds.length), there)).toBeLessThan(1e-9);
    }
    expect(gap(seeds, await core.frame(info.id, last))).toBeGreaterThan(1); // who flew at all
  });

  it("fly the same in company and alone, far out too", async () => {
    const seeds = Float64Array.of(40, -40, 40, -40, -40, 40, 0.5, -1, 2, 12, 0, 0);
    const together = await carried(carry, seeds, { first: 0, last, current: always });
    for (let i = 0; i < 4; ++i) {
      const alone = await carried(carry, seeds.slice(3 * i, 3 * i + 3), { first: 0, last, current: always });
      for (let k = 0; k <= last; ++k) {
        const at = k * seeds.length + 3 * i;
        expect(gap(together.subarray(at, at + 3), alone.slice(3 * k, 3 * k + 3))).toBeLessThan(1e-9);
      }
    }
  });

  it("are refused beside a flight that is gone", async () => {
    await expect(core.carry(999, 0, 1, Float64Array.of(0, 0, 0))).rejects.toMatchObject({ gone: true });
    await expect(core.carry(info.id, 0, 1, Float64Array.of(0, 0))).rejects.not.toHaveProperty("gone");
  });
});

const fake = vi.hoisted(() => ({ fields: vi.fn(), told: [] as unknown[] }));
vi.mock("../src/state/session", () => ({
  core: Promise.resolve({ fields: fake.fields }),
  showError: (error: unknown) => fake.told.push(error),
  isFault: (error: unknown) => typeof error === "object" && error !== null && "fault" in error,
}));

describe("requests to the core", () => {
  const trained = { id: 1, d: 3, blocks: 4 } as TrainedInfo;
  const film = { info: { id: 7, n: 2, d: 3 }, first: 0, last: 3, flown: { value: 0 } } as never;
  const wish = (block: number) => ({
    trained, film, block, frame: 0, slice, lines: "none" as const, drops: [], boid: null,
  });
  const refusal: Fault = { fault: 3, what: "no such frame", where: "", remedy: "" };

  beforeEach(() => {
    fake.told.length = 0;
    fake.fields.mockReset();
  });

  it("answers the wish that waited behind one that failed", async () => {
    const { FieldRequests } = await import("../src/views/fields/field_requests");
    const values = Float64Array.of(1, 2, 3);
    fake.fields.mockImplementation(async (_: number, block: number) => {
      if (block === 0) throw refusal;
      return values;
    });
    const requests = new FieldRequests();
    requests.want(wish(0));
    requests.want(wish(1)); // while the first is on its way
    await vi.waitFor(() => expect(requests.grid.value?.values).toBe(values));
    expect(fake.fields).toHaveBeenCalledTimes(2);
    expect(fake.told).toEqual([refusal]);
  });

  it("says nothing of what was closed meanwhile, and asks anew", async () => {
    const { FieldRequests } = await import("../src/views/fields/field_requests");
    fake.fields.mockRejectedValueOnce({ ...refusal, gone: true }).mockResolvedValue(Float64Array.of(4));
    const requests = new FieldRequests();
    requests.want(wish(0));
    await vi.waitFor(() => expect(fake.fields).toHaveBeenCalledTimes(1));
    await new Promise((resolve) => setTimeout(resolve));
    expect([requests.grid.value, fake.told]).toEqual([null, []]);
    requests.want(wish(0));
    await vi.waitFor(() => expect(requests.grid.value?.values[0]).toBe(4));
  });
});
