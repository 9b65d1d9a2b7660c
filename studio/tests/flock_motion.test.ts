// flock_motion.test.ts: the pace that lingers, the view's axes and reach, colours and bars of the view flock.
import { describe, expect, it } from "vitest";
import { kFastest, kSlowest, Motion, paceOf, quantile, distanceBetween } from "../src/views/flock/motion";
import { alignAxes, longest, plainAxes, project, Reach, toSphere } from "../src/views/flock/projection";
import { meanAttention } from "../src/scene/heads";
import { linearOne, parseInk } from "../src/scene/ink";
import { colourByOrder, colourByPlace, oklab } from "../src/views/flock/colours";
import { axisEnd, bars, outline } from "../src/views/flock/plots";
import { boidSize, stageOptions } from "../src/views/flock/scene";

/** A film of one boid on the line, at these places. */
function filmOf(places: number[], flown = places.length) {
  return {
    flown: { value: flown }, first: 0, last: places.length - 1, info: { n: 1, d: 2 },
    frame: (k: number) => Float32Array.from([places[k], 0]),
  };
}

describe("motion", () => {
  it("measures the way between frames", () => {
    const way = distanceBetween(Float32Array.from([0, 0, 0, 0]), Float32Array.from([3, 4, 0, 0]), 2);
    expect(way).toBeCloseTo(Math.sqrt(12.5), 6);
    expect(quantile([4, 1, 3, 2], 4, 0.75)).toBe(4);
    expect(quantile([], 0, 0.5)).toBe(0);
  });

  it("passes plateaus quickly and rushes slowly, within bounds", () => {
    expect(paceOf(1, 1)).toBe(1);
    expect(paceOf(0.5, 1)).toBe(2);
    expect(paceOf(0, 1)).toBe(kFastest);
    expect(paceOf(1e-9, 1)).toBe(kFastest);
    expect(paceOf(100, 1)).toBe(kSlowest);
    expect(paceOf(1, 0)).toBe(1);
  });

  it("finds plateau and rush in a film, and learns as frames come", () => {
    const places = [0, 1, 2, 3, 4, ...Array<number>(20).fill(4), 5, 6, 7, 8, 9, 10, 11, 12];
    const film = filmOf(places, 3);
    const motion = new Motion(film);
    expect(motion.pace(0)).toBe(1);
    film.flown.value = places.length;
    expect(motion.pace(14)).toBe(kFastest);
    expect(motion.pace(1)).toBeLessThan(1.5);
    expect(motion.pace(30)).toBeLessThan(1.5);
    expect(motion.pace(1e6)).toBeGreaterThan(0);
  });
});

describe("projection", () => {
  it("keeps three coordinates and lays two flat", () => {
    const out = new Float32Array(3);
    project(Float32Array.from([1, 2]), { axes: plainAxes(2), d: 2, scale: 2 }, out);
    expect(Array.from(out)).toEqual([2, 4, 0]);
    project(Float32Array.from([1, 2, 3]), { axes: plainAxes(3), d: 3, scale: 1 }, out);
    expect(Array.from(out)).toEqual([1, 2, 3]);
  });

  it("projects many dimensions along the axes, which do not flip", () => {
    const axes = Float64Array.from([0, 0, 0, 1, 1, 0, 0, 0, 0, -1, 0, 0]);
    const out = new Float32Array(3);
    project(Float32Array.from([5, 6, 7, 8]), { axes, d: 4, scale: 1 }, out);
    expect(Array.from(out)).toEqual([8, 5, -6]);
    const turned = alignAxes(axes.map((a) => -a), axes, 4);
    expect(Array.from(turned).map((a) => a + 0)).toEqual(Array.from(axes).map((a) => a + 0));
  });

  it("puts rows on the sphere and finds the longest", () => {
    const rows = Float32Array.from([3, 4, 0, 0]);
    expect(longest(rows, 2)).toBe(5);
    toSphere(rows, 2);
    expect(rows[0]).toBeCloseTo(0.6, 6);
    expect(Array.from(rows.subarray(2))).toEqual([0, 0]);
  });

  it("widens the view and never narrows it", () => {
    const reach = new Reach(filmOf([1, 4, 2, 8]));
    expect(reach.at(0)).toBe(1);
    expect(reach.at(0.5)).toBe(2.5);
    expect(reach.at(2)).toBe(4);
    expect(reach.at(3)).toBe(8);
  });
});

describe("colours", () => {
  it("know white, black and the curve of the screen", () => {
    const out = new Float32Array(6);
    oklab(1, 0, 0, out, 0);
    oklab(0, 0, 0, out, 1);
    for (let c = 0; c < 3; ++c) {
      expect(out[c]).toBeCloseTo(1, 3);
      expect(out[3 + c]).toBeCloseTo(0, 6);
    }
    expect(linearOne(1)).toBeCloseTo(1, 9);
    expect(linearOne(0.5)).toBeCloseTo(0.2140, 4);
  });

  it("give the same place the same colour at any length, and even angles even steps", () => {
    const n = 24;
    const ring = new Float32Array(3 * n);
    for (let i = 0; i < n; ++i) {
      const angle = (2 * Math.PI * i) / n;
      ring.set([Math.cos(angle), Math.sin(angle), 0], 3 * i);
    }
    const near = new Float32Array(3 * n);
    const far = new Float32Array(3 * n);
    colourByPlace(ring, true, near);
    colourByPlace(ring.map((x) => 5 * x), true, far);
    for (let e = 0; e < 3 * n; ++e) expect(far[e]).toBeCloseTo(near[e], 5);
    for (const value of near) expect(value >= 0 && value <= 1).toBe(true);
    const different = new Set(Array.from({ length: n }, (_, i) => near.subarray(3 * i, 3 * i + 3).join()));
    expect(different.size).toBe(n);
  });

  it("tell first from last, and read what CSS writes", () => {
    const out = new Float32Array(9);
    colourByOrder(3, false, out);
    expect(out[0]).toBeGreaterThan(out[6]); // the first is redder
    expect(parseInk("#fff")).toEqual([1, 1, 1]);
    expect(parseInk(" #336699 ")[1]).toBeCloseTo(0.4, 9);
    expect(parseInk("rgb(255, 0, 51)")).toEqual([1, 0, 0.2]);
  });
});

describe("bars", () => {
  it("are as high as the shares", () => {
    expect(bars([0, 0.5], 1)).toBe("M1.08 100v-50h0.84v50.00z");
    expect(outline([0.5, 1], 1)).toBe("M0 100V50.00h1V0.00h1V100");
    expect([0.01, 0.05, 0.06, 0.3, 0.9].map(axisEnd)).toEqual([0.05, 0.05, 0.1, 0.5, 1]);
  });
});

describe("scene", () => {
  it("looks straight at what is flat", () => {
    expect(stageOptions("sphere", 2)).toMatchObject({ backdrop: "circle", flat: true });
    expect(stageOptions("sphere", 16).backdrop).toBe("sphere");
    expect(stageOptions("space", 3).backdrop).toBe("box");
    expect(boidSize(1000)).toBeLessThan(boidSize(100));
  });

  it("averages the heads of a gaze", () => {
    const weights = Float64Array.from([1, 0, 0.5, 0.5]);
    const gaze = { weights, heads: 2, query: [], key: [], value: [], feedForward: [] };
    expect(Array.from(meanAttention(gaze))).toEqual([0.75, 0.25]);
  });
});
