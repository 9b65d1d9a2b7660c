// player.ts: the hand on the film: play, pause, step, scrub, speed; one clock for film and ghost.
import { computed, signal } from "@preact/signals";
import type { Film } from "./film";

/** How fast frames may pass at a fractional frame, 1 being the usual; `slow` paces linger there. */
export type Pace = (film: Film, at: number) => number;

export class Player {
  readonly film = signal<Film | null>(null);
  /** The flight that was left by a branch, shown beside; null: none. */
  readonly ghost = signal<Film | null>(null);
  readonly at = signal(0); // fractional frame shown
  readonly playing = signal(false);
  readonly speed = signal(1);
  readonly frame = computed(() => Math.floor(this.at.value + 1e-9));
  readonly time = computed(() => {
    const film = this.film.value;
    return film && film.flown.value > this.frame.value ? film.times[this.frame.value] : 0;
  });
  pace: Pace = () => 1;

  /** `rate`: frames a second at speed 1. */
  constructor(readonly rate = 20) {}

  /** Puts in a film; the old ones are closed. */
  load(film: Film, options: { at?: number; play?: boolean; ghost?: Film | null } = {}): void {
    const kept = options.ghost ?? null;
    for (const old of [this.film.value, this.ghost.value]) {
      if (old && old !== film && old !== kept) old.close();
    }
    this.film.value = film;
    this.ghost.value = kept;
    this.at.value = Math.max(film.first, Math.min(options.at ?? film.first, film.last));
    this.playing.value = options.play ?? this.playing.value;
    void film.need(this.frame.value + this.lead());
    void kept?.need(this.frame.value + this.lead());
  }

  private lead(): number {
    return Math.ceil(2 * this.rate * this.speed.value) + 2; // two seconds ahead
  }

  /** Moves on by `seconds` of the viewer's time, never past what is flown. */
  tick(seconds: number): void {
    const film = this.film.value;
    if (!film || !this.playing.value) return;
    const wish = this.at.value + seconds * this.rate * this.speed.value * this.pace(film, this.at.value);
    void film.need(Math.ceil(wish) + this.lead());
    void this.ghost.value?.need(Math.ceil(wish) + this.lead());
    const end = film.ended.value ? film.flown.value - 1 : film.last;
    this.at.value = Math.max(film.first, Math.min(wish, film.flown.value - 1));
    if (this.at.value >= end) this.playing.value = false;
  }

  toggle(): void {
    const film = this.film.value;
    if (!film) return;
    if (!this.playing.value && this.at.value >= film.last) this.at.value = film.first;
    this.playing.value = !this.playing.value;
  }

  /** Stops at a frame; it is flown to when it is not here yet. */
  async seek(frame: number): Promise<void> {
    const film = this.film.value;
    if (!film) return;
    this.playing.value = false;
    const k = Math.max(film.first, Math.min(Math.round(frame), film.last));
    if (film.flown.value <= k) {
      await film.need(k);
      await this.ghost.value?.need(k);
    }
    if (this.film.value === film) this.at.value = Math.min(k, film.flown.value - 1);
  }

  step(by: number): Promise<void> {
    return this.seek(this.frame.value + by);
  }
  reset(): Promise<void> {
    return this.seek(this.film.value?.first ?? 0);
  }
}
