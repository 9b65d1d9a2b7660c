// nondigits.ts: pictures that are no digits, the same ones every time: strokes, letters and noise, as a pad gives them.
import type { Ink } from "../src/core/protocol";

const kPixels = 280; // a side of the pad

type Spot = readonly [number, number]; // shares of the pad, y down
type Random = () => number; // in [0, 1)

/** A small counter-based generator: the same numbers on every machine. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const between = (next: Random, a: number, b: number) => a + (b - a) * next();

/** Ink within half a brush of the lines, with an edge one pixel soft. */
export function inkOfLines(lines: readonly (readonly Spot[])[], brush: number): Ink {
  const pixels = new Uint8Array(kPixels * kPixels);
  const r = brush / 2;
  for (const line of lines) {
    for (let k = 0; k < Math.max(1, line.length - 1); ++k) {
      const [ax, ay] = line[k].map((s) => s * kPixels);
      const [bx, by] = (line[k + 1] ?? line[k]).map((s) => s * kPixels);
      const [wx, wy] = [bx - ax, by - ay];
      const square = wx * wx + wy * wy;
      const top = Math.max(0, Math.floor(Math.min(ay, by) - r - 1));
      const left = Math.max(0, Math.floor(Math.min(ax, bx) - r - 1));
      const bottom = Math.min(kPixels - 1, Math.ceil(Math.max(ay, by) + r + 1));
      const right = Math.min(kPixels - 1, Math.ceil(Math.max(ax, bx) + r + 1));
      for (let y = top; y <= bottom; ++y) {
        for (let x = left; x <= right; ++x) {
          const share = square > 0 ? Math.max(0, Math.min(1, ((x - ax) * wx + (y - ay) * wy) / square)) : 0;
          const ink = 255 * Math.max(0, Math.min(1, r + 0.5 - Math.hypot(x - ax - share * wx, y - ay - share * wy)));
          if (ink > pixels[y * kPixels + x]) pixels[y * kPixels + x] = ink;
        }
      }
    }
  }
  return { height: kPixels, width: kPixels, pixels };
}

/** Turned, slanted, scaled and moved a little, as no two hands draw alike; never off the pad. */
function byHand(lines: readonly (readonly Spot[])[], next: Random): Spot[][] {
  const [turn, slant] = [between(next, -0.2, 0.2), between(next, -0.2, 0.2)];
  const [wide, high] = [between(next, 0.75, 1), between(next, 0.75, 1)];
  const [c, s] = [Math.cos(turn), Math.sin(turn)];
  return lines.map((line) =>
    line.map(([x, y]): Spot => {
      const [u, v] = [wide * (x - 0.5 - slant * (y - 0.5)), high * (y - 0.5)];
      const shake = () => between(next, -0.012, 0.012);
      const on = (t: number) => Math.max(0.06, Math.min(0.94, 0.5 + t));
      return [on(c * u - s * v + shake()), on(s * u + c * v + shake())];
    }),
  );
}

function arc(x: number, y: number, [rx, ry]: Spot, [from, to]: Spot, pieces = 14): Spot[] {
  return Array.from({ length: pieces + 1 }, (_, k): Spot => {
    const a = 2 * Math.PI * (from + ((to - from) * k) / pieces); // in turns, clockwise from the right
    return [x + rx * Math.cos(a), y + ry * Math.sin(a)];
  });
}

const kTop = 0.14;
const kFoot = 0.86;
const kMid = 0.5;
const [kL, kR] = [0.24, 0.76];

