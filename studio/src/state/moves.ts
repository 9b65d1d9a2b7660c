// moves.ts: where tokens are moved by hand at a frame: as a value of the recipe, and as positions of the run.
import type { FlightInfo } from "../core/protocol";

/** Boid `boid` is put to `place` (d) when the flight is at `frame`. */
export interface Move {
  frame: number;
  boid: number;
  place: number[];
}

/** The recipe's word `edit`: "12:5:0.1,0.2,0.3;12:7:..."; pieces that cannot be read are left out. */
export function parseMoves(text: string): Move[] {
  const moves: Move[] = [];
  for (const piece of text.split(";")) {
    const parts = /^(\d{1,9}):(\d{1,9}):([-+.\deE,]+)$/.exec(piece);
    if (!parts) continue;
    const place = parts[3].split(",").map((x) => (x === "" ? NaN : Number(x)));
    if (place.every(Number.isFinite)) moves.push({ frame: Number(parts[1]), boid: Number(parts[2]), place });
  }
  return moves;
}

/** The inverse, to five digits, in the order of frames and boids. */
export function formatMoves(moves: readonly Move[]): string {
  return [...moves]
    .sort((a, b) => a.frame - b.frame || a.boid - b.boid)
    .map((m) => `${m.frame}:${m.boid}:${m.place.map((x) => String(Number(x.toPrecision(5)))).join()}`)
    .join(";");
}

/** Moves after further ones at `frame`: they replace older ones of the same boids; what came later is undone. */
export function addMoves(
  moves: readonly Move[], frame: number, more: ReadonlyMap<number, readonly number[]>,
): Move[] {
  const kept = moves.filter((m) => m.frame < frame || (m.frame === frame && !more.has(m.boid)));
  return [...kept, ...[...more].map(([boid, place]) => ({ frame, boid, place: [...place] }))];
}

/** The moves a flight can have, grouped by frame, first frame first. */
export function groupMoves(moves: readonly Move[], info: FlightInfo): { frame: number; moves: Move[] }[] {
  const groups = new Map<number, Move[]>();
  for (const move of [...moves].sort((a, b) => a.frame - b.frame)) {
    const fits = move.boid < info.n && move.place.length === info.d;
    if (!fits || move.frame < info.first || move.frame >= info.frames - 1) continue;
    groups.set(move.frame, [...(groups.get(move.frame) ?? []), move]);
  }
  return [...groups].map(([frame, group]) => ({ frame, moves: group }));
}

/** How far the flock (n, d) reaches from its mean. */
export function reachOf(places: ArrayLike<number>, d: number): { mean: number[]; radius: number } {
  const n = places.length / d;
  const mean = Array.from({ length: d }, (_, c) => {
    let sum = 0;
    for (let i = 0; i < n; ++i) sum += places[i * d + c];
    return sum / n;
  });
  let radius = 0;
  for (let i = 0; i < n; ++i) radius = Math.max(radius, Math.hypot(...mean.map((m, c) => places[i * d + c] - m)));
  return { mean, radius };
}

const kReach = 2; // radii of the flock, from its mean: no hand puts a boid farther

/**
 * Places moved together by one shift, as one rigid body: as much of it as leaves all of them within twice the flock's
 * radius of its mean. Who is farther already comes no farther.
 */
export function shiftTogether(
  places: ReadonlyMap<number, readonly number[]>,
  shift: readonly number[],
  { mean, radius }: ReturnType<typeof reachOf>,
): Map<number, number[]> {
  let share = 1;
  const square = shift.reduce((sum, x) => sum + x * x, 0);
  for (const place of places.values()) {
    const from = place.map((x, c) => x - mean[c]);
    const bound = Math.max(kReach * radius, Math.hypot(...from));
    const along = from.reduce((sum, x, c) => sum + x * shift[c], 0);
    const spare = bound * bound - from.reduce((sum, x) => sum + x * x, 0);
    if (square > 0) share = Math.min(share, (Math.sqrt(Math.max(0, along * along + square * spare)) - along) / square);
  }
  return new Map([...places].map(([i, place]) => [i, place.map((x, c) => x + Math.max(0, share) * shift[c])]));
}

/** Places of the unit sphere turned together by the rotation that takes `from` to `to` the short way. */
export function turnTogether(
  places: ReadonlyMap<number, readonly number[]>, from: readonly number[], to: readonly number[],
): Map<number, number[]> {
  const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, c) => sum + x * b[c], 0);
  const both = from.map((x, c) => x + to[c]);
  const scale = 1 + dot(from, to);
  if (scale < 1e-9) return new Map([...places].map(([i, place]) => [i, [...place]])); // half a turn has no short way
  return new Map([...places].map(([i, place]) => {
    const [along, start] = [dot(both, place) / scale, 2 * dot(from, place)];
    return [i, place.map((x, c) => x - along * both[c] + start * to[c])];
  }));
}

/**
 * `place` (d) moved by `delta` of the scene. `axes` (3, d) are the scene's axes in the flight's space; null: its
 * first three coordinates. On the sphere the place stays on it.
 */
export function lift(
  place: ArrayLike<number>, delta: readonly number[], sphere: boolean, axes: Float64Array | null = null,
): number[] {
  const d = place.length;
  const moved = Array.from({ length: d }, (_, c) => {
    if (!axes) return place[c] + (c < 3 ? delta[c] : 0);
    return place[c] + delta[0] * axes[c] + delta[1] * axes[d + c] + delta[2] * axes[2 * d + c];
  });
  const length = Math.hypot(...moved);
  if (!sphere) return moved;
  return length > 1e-9 ? moved.map((x) => x / length) : Array.from(place);
}
