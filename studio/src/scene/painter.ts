// painter.ts: the interface that paints a scene on a canvas, with WebGL or without.
import type { Camera } from "./camera";
import type { Rgb } from "./ink";
import type { Scene } from "./layers";

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
