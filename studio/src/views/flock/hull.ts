// hull.ts: the convex hull of a flock in plane or space as edges, and the leaders that a hardmax flock follows.
import * as THREE from "three";
import { ConvexHull } from "three/addons/math/ConvexHull.js";

type Place = [number, number, number];
export type Edge = readonly [Place, Place];

/** Edges of the hull of places (n, 3); `flat`: only the first two coordinates count. */
export function hullOf(places: Float32Array, flat: boolean): Edge[] {
  const points = Array.from({ length: places.length / 3 }, (_, i): Place => [
    places[3 * i], places[3 * i + 1], places[3 * i + 2],
  ]);
  return flat ? polygon(points) : polytope(points);
}

/** Andrew's monotone chain. */
function polygon(points: Place[]): Edge[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const turn = (a: Place, b: Place, c: Place) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  const half = (from: Place[]) => {
    const chain: Place[] = [];
    for (const p of from) {
      while (chain.length > 1 && turn(chain[chain.length - 2], chain[chain.length - 1], p) <= 1e-12) chain.pop();
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  const corners = [...half(sorted), ...half(sorted.reverse())];
  if (corners.length < 2) return [];
  return corners.map((corner, k): Edge => [corner, corners[(k + 1) % corners.length]]);
}

/** Each edge of the hull's faces once; none where all points lie in a plane. */
function polytope(points: Place[]): Edge[] {
  if (points.length < 4) return [];
  const hull = new ConvexHull().setFromPoints(points.map((p) => new THREE.Vector3(...p)));
  const edges = new Map<string, Edge>();
  for (const face of hull.faces) {
    let edge = face.edge;
    do {
      const [a, b] = [edge.tail()?.point, edge.head()?.point];
      if (a && b) {
        const ends = [a, b].map((p) => p.toArray() as Place);
        const key = ends.map((p) => p.join()).sort().join(" ");
        const flat = edge.twin && edge.twin.face.normal.dot(face.normal) > 1 - 1e-6; // inside one side
        if (!flat) edges.set(key, [ends[0], ends[1]]);
      }
      edge = edge.next;
    } while (edge !== face.edge);
  }
  return [...edges.values()];
}

/** Tokens that hear themselves best, <x_i, x_i> >= <x_i, x_j> for all j: under hardmax they stay. `rows` (n, d). */
export function leadersOf(rows: ArrayLike<number>, n: number, d: number): number[] {
  const dot = (i: number, j: number) => {
    let sum = 0;
    for (let c = 0; c < d; ++c) sum += rows[i * d + c] * rows[j * d + c];
    return sum;
  };
  const leads = (i: number) => {
    const own = dot(i, i) * (1 + 1e-9);
    for (let j = 0; j < n; ++j) if (j !== i && dot(i, j) > own) return false;
    return true;
  };
  return Array.from({ length: n }, (_, i) => i).filter(leads);
}
