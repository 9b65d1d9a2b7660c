// heads.ts: the attention of a token: its mean over the heads, one colour per head, and the lines of each.
import type { Gaze } from "../core/protocol";
import { inkOf, linear, mixInk, type Pieces, type Rgb } from "./ink";

/** The attention weights of a token: the mean over the heads, (n). */
export function meanAttention(gaze: Pick<Gaze, "weights" | "heads">): Float64Array {
  const n = gaze.weights.length / Math.max(1, gaze.heads);
  const out = new Float64Array(n);
  for (let h = 0; h < gaze.heads; ++h) for (let j = 0; j < n; ++j) out[j] += gaze.weights[h * n + j] / gaze.heads;
  return out;
}

const kHues = 8;
const kBow = 0.16; // of a line's length, between neighbouring heads
const kLoudest = 5; // lines a head where all heads are shown: more would be one tangle
const kBends = 6; // straight pieces of a bowed line

/** A head's colour; where there is one head, `only` is its name. */
export function headInk(head: number, heads: number, only: string): Rgb {
  return inkOf(heads > 1 ? `--head-${head % kHues}` : only);
}

/** From a to b in a curve that leaves the straight way by `bow` of its length, to the same side of the viewer. */
function addBow(pieces: Pieces, a: ArrayLike<number>, b: ArrayLike<number>, bow: number, colour: Rgb): void {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const at = (s: number) => {
    const off = 4 * bow * s * (1 - s);
    return [a[0] + s * dx - off * dy, a[1] + s * dy + off * dx, a[2] + s * (b[2] - a[2])];
  };
  for (let k = 0; k < kBends; ++k) pieces.add(at(k / kBends), at((k + 1) / kBends), colour);
}

/** The centre of a head's attention: the mean of all positions by its weights; (3). `row` (n), `spots` (n, 3). */
export function centreOf(row: ArrayLike<number>, spots: ArrayLike<number>): [number, number, number] {
  const sum: [number, number, number] = [0, 0, 0];
  let all = 0;
  for (let j = 0; j < row.length; ++j) {
    all += row[j];
    for (let c = 0; c < 3; ++c) sum[c] += row[j] * spots[3 * j + c];
  }
  return sum.map((x) => x / (all || 1)) as [number, number, number];
}

/** The tokens a head attends to most, at most so many. */
function loudestOf(row: Float64Array, boid: number, most: number): Set<number> {
  const others = [...row.keys()].filter((j) => j !== boid);
  return new Set(others.sort((a, b) => row[b] - row[a] || a - b).slice(0, most));
}

/** One beam a head, from a boid to where that head's attention lies. */
export function addHeadBeams(pieces: Pieces, gaze: Gaze, { boid, spots }: { boid: number; spots: Float32Array }): void {
  const n = gaze.weights.length / gaze.heads;
  for (let h = 0; h < gaze.heads; ++h) {
    const row = gaze.weights.subarray(h * n, (h + 1) * n);
    pieces.add(spots.subarray(3 * boid, 3 * boid + 3), centreOf(row, spots), linear(headInk(h, gaze.heads, "--accent")));
  }
}

/**
 * Lines from a boid to those that each head hears, bowed apart, stronger where it hears more; null: all heads, and of each
 * those it hears loudest.
 */
export function addHeadLines(
  pieces: Pieces, gaze: Gaze, { boid, spots, head }: { boid: number; spots: Float32Array; head: number | null },
): void {
  const { heads, weights } = gaze;
  const n = weights.length / heads;
  const paper = inkOf("--paper");
  const spot = (i: number) => spots.subarray(3 * i, 3 * i + 3);
  for (let h = 0; h < heads; ++h) {
    if (head !== null && head !== h) continue;
    const row = weights.subarray(h * n, (h + 1) * n);
    const most = Math.max(...row);
    const ink = headInk(h, heads, "--accent");
    const loudest = head === null ? loudestOf(row, boid, kLoudest) : null;
    for (let j = 0; j < n; ++j) {
      if (j === boid || !(row[j] > 0.02 * most) || loudest?.has(j) === false) continue;
      const colour = linear(mixInk(paper, ink, 0.2 + 0.8 * Math.sqrt(row[j] / most)));
      addBow(pieces, spot(boid), spot(j), kBow * (h - (heads - 1) / 2), colour);
    }
  }
}
