// slice.ts: a square slice through space: its grid of positions, and lines along a field, which the core evaluates at many positions at once.

export const kAxes = ["x", "y", "z"] as const;
export type Axis = (typeof kAxes)[number];

/** All places with coordinate `axis` = offset, up to `half` to each side of the middle. */
export interface Slice {
  axis: Axis;
  offset: number;
  half: number;
  count: number; // places along a side
}

/** The two axes that lie in the slice, as indices. */
export function along(axis: Axis): [number, number] {
  return axis === "x" ? [2, 1] : axis === "y" ? [0, 2] : [0, 1];
}

/** The place of the slice at (u, v), each from -1 to 1. */
export function placeOn(slice: Slice, u: number, v: number): [number, number, number] {
  const place: [number, number, number] = [0, 0, 0];
  const [a, b] = along(slice.axis);
  place[kAxes.indexOf(slice.axis)] = slice.offset;
  place[a] = u * slice.half;
  place[b] = v * slice.half;
  return place;
}

/** (count^2, d): the grid's places; coordinates beyond the third are 0. */
export function gridOf(slice: Slice, d: number): Float64Array {
  const { count } = slice;
  const rows = new Float64Array(count * count * d);
  for (let k = 0; k < count * count; ++k) {
    const [u, v] = [k % count, Math.floor(k / count)].map((e) => (count > 1 ? (2 * e) / (count - 1) - 1 : 0));
    const place = placeOn(slice, u, v);
    for (let c = 0; c < Math.min(3, d); ++c) rows[k * d + c] = place[c];
  }
  return rows;
}

/** How far apart the grid's places are. */
export function cellOf(slice: Slice): number {
  return (2 * slice.half) / Math.max(1, slice.count - 1);
}

/** The four corners, in order round the slice. */
export function cornersOf(slice: Slice): [number, number, number][] {
  return [placeOn(slice, -1, -1), placeOn(slice, 1, -1), placeOn(slice, 1, 1), placeOn(slice, -1, 1)];
}

/** Whether a place in the plane of the slice is on the slice. */
export function isOn(slice: Slice, place: ArrayLike<number>): boolean {
  return along(slice.axis).every((c) => Math.abs(place[c]) <= slice.half);
}

/** The recipe's word `drop`: "1,2,0;-3,0,0"; what cannot be read is left out. */
export function parseDrops(text: string, most: number): number[][] {
  return text
    .split(";")
    .map((piece) => piece.split(",").map((x) => (x.trim() === "" ? NaN : Number(x))))
    .filter((place) => place.length === 3 && place.every(Number.isFinite))
    .slice(0, most);
}

/** The inverse, to four digits. */
export function formatDrops(drops: readonly (readonly number[])[]): string {
  return drops.map((place) => place.map((x) => String(Number(x.toPrecision(4)))).join()).join(";");
}

/** (count, d) vectors at (count, d) places. */
export type Ask = (rows: Float64Array) => Promise<Float64Array>;

/**
 * Streamlines from `seeds` (count, d): `steps` pieces of length `step` each by the midpoint rule, all
 * lines in one question. Gives (steps + 1, count, d); a line stops where the field vanishes.
 * Stops early, with the steps so far, when `current` returns false.
 */
export async function streamlines(
  ask: Ask, seeds: Float64Array, d: number, options: { steps: number; step: number; current(): boolean },
): Promise<Float64Array> {
  const { steps, step, current } = options;
  const size = seeds.length;
  const out = new Float64Array((steps + 1) * size);
  out.set(seeds);
  for (let k = 0; k < steps; ++k) {
    const here = out.slice(k * size, (k + 1) * size);
    const first = moved(here, await ask(here), d, step / 2);
    if (!current()) return out.slice(0, (k + 1) * size);
    const next = moved(here, await ask(first), d, step);
    if (!current()) return out.slice(0, (k + 1) * size);
    out.set(next, (k + 1) * size);
  }
  return out;
}

/** Places moved by `length` along their vectors. */
function moved(rows: Float64Array, vectors: Float64Array, d: number, length: number): Float64Array {
  const out = rows.slice();
  for (let i = 0; i < rows.length; i += d) {
    let square = 0;
    for (let c = 0; c < d; ++c) square += vectors[i + c] ** 2;
    const norm = Math.sqrt(square);
    if (!(norm > 1e-12) || !Number.isFinite(norm)) continue;
    for (let c = 0; c < d; ++c) out[i + c] += (length * vectors[i + c]) / norm;
  }
  return out;
}

const kPiece = 16; // frames in one question

/**
 * Test particles that move with a flock from its frame `first` to `last`: `carry` gives (frames, count, d) of the
 * next `frames` frames, all particles in one question. Gives (frames, count, d), `seeds` first; ends early where
 * `current` returns false, or where the core can carry them no farther.
 */
export async function carried(
  carry: (frame: number, frames: number, rows: Float64Array) => Promise<Float64Array>, seeds: Float64Array,
  { first, last, current }: { first: number; last: number; current(): boolean },
): Promise<Float64Array> {
  const size = seeds.length;
  const out = new Float64Array((last - first + 1) * size);
  out.set(seeds);
  let known = 1;
  while (first + known <= last && current()) {
    const frames = Math.min(kPiece, last - first - known + 1);
    const piece = await carry(first + known - 1, frames, out.slice((known - 1) * size, known * size));
    out.set(piece, known * size);
    known += piece.length / size;
    if (piece.length < frames * size) break;
  }
  return out.slice(0, known * size);
}
