// player.ts: playback of a film: play, pause, step, scrub, speed; one clock for film and ghost.
import { batch, computed, signal } from "@preact/signals";
import type { Film } from "./film";

/** How fast frames may pass at a fractional frame, 1 being the usual; `slow` paces linger there. */
export type Pace = (film: Film, at: number) => number;

export class Player {
  readonly film = signal<Film | null>(null);
  /** The run from which a branch was made, shown next to it; null: none. */
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
  private turn = 0; // of the hand: what waits for frames is done only if the hand has not moved since

  /** `rate`: frames a second at speed 1. */
  constructor(readonly rate = 20) {}

  /** Puts in a film; the old ones are closed. A film that rests goes to `at` as soon as that is flown. */
  load(film: Film, options: { at?: number; play?: boolean; ghost?: Film | null } = {}): void {
    const turn = ++this.turn;
    const kept = options.ghost ?? null;
    for (const old of [this.film.value, this.ghost.value]) {
      if (old && old !== film && old !== kept) old.close();
    }
    batch(() => {
      this.film.value = film;
      this.ghost.value = kept;
      this.at.value = Math.max(film.first, Math.min(options.at ?? film.first, film.last));
      this.playing.value = options.play ?? this.playing.value;
    });
    void film.need(this.frame.value + this.lead());
    void kept?.need(this.frame.value + this.lead());
    if (!this.playing.value) void this.arrive(film, this.at.value, turn);
  }

  /** Takes the films off the stage. */
  close(): void {
    ++this.turn;
    this.film.value?.close();
    this.ghost.value?.close();
    batch(() => {
      this.playing.value = false;
      this.film.value = null;
      this.ghost.value = null;
    });
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
    this.at.value = Math.max(film.first, Math.min(wish, film.flown.value - 1));
    if (this.at.value >= film.end) this.playing.value = false;
  }

  toggle(): void {
    const film = this.film.value;
    if (!film) return;
    const again = !this.playing.value && this.at.value >= film.end;
    this.put(again ? film.first : this.at.value, !this.playing.value);
  }

  /** Stands at a frame, or plays from it; a seek that still waits is forgotten. */
  put(at: number, playing = false): void {
    ++this.turn;
    batch(() => {
      this.at.value = at;
      this.playing.value = playing;
    });
  }

  /** Calls `work` with the player at a moment that is computed; only `work` sees it there. */
  during<T>(at: number, work: () => T): T {
    const was = this.at.peek();
    return batch(() => {
      this.at.value = at;
      try {
        return work();
      } finally {
        this.at.value = was;
      }
    });
  }

  /** Stops at a frame; a frame that is not computed yet is requested, unless the visitor moves on before it arrives. */
  async seek(frame: number): Promise<void> {
    const film = this.film.value;
    if (!film) return;
    const turn = ++this.turn;
    this.playing.value = false;
    await this.arrive(film, Math.max(film.first, Math.min(Math.round(frame), film.end)), turn);
  }

  private async arrive(film: Film, at: number, turn: number): Promise<void> {
    const frame = Math.ceil(at);
    const late = [film, this.ghost.value].filter((one) => one !== null && one.flown.value <= frame);
    if (late.length > 0) await Promise.all(late.map((one) => one?.need(frame)));
    if (turn === this.turn) this.at.value = Math.max(film.first, Math.min(at, film.flown.value - 1));
  }

  step(by: number): Promise<void> {
    return this.seek(this.frame.value + by);
  }
  reset(): Promise<void> {
    return this.seek(this.film.value?.first ?? 0);
  }
}
