// screen.ts: one stop of the Story as it is run and painted: player, attention, dragging and painter together.
import { signal } from "@preact/signals";
import type { Core } from "../../core/protocol";
import type { Stage } from "../../scene/stage";
import { Film } from "../../state/film";
import { opening } from "../../state/moment";
import { Player } from "../../state/player";
import { Question } from "../../state/question";
import { change, word } from "../../state/recipe";
import { core } from "../../state/session";
import { story as storyWords } from "../../strings/story";
import { keepSwarms } from "../digits/library";
import { onHand } from "./listener";
import { Painter } from "./draw";
import { flyLevels, JoinedFilm } from "./joined_film";
import { allowed, formatPut, parsePut } from "./placed_words";
import { pointsOf } from "./scenes";
import type { Scene, StopName, Token } from "./stops";
import { flyPair, type Test, type TestedFlight, TestedPainter } from "./trained_readers";

class ListenerAttention {
  private readonly question = new Question<Float64Array>();
  /** (n) shares of the first head; null while there is no listener. */
  readonly weights = this.question.answer;

  listen(film: Film | null, frame: number, boid: number | null): void {
    if (!film || boid === null || boid >= film.info.n) return this.question.drop();
    if (film.flown.value <= frame) return;
    const flight = film instanceof JoinedFilm ? film.flightAt(frame) : { id: film.info.id, frame };
    this.question.want(`${flight.id}/${flight.frame}/${boid}`, async (awake) =>
      (await awake.gaze(flight.id, flight.frame, boid)).weights.slice(0, film.info.n));
  }
}

const kBase = 20; // frames a second of the player; scenes slow it by their own rate

/** The two banks of the first stop share a label as long as they share a place. */
function labelOf({ tokens }: Scene, stop: StopName, token: Token, i: number): string {
  const one = stop === "alone" && tokens[0].place.join() === tokens[1].place.join();
  if (!one || i > 1) return token.text;
  return i === 0 ? `${token.text} = ${token.text}` : "";
}

/** What is to be flown: a scene, or at the last stop a reader with a pair of digits. */
export interface Request {
  scene: Scene;
  stop: StopName;
  test: Test;
}

/** Puts a word elsewhere, from the start of the flight. */
export function putWord(scene: Scene, word_: number, wish: readonly number[]): void {
  const put = parsePut(word("put", ""));
  put.set(word_, allowed(scene, wish));
  change({ at: "", put: formatPut(put) });
}

export class Screen {
  readonly player = new Player(kBase);
  readonly ear = new ListenerAttention();
  /** The word that a hand holds. */
  readonly held = signal<{ word: number; place: number[] } | null>(null);
  readonly flight = signal<TestedFlight | null>(null); // of the last stop
  private painter: Painter | null = null;
  private digits: TestedPainter | null = null;
  private readonly onScreen = signal<Request | null>(null);

  private get opened(): Request | null {
    return this.onScreen.value;
  }

  /** Runs a scene's flock, and next to it the flock without its guest, as long as that is `wanted`. */
  async open(wish: Request, wanted: () => boolean): Promise<void> {
    this.onScreen.value = null;
    this.held.value = null;
    const awake = await core;
    const flight = wish.stop === "tested" ? await flyPair(awake, wish.test) : null;
    const films = flight ? [flight.film] : await filmsOf(awake, wish.scene);
    if (!wanted()) return films.forEach((made) => made.close());
    if (!flight) keepSwarms(0); // words need no trained reader
    this.player.pace = () => wish.scene.rate / kBase;
    this.player.load(films[0], { ...opening(), ghost: films[1] ?? null });
    this.flight.value = flight;
    this.onScreen.value = wish;
    this.paintAnew();
  }

  /** Whether a scene is the one that is flown. */
  shows(scene: Scene): boolean {
    return this.opened?.scene === scene;
  }

  /** A stage to paint on; a word that is clicked listens, one that is dragged starts elsewhere. */
  setStage(stage: Stage | null): void {
    const { asks, shows } = storyWords.badges;
    this.painter = stage && new Painter(stage, { asks, shows, arrows: (times) => storyWords.arrows(times) });
    this.digits = stage && new TestedPainter(stage);
    this.paintAnew();
    if (!stage) return;
    onHand(stage, {
      may: () => this.opened !== null && !this.opened.scene.fixed,
      click: (boid) => {
        if (this.opened && this.opened.scene.listener !== null) change({ boid });
      },
      hold: (boid, place) => {
        if (!this.opened) return;
        this.held.value = place && { word: boid, place: allowed(this.opened.scene, place) };
        if (place && this.player.at.value > 0) this.player.put(this.player.film.value?.first ?? 0);
      },
      drop: (boid, place) => this.opened && putWord(this.opened.scene, boid, place),
    });
  }

  private paintAnew(): void {
    const { opened } = this;
    if (!opened) return;
    if (opened.stop === "tested") this.painter?.clear();
    else {
      this.digits?.clear();
      this.painter?.open(opened.scene, (token, i) => labelOf(opened.scene, opened.stop, token, i));
    }
  }

  retheme(): void {
    if (this.opened) this.painter?.retheme(this.opened.scene);
  }

  draw(scene: Scene, listener: number | null): void {
    const film = this.player.film.value;
    if (!film || !this.opened || !this.shows(scene) || film.flown.value <= film.first) return;
    const { at, ghost } = this.player;
    const { stop } = this.opened;
    if (this.flight.value) return this.digits?.draw(this.flight.value, Math.min(at.value, film.flown.value - 1));
    const weights = this.ear.weights.value;
    const held = this.held.value;
    this.painter?.draw({ scene, stop, film, beside: ghost.value, at: at.value, listener, weights, held });
  }

  tick(seconds: number, scene: Scene, listener: number | null): void {
    const { player } = this;
    player.tick(seconds);
    this.ear.listen(this.shows(scene) ? player.film.value : null, player.frame.value, listener);
    this.draw(scene, listener);
  }

  close(): void {
    this.player.close();
    keepSwarms(0);
  }
}

/** The flock of a scene, and the one next to it if there is one. */
async function filmsOf(awake: Core, scene: Scene): Promise<Film[]> {
  if (scene.levels) return [await flyLevels(awake, scene)];
  const films: Film[] = [];
  try {
    for (const tokens of [scene.tokens, ...(scene.beside ? [scene.beside] : [])]) {
      films.push(new Film(awake, await awake.flight(scene.words, pointsOf(tokens))));
    }
  } catch (error) {
    films.forEach((made) => made.close());
    throw error;
  }
  return films;
}