/** Capital letters as a pen writes them. */
export const kLetters: Record<string, Spot[][]> = {
  A: [[[kL, kFoot], [0.5, kTop], [kR, kFoot]], [[0.34, 0.6], [0.66, 0.6]]],
  B: [
    [[kL, kFoot], [kL, kTop], [0.52, kTop], ...arc(0.52, 0.32, [0.2, 0.18], [-0.25, 0.25]), [kL, kMid]],
    [[0.52, kMid], ...arc(0.54, 0.68, [0.22, 0.18], [-0.25, 0.25]), [kL, kFoot]],
  ],
  C: [arc(0.54, 0.5, [0.28, 0.36], [-0.14, -0.86], 22)],
  D: [[[kL, kTop], [kL, kFoot], [0.42, kFoot], ...arc(0.42, 0.5, [0.34, 0.36], [0.25, -0.25]), [kL, kTop]]],
  E: [[[kR, kTop], [kL, kTop], [kL, kFoot], [kR, kFoot]], [[kL, kMid], [0.66, kMid]]],
  F: [[[kR, kTop], [kL, kTop], [kL, kFoot]], [[kL, kMid], [0.66, kMid]]],
  G: [[...arc(0.54, 0.5, [0.28, 0.36], [-0.14, -0.94], 22), [0.78, 0.54], [0.56, 0.54]]],
  H: [[[kL, kTop], [kL, kFoot]], [[kR, kTop], [kR, kFoot]], [[kL, kMid], [kR, kMid]]],
  I: [[[0.5, kTop], [0.5, kFoot]], [[0.36, kTop], [0.64, kTop]], [[0.36, kFoot], [0.64, kFoot]]],
  J: [[[0.42, kTop], [kR, kTop]], [[0.62, kTop], [0.62, 0.66], ...arc(0.45, 0.66, [0.17, 0.2], [0, 0.45])]],
  K: [[[kL, kTop], [kL, kFoot]], [[kR, kTop], [kL, 0.54], [kR, kFoot]]],
  L: [[[kL, kTop], [kL, kFoot], [kR, kFoot]]],
  M: [[[0.2, kFoot], [0.24, kTop], [0.5, 0.6], [kR, kTop], [0.8, kFoot]]],
  N: [[[kL, kFoot], [kL, kTop], [kR, kFoot], [kR, kTop]]],
  O: [arc(0.5, 0.5, [0.28, 0.36], [0, 1], 26)],
  P: [[[kL, kFoot], [kL, kTop], [0.52, kTop], ...arc(0.52, 0.34, [0.22, 0.2], [-0.25, 0.25]), [kL, 0.54]]],
  Q: [arc(0.5, 0.48, [0.28, 0.34], [0, 1], 26), [[0.56, 0.64], [0.8, 0.9]]],
  R: [
    [[kL, kFoot], [kL, kTop], [0.52, kTop], ...arc(0.52, 0.32, [0.22, 0.18], [-0.25, 0.25]), [kL, kMid]],
    [[0.46, kMid], [kR, kFoot]],
  ],
  S: [[...arc(0.5, 0.32, [0.22, 0.18], [-0.08, -0.72]), ...arc(0.5, 0.68, [0.24, 0.18], [-0.25, 0.42])]],
  T: [[[0.2, kTop], [0.8, kTop]], [[0.5, kTop], [0.5, kFoot]]],
  U: [[[kL, kTop], [kL, 0.6], ...arc(0.5, 0.6, [0.26, 0.26], [0.5, 0]), [kR, kTop]]],
  V: [[[0.2, kTop], [0.5, kFoot], [0.8, kTop]]],
  W: [[[0.14, kTop], [0.32, kFoot], [0.5, 0.36], [0.68, kFoot], [0.86, kTop]]],
  X: [[[0.22, kTop], [0.78, kFoot]], [[0.78, kTop], [0.22, kFoot]]],
  Y: [[[0.2, kTop], [0.5, kMid], [0.8, kTop]], [[0.5, kMid], [0.5, kFoot]]],
  Z: [[[kL, kTop], [kR, kTop], [kL, kFoot], [kR, kFoot]]],
};

