// squeeze.ts: where tokens are drawn: true positions up to the gates, compressed distances beyond them.

/** Where the gates stand; inside, places are drawn where they are. */
export const kGates = 10;
const kRoom = 6; // all that lies beyond the gates is drawn within this many units

/** The scene's distance of a true one: r up to the gates, then gates + room v / (room + v) with v = r - gates. */
export function drawnAt(r: number): number {
  if (!(r > kGates)) return r;
  const v = r - kGates;
  return kGates + kRoom / (kRoom / v + 1);
}

/** The inverse; the end of the room, which nothing reaches, is taken for a place just before it. */
export function trueAt(s: number): number {
  if (!(s > kGates)) return s;
  const share = Math.min(0.999, (s - kGates) / kRoom);
  return kGates + (kRoom * share) / (1 - share);
}

/** (n, d) to (n, 3): the first three coordinates, drawn as `drawnAt` says when `on`. */
export function toScene(places: Float32Array, d: number, on: boolean, out: Float32Array): void {
  const n = out.length / 3;
  for (let i = 0; i < n; ++i) {
    const x = places[i * d];
    const y = places[i * d + 1];
    const z = d > 2 ? places[i * d + 2] : 0;
    const r = on ? Math.hypot(x, y, z) : 0;
    const scale = r > kGates ? drawnAt(r) / r : 1;
    out[3 * i] = scale * x;
    out[3 * i + 1] = scale * y;
    out[3 * i + 2] = scale * z;
  }
}

/** The true place (d) of a place in the scene, for a hand that drags there. */
export function moved(place: readonly number[], delta: readonly number[], on: boolean): number[] {
  const length = (p: readonly number[]) => Math.hypot(p[0], p[1], p[2] ?? 0);
  const r = length(place);
  const shrink = on && r > kGates ? drawnAt(r) / r : 1;
  const drawn = place.map((x, c) => (c < 3 ? x * shrink + delta[c] : x));
  const s = length(drawn);
  const grow = on && s > kGates ? trueAt(s) / s : 1;
  return drawn.map((x, c) => (c < 3 ? x * grow : x));
}
