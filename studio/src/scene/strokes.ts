// strokes.ts: lines of a given thickness on a stage: beams of attention and arrows with four barbs.
import type { Pieces, Rgb } from "./ink";
import { filled, type Scene } from "./layers";

/** Straight pieces of one thickness, each with its colour (linear light). */
export interface Stroke {
  points: ArrayLike<number>; // (pieces, 2, 3)
  colours: ArrayLike<number>; // (pieces, 2, 3)
  width: number; // CSS pixels
  opacity?: number;
  order?: number; // drawn after what has a lower one
}

let made = 0;

/** Thick lines by name, in a scene; one layer per name, filled again at every drawing. */
export class Strokes {
  private readonly own = `strokes-${++made}`;
  private readonly names = new Set<string>();

  constructor(private readonly scene: Scene) {}

  /** Shows strokes under a name; null, or none, takes them away. */
  set(name: string, stroke: Stroke | null): void {
    const key = `${this.own} ${name}`;
    if (!stroke || stroke.points.length === 0) {
      if (this.names.delete(name)) this.scene.take("lines", key);
      return;
    }
    this.names.add(name);
    const old = this.scene.get("lines", key);
    this.scene.put(key, {
      kind: "lines",
      count: stroke.points.length / 6,
      points: filled(old?.points, stroke.points),
      colours: filled(old?.colours, stroke.colours),
      width: stroke.width,
      opacity: stroke.opacity ?? 1,
      order: stroke.order ?? 0,
    });
  }

  /** Takes all of them away for good. */
  clear(): void {
    for (const name of [...this.names]) this.set(name, null);
  }
}

export type Vector = [number, number, number];

export function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function unit(a: Vector): Vector {
  const length = Math.hypot(a[0], a[1], a[2]) || 1;
  return [a[0] / length, a[1] / length, a[2] / length];
}

/** A unit vector at right angles to a unit vector. */
export function across(a: Vector): Vector {
  return unit(cross(a, Math.abs(a[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0]));
}

/** Points around a unit vector, each `angle` away from it. */
export function circleAt(middle: Vector, angle: number, points: number): Vector[] {
  const u = across(middle);
  const v = cross(middle, u);
  const [along, off] = [Math.cos(angle), Math.sin(angle)];
  return Array.from({ length: points }, (_, k) => {
    const [a, b] = [Math.cos((2 * Math.PI * k) / points), Math.sin((2 * Math.PI * k) / points)];
    return [0, 1, 2].map((c) => along * middle[c] + off * (a * u[c] + b * v[c])) as Vector;
  });
}

const kSpread = 0.42; // the distance of a barb from the shaft, in lengths of it

/** From `at` along `way` (three coordinates each); `barb` is how long its barbs are, the colour linear light. */
export function addArrow(
  pieces: Pieces, at: ArrayLike<number>, way: ArrayLike<number>, { colour, barb }: { colour: Rgb; barb: number },
): void {
  const tip: Vector = [at[0] + way[0], at[1] + way[1], at[2] + way[2]];
  const forth = unit([way[0], way[1], way[2]]);
  const u = across(forth);
  const v = cross(forth, u);
  const end: Vector = [0, 0, 0];
  pieces.add(at, tip, colour);
  for (let k = 0; k < 4; ++k) {
    const side = k < 2 ? u : v;
    const off = kSpread * barb * (k % 2 === 0 ? 1 : -1);
    for (let c = 0; c < 3; ++c) end[c] = tip[c] - barb * forth[c] + off * side[c];
    pieces.add(tip, end, colour);
  }
}
