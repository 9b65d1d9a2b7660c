// reading.ts: the outputs of a trained run at a frame: chances, verdict, dissent.
import type { Film } from "../../state/film";

type Read = Pick<Film, "scores" | "verdicts" | "info" | "first"> & { flown: { value: number } };

function clampFrame(film: Read, k: number): number {
  return Math.max(film.first, Math.min(k, film.flown.value - 1));
}

/** Chances of the classes at a fractional frame, on straight lines between frames; (classes), into `out`. */
export function chancesAt(film: Read, at: number, out = new Float64Array(film.info.classes.length)): Float64Array {
  const classes = film.info.classes.length;
  const k = clampFrame(film, Math.floor(at));
  const next = clampFrame(film, k + 1);
  const share = Math.max(0, Math.min(1, at - k));
  for (let c = 0; c < classes; ++c) {
    out[c] = (1 - share) * film.scores[k * classes + c] + share * film.scores[next * classes + c];
  }
  return out;
}

/** The class that leads: the first of the largest. */
export function leader(chances: ArrayLike<number>): number {
  let best = 0;
  for (let c = 1; c < chances.length; ++c) if (chances[c] > chances[best]) best = c;
  return best;
}

/** The mean position of a frame (n, d), the only readout; (3). */
export function meanOf(places: ArrayLike<number>, n: number, d: number): [number, number, number] {
  const sum: [number, number, number] = [0, 0, 0];
  for (let i = 0; i < n; ++i) for (let c = 0; c < Math.min(3, d); ++c) sum[c] += places[i * d + c] / n;
  return sum;
}

/** How many boids are, at the frame nearest to `at`, nearest to another target than that of the verdict at `at`. */
export function dissenters(film: Read, at: number): number {
  const { n } = film.info;
  const k = clampFrame(film, Math.round(at));
  const verdict = leader(chancesAt(film, at)); // the one that is shown: between frames it may have turned already
  let count = 0;
  for (let i = 0; i < n; ++i) if (film.verdicts[k * n + i] !== verdict) ++count;
  return count;
}

/** The class that most boids are nearest to at the frame nearest to `at`, and how many; of a tie the first. */
export function majority(film: Read, at: number): { best: number; count: number } {
  const { n, classes } = film.info;
  const k = clampFrame(film, Math.round(at));
  const votes = new Uint32Array(classes.length);
  for (let i = 0; i < n; ++i) ++votes[film.verdicts[k * n + i]];
  const best = leader(votes);
  return { best, count: votes[best] };
}

/** The chance of one class over the frames that are here. */
export function chanceOverTime(film: Read, c: number): Float64Array {
  const classes = film.info.classes.length;
  const at = (k: number) => (k < film.first ? NaN : film.scores[k * classes + c]);
  return Float64Array.from({ length: film.flown.value }, (_, k) => at(k));
}

/** The share of dissenting boids over the frames that are here. */
export function dissentOverTime(film: Read): Float64Array {
  const at = (k: number) => (k < film.first ? NaN : dissenters(film, k) / film.info.n);
  return Float64Array.from({ length: film.flown.value }, (_, k) => at(k));
}
