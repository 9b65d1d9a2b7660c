// stream.ts: lines along a field, drawn in steps; the core evaluates many positions at once.

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

const kPiece = 16; // frames in one question

/**
 * Test particles that fly beside a flock from its frame `first` to `last`: `carry` gives (frames, count, d) of the
 * next `frames` frames, all particles in one question. Gives (frames, count, d), `seeds` first; ends early where
 * nobody waits any more, or where the core can carry them no farther.
 */
export async function carried(
  carry: (frame: number, frames: number, rows: Float64Array) => Promise<Float64Array>, seeds: Float64Array,
  { first, last, current }: { first: number; last: number; current(): boolean },
): Promise<Float64Array> {
  const size = seeds.length;
  const out = new Float64Array((last - first + 1) * size);
  out.set(seeds);
  let known = 1;
  while (first + known <= last && current()) {
    const frames = Math.min(kPiece, last - first - known + 1);
    const piece = await carry(first + known - 1, frames, out.slice((known - 1) * size, known * size));
    out.set(piece, known * size);
    known += piece.length / size;
    if (piece.length < frames * size) break;
  }
  return out.slice(0, known * size);
}
