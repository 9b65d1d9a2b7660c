// attention.ts: asks the core what a word attends to at the frame shown, one question at a time.
import { signal } from "@preact/signals";
import type { Film } from "../../state/film";
import { core } from "../../state/session";
import { JoinedFilm } from "./joined_film";

const kRest = 80; // milliseconds between questions

export class ListenerAttention {
  /** (n) shares of the first head; null while nobody listens. */
  readonly weights = signal<Float64Array | null>(null);
  private asked = "";
  private busy = false;
  private last = 0;

  listen(film: Film | null, frame: number, boid: number | null): void {
    if (!film || boid === null || boid >= film.info.n) {
      if (this.weights.value) this.weights.value = null;
      this.asked = "";
      return;
    }
    const flight = film instanceof JoinedFilm ? film.flightAt(frame) : { id: film.info.id, frame };
    const key = `${flight.id}/${flight.frame}/${boid}`;
    const early = film.flown.value <= frame || performance.now() - this.last < kRest;
    if (this.busy || key === this.asked || early) return;
    this.asked = key;
    this.busy = true;
    core
      .then((awake) => awake.gaze(flight.id, flight.frame, boid))
      .then((gaze) => {
        if (this.asked === key) this.weights.value = gaze.weights.slice(0, film.info.n);
      })
      .catch(() => undefined) // the flight was closed meanwhile
      .finally(() => {
        this.busy = false;
        this.last = performance.now();
      });
  }
}
