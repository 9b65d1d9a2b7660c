// marks.ts: crosses, rings, beams and bars of the Story, as straight segments.
import type { Pieces, Rgb } from "../../scene/ink";
import { kInfluence } from "./measured";
import { kBarsAt } from "./scenes";
import type { Token } from "./stops";

export function addCross(pieces: Pieces, [x, y]: readonly number[], colour: Rgb, arm: number): void {
  for (const off of [-0.004, 0, 0.004]) {
    pieces.add([x - arm, y + off, 0.01], [x + arm, y + off, 0.01], colour);
    pieces.add([x + off, y - arm, 0.01], [x + off, y + arm, 0.01], colour);
  }
}

export function addRing(pieces: Pieces, at: readonly number[], colour: Rgb, radius: number): void {
  const point = (k: number) => {
    const angle = (2 * Math.PI * k) / 24;
    return [at[0] + radius * Math.cos(angle), at[1] + radius * Math.sin(angle), 0.01];
  };
  for (let k = 0; k < 24; ++k) pieces.add(point(k), point(k + 1), colour);
}

const kRays = 48;
const kWidest = 0.17; // half a beam's width at who has the whole share

/** A beam of looking, from the listener's eye to the badge it falls on; it fades towards the eye. */
export function addBeam(
  pieces: Pieces, from: readonly number[], to: readonly number[], share: number, [near, far]: readonly [Rgb, Rgb],
): void {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy) || 1;
  const half = kWidest * Math.sqrt(share);
  const rays = Math.max(3, Math.round(kRays * Math.sqrt(share)));
  for (let k = 0; k < rays; ++k) {
    const off = half * ((2 * k) / (rays - 1) - 1);
    pieces.add([from[0], from[1], -0.03], [to[0] - (dy / length) * off, to[1] + (dx / length) * off, -0.03], near, far);
  }
}

/** Where a word of the messenger's row is visited: where it stands, behind its ball. */
function visited(token: Token): number[] {
  return [token.place[0], token.place[1], -0.02];
}

/** How far the messenger has come at a share of its way: whom it has seen, and where it is between two words. */
export function walk(tokens: readonly Token[], gone: number): { seen: number; place: number[] } {
  const n = tokens.length;
  const time = gone * n; // words visited
  const seen = Math.min(n - 1, Math.floor(time));
  const share = Math.min(1, Math.max(0, (time - seen) * 2.5 - 1.5)); // lingers, then walks on
  const [a, b] = [visited(tokens[seen]), visited(tokens[Math.min(n - 1, seen + 1)])];
  return { seen, place: [0, 1].map((k) => a[k] + (seen < n - 1 ? share : 0) * (b[k] - a[k])) };
}

/** Behind the messenger stand the measured bars of what the places it has seen still count. */
export function addBars(pieces: Pieces, tokens: readonly Token[], seen: number, [ink, base]: readonly [Rgb, Rgb]): void {
  const most = Math.max(...kInfluence);
  pieces.add([-1.02, kBarsAt, 0], [1.02, kBarsAt, 0], base);
  for (let i = 0; i <= seen; ++i) {
    const x = tokens[i].place[0];
    const y = kBarsAt + (0.95 * kInfluence[i]) / most;
    for (let s = -0.045; s <= 0.045; s += 0.0018) pieces.add([x + s, kBarsAt, 0], [x + s, y, 0], ink);
  }
  for (let i = 0; i < seen; ++i) pieces.add(visited(tokens[i]), visited(tokens[i + 1]), base);
}

/** Where the cross goes: the middle of the words' places on the page, CLS left out. */
export function middle(places: Float32Array, tokens: readonly Token[]): number[] {
  const sum = [0, 0];
  let count = 0;
  tokens.forEach((token, i) => {
    if (token.topic === "reader") return;
    sum[0] += places[2 * i];
    sum[1] += places[2 * i + 1];
    ++count;
  });
  return [sum[0] / count, sum[1] / count];
}
