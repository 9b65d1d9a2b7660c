// scene.ts: one flock on the stage: tokens, trails, the attention of a chosen token, the ghost of an edit.
import type { Gaze } from "../../core/protocol";
import { addHeadBeams, addHeadLines, meanAttention } from "../../scene/heads";
import { inkOf, linear, linearOne, Pieces, type Rgb } from "../../scene/ink";
import type { Stage, StageOptions } from "../../scene/stage";
import { Strokes } from "../../scene/strokes";
import type { Film } from "../../state/film";
import { colourByOrder, colourByPlace } from "./colours";
import { alignAxes, plainAxes, project, Reach, toSphere } from "./projection";

export type Colouring = "end" | "start" | "now" | "order";

/** What of the flock is to be seen. */
export interface Look {
  colouring: Colouring;
  trail: number; // frames
  dark: boolean;
  boid: number | null; // whose gaze is shown
  chosen: readonly number[];
  held: ReadonlyMap<number, readonly number[]>; // where a hand holds boids, (d) each
  gaze: Gaze | null;
  head: number | null; // whose attention is drawn, where there are several; null: all
}

/** The stage that suits a swarm: circle and plane are looked at straight on. */
export function stageOptions(habitat: "sphere" | "space", d: number): StageOptions {
  if (habitat === "sphere") {
    return d === 2
      ? { backdrop: "circle", extent: 1, radius: 0.03, flat: true }
      : { backdrop: "sphere", extent: 1, radius: 0.03 };
  }
  return d === 2
    ? { backdrop: "plane", extent: 1, radius: 0.02, flat: true }
    : { backdrop: "box", extent: 1, radius: 0.025 };
}

/** Boids of few flocks are drawn larger. */
export function boidSize(n: number): number {
  return Math.min(1.8, Math.max(0.5, Math.sqrt(170 / Math.max(1, n))));
}

const kAbove = 0.02; // boids of flat scenes lie above their trails
const kEase = 5; // shares of the way to new axes a second

export class FlockScene {
  film: Film | null = null;
  axes: Float64Array = new Float64Array(0);
  scale = 1;
  places = new Float32Array(0); // (n, 3) shown last
  private aim: Float64Array = new Float64Array(0);
  private hand: Float64Array = new Float64Array(0);
  private now = new Float32Array(0); // (n, d)
  private other = new Float32Array(0);
  private ghostPlaces = new Float32Array(0);
  colours = new Float32Array(0); // (n, 3) shown last
  seen = 0; // counts the pictures drawn
  private lights = new Float32Array(0); // the same colours as lines need them
  private sizes = new Float32Array(0);
  private marks = new Float32Array(0);
  private trailPoints = new Float32Array(0);
  private trailColours = new Float32Array(0);
  private step = new Float32Array(0);
  private reach: Reach | null = null;
  private shownLook = "";
  private painted = "";
  private shownAt = NaN;
  private shownHeld: Look["held"] | null = null;
  private paper: Rgb = [0, 0, 0];
  private paperLight: Rgb = [0, 0, 0];
  private accent: Rgb = [0, 0, 0];
  private readonly pieces = new Pieces();
  private strokes: { stage: Stage; strokes: Strokes } | null = null;

  /** Takes the film to be shown; views of the same shape keep their axes. */
  load(film: Film): void {
    const { n, d, habitat } = film.info;
    const sameShape = this.film?.info.d === d && this.film.info.n === n;
    this.film = film;
    this.reach = habitat === "space" ? new Reach(film) : null;
    if (!sameShape) {
      this.axes = plainAxes(d);
      this.aim = plainAxes(d);
      this.now = new Float32Array(n * d);
      this.other = new Float32Array(n * d);
      this.places = new Float32Array(n * 3);
      this.ghostPlaces = new Float32Array(n * 3);
      this.step = new Float32Array(n * 3);
      this.colours = new Float32Array(n * 3);
      this.lights = new Float32Array(n * 3);
      this.sizes = new Float32Array(n).fill(boidSize(n));
      this.marks = new Float32Array(n);
    }
    this.painted = "";
    this.touch();
  }

  /** New axes, (3, d): the view turns to them. */
  aimAt(axes: Float64Array): void {
    if (!this.film || axes.length !== this.axes.length) return;
    this.aim = alignAxes(axes, this.axes, this.film.info.d);
  }

