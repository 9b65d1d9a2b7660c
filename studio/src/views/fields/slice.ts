// slice.ts: a square slice through space, with its grid of positions.

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
