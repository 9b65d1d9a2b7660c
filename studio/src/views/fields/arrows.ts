// arrows.ts: vectors as arrows: how long to draw them, and which are too short.
import { addArrow } from "../../scene/arrow";
import type { Pieces, Rgb } from "../../scene/ink";

const kShare = 0.95; // of the vectors are drawn no longer than a cell

/** How many times its length a vector is drawn, so that most arrows of a field fit between places. */
export function scaleOf(lengths: ArrayLike<number>, cell: number): number {
  const sorted = Array.from(lengths).filter(Number.isFinite).sort((a, b) => a - b);
  if (sorted.length === 0) return 0;
  const long = sorted[Math.min(sorted.length - 1, Math.floor(kShare * sorted.length))];
  return long > 0 ? cell / long : 0;
}

/** (count): lengths in the first three coordinates of `stride`-apart vectors from `start`. */
export function lengthsOf(values: Float64Array, start: number, stride: number, d: number): Float64Array {
  const out = new Float64Array(Math.floor((values.length - start + stride - 1) / stride));
  for (let k = 0; k < out.length; ++k) {
    let square = 0;
    for (let c = 0; c < Math.min(3, d); ++c) square += values[start + k * stride + c] ** 2;
    out[k] = Math.sqrt(square);
  }
  return out;
}

/** How many times its length each of the four fields (count, 4, d) is drawn. */
export function scalesOf(values: Float64Array, d: number, cell: number): number[] {
  return [0, 1, 2, 3].map((which) => scaleOf(lengthsOf(values, which * d, 4 * d, d), cell));
}

/** An arrow; nothing where the vector is too short to be seen. */
export function addVector(
  pieces: Pieces, at: ArrayLike<number>, way: ArrayLike<number>, { colour, cell }: { colour: Rgb; cell: number },
): void {
  const length = Math.hypot(way[0], way[1], way[2]);
  if (!(length > 0.03 * cell) || !Number.isFinite(length)) return;
  addArrow(pieces, at, way, { colour, barb: Math.min(0.28 * cell, 0.4 * length) });
}
