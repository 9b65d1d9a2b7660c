// lines.ts: gates, gazes and arrows as straight pieces.
import type { Gaze } from "../../core/protocol";
import { linear, type Paints, type Rgb } from "./colours";

interface Pieces {
  points: number[]; // (pieces, 2, 3)
  colours: number[]; // (pieces, 2, 3)
}

const kRing = 2.4; // radius of a gate
const kRingGap = 0.04;
const kRingPieces = 56;
const kLongest = 7; // no arrow is longer, in units of the scene
const kHeard = 40; // whom a gaze shows at most

type Vector = [number, number, number];
const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0],
];
const unit = (a: Vector): Vector => {
  const length = Math.hypot(...a) || 1;
  return [a[0] / length, a[1] / length, a[2] / length];
};
const across = (a: Vector): Vector => unit(cross(a, Math.abs(a[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0]));

/** `rings` close rings at a target, across the way from the middle to it; two gates also look to the viewer. */
export function ringAround(target: readonly number[], colour: Rgb, turned: boolean, rings: number): Pieces {
  const at: Vector = [target[0], target[1], target[2] ?? 0];
  const out = unit(at);
  const axis = turned ? unit([out[0], out[1], out[2] + 1.2]) : out;
  const u = across(axis);
  const v = cross(axis, u);
  const place = (k: number, radius: number) => {
    const a = (2 * Math.PI * k) / kRingPieces;
    return at.map((x, c) => x + radius * (Math.cos(a) * u[c] + Math.sin(a) * v[c]));
  };
  const points: number[] = [];
  const colours: number[] = [];
  for (let ring = 0; ring < rings; ++ring) {
    const radius = kRing + kRingGap * ring;
    for (let k = 0; k < kRingPieces; ++k) {
      points.push(...place(k, radius), ...place(k + 1, radius));
      colours.push(...colour, ...colour);
    }
  }
  return { points, colours };
}

/** How loudly a boid hears each other: the mean over the heads, (n). */
export function heard(gaze: Gaze): Float64Array {
  const n = gaze.weights.length / Math.max(1, gaze.heads);
  const out = new Float64Array(n);
  for (let h = 0; h < gaze.heads; ++h) for (let j = 0; j < n; ++j) out[j] += gaze.weights[h * n + j] / gaze.heads;
  return out;
}

/** Others in the order of loudness, the loudest first. */
export function loudest(weights: Float64Array, boid: number, most: number): number[] {
  const others = Array.from(weights.keys()).filter((j) => j !== boid && weights[j] > 0);
  return others.sort((a, b) => weights[b] - weights[a] || a - b).slice(0, most);
}

/** Lines from a boid to those it hears, in three thicknesses; colour by loudness, 1 the loudest. */
export function gazeLines(gaze: Gaze, boid: number, spots: Float32Array, colour: (loud: number) => Rgb) {
  const weights = heard(gaze);
  const order = loudest(weights, boid, kHeard);
  const most = weights[order[0]] ?? 0;
  const layers = [1, 2.2, 4].map((width) => ({ points: [] as number[], colours: [] as number[], width }));
  for (const j of order) {
    const loud = weights[j] / most;
    if (loud < 0.02) break;
    const layer = layers[loud > 0.6 ? 2 : loud > 0.25 ? 1 : 0];
    layer.points.push(...spots.subarray(3 * boid, 3 * boid + 3), ...spots.subarray(3 * j, 3 * j + 3));
    layer.colours.push(...colour(loud), ...colour(loud));
  }
  return layers;
}

/** How long a vector of length l is drawn: long ones are shortened, none is longer than `kLongest`. */
export function drawnLength(l: number): number {
  return (kLongest * l) / (l + kLongest);
}

/** Query, key, value and feed-forward as arrows from a place. */
export function arrowsOf(gaze: Gaze, at: number[], paints: Paints): Pieces {
  const stroke: Pieces = { points: [], colours: [] };
  const arrows: [number[], Rgb][] = [
    [gaze.query, paints.query], [gaze.key, paints.key], [gaze.value, paints.value], [gaze.feedForward, paints.will],
  ];
  for (const [vector, paint] of arrows) {
    if (vector.length === 0) continue;
    const way: Vector = [vector[0], vector[1], vector[2] ?? 0];
    const length = drawnLength(Math.hypot(...way));
    if (!(length > 0.05)) continue;
    const forth = unit(way);
    const tip = at.map((x, c) => x + length * forth[c]);
    const barb = Math.min(0.8, 0.35 * length);
    const light = linear(paint);
    const add = (a: number[], b: number[]) => {
      stroke.points.push(...a, ...b);
      stroke.colours.push(...light, ...light);
    };
    add(at, tip);
    const u = across(forth);
    const v = cross(forth, u);
    for (const [side, sign] of [[u, 1], [u, -1], [v, 1], [v, -1]] as [Vector, number][]) {
      add(tip, tip.map((x, c) => x - barb * forth[c] + 0.45 * barb * sign * side[c]));
    }
  }
  return stroke;
}
