// lines.ts: gates, beams of attention and arrows as straight segments.
import type { Gaze } from "../../core/protocol";
import { across, addArrow, cross, unit, type Vector } from "../../scene/arrow";
import { meanAttention } from "../../scene/mean_attention";
import { linear, type Pieces, type Rgb } from "../../scene/ink";
import type { Paints } from "./colours";

const kRing = 2.4; // radius of a gate
const kRingGap = 0.04;
const kRingPieces = 56;
const kLongest = 7; // no arrow is longer, in units of the scene
const kHeard = 40; // whom a gaze shows at most

/** `rings` close rings at a target, across the way from the middle to it; two gates also look to the viewer. */
export function addRings(
  pieces: Pieces,
  target: readonly number[],
  { colour, turned, rings }: { colour: Rgb; turned: boolean; rings: number },
): void {
  const at: Vector = [target[0], target[1], target[2] ?? 0];
  const out = unit(at);
  const axis = turned ? unit([out[0], out[1], out[2] + 1.2]) : out;
  const u = across(axis);
  const v = cross(axis, u);
  const place = (k: number, radius: number) => {
    const a = (2 * Math.PI * k) / kRingPieces;
    return at.map((x, c) => x + radius * (Math.cos(a) * u[c] + Math.sin(a) * v[c]));
  };
  for (let ring = 0; ring < rings; ++ring) {
    const radius = kRing + kRingGap * ring;
    for (let k = 0; k < kRingPieces; ++k) pieces.add(place(k, radius), place(k + 1, radius), colour);
  }
}

/** Others in the order of loudness, the loudest first. */
export function loudest(weights: Float64Array, boid: number, most: number): number[] {
  const others = Array.from(weights.keys()).filter((j) => j !== boid && weights[j] > 0);
  return others.sort((a, b) => weights[b] - weights[a] || a - b).slice(0, most);
}

/** Lines from a boid to those it hears, in three thicknesses; colour by loudness, 1 the loudest. */
export function gazeLines(gaze: Gaze, boid: number, spots: Float32Array, colour: (loud: number) => Rgb) {
  const weights = meanAttention(gaze);
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
export function addVectors(pieces: Pieces, gaze: Gaze, at: ArrayLike<number>, paints: Paints): void {
  const arrows: [number[], Rgb][] = [
    [gaze.query, paints.query], [gaze.key, paints.key], [gaze.value, paints.value], [gaze.feedForward, paints.will],
  ];
  for (const [vector, paint] of arrows) {
    if (vector.length === 0) continue;
    const way: Vector = [vector[0], vector[1], vector[2] ?? 0];
    const length = drawnLength(Math.hypot(...way));
    if (!(length > 0.05)) continue;
    const forth = unit(way);
    const drawn: Vector = [length * forth[0], length * forth[1], length * forth[2]];
    addArrow(pieces, at, drawn, { colour: linear(paint), barb: Math.min(0.8, 0.35 * length) });
  }
}
