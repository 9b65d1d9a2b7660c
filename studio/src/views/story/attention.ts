// attention.ts: what a word attends to at the frame shown.
import type { Film } from "../../state/film";
import { Question } from "../../state/question";
import { JoinedFilm } from "./joined_film";

export class ListenerAttention {
  private readonly question = new Question<Float64Array>();
  /** (n) shares of the first head; null while nobody listens. */
  readonly weights = this.question.answer;

  listen(film: Film | null, frame: number, boid: number | null): void {
    if (!film || boid === null || boid >= film.info.n) return this.question.drop();
    if (film.flown.value <= frame) return;
    const flight = film instanceof JoinedFilm ? film.flightAt(frame) : { id: film.info.id, frame };
    this.question.want(`${flight.id}/${flight.frame}/${boid}`, async (awake) =>
      (await awake.gaze(flight.id, flight.frame, boid)).weights.slice(0, film.info.n));
  }
}
