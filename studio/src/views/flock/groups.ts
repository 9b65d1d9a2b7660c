// groups.ts: which tokens are together at a frame, by touch or by the peaks of their density, and their masses.

/** A swarm at one moment. */
export interface Rows {
  rows: ArrayLike<number>; // (n, d)
  n: number;
  d: number;
  sphere: boolean;
}

export type Counting = "touch" | "modes";

/** The groups of a moment: a number a token, from 0, and how many groups there are. */
export interface Groups {
  of: Int32Array; // (n)
  count: number;
}

/** Numbers 0, 1, ... in the order in which the groups first appear. */
function numbered(roots: (i: number) => number, n: number): Groups {
  const names = new Map<number, number>();
  const of = Int32Array.from({ length: n }, (_, i) => {
    const root = roots(i);
    if (!names.has(root)) names.set(root, names.size);
    return names.get(root)!;
  });
  return { of, count: names.size };
}

/**
 * Components of the graph of pairs closer than `tol`: 1 - <x_i, x_j> < tol on the sphere, |x_i - x_j| < tol in R^d,
 * as the core counts them.
 */
export function touching({ rows, n, d, sphere }: Rows, tol: number): Groups {
  const parent = Int32Array.from({ length: n }, (_, i) => i);
  const root = (i: number): number => {
    while (parent[i] !== i) i = parent[i] = parent[parent[i]];
    return i;
  };
  const near = sphere ? 2 * tol : tol * tol; // squared chord
  for (let i = 0; i < n; ++i) {
    for (let j = 0; j < i; ++j) {
      let square = 0;
      for (let c = 0; c < d && square < near; ++c) square += (rows[i * d + c] - rows[j * d + c]) ** 2;
      if (square < near) parent[root(i)] = root(j);
    }
  }
  return numbered(root, n);
}

const kSteps = 200;
const kStill = 1e-5; // a step shorter than this has arrived
const kSame = 0.02; // limits closer than this are one peak
const kMostSeeds = 64;

/**
 * Peaks of the density sum_j e^(beta <y, x_j>) on the sphere, of sum_j e^(-beta |y - x_j|^2 / 2) in R^d, found by mean shift:
 *   y <- N( sum_j e^(beta <y, x_j>) x_j ),   y <- sum_j w_j x_j / sum_j w_j
 * from the places of at most kMostSeeds tokens, evenly chosen; the others belong to the peak of the nearest seed.
 */
export function modes(swarm: Rows, beta: number): Groups {
  const { rows, n, d } = swarm;
  const stride = Math.max(1, Math.ceil(n / kMostSeeds));
  const seeds = Array.from({ length: Math.ceil(n / stride) }, (_, k) => k * stride);
  const peaks: number[][] = [];
  const peakOf = seeds.map((i) => {
    const y = climb(swarm, beta, Array.from({ length: d }, (_, c) => rows[i * d + c]));
    const known = peaks.findIndex((peak) => gap(peak, y) < kSame);
    if (known < 0) peaks.push(y);
    return known < 0 ? peaks.length - 1 : known;
  });
  return numbered((i) => {
    if (i % stride === 0) return peakOf[i / stride];
    const here = Array.from({ length: d }, (_, c) => rows[i * d + c]);
    let best = 0;
    let least = Infinity;
    seeds.forEach((j, k) => {
      let square = 0;
      for (let c = 0; c < d; ++c) square += (here[c] - rows[j * d + c]) ** 2;
      if (square < least) [best, least] = [k, square];
    });
    return peakOf[best];
  }, n);
}

function gap(a: readonly number[], b: readonly number[]): number {
  return Math.hypot(...a.map((x, c) => x - b[c]));
}

function climb({ rows, n, d, sphere }: Rows, beta: number, start: number[]): number[] {
  let y = start;
  for (let step = 0; step < kSteps; ++step) {
    const sum = new Array<number>(d).fill(0);
    let total = 0;
    for (let j = 0; j < n; ++j) {
      let square = 0;
      for (let c = 0; c < d; ++c) square += (y[c] - rows[j * d + c]) ** 2;
      const weight = Math.exp((-beta * square) / 2); // on the sphere e^(beta (<y, x> - 1))
      total += weight;
      for (let c = 0; c < d; ++c) sum[c] += weight * rows[j * d + c];
    }
    const scale = sphere ? Math.hypot(...sum) : total;
    if (!(scale > 0)) return y;
    const next = sum.map((x) => x / scale);
    const moved = gap(next, y);
    y = next;
    if (moved < kStill) break;
  }
  return y;
}

/** A group as it is drawn: where its middle is on the stage, and how many tokens it has. */
export interface Mass {
  place: [number, number, number];
  tokens: number;
  first: number; // the token that lends its colour
}

/** Groups of two and more. `places` (n, 3) of the stage; on the sphere the middle lies on it. */
export function massesOf({ of, count }: Groups, places: Float32Array, sphere: boolean): Mass[] {
  const masses: Mass[] = Array.from({ length: count }, () => ({ place: [0, 0, 0], tokens: 0, first: -1 }));
  for (let i = 0; i < of.length; ++i) {
    const mass = masses[of[i]];
    if (mass.first < 0) mass.first = i;
    ++mass.tokens;
    for (let c = 0; c < 3; ++c) mass.place[c] += places[3 * i + c];
  }
  for (const mass of masses) {
    const length = sphere ? Math.hypot(...mass.place) || 1 : mass.tokens;
    for (let c = 0; c < 3; ++c) mass.place[c] /= length;
  }
  return masses.filter(({ tokens }) => tokens > 1);
}
