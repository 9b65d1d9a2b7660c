// overlay.ts: what is drawn over the flock: clusters as discs whose area is their mass, hulls, leaders.
import { inkOf, linear, mixInk, Pieces } from "../../scene/ink";
import type { Label, Stage } from "../../scene/stage";
import type { Grouping, Groups } from "../../core/protocol";
import { Question } from "../../state/question";
import { hullOf, massesOf, type Mass } from "./hull";

/** One moment of a flock, and what of it is to be told. */
interface Moment {
  of: string; // the film, its frame and how groups are counted: the same groups
  key: string; // the view of it: with the same groups the same picture
  frame: number;
  rows: Float32Array; // (n, d)
  places: Float32Array; // (n, 3)
  colours: Float32Array; // (n, 3)
  n: number;
  d: number;
  sphere: boolean;
  size: number; // of a boid
  by: Grouping;
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
  private drawn: unknown[] = [];
  private readonly pieces = new Pieces();
  private labels: { label: Label; mass: Mass }[] = [];
  private labelled = "";
  private readonly question = new Question<Groups & { frame: number }>();
  counted: Counted | null = null;

  /** Draws a moment that is new with the groups last answered; one that would cost too much waits until the flock rests. */
  show(stage: Stage, moment: Moment, resting: boolean): void {
    const { frame, rows, n, d, sphere, by } = moment;
    if (n * n * d * ("beta" in by ? 8 : 0.5) > kMostWork && !resting) return this.hide(stage);
    this.question.want(moment.of, async (awake) => ({ frame, ...(await awake.groups(rows, d, sphere, by)) }));
    const groups = this.question.answer.value;
    if (groups?.of.length !== n) return this.hide(stage);
    const drawn = [moment.of, moment.key, groups];
    if (drawn.every((one, k) => one === this.drawn[k])) return;
    this.drawn = drawn;
    const all = massesOf(groups.of, moment.places, sphere);
    const masses = all.filter(({ tokens }) => tokens > 1);
    const leaders = moment.leaders ? [...groups.leaders] : [];
    const largest = Math.max(...all.map(({ tokens }) => tokens));
    this.counted = { frame: groups.frame, groups: all.length, largest, leaders: leaders.length };
    this.drawMasses(stage, moment, moment.masses ? masses : []);
    this.drawHull(stage, moment);
    this.drawLeaders(stage, moment, leaders);
  }

  /** When the groups of the moment shown last are here. */
  settled(): Promise<void> {
    return this.question.settled();
  }

  hide(stage: Stage): void {
    if (this.drawn.length === 0) return;
    this.drawn = [];
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
