// pilot.ts: flies what the recipe says: flights, branches, axes for many dimensions, gazes.
import { batch, signal } from "@preact/signals";
import type { FlightInfo, Gaze, Words } from "../../core/protocol";
import type { Stage } from "../../scene/stage";
import { Branch } from "../../state/branch";
import { Film } from "../../state/film";
import { Player } from "../../state/player";
import { change, flag, recipe, word } from "../../state/recipe";
import { core, notice, tell } from "../../state/session";
import { isDark, reducedMotion } from "../../state/theme";
import { Motion } from "./motion";
import { FlockScene, type Colouring, type Look } from "./scene";
import { flockWords } from "./words";

const kWait = 120; // ms a slider may still move before its flight begins
const kRate = 24; // frames a second

export class Pilot {
  readonly player = new Player(kRate);
  readonly branch = new Branch(this.player);
  readonly scene = new FlockScene();
  readonly info = signal<FlightInfo | null>(null);
  readonly words = signal<Words>(flockWords(recipe.value));
  readonly gaze = signal<Gaze | null>(null);
  /** The frame and boid the gaze is of. */
  private gazeOf = "";
  private asking = false;
  private turn = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private axesAt = 0;
  private motion: Motion | null = null;
  private flownWords = "";
  private flownEdit = "";

  constructor() {
    this.player.pace = (film, at) => {
      if (!flag("linger", true) || !this.motion || film !== this.player.film.value) return 1;
      return this.motion.pace(at);
    };
  }

  /** Called whenever the recipe changed. */
  follow(first = false): void {
    const words = flockWords(recipe.value);
    const text = JSON.stringify(words);
    const edit = word("edit", "");
    if (text !== this.flownWords) {
      this.flownWords = text;
      this.flownEdit = edit;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.fly(words), first ? 0 : kWait);
    } else if (edit !== this.flownEdit) {
      this.flownEdit = edit;
      void this.branch.refresh();
    }
  }

  private async fly(words: Words): Promise<void> {
    const turn = ++this.turn;
    try {
      const awake = await core;
      const info = await awake.flight(words);
      if (turn !== this.turn) {
        void awake.close(info.id);
        return;
      }
      const film = new Film(awake, info);
      batch(() => {
        this.info.value = info;
        this.words.value = words;
        this.gaze.value = null;
        if (notice.value?.kind === "fault") notice.value = null;
      });
      this.axesAt = 0;
      const at = Number(word("at", "0")) || 0;
      void this.branch.load(film, { at, play: at === 0 && !reducedMotion.value });
      if (at > 0) void this.player.seek(at);
      void film.need(film.last).then(() => this.tellEnd(film), tell);
    } catch (error) {
      if (turn === this.turn) tell(error); // the last good flight stays
    }
  }

  /** A flight that could not go on says why; what was flown stays. */
  private tellEnd(film: Film): void {
    const end = film.ended.value;
    if (!end || end.ok || this.player.film.value !== film) return;
    notice.value = { kind: "fault", text: end.what, hint: end.remedy };
  }

  /** What is to be seen, out of the recipe and the hand. */
  look(): Look {
    const chosen = this.branch.chosen.value;
    return {
      colouring: word("colour", "end") as Colouring,
      trail: Math.min(60, Math.max(0, Number(word("trail", "16")) || 0)),
      dark: isDark.value,
      boid: chosen.at(-1) ?? null,
      chosen,
      held: this.branch.held.value,
      gaze: this.gaze.value,
    };
  }

  /** Draws the frame the player is at. */
  draw(stage: Stage | null, seconds = 0): void {
    const film = this.player.film.value;
    if (!film) return;
    if (this.scene.film !== film) {
      this.scene.load(film);
      this.motion = new Motion(film);
    }
    if (stage) this.scene.draw(stage, this.player.at.value, this.player.ghost.value, this.look(), seconds);
    this.branch.axes = this.scene.axes.map((a) => a / this.scene.scale);
    this.askAxes(film);
    this.askGaze();
  }

  /** Many dimensions are seen along the axes of what is flown, asked again whenever that has doubled. */
  private askAxes(film: Film): void {
    const flown = film.flown.value;
    if (film.info.d <= 3 || flown < 2 * this.axesAt || flown <= film.first) return;
    const whole = flown > film.last;
    this.axesAt = whole ? Infinity : Math.max(4, flown);
    void core
      .then((awake) => awake.axes(film.info.id))
      .then((axes) => {
        if (this.player.film.value === film) this.scene.aimAt(axes);
      })
      .catch(() => undefined);
  }

  /** Whom the chosen boid hears at the frame shown; one question at a time. */
  private askGaze(): void {
    const boid = this.branch.chosen.value.at(-1);
    const frame = this.player.frame.value;
    const film = this.player.film.value;
    if (boid === undefined || !film || frame >= film.flown.value) {
      if (this.gaze.value) this.gaze.value = null;
      this.gazeOf = "";
      return;
    }
    const flight = this.branch.flightAt(frame);
    const wanted = [flight, frame, boid].join();
    if (this.asking || flight === null || wanted === this.gazeOf) return;
    this.asking = true;
    void core
      .then((awake) => awake.gaze(flight, frame, boid))
      .then((gaze) => {
        this.gaze.value = gaze;
        this.scene.touch();
      })
      .catch(() => (this.gaze.value = null))
      .finally(() => {
        this.gazeOf = wanted;
        this.asking = false;
      });
  }

  /** Keeps the moment in the address while the film rests, so that a reload comes back to it. */
  keepMoment(): void {
    const { film, playing, frame } = this.player;
    if (!film.value) return;
    const at = playing.value || frame.value === film.value.first ? "" : String(frame.value);
    if (word("at", "") !== at) change({ at }, true);
  }

  close(): void {
    clearTimeout(this.timer);
    ++this.turn;
    this.player.film.value?.close();
    this.player.ghost.value?.close();
  }
}