  /** Draws again although nothing moved. */
  touch(): void {
    this.shownLook = "";
  }

  /** Takes the colours of the theme. */
  retheme(): void {
    this.paper = inkOf("--paper");
    this.paperLight = linear(this.paper);
    this.accent = inkOf("--accent");
    this.painted = "";
    this.touch();
  }

  private ease(seconds: number): boolean {
    let rest = 0;
    const share = Math.min(1, kEase * seconds);
    for (let e = 0; e < this.axes.length; ++e) {
      const gap = this.aim[e] - this.axes[e];
      rest = Math.max(rest, Math.abs(gap));
      this.axes[e] += share * gap;
    }
    return rest > 1e-4;
  }

  /** (3, d): the axes in the scene's units, for a hand that moves boids; one array, written at every call. */
  handAxes(): Float64Array {
    if (this.hand.length !== this.axes.length) this.hand = new Float64Array(this.axes.length);
    for (let e = 0; e < this.hand.length; ++e) this.hand[e] = this.axes[e] / this.scale;
    return this.hand;
  }

  private view() {
    return { axes: this.axes, d: this.film!.info.d, scale: this.scale };
  }

  /** Shows the frame the player is at; does nothing when nothing changed. */
  draw(stage: Stage, at: number, ghost: Film | null, look: Look, seconds = 0): void {
    const film = this.film;
    if (!film || film.flown.value <= film.first) return;
    const turning = film.info.d > 3 && this.ease(seconds);
    const id = ghost?.info.id ?? -1;
    const known = look.colouring === "end" ? film.flown.value : 0;
    const shown = [look.colouring, look.trail, look.dark, look.chosen, look.head, film.info.id, id, known].join();
    const same = shown === this.shownLook && at === this.shownAt && look.held === this.shownHeld;
    if (!turning && same) return;
    this.shownLook = shown;
    this.shownAt = at;
    this.shownHeld = look.held;
    ++this.seen;
    this.scale = this.reach ? 0.95 / this.reach.at(at) : 1;
    this.placesAt(film, at, this.now, this.places);
    this.putHeld(look.held);
    if (shown !== this.painted || turning || look.colouring === "now") this.paint(look);
    this.painted = shown;
    this.marks.fill(0);
    for (const i of look.chosen) if (i < this.marks.length) this.marks[i] = 1;
    stage.boids("flock", { positions: this.places, colours: this.colours, sizes: this.sizes, marks: this.marks });
    this.drawGhost(stage, at, ghost);
    this.drawTrails(stage, at, look.trail);
    this.drawGaze(stage, look);
  }

  /** What a hand holds is shown where the hand is. */
  private putHeld(held: Look["held"]): void {
    if (held.size === 0) return;
    const d = this.film!.info.d;
    for (const [i, place] of held) if (place.length === d) this.now.set(place, i * d);
    project(this.now, this.view(), this.places);
  }

  private placesAt(film: Film, at: number, rows: Float32Array, places: Float32Array): void {
    film.between(at, rows);
    if (film.info.habitat === "sphere") toSphere(rows, film.info.d);
    project(rows, this.view(), places);
    if (film.info.d === 2) for (let e = 2; e < places.length; e += 3) places[e] = kAbove;
  }

  private paint(look: Look): void {
    const film = this.film!;
    if (look.colouring === "order") colourByOrder(film.info.n, look.dark, this.colours);
    else if (look.colouring === "now") colourByPlace(this.places, look.dark, this.colours);
    else {
      const frame = look.colouring === "end" ? film.flown.value - 1 : film.first;
      project(film.frame(frame), this.view(), this.step);
      colourByPlace(this.step, look.dark, this.colours);
    }
    if (look.trail > 0) for (let e = 0; e < this.colours.length; ++e) this.lights[e] = linearOne(this.colours[e]);
  }

  private drawGhost(stage: Stage, at: number, ghost: Film | null): void {
    if (!ghost || ghost.flown.value <= ghost.first || ghost.info.n !== this.film!.info.n) {
      stage.boids("ghost", null);
      return;
    }
    this.placesAt(ghost, at, this.other, this.ghostPlaces);
    stage.boids("ghost", { positions: this.ghostPlaces, colours: this.colours, sizes: this.sizes, opacity: 0.28 });
  }

