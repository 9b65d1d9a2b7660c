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
  order?: number; // drawn after what has a lower one
}

const kPieces = 64; // room at first

/** Room for `pieces` straight pieces, to be filled again and again. */
function roomFor(pieces: number): LineSegmentsGeometry {
  const geometry = new LineSegmentsGeometry();
  geometry.setPositions(new Float32Array(6 * pieces));
  geometry.setColors(new Float32Array(6 * pieces));
  bufferOf(geometry, "instanceStart").setUsage(THREE.DynamicDrawUsage);
  bufferOf(geometry, "instanceColorStart").setUsage(THREE.DynamicDrawUsage);
  return geometry;
}

function bufferOf(geometry: LineSegmentsGeometry, name: string): THREE.InterleavedBuffer {
  return (geometry.getAttribute(name) as THREE.InterleavedBufferAttribute).data;
}

function fill(buffer: THREE.InterleavedBuffer, from: ArrayLike<number>): void {
  (buffer.array as Float32Array).set(from);
  buffer.needsUpdate = true;
}

/** Thick lines by name, in a scene; one object a name, filled anew at every drawing. */
export class Strokes {
  private readonly shown = new Map<string, LineSegments2>();

  constructor(private readonly scene: THREE.Scene) {}

  /** Shows strokes under a name; null, or none, takes them away. */
  set(name: string, stroke: Stroke | null): void {
    const lines = this.shown.get(name);
    if (!stroke || stroke.points.length === 0) {
      if (lines) lines.visible = false;
      return;
    }
    const made = lines ?? this.make(name);
    const pieces = stroke.points.length / 6;
    if (6 * pieces > bufferOf(made.geometry, "instanceStart").array.length) {
      made.geometry.dispose();
      made.geometry = roomFor(2 * pieces);
    }
    fill(bufferOf(made.geometry, "instanceStart"), stroke.points);
    fill(bufferOf(made.geometry, "instanceColorStart"), stroke.colours);
    made.geometry.instanceCount = pieces;
    made.material.linewidth = stroke.width;
    made.material.opacity = stroke.opacity ?? 1;
    made.renderOrder = stroke.order ?? 0;
    made.visible = true;
  }

  private make(name: string): LineSegments2 {
    const material = new LineMaterial({ vertexColors: true, transparent: true, depthWrite: false });
    const lines = new LineSegments2(roomFor(kPieces), material);
    lines.frustumCulled = false;
    this.shown.set(name, lines);
    this.scene.add(lines);
    return lines;
  }

  /** Takes all of them away for good. */
  clear(): void {
    for (const lines of this.shown.values()) {
      this.scene.remove(lines);
      lines.geometry.dispose();
      lines.material.dispose();
    }
    this.shown.clear();
  }
}
