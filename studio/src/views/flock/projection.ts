// projection.ts: (n, d) positions as (n, 3) positions in the scene: along which axes, at which scale.

/** The first three coordinate axes, (3, d). */
export function plainAxes(d: number): Float64Array {
  const axes = new Float64Array(3 * d);
  for (let a = 0; a < Math.min(3, d); ++a) axes[a * d + a] = 1;
  return axes;
}

/** Turns axes round where that brings them nearer to the ones before, so that the view does not flip. */
export function alignAxes(axes: Float64Array, before: Float64Array, d: number): Float64Array {
  const aligned = Float64Array.from(axes);
  for (let a = 0; a < 3; ++a) {
    let dot = 0;
    for (let k = 0; k < d; ++k) dot += axes[a * d + k] * before[a * d + k];
    if (dot < 0) for (let k = 0; k < d; ++k) aligned[a * d + k] = -axes[a * d + k];
  }
  return aligned;
}

/** Positions (n, d) along axes (3, d), times `scale`, into out (n, 3). */
export function project(
  positions: Float32Array,
  view: { axes: Float64Array; d: number; scale: number },
  out: Float32Array,
): void {
  const { axes, d, scale } = view;
  const n = positions.length / d;
  if (d <= 3) {
    for (let i = 0; i < n; ++i) {
      out[3 * i] = scale * positions[d * i];
      out[3 * i + 1] = scale * positions[d * i + 1];
      out[3 * i + 2] = d === 3 ? scale * positions[d * i + 2] : 0;
    }
    return;
  }
  for (let i = 0; i < n; ++i) {
    for (let a = 0; a < 3; ++a) {
      let sum = 0;
      for (let k = 0; k < d; ++k) sum += axes[a * d + k] * positions[i * d + k];
      out[3 * i + a] = scale * sum;
    }
  }
}

/** Puts rows of length d back on the unit sphere, in place. */
export function toSphere(positions: Float32Array | Float64Array | number[], d: number): void {
  for (let i = 0; i < positions.length; i += d) {
    let square = 0;
    for (let k = 0; k < d; ++k) square += positions[i + k] ** 2;
    const length = Math.sqrt(square);
    if (length > 0) for (let k = 0; k < d; ++k) positions[i + k] /= length;
  }
}

/** The longest of the rows. */
export function longest(positions: Float32Array, d: number): number {
  let most = 0;
  for (let i = 0; i < positions.length; i += d) {
    let square = 0;
    for (let k = 0; k < d; ++k) square += positions[i + k] ** 2;
    if (square > most) most = square;
  }
  return Math.sqrt(most);
}

interface Flown {
  flown: { value: number };
  first: number;
  last: number;
  info: { n: number; d: number };
  frame(k: number): Float32Array;
}

/** How far the flock has reached up to each frame of a film in R^d; never shrinks, so the view only widens. */
export class Reach {
  private readonly most: Float64Array;
  private known = 0;

  constructor(private readonly film: Flown) {
    this.most = new Float64Array(film.last - film.first + 1);
  }

  /** At a fractional frame. */
  at(at: number): number {
    const { first, flown, info } = this.film;
    for (; this.known < flown.value - first; ++this.known) {
      const here = longest(this.film.frame(first + this.known), info.d) * Math.min(1, Math.sqrt(4 / info.d));
      this.most[this.known] = Math.max(here, this.known > 0 ? this.most[this.known - 1] : 1e-9);
    }
    if (this.known === 0) return 1;
    const k = Math.min(this.known - 1, Math.max(0, Math.floor(at) - first));
    const next = Math.min(this.known - 1, k + 1);
    return this.most[k] + (at - first - k) * (this.most[next] - this.most[k]);
  }
}
