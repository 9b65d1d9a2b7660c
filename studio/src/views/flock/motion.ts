// motion.ts: the playback of a flock: slower where it moves much, and what happens when a run has been played to its end.
import type { Stage } from "../../scene/stage";
import type { Player } from "../../state/player";
import { reducedMotion } from "../../state/theme";

/** Root mean square of the way of n boids between two frames (n, d). */
export function distanceBetween(from: Float32Array, to: Float32Array, n: number): number {
  let sum = 0;
  for (let e = 0; e < from.length; ++e) {
    const gap = to[e] - from[e];
    sum += gap * gap;
  }
  return Math.sqrt(sum / Math.max(1, n));
}

/** The value below which a share of the values lies. */
export function quantile(values: ArrayLike<number>, count: number, share: number): number {
  if (count === 0) return 0;
  const sorted = Float64Array.from({ length: count }, (_, k) => values[k]).sort();
  return sorted[Math.min(count - 1, Math.floor(share * count))];
}

export const kSlowest = 0.5;
export const kFastest = 8;

/**
 * How fast a frame may pass: 1 where the flock goes its usual way, more on a plateau, less in a rush;
 * between kSlowest and kFastest. `usual` is the way that passes at pace 1.
 */
export function paceOf(way: number, usual: number): number {
  if (!(usual > 0)) return 1;
  if (!(way > 0)) return kFastest;
  return Math.min(kFastest, Math.max(kSlowest, usual / way));
}

interface Flown {
  flown: { value: number };
  first: number;
  last: number;
  info: { n: number };
  frame(k: number): Float32Array;
}

/** Ways between the frames of one film, measured once each as frames come. */
export class Motion {
  private readonly ways: Float64Array;
  private known = 0;
  private usual = 0;

  constructor(private readonly film: Flown) {
    this.ways = new Float64Array(Math.max(1, film.last - film.first));
  }

  private learn(): void {
    const there = this.film.flown.value - 1 - this.film.first;
    if (there <= this.known) return;
    const { first, info } = this.film;
    for (; this.known < there; ++this.known) {
      const k = first + this.known;
      this.ways[this.known] = distanceBetween(this.film.frame(k), this.film.frame(k + 1), info.n);
    }
    this.usual = quantile(this.ways, this.known, 0.75);
  }

  /** The pace at a fractional frame, out of the ways of the frames around it, so that it does not jump. */
  pace(at: number): number {
    this.learn();
    if (this.known === 0) return 1;
    const k = Math.min(this.known - 1, Math.max(0, Math.floor(at) - this.film.first));
    let way = 0;
    let count = 0;
    for (let j = Math.max(0, k - 1); j <= Math.min(this.known - 1, k + 2); ++j, ++count) way += this.ways[j];
    return paceOf(way / Math.max(1, count), this.usual);
  }
}

export type After = "drift" | "loop" | "still";

const kRest = 2.5; // seconds at the end before anything happens
const kTurn = 0.1; // radians a second
const kMost = 90; // seconds of drift, then it comes to rest
const kEase = 3; // seconds in which the drift begins and ends

/** Radians a second after so many seconds at the end. */
export function driftAt(seconds: number): number {
  const gone = seconds - kRest;
  return kTurn * Math.max(0, Math.min(1, gone / kEase, (kMost - gone) / kEase));
}

export class AtEnd {
  private seconds = -1; // since the end was reached by playing; below 0: it was not
  private wasPlaying = false;

  constructor(private readonly player: Player) {}

  /** Whether the flock is at its end and still moves. */
  get alive(): boolean {
    return this.seconds >= kRest;
  }

  /** A hand on the scene stills it. */
  still(): void {
    this.seconds = -1;
  }

  /** To be called at every drawing; those who wish less motion are left in peace. */
  tick(seconds: number, stage: Stage | null, after: After): void {
    const { player } = this;
    const film = player.film.value;
    const ended = film !== null && player.at.value >= film.end && film.end > film.first;
    if (ended && this.wasPlaying && !player.playing.value) this.seconds = 0;
    if (!ended) this.seconds = -1;
    this.wasPlaying = player.playing.value;
    if (this.seconds < 0 || after === "still" || reducedMotion.value) return;
    this.seconds += seconds;
    if (after === "loop" && this.seconds >= kRest) player.put(film!.first, true);
    else if (after === "drift" && driftAt(this.seconds) > 0) stage?.turn(seconds * driftAt(this.seconds), 0);
  }
}
