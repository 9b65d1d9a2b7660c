// branch.test.ts: moves of boids survive the address, and stay in the flight's space.
import { describe, expect, it } from "vitest";
import type { FlightInfo } from "../src/core/protocol";
import { addMoves, formatMoves, groupMoves, lift, parseMoves } from "../src/state/moves";

const info = { n: 10, d: 3, frames: 11, first: 0 } as FlightInfo;

describe("moves", () => {
  it("survive the address", () => {
    const text = "3:5:0.1,-2,3.5;7:1:1,2,3";
    expect(formatMoves(parseMoves(text))).toBe(text);
    expect(formatMoves([{ frame: 1, boid: 2, place: [1 / 3, 1e-7, -12.345678] }])).toBe("1:2:0.33333,1e-7,-12.346");
  });
  it("leave out what cannot be read", () => {
    const moves = parseMoves("3:5:1,,2;x;3:-1:1,2,3;4:4:1,2,3;5:5:1,2,z;");
    expect(moves).toEqual([{ frame: 4, boid: 4, place: [1, 2, 3] }]);
    expect(parseMoves("")).toEqual([]);
  });
  it("of a frame replace older ones of the same boid, and undo what came later", () => {
    const moves = parseMoves("2:1:0,0,0;3:1:1,1,1;3:2:2,2,2;5:4:4,4,4");
    const next = addMoves(moves, 3, new Map([[1, [9, 9, 9]]]));
    expect(formatMoves(next)).toBe("2:1:0,0,0;3:1:9,9,9;3:2:2,2,2");
  });
  it("are grouped by frame, and those no flight can have are left out", () => {
    const moves = parseMoves("5:1:1,1,1;2:3:0,0,0;5:0:2,2,2;5:10:1,1,1;5:2:1,1;10:1:1,1,1");
    const groups = groupMoves(moves, info);
    expect(groups.map((g) => [g.frame, g.moves.map((m) => m.boid)])).toEqual([[2, [3]], [5, [1, 0]]]);
  });
});

describe("a hand's way", () => {
  it("is along the first coordinates, or along given axes", () => {
    expect(lift([1, 2], [3, 4, 5], false)).toEqual([4, 6]);
    expect(lift([1, 2, 3, 4], [1, 1, 1], false)).toEqual([2, 3, 4, 4]);
    const axes = Float64Array.of(0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0);
    expect(lift([1, 2, 3, 4], [10, 20, 30], false, axes)).toEqual([31, 22, 3, 14]);
  });
  it("stays on the sphere", () => {
    const place = lift([1, 0, 0], [0, 1, 0], true);
    expect(Math.hypot(...place)).toBeCloseTo(1, 12);
    expect(place[0]).toBeCloseTo(Math.SQRT1_2, 12);
    expect(lift([1, 0, 0], [-1, 0, 0], true)).toEqual([1, 0, 0]);
  });
});