  /** The way of the last `trail` frames, fading into the paper. */
  private drawTrails(stage: Stage, at: number, trail: number): void {
    const film = this.film!;
    const n = film.info.n;
    const last = Math.min(Math.floor(at), film.flown.value - 1);
    const from = Math.max(film.first, last - trail);
    const pieces = trail > 0 ? (last - from + (at > last ? 1 : 0)) * n : 0;
    if (pieces <= 0) {
      stage.lines("trails", null);
      return;
    }
    if (this.trailPoints.length < 6 * pieces) {
      this.trailPoints = new Float32Array(6 * pieces);
      this.trailColours = new Float32Array(6 * pieces);
    }
    let piece = 0;
    const view = this.view();
    project(film.frame(from), view, this.step);
    const before = this.step;
    const after = this.spareRows(n);
    for (let k = from + 1; k <= last + 1 && piece < pieces; ++k) {
      if (k <= last) project(film.frame(k), view, after);
      else after.set(this.places);
      const strength = 0.75 * Math.max(0, 1 - (at - k) / (trail + 1)) ** 1.5;
      for (let i = 0; i < n; ++i, ++piece) this.putPiece(piece, i, { before, after, strength });
      before.set(after);
    }
    stage.lines("trails", {
      points: this.trailPoints.subarray(0, 6 * pieces),
      colours: this.trailColours.subarray(0, 6 * pieces),
      opacity: 0.8,
    });
  }

  private spare = new Float32Array(0);
  private spareRows(n: number): Float32Array {
    if (this.spare.length !== 3 * n) this.spare = new Float32Array(3 * n);
    return this.spare;
  }

  private putPiece(
    piece: number,
    i: number,
    way: { before: Float32Array; after: Float32Array; strength: number },
  ): void {
    for (let a = 0; a < 3; ++a) {
      const colour = this.paperLight[a] + way.strength * (this.lights[3 * i + a] - this.paperLight[a]);
      this.trailPoints[6 * piece + a] = way.before[3 * i + a];
      this.trailPoints[6 * piece + 3 + a] = way.after[3 * i + a];
      this.trailColours[6 * piece + a] = colour;
      this.trailColours[6 * piece + 3 + a] = colour;
    }
  }

  private headStrokes(stage: Stage): Strokes {
    if (this.strokes?.stage !== stage) this.strokes = { stage, strokes: new Strokes(stage.scene) };
    return this.strokes.strokes;
  }

  /** Lines from the chosen boid to those it listens to, the stronger the more it does. */
  private drawGaze(stage: Stage, look: Look): void {
    const n = this.film!.info.n;
    for (const name of ["heads", "beams"]) this.headStrokes(stage).set(name, null);
    if (look.boid === null || !look.gaze || look.gaze.weights.length !== look.gaze.heads * n) {
      stage.lines("gaze", null);
      return;
    }
    if (look.gaze.heads > 1) {
      this.pieces.clear();
      addHeadLines(this.pieces, look.gaze, { boid: look.boid, spots: this.places, head: look.head });
      stage.lines("gaze", null);
      this.headStrokes(stage).set("heads", { ...this.pieces.lines, width: 2 });
      this.pieces.clear();
      if (look.head === null) addHeadBeams(this.pieces, look.gaze, { boid: look.boid, spots: this.places });
      return this.headStrokes(stage).set("beams", { ...this.pieces.lines, width: 7, opacity: 0.75, order: 1 });
    }
    const total = meanAttention(look.gaze);
    const most = Math.max(...total);
    const others = [...total.keys()].filter((j) => j !== look.boid && total[j] > 0.02 * most);
    const points = new Float32Array(6 * others.length);
    const colours = new Float32Array(6 * others.length);
    others.forEach((j, piece) => {
      const share = Math.sqrt(total[j] / most);
      for (let a = 0; a < 3; ++a) {
        points[6 * piece + a] = this.places[3 * look.boid! + a];
        points[6 * piece + 3 + a] = this.places[3 * j + a];
        const colour = linearOne(this.paper[a] + share * (this.accent[a] - this.paper[a]));
        colours[6 * piece + a] = colour;
        colours[6 * piece + 3 + a] = colour;
      }
    });
    stage.lines("gaze", { points, colours });
  }
}
