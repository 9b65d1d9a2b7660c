// fields.test.ts: slices, arrows, streamlines and test particles of the view fields.
import { describe, expect, it } from "vitest";
import { Pieces } from "../src/scene/ink";
import { addArrow, lengthsOf, scaleOf, scalesOf } from "../src/views/fields/arrows";
import { cellOf, formatDrops, gridOf, isOn, parseDrops, placeOn, type Slice } from "../src/views/fields/slice";
import { drift, streamlines } from "../src/views/fields/stream";

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
    addArrow(pieces, [1, 2, 3], [0, 0, 2], { colour: [1, 0, 0], cell: 1 });
    expect([...pieces.lines.points.subarray(0, 6)]).toEqual([1, 2, 3, 1, 2, 5]);
    expect(pieces.lines.points.length).toBe(5 * 6);
    pieces.clear();
    addArrow(pieces, [1, 2, 3], [0, 0, 0.001], { colour: [1, 0, 0], cell: 1 });
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

  it("let test particles drift with each frame's velocity", async () => {
    const ask = async (frame: number, rows: Float64Array) => rows.map(() => frame);
    const ways = await drift(ask, Float64Array.of(0, 10), { first: 1, last: 4, dt: 0.5, current: always });
    expect([...ways]).toEqual([0, 10, 0.5, 10.5, 1.5, 11.5, 3, 13]);
  });
});
