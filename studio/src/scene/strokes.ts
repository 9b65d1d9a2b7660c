// strokes.ts: lines of a given thickness on a stage: beams of attention and arrows.
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

/** Thick lines by name, in a scene; one layer a name, filled anew at every drawing. */
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
