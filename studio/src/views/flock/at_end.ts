// at_end.ts: what happens when a run has been played to its end: the view drifts round the flock, or the run plays again.
import type { Stage } from "../../scene/stage";
import type { Player } from "../../state/player";
import { reducedMotion } from "../../state/theme";

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
