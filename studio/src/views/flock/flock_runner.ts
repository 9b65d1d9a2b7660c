// flock_runner.ts: runs the settings of the recipe: runs, edits, axes for many dimensions, attention of chosen tokens.
import { batch, signal } from "@preact/signals";
import type { FlightInfo, Gaze, Words } from "../../core/protocol";
import { DomeScene } from "../../scene/dome";
import type { Stage } from "../../scene/stage";
import { Branch } from "../../state/branch";
import { domeShown, Domes, headNow, headPicked, partNow } from "../../state/dome";
import { Film } from "../../state/film";
import { KeptFilm } from "../../state/kept_film";
import { Player } from "../../state/player";
import { keepMoment, opening } from "../../state/moment";
import { Question } from "../../state/question";
import { flag, recipe, word } from "../../state/recipe";
import { core, isFault, notice, showError } from "../../state/session";
import { isDark } from "../../state/theme";
import { AtEnd, Motion } from "./motion";
import { keptFilm } from "./own_runs";
import { boidSize, FlockScene, type Colouring, type Look } from "./scene";
import { Overlay, type Counted } from "./overlay";
import { describeRefusal } from "./look_for";
import { flockParameters, initialOf } from "./parameters";

const kWait = 120; // ms a slider may still move before its flight begins
const kRate = 24; // frames a second
export const kDome = false; // domes are drawn when the visitor asks for them

export class FlockRunner {
  readonly player = new Player(kRate);
  readonly branch = new Branch(this.player);
  readonly scene = new FlockScene();
  readonly info = signal<FlightInfo | null>(null);
  readonly words = signal<Words>(flockParameters(recipe.value));
  private readonly gazeQuestion = new Question<Gaze>();
  readonly gaze = this.gazeQuestion.answer;
  readonly domes = new Domes();
  private readonly overlay = new Overlay();
  readonly atEnd = new AtEnd(this.player);
  /** What the discs of the scene count at the frame shown; null while that would cost too much. */
  readonly counted = signal<Counted | null>(null);
  private domed = false;
  private domeOn: { stage: Stage; scene: DomeScene } | null = null;
  private turn = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private axesAt = 0;
  private motion: Motion | null = null;
  private flownWords = "";
  private flownEdit = "";
  private stops: (() => void)[] = [];

  constructor() {
    this.player.pace = (film, at) => {
      if (!flag("linger", true) || !this.motion || film !== this.player.film.value) return 1;
      return this.motion.pace(at);
    };
  }

  /** Called whenever the recipe changed. */
  follow(first = false): void {
    if (first) this.stops = [this.branch.followChoice(), keepMoment(this.player)];
    const words = flockParameters(recipe.value);
    const text = JSON.stringify({ ...words, run: word("run", "") });
    const edit = word("edit", "");
    if (text !== this.flownWords) {
      this.flownWords = text;
      this.flownEdit = edit;
      clearTimeout(this.timer);
      const begin = opening();
      this.timer = setTimeout(() => void this.fly(words, begin), first ? 0 : kWait);
    } else if (edit !== this.flownEdit) {
      this.flownEdit = edit;
      void this.branch.refresh();
    }
  }

  private async fly(words: Words, begin: ReturnType<typeof opening>): Promise<void> {
    const turn = ++this.turn;
    try {
      const film = await this.filmOf(words);
      if (turn !== this.turn) return film.close();
      batch(() => {
        this.info.value = film.info;
        this.words.value = words;
        this.gazeQuestion.drop();
        if (notice.value?.kind === "fault") notice.value = null;
      });
      this.axesAt = 0;
      void this.branch.load(film, begin);
      void film.need(film.last);
    } catch (error) {
      if (turn !== this.turn) return;
      if (isFault(error)) notice.value = { kind: "fault", ...describeRefusal(error, words) }; // the last good flight stays
      else showError(error);
    }
  }

  /** A new flight; or the kept frames of an own run where the recipe names one that is here. */
  private async filmOf(words: Words): Promise<Film> {
    const awake = await core;
    const run = word("run", "");
    const kept = run === "" ? null : await keptFilm(run);
    return kept ?? new Film(awake, await awake.flight(words));
  }

