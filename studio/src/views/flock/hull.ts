// hull.ts: shapes over a flock in plane or space: the edges of its convex hull, and the middles and masses of its groups.
import type { Groups } from "../../core/protocol";

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

type Face = readonly [number, number, number]; // corners, counter-clockwise from outside

const kFlat = 1e-9; // of the flock's size cubed: less is no volume

/** Six times the volume of the tetrahedron a, b, c, p: above 0 where p lies outside the face a, b, c. */
function above(points: readonly Place[], [a, b, c]: Face, p: Place): number {
  const [u, v, w] = [points[b], points[c], p].map((q) => q.map((x, k) => x - points[a][k]));
  const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  return n[0] * w[0] + n[1] * w[1] + n[2] * w[2];
}

/** Edges of the hull of points, added one by one; none where all of them lie in a plane. */
function polytope(points: Place[]): Edge[] {
  const size = Math.max(...points.flat().map(Math.abs), 1e-300);
  const least = kFlat * size ** 3;
  const first = startOf(points, least);
  if (!first) return [];
  let faces = first;
  points.forEach((p, i) => {
    const seen = faces.filter((face) => above(points, face, p) > least);
    if (seen.length === 0) return;
    const sides = new Set(seen.flatMap((face) => face.map((a, k) => `${a},${face[(k + 1) % 3]}`)));
    const rim = [...sides].map((side) => side.split(",").map(Number)).filter(([a, b]) => !sides.has(`${b},${a}`));
    faces = [...faces.filter((face) => !seen.includes(face)), ...rim.map(([a, b]): Face => [a, b, i])];
  });
  return edgesOf(points, faces, 1e3 * least);
}

/** A tetrahedron of four points that do not lie in a plane, its faces turned outwards. */
function startOf(points: readonly Place[], least: number): Face[] | null {
  for (let b = 1; b < points.length; ++b) {
    for (let c = b + 1; c < points.length; ++c) {
      const d = points.findIndex((p) => Math.abs(above(points, [0, b, c], p)) > least);
      if (d < 0) continue;
      const out = above(points, [0, b, c], points[d]) < 0; // d lies behind the face
      const [x, y] = out ? [b, c] : [c, b];
      return [[0, x, y], [0, d, x], [x, d, y], [y, d, 0]];
    }
  }
  return null;
}

/** Each edge once; not those inside a side that two faces make up. */
function edgesOf(points: readonly Place[], faces: readonly Face[], flat: number): Edge[] {
  const third = new Map<string, number>();
  for (const face of faces) face.forEach((a, k) => third.set(`${a},${face[(k + 1) % 3]}`, face[(k + 2) % 3]));
  return faces.flatMap((face) => face.flatMap((a, k): Edge[] => {
    const b = face[(k + 1) % 3];
    const beyond = third.get(`${b},${a}`);
    const inside = beyond !== undefined && Math.abs(above(points, face, points[beyond])) <= flat;
    return a < b && !inside ? [[points[a], points[b]]] : [];
  }));
}

/** A group as it is drawn: where its middle is on the stage, and how many tokens it has. */
export interface Mass {
  place: [number, number, number];
  tokens: number;
  first: number; // the token that lends its colour
}

/** All groups. `places` (n, 3) of the stage; on the sphere the middle lies on it. */
export function massesOf(of: Groups["of"], places: Float32Array, sphere: boolean): Mass[] {
  const masses: Mass[] = [];
  of.forEach((group, i) => {
    const mass = (masses[group] ??= { place: [0, 0, 0], tokens: 0, first: i }); // groups are numbered by first member
    ++mass.tokens;
    for (let c = 0; c < 3; ++c) mass.place[c] += places[3 * i + c];
  });
  for (const mass of masses) {
    const length = sphere ? Math.hypot(...mass.place) || 1 : mass.tokens;
    for (let c = 0; c < 3; ++c) mass.place[c] /= length;
  }
  return masses;
}
