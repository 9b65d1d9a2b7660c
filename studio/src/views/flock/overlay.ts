// overlay.ts: what is drawn over the flock: clusters as discs whose area is their mass, hulls, leaders.
import { inkOf, linear, mixInk, Pieces } from "../../scene/ink";
import type { Label, Stage } from "../../scene/stage";
import { massesOf, modes, touching, type Counting, type Groups, type Mass } from "./groups";
import { hullOf, leadersOf } from "./hull";

/** One moment of a flock, and what of it is to be told. */
export interface Moment {
  key: string; // of the film, its frame and the view of it: the same key, the same picture
  frame: number;
  rows: Float32Array; // (n, d)
  places: Float32Array; // (n, 3)
  colours: Float32Array; // (n, 3)
  n: number;
  d: number;
  sphere: boolean;
  size: number; // of a boid
  counting: Counting;
  tol: number;
  beta: number;
  masses: boolean;
  hull: boolean;
  leaders: boolean;
}

/** What was counted. */
export interface Counted {
  frame: number; // at which
  groups: number;
  largest: number; // tokens
  leaders: number;
}

const kMostWork = 4e6; // pairs times coordinates that one moment may cost while the flock flies
const kMostLabels = 12;
const kLeastShare = 0.02; // of the tokens: smaller groups have no number

export class Overlay {
  private key = "";
  private readonly pieces = new Pieces();
  private labels: { label: Label; mass: Mass }[] = [];
  private labelled = "";
  counted: Counted | null = null;

  /** Draws a moment that is new; one that would cost too much waits until the flock rests. */
  show(stage: Stage, moment: Moment, resting: boolean): void {
    const { key, n, d } = moment;
    if (key === this.key) return;
    if (n * n * d * (moment.counting === "modes" ? 8 : 0.5) > kMostWork && !resting) return this.hide(stage);
    this.key = key;
    const groups = groupsOf(moment);
    const masses = massesOf(groups, moment.places, moment.sphere);
    const leaders = moment.leaders ? leadersOf(moment.rows, n, d) : [];
    const largest = Math.max(1, ...masses.map(({ tokens }) => tokens));
    this.counted = { frame: moment.frame, groups: groups.count, largest, leaders: leaders.length };
    this.drawMasses(stage, moment, moment.masses ? masses : []);
    this.drawHull(stage, moment);
    this.drawLeaders(stage, moment, leaders);
  }

  hide(stage: Stage): void {
    if (this.key === "") return;
    this.key = "";
    this.counted = null;
    stage.boids("masses", null);
    stage.boids("leaders", null);
    stage.lines("hull", null);
    this.setLabels(stage, []);
  }

  /** A disc of a group has the area of all its boids together: its radius grows with the root of its tokens. */
  private drawMasses(stage: Stage, { colours, size, n }: Moment, masses: Mass[]): void {
    if (masses.length === 0) {
      stage.boids("masses", null);
      return this.setLabels(stage, []);
    }
    const positions = new Float32Array(masses.flatMap(({ place }) => place));
    const inks = new Float32Array(masses.flatMap(({ first }) => [...colours.subarray(3 * first, 3 * first + 3)]));
    const sizes = Float32Array.from(masses, ({ tokens }) => size * Math.sqrt(tokens));
    stage.boids("masses", { positions, colours: inks, sizes, opacity: 0.42 });
    const told = masses.filter(({ tokens }) => tokens >= Math.max(3, kLeastShare * n));
    this.setLabels(stage, told.sort((a, b) => b.tokens - a.tokens).slice(0, kMostLabels));
  }

  /** Labels are made anew only when their numbers are others; their places follow. */
  private setLabels(stage: Stage, masses: Mass[]): void {
    const key = masses.map(({ tokens }) => tokens).join();
    if (key !== this.labelled) {
      this.labelled = key;
      this.labels = masses.map((mass) => ({ mass, label: { text: String(mass.tokens), place: mass.place, kind: "mass" } }));
      stage.setLabels(this.labels.map(({ label }) => label));
    }
    masses.forEach((mass, k) => (this.labels[k].label.place = mass.place));
  }

  private drawHull(stage: Stage, { hull, places, d }: Moment): void {
    if (!hull) return stage.lines("hull", null);
    this.pieces.clear();
    const ink = linear(mixInk(inkOf("--paper"), inkOf("--accent"), 0.7));
    for (const [a, b] of hullOf(places, d === 2)) this.pieces.add(a, b, ink);
    stage.lines("hull", this.pieces.lines);
  }

  private drawLeaders(stage: Stage, { places, colours, size }: Moment, leaders: readonly number[]): void {
    if (leaders.length === 0) return stage.boids("leaders", null);
    const of = (from: Float32Array) => new Float32Array(leaders.flatMap((i) => [...from.subarray(3 * i, 3 * i + 3)]));
    const sizes = new Float32Array(leaders.length).fill(1.7 * size);
    stage.boids("leaders", { positions: of(places), colours: of(colours), sizes, marks: new Float32Array(leaders.length).fill(1), order: 1 });
  }
}

function groupsOf({ rows, n, d, sphere, counting, tol, beta }: Moment): Groups {
  return counting === "modes" ? modes({ rows, n, d, sphere }, beta) : touching({ rows, n, d, sphere }, tol);
}
