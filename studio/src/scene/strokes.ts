// strokes.ts: lines of a given thickness on a stage: gazes and arrows.
import * as THREE from "three";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { LineSegments2 } from "three/addons/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/addons/lines/LineSegmentsGeometry.js";

/** Straight pieces of one thickness, each with its colour (linear light). */
export interface Stroke {
  points: ArrayLike<number>; // (pieces, 2, 3)
  colours: ArrayLike<number>; // (pieces, 2, 3)
  width: number; // CSS pixels
  opacity?: number;
}

/** Thick lines by name, in a scene. */
export class Strokes {
  private readonly shown = new Map<string, LineSegments2>();

  constructor(private readonly scene: THREE.Scene) {}

  /** Shows strokes under a name; null, or none, takes them away. */
  set(name: string, stroke: Stroke | null): void {
    const old = this.shown.get(name);
    if (old) {
      this.scene.remove(old);
      old.geometry.dispose();
      old.material.dispose();
      this.shown.delete(name);
    }
    if (!stroke || stroke.points.length === 0) return;
    const geometry = new LineSegmentsGeometry();
    geometry.setPositions(Float32Array.from(stroke.points));
    geometry.setColors(Float32Array.from(stroke.colours));
    const material = new LineMaterial({
      vertexColors: true,
      linewidth: stroke.width,
      transparent: true,
      depthWrite: false,
      opacity: stroke.opacity ?? 1,
    });
    const lines = new LineSegments2(geometry, material);
    lines.frustumCulled = false;
    this.shown.set(name, lines);
    this.scene.add(lines);
  }

  clear(): void {
    for (const name of [...this.shown.keys()]) this.set(name, null);
  }
}
