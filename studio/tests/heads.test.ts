// heads.test.ts: the lines of several heads: each its own, bowed apart, one alone when it is picked.
import { describe, expect, it, vi } from "vitest";
import type { Gaze } from "../src/core/protocol";

vi.stubGlobal("document", { documentElement: { dataset: {} } });
vi.stubGlobal("getComputedStyle", () => ({
  getPropertyValue: (name: string) => ({ "--head-0": "#ff0000", "--head-1": "#0000ff", "--paper": "#ffffff" })[name] ?? "#888888",
}));
const { addHeadBeams, addHeadLines, centreOf, headInk } = await import("../src/scene/heads");
const { Pieces } = await import("../src/scene/ink");

const gaze = { heads: 2, weights: Float64Array.of(0, 1, 0, 0, 0.5, 0.5) } as Gaze;
const spots = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0);

function linesOf(head: number | null) {
  const pieces = new Pieces();
  addHeadLines(pieces, gaze, { boid: 0, spots, head });
  return pieces.lines;
}

describe("heads", () => {
  it("have a colour each, and a lone one that of its view", () => {
    expect(headInk(0, 2, "--accent")).toEqual([1, 0, 0]);
    expect(headInk(1, 2, "--accent")).toEqual([0, 0, 1]);
    expect(headInk(0, 1, "--paper")).toEqual([1, 1, 1]);
  });
  it("draw whom each of them hears, or one alone", () => {
    const [all, first, second] = [null, 0, 1].map(linesOf);
    expect(first.points.length).toBe(6 * 6); // one boid heard, six pieces
    expect(second.points.length).toBe(2 * first.points.length);
    expect(all.points.length).toBe(first.points.length + second.points.length);
    expect([...first.colours.subarray(0, 3)]).toEqual([1, 0, 0]);
    expect(second.colours[2]).toBeGreaterThan(second.colours[0]);
  });
  it("draw of each no more than its five loudest where all are shown, so that three look like three", () => {
    const n = 40;
    const many = { heads: 3, weights: Float64Array.from({ length: 3 * n }, (_, k) => 1 + (k % n) / n) } as Gaze;
    const places = Float32Array.from({ length: 3 * n }, (_, k) => k);
    const count = (head: number | null) => {
      const pieces = new Pieces();
      addHeadLines(pieces, many, { boid: 0, spots: places, head });
      return pieces.lines.points.length / (6 * 6);
    };
    expect(count(null)).toBe(3 * 5);
    expect(count(1)).toBe(n - 1); // one that is picked shows all it hears
  });
  it("have a beam each, in its colour, to where their attention lies", () => {
    expect(centreOf([0, 1, 3], spots)).toEqual([0.25, 0.75, 0]);
    const pieces = new Pieces();
    addHeadBeams(pieces, gaze, { boid: 0, spots });
    const { points, colours } = pieces.lines;
    expect(points.length).toBe(2 * 6);
    expect([...points.subarray(3, 6)]).toEqual([1, 0, 0]);
    expect([...points.subarray(9, 12)]).toEqual([0.5, 0.5, 0]);
    expect([...colours.subarray(0, 3)]).toEqual([1, 0, 0]);
    expect([...colours.subarray(6, 9)]).toEqual([0, 0, 1]);
  });
  it("bow to different sides, from the boid to the one heard", () => {
    const [first, second] = [0, 1].map(linesOf);
    const middle = (points: Float32Array) => points[6 * 3 + 1]; // y half way to the boid at (1, 0)
    expect(middle(first.points) * middle(second.points)).toBeLessThan(0);
    expect([...first.points.subarray(0, 3)]).toEqual([0, 0, 0]);
    expect(first.points[6 * 5 + 3]).toBeCloseTo(1, 6);
  });
});