/** Strokes that mean nothing: each takes its own random numbers. */
const kStrokes: Record<string, (next: Random) => Spot[][]> = {
  line: (next) => {
    const a = between(next, 0, Math.PI);
    const l = between(next, 0.2, 0.4);
    return [[[0.5 - l * Math.cos(a), 0.5 - l * Math.sin(a)], [0.5 + l * Math.cos(a), 0.5 + l * Math.sin(a)]]];
  },
  zigzag: (next) => {
    const turns = 3 + Math.floor(4 * next());
    return [Array.from({ length: turns + 1 }, (_, k): Spot => [0.12 + (0.76 * k) / turns, k % 2 ? 0.2 : 0.8])];
  },
  wave: (next) => {
    const waves = between(next, 1.2, 3);
    const high = between(next, 0.1, 0.3);
    const at = (s: number): Spot => [0.1 + 0.8 * s, 0.5 + high * Math.sin(2 * Math.PI * waves * s)];
    return [Array.from({ length: 41 }, (_, k) => at(k / 40))];
  },
  bow: (next) => [arc(0.5, 0.5, [0.34, between(next, 0.15, 0.34)], [next(), next() + 0.5], 20)],
  cross: () => [[[0.5, 0.12], [0.5, 0.88]], [[0.12, 0.5], [0.88, 0.5]]],
  box: () => [[[0.18, 0.18], [0.82, 0.18], [0.82, 0.82], [0.18, 0.82], [0.18, 0.18]]],
  tent: () => [[[0.5, 0.14], [0.86, 0.84], [0.14, 0.84], [0.5, 0.14]]],
  bars: (next) => Array.from({ length: 2 + Math.floor(3 * next()) }, (_, k): Spot[] => [[0.15, 0.15 + 0.2 * k], [0.85, 0.15 + 0.2 * k]]),
  spiral: (next) => {
    const turns = between(next, 2, 3.5);
    const at = (s: number): Spot => {
      const a = 2 * Math.PI * turns * s;
      return [0.5 + 0.38 * s * Math.cos(a), 0.5 + 0.38 * s * Math.sin(a)];
    };
    return [Array.from({ length: 71 }, (_, k) => at(k / 70))];
  },
  scribble: (next) => {
    const line: Spot[] = [[between(next, 0.2, 0.8), between(next, 0.2, 0.8)]];
    const pieces = 6 + Math.floor(14 * next());
    for (let k = 0; k < pieces; ++k) line.push([between(next, 0.1, 0.9), between(next, 0.1, 0.9)]);
    return [line];
  },
  ticks: (next) => Array.from({ length: 3 + Math.floor(5 * next()) }, (): Spot[] => {
    const [x, y] = [between(next, 0.15, 0.85), between(next, 0.15, 0.85)];
    return [[x, y], [x + between(next, -0.15, 0.15), y + between(next, -0.15, 0.15)]];
  }),
  dots: (next) => Array.from({ length: 2 + Math.floor(7 * next()) }, (): Spot[] => [[between(next, 0.1, 0.9), between(next, 0.1, 0.9)]]),
};

/** Square grains of ink by chance, coarse or fine, thin or thick. */
function noise(next: Random): Ink {
  const grain = [10, 14, 20, 28][Math.floor(4 * next())];
  const share = between(next, 0.06, 0.7);
  const side = Math.floor(kPixels / grain);
  const pixels = new Uint8Array(kPixels * kPixels);
  for (let cell = 0; cell < side * side; ++cell) {
    if (next() >= share) continue;
    const [top, left] = [grain * Math.floor(cell / side), grain * (cell % side)];
    for (let y = top; y < top + grain; ++y) pixels.fill(255, y * kPixels + left, y * kPixels + left + grain);
  }
  return { height: kPixels, width: kPixels, pixels };
}

export interface NonDigit {
  kind: "stroke" | "letter" | "noise";
  name: string;
  ink: Ink;
}

/** `count` pictures of a seed: four in ten are strokes, three letters, three noise. */
export function nonDigits(count: number, seed: number): NonDigit[] {
  const next = randomOf(seed);
  const [strokes, letters] = [Object.keys(kStrokes), Object.keys(kLetters)];
  const brush = () => between(next, 16, 34);
  return Array.from({ length: count }, (_, k): NonDigit => {
    const turn = Math.floor(k / 10);
    if (k % 10 < 4) {
      const name = strokes[(4 * turn + (k % 10)) % strokes.length];
      return { kind: "stroke", name, ink: inkOfLines(byHand(kStrokes[name](next), next), brush()) };
    }
    if (k % 10 < 7) {
      const name = letters[(3 * turn + (k % 10) - 4) % letters.length];
      return { kind: "letter", name, ink: inkOfLines(byHand(kLetters[name], next), brush()) };
    }
    return { kind: "noise", name: "noise", ink: noise(next) };
  });
}
