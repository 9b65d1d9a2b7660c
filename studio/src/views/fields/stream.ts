// stream.ts: lines along a field, drawn step by step out of what the core says of many places at once.

/** (count, d) vectors at (count, d) places. */
export type Ask = (rows: Float64Array) => Promise<Float64Array>;

/**
 * Streamlines from `seeds` (count, d): `steps` pieces of length `step` each by the midpoint rule, all
 * lines in one question. Gives (steps + 1, count, d); a line stands still where the field vanishes.
 * Stops early, with the steps so far, when `current` says that nobody waits for it any more.
 */
export async function streamlines(
  ask: Ask, seeds: Float64Array, d: number, options: { steps: number; step: number; current(): boolean },
): Promise<Float64Array> {
  const { steps, step, current } = options;
  const size = seeds.length;
  const out = new Float64Array((steps + 1) * size);
  out.set(seeds);
  for (let k = 0; k < steps; ++k) {
    const here = out.slice(k * size, (k + 1) * size);
    const first = moved(here, await ask(here), d, step / 2);
    if (!current()) return out.slice(0, (k + 1) * size);
    const next = moved(here, await ask(first), d, step);
    if (!current()) return out.slice(0, (k + 1) * size);
    out.set(next, (k + 1) * size);
  }
  return out;
}

/** Places moved by `length` along their vectors. */
function moved(rows: Float64Array, vectors: Float64Array, d: number, length: number): Float64Array {
  const out = rows.slice();
  for (let i = 0; i < rows.length; i += d) {
    let square = 0;
    for (let c = 0; c < d; ++c) square += vectors[i + c] ** 2;
    const norm = Math.sqrt(square);
    if (!(norm > 1e-12) || !Number.isFinite(norm)) continue;
    for (let c = 0; c < d; ++c) out[i + c] += (length * vectors[i + c]) / norm;
  }
  return out;
}

/**
 * Test particles that fly beside a flock from its first frame: x <- x + dt v, v the core's velocity beside the
 * flock of each frame, all particles in one question. Gives (frames, count, d).
 */
export async function drift(
  ask: (frame: number, rows: Float64Array) => Promise<Float64Array>, seeds: Float64Array,
  options: { first: number; last: number; dt: number; current(): boolean },
): Promise<Float64Array> {
  const { first, last, dt, current } = options;
  const size = seeds.length;
  const out = new Float64Array((last - first + 1) * size);
  out.set(seeds);
  for (let k = first; k < last; ++k) {
    const here = out.slice((k - first) * size, (k - first + 1) * size);
    const velocity = await ask(k, here);
    if (!current()) return out.slice(0, (k - first + 1) * size);
    out.set(here.map((x, e) => x + dt * velocity[e]), (k - first + 1) * size);
  }
  return out;
}