  /** The own run whose kept frames are on stage. */
  get kept(): KeptFilm | null {
    const film = this.player.film.value;
    return film instanceof KeptFilm ? film : null;
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
      gaze: this.domed ? null : this.gaze.value, // the dome shows it
      head: headPicked(this.gaze.value?.heads ?? 1),
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
    if (stage) this.drawOverlay(stage, film);
    if (stage) this.drawDome(stage, film);
    this.branch.axes = this.scene.handAxes();
    if (this.kept) return; // no core knows it
    this.askAxes(film);
    this.askGaze();
  }

  /** How groups are counted, and which of two tokens are one. */
  get counting(): { by: "touch" | "modes"; tol: number } {
    const tol = Number(this.words.value.cluster_tol ?? initialOf(recipe.value).cluster_tol);
    return { by: word("count", "touch") === "modes" ? "modes" : "touch", tol: tol > 0 ? tol : 1e-3 };
  }

  /** Groups as discs, and where the dynamics has them hull and leaders. */
  private drawOverlay(stage: Stage, film: Film): void {
    const { n, d, habitat, id } = film.info;
    const { player, scene } = this;
    const frame = player.frame.value;
    if (frame >= film.flown.value) return;
    const { by, tol } = this.counting;
    const beta = Number(this.words.value.beta ?? 1) || 1;
    const dynamics = String(this.words.value.dynamics ?? "");
    const own = ["query", "key", "value"].every((key) => (this.words.value[key] ?? "identity") === "identity");
    const space = habitat === "space";
    const look = [flag("masses", true), flag("hull", true), isDark.value, scene.seen];
    const resting = !player.playing.value || player.at.value >= film.end;
    this.overlay.show(stage, {
      of: [id, frame, by, by === "modes" ? beta : tol].join(), key: [film.flown.value > film.last, ...look].join(), frame,
      rows: film.frame(frame), places: scene.places, colours: scene.colours, n, d, sphere: !space, size: boidSize(n),
      by: by === "modes" ? { beta } : { tol }, masses: flag("masses", true),
      hull: flag("hull", true) && space && d <= 3 && ["hardmax", "rescaled"].includes(dynamics),
      leaders: dynamics === "hardmax" && space && own,
    }, resting);
    if (this.counted.value !== this.overlay.counted) this.counted.value = this.overlay.counted;
  }

  /** When the groups of a moment are here, so that a film may draw it. */
  async settle(at: number, stage: Stage | null): Promise<void> {
    this.player.during(at, () => this.draw(stage));
    await this.overlay.settled();
  }

  /** The dome around the chosen boid, where one is asked for. */
  private drawDome(stage: Stage, film: Film): void {
    if (this.domeOn?.stage !== stage) this.domeOn = { stage, scene: new DomeScene(stage) };
    const boid = this.domeBoid();
    const frame = this.player.frame.value;
    const flight = this.kept ? null : this.branch.flightAt(frame);
    const there = boid !== null && flight !== null && frame < film.flown.value && domeShown(kDome);
    this.domes.want(there ? { flight, frame, boid } : null);
    const seen = this.domes.seen.value;
    const shown = there && seen !== null && seen.boid === boid;
    if (shown !== this.domed) this.scene.touch();
    this.domed = shown;
    if (!shown) return this.domeOn.scene.show(null);
    const place = this.scene.places.slice(3 * boid, 3 * boid + 3);
    const head = headNow(seen.dome.heads.length);
    const what = { dome: seen.dome, head, part: partNow() };
    this.domeOn.scene.show({ place, ...what, dark: isDark.value });
  }

  /** The boid that has a dome: the last one picked. */
  domeBoid(): number | null {
    const boid = this.branch.chosen.value.at(-1) ?? null;
    return boid !== null && boid < (this.info.value?.n ?? 0) ? boid : null;
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

  /** What the chosen token attends to at the frame shown. */
  private askGaze(): void {
    const boid = this.branch.chosen.value.at(-1);
    const frame = this.player.frame.value;
    const film = this.player.film.value;
    if (boid === undefined || !film || frame >= film.flown.value) return this.gazeQuestion.drop();
    const flight = this.branch.flightAt(frame);
    if (flight === null) return;
    this.gazeQuestion.want(`${flight}/${frame}/${boid}`, async (awake) => {
      const gaze = await awake.gaze(flight, frame, boid);
      this.scene.touch();
      return gaze;
    });
  }

  close(): void {
    clearTimeout(this.timer);
    ++this.turn;
    this.stops.forEach((stop) => stop());
    this.branch.close();
  }
}
