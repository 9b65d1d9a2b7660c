// layers.ts: the contents of a scene: tokens, straight segments and balls, by name and in order; and the interface of its painters.
import type { Camera } from "./camera";
import type { Rgb } from "./ink";

interface Common {
  /** Painted after layers of a lower one; of one order, in the order of coming. */
  order: number;
  /** Another number when anything of the layer is another. */
  version: number;
}

export interface BoidLayer extends Common {
  kind: "boids";
  count: number;
  places: Float32Array; // (at least count, 3)
  colours: Float32Array; // (at least count, 3) sRGB
  sizes: Float32Array; // (at least count)
  marks: Float32Array; // (at least count) 1: ringed, 2: with a ring around it
  opacity: number;
}

export interface LineLayer extends Common {
  kind: "lines";
  count: number; // pieces
  points: Float32Array; // (at least count, 2, 3)
  colours: Float32Array; // (at least count, 2, 3) linear light
  opacity: number;
  width: number; // CSS pixels; 0: as thin as can be
}

export interface BallLayer extends Common {
  kind: "ball";
  place: ArrayLike<number>;
  radius: number;
  colour: Rgb; // sRGB
  opacity: number;
  /** Covers what was painted before it, and hides nothing that comes after. */
  above: boolean;
  /** Its opacity falls off from a direction (x, y, z): by e^(-c (1 - cos a)) at the angle a; c is the fourth number. */
  fall?: readonly number[];
}

export type Layer = BoidLayer | LineLayer | BallLayer;

/** `old` with the numbers of `from` at its start, or a larger array where it has no room. */
export function filled(old: Float32Array | undefined, from: ArrayLike<number>): Float32Array {
  const room = old && old.length >= from.length ? old : new Float32Array(Math.ceil(1.25 * from.length));
  room.set(from);
  return room;
}

export class Scene {
  private readonly layers = new Map<string, Layer>();
  private sorted: Layer[] | null = null;
  private versions = 0;

  get<K extends Layer["kind"]>(kind: K, name: string): Extract<Layer, { kind: K }> | undefined {
    return this.layers.get(`${kind} ${name}`) as Extract<Layer, { kind: K }> | undefined;
  }

  /** Puts a layer in, or another one in its place. */
  put(name: string, layer: Omit<BoidLayer, "version"> | Omit<LineLayer, "version"> | Omit<BallLayer, "version">): void {
    const key = `${layer.kind} ${name}`;
    const old = this.layers.get(key);
    const version = ++this.versions;
    if (old && old.order === layer.order) {
      Object.assign(old, layer, { version });
      return;
    }
    this.layers.set(key, { ...layer, version } as Layer);
    this.sorted = null;
  }

  take(kind: Layer["kind"], name: string): void {
    if (this.layers.delete(`${kind} ${name}`)) this.sorted = null;
  }

  inOrder(): readonly Layer[] {
    return (this.sorted ??= [...this.layers.values()].sort((a, b) => a.order - b.order));
  }
}

/** How a scene is to be seen. */
export interface Look {
  camera: Camera;
  width: number; // device pixels
  height: number;
  ratio: number; // device pixels a CSS pixel
  paper: Rgb; // sRGB
  ink: Rgb;
  radius: number; // of a boid of size 1
  extent: number; // half the width of what is to be seen
}

export interface Painter {
  readonly canvas: HTMLCanvasElement;
  /** Whether it is without WebGL: no light, no depth between lines and boids. */
  readonly flat: boolean;
  paint(scene: Scene, look: Look): void;
  dispose(): void;
}

/** A ring around a boid: its radius in the boid's, and its least width in CSS pixels, so that it is seen on small boids. */
export const kHalo = 1.75;
export const kLeastHalo = 13;

/** Where the paper begins to show through what is far, and where it stops to do so more. */
export function fogOf({ camera, extent }: Look): [number, number] {
  const distance = camera.distance();
  return [distance - 0.4 * extent, distance + 1.6 * extent];
}
