// dome.ts: a sphere around one boid, with its gaze and the places of all messages on it, and arrows within.
import type { Dome } from "../core/protocol";
import { addArrow, type Vector } from "./arrow";
import { headInk } from "./heads";
import { inkOf, linear, mixInk, Pieces, type Rgb } from "./ink";
import type { Stage } from "./stage";
import { Strokes } from "./strokes";

/** What is to be drawn: which head, and as far as which part. */
export interface DomeShot {
  place: ArrayLike<number>; // of the boid in the scene
  dome: Dome;
  head: number;
  part: number;
  dark: boolean;
}

const kShare = 0.5; // of half of what is seen: the radius
const kRoom = 1.12; // of the radius: what must be in sight
const kFoot = 60; // CSS pixels at the foot of the scene, where the bar of the dome stands
const kReach = 0.86; // of the radius: how far the arrows go
const kBall = 0.24; // of the radius: a place that has all attention
const kDot = 0.016; // and the least
const kThreads = 12;
const kOrder = 4; // after flock, trails and arrows of the scene

/** Radii of the dome that one unit of the arrows is long: the same for every head and part. */
export function arrowScale(dome: Dome): number {
  const { arrows, heads } = dome;
  const at = (k: number) => arrows.subarray(3 * k, 3 * k + 3);
  const [messages, will, , move] = [0, 1, 2, 3].map((k) => at(heads.length + k));
  const sum = [0, 1, 2].map((c) => messages[c] + will[c]);
  const ways = [messages, move, sum, ...heads.map((_, h) => at(h))];
  const longest = Math.max(...ways.map((way) => Math.hypot(way[0], way[1], way[2])));
  return longest > 0 ? kReach / longest : 0;
}

/** Places on the dome are directions of the scene up to three coordinates; beyond, the gaze points up. */
function turned(v: ArrayLike<number>, k: number): Vector {
  return k > 3 ? [v[0], v[2], -v[1]] : [v[0], v[1], v[2]];
}

/** The boids with the most attention, in order; no more than `most`, none without any. */
export function loudestOf(weights: Float64Array, most: number): number[] {
  return [...weights.keys()]
    .filter((j) => weights[j] > 0)
    .sort((a, b) => weights[b] - weights[a] || a - b)
    .slice(0, most);
}

export class DomeScene {
  private readonly strokes: Strokes;
  private readonly pieces = new Pieces();
  private last: unknown[] = [];
  private others = 0; // heads that arrows were drawn of

  constructor(private readonly stage: Stage) {
    this.strokes = new Strokes(stage.scene);
  }

  /** Draws it where anything changed; null takes it away. */
  show(shot: DomeShot | null): void {
    const key = shot ? [shot.dome, shot.head, shot.part, shot.dark, shot.place[0], shot.place[1], shot.place[2]] : [];
    if (key.length === this.last.length && key.every((value, k) => value === this.last[k])) return;
    this.last = key;
    this.stage.touch();
    if (!shot) {
      this.stage.unreveal();
      delete this.stage.canvas.dataset.dome;
      return this.clear();
    }
    const radius = (kShare * this.stage.span()) / 2;
    const at: Vector = [shot.place[0], shot.place[1], shot.place[2]];
    this.stage.reveal(at, kRoom * radius, kFoot);
    this.tellDisc(at, radius);
    const colour = mixInk(inkOf("--paper"), inkOf("--panel"), 0.5);
    // It covers the flock, and what is on it hides nothing but its like.
    const ball = { place: at, radius, colour, opacity: 0.93, above: true };
    this.stage.scene.put("dome", { kind: "ball", order: kOrder - 1, ...ball });
    const to = (v: ArrayLike<number>): Vector => [0, 1, 2].map((c) => at[c] + radius * v[c]) as Vector;
    this.drawRings(to);
    this.drawKeys(shot, radius, to);
    this.drawQuery(shot, radius, to);
    this.drawThreads(shot, to);
    this.drawArrows(shot, radius, to);
  }

  /** Says on the canvas where the dome is seen, for whoever looks at the page from outside. */
  private tellDisc(at: Vector, radius: number): void {
    const disc = this.stage.disc(at, radius);
    if (disc) this.stage.canvas.dataset.dome = [disc.x, disc.y, disc.r].map((x) => x.toFixed(1)).join();
  }

  private clear(): void {
    this.stage.scene.take("ball", "dome");
    for (const name of ["dome-keys", "dome-query"]) this.stage.boids(name, null);
    for (const name of ["dome-rings", "dome-threads"]) this.stage.lines(name, null);
    for (const name of ["query", "message", "will", "rest", "move"]) this.strokes.set(name, null);
    this.clearOthers(0);
  }

  /** Takes away the messages of heads that are not there, and of the head shown, which has its own arrow. */
  private clearOthers(heads: number, head = -1): void {
    for (let h = heads; h < this.others; ++h) this.strokes.set(`other-${h}`, null);
    if (head >= 0) this.strokes.set(`other-${head}`, null);
    this.others = heads;
  }

  /** Three great circles and two parallels. */
  private drawRings(to: (v: ArrayLike<number>) => Vector): void {
    const line = linear(mixInk(inkOf("--line"), inkOf("--ink-soft"), 0.25));
    this.pieces.clear();
    const ring = (point: (a: number) => Vector) => {
      for (let k = 0; k < 64; ++k) {
        const [a, b] = [k, k + 1].map((e) => to(point((2 * Math.PI * e) / 64)));
        this.pieces.add(a, b, line);
      }
    };
    for (const height of [-0.6, 0, 0.6]) {
      const out = Math.sqrt(1 - height * height);
      ring((a) => [out * Math.cos(a), height, out * Math.sin(a)]);
    }
    for (const turn of [0, 1, 2]) {
      const s = (turn * Math.PI) / 3;
      ring((a) => [Math.cos(a) * Math.cos(s), Math.sin(a), Math.cos(a) * Math.sin(s)]);
    }
    this.stage.lines("dome-rings", { ...this.pieces.lines, opacity: 0.55, order: kOrder });
  }

  private row({ dome, head }: DomeShot): { n: number; weights: Float64Array; most: number } {
    const n = dome.weights.length / dome.heads.length;
    const weights = dome.weights.subarray(head * n, (head + 1) * n);
    return { n, weights, most: Math.max(...weights, 1e-300) };
  }

  /** Dots at first; with the part Attention their area and colour are the weights. */
  private drawKeys(shot: DomeShot, radius: number, to: (v: ArrayLike<number>) => Vector): void {
    if (shot.part < 1) return this.stage.boids("dome-keys", null);
    const { n, weights, most } = this.row(shot);
    const { keys, heads } = shot.dome;
    const positions = new Float32Array(3 * n);
    const colours = new Float32Array(3 * n);
    const sizes = new Float32Array(n);
    const key = headInk(shot.head, heads.length, "--key");
    const none = mixInk(inkOf("--paper"), inkOf("--ink-soft"), 0.6);
    const unit = radius / this.stage.boidRadius();
    for (let j = 0; j < n; ++j) {
      const place = keys.subarray(3 * (shot.head * n + j), 3 * (shot.head * n + j) + 3);
      const there = Math.hypot(place[0], place[1], place[2]) > 0;
      const share = shot.part >= 2 ? weights[j] / most : 0;
      positions.set(to(turned(place, heads[shot.head].k)), 3 * j);
      colours.set(mixInk(none, key, Math.sqrt(share)), 3 * j);
      sizes[j] = there ? unit * Math.max(kDot, shot.part >= 2 ? kBall * Math.sqrt(weights[j]) : kDot) : 0;
    }
    this.stage.boids("dome-keys", { positions, colours, sizes, order: kOrder });
  }

  private queryOf({ dome, head }: DomeShot): Vector {
    return turned(dome.queries.subarray(3 * head, 3 * head + 3), dome.heads[head].k);
  }

  private drawQuery(shot: DomeShot, radius: number, to: (v: ArrayLike<number>) => Vector): void {
    const query = this.queryOf(shot);
    const ink = inkOf("--query");
    this.pieces.clear();
    const none = Math.hypot(...query) === 0;
    if (!none) {
      for (let k = 0; k < 16; ++k) {
        const [a, b] = [k / 16, (k + 0.6) / 16].map((s) => to(query.map((c) => s * c)));
        this.pieces.add(a, b, linear(ink));
      }
    }
    this.strokes.set("query", { ...this.pieces.lines, width: 3, order: kOrder });
    const size = (0.055 * radius) / this.stage.boidRadius();
    this.stage.boids("dome-query", none ? null : {
      positions: new Float32Array(to(query)), colours: new Float32Array(ink), sizes: new Float32Array([size]),
      marks: new Float32Array([1]), order: kOrder + 1,
    });
  }

  /** Lines from the places that are heard most to the boid. */
  private drawThreads(shot: DomeShot, to: (v: ArrayLike<number>) => Vector): void {
    this.pieces.clear();
    if (shot.part >= 3) {
      const { n, weights, most } = this.row(shot);
      const { keys, heads } = shot.dome;
      const [paper, ink] = [inkOf("--paper"), headInk(shot.head, heads.length, "--value")];
      for (const j of loudestOf(weights, kThreads)) {
        const start = 3 * (shot.head * n + j);
        const place = turned(keys.subarray(start, start + 3), heads[shot.head].k);
        if (weights[j] < 0.02 * most || Math.hypot(...place) === 0) continue;
        this.pieces.add(to(place), to([0, 0, 0]), linear(mixInk(paper, ink, 0.25 + (0.5 * weights[j]) / most)));
      }
    }
    this.stage.lines("dome-threads", { ...this.pieces.lines, order: kOrder });
  }

  /** Head to tail: this head's message, those of the others, own will; then where they lead. */
  private drawArrows(shot: DomeShot, radius: number, to: (v: ArrayLike<number>) => Vector): void {
    const { dome, head, part } = shot;
    const scale = arrowScale(dome);
    const arrow = (k: number): Vector => [0, 1, 2].map((c) => scale * dome.arrows[3 * k + c]) as Vector;
    const add = (a: Vector, b: Vector): Vector => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
    const less = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    const heads = dome.heads.length;
    const own = arrow(head);
    const [messages, will, , move] = [0, 1, 2, 3].map((k) => arrow(heads + k));
    const end = add(messages, will);
    type Look = { ink: Rgb; width: number; on: boolean };
    const put = (name: string, from: Vector, way: Vector, { ink, width, on }: Look) => {
      this.pieces.clear();
      const length = Math.hypot(...way);
      if (on && length > 0.004) {
        const long = way.map((c) => radius * c);
        addArrow(this.pieces, to(from), long, { colour: linear(ink), barb: radius * Math.min(0.09, 0.4 * length) });
      }
      this.strokes.set(name, { ...this.pieces.lines, width, order: kOrder + 1 });
    };
    put("message", [0, 0, 0], own, { ink: headInk(head, heads, "--value"), width: 4, on: part >= 3 });
    let from = own;
    for (let h = 0; h < heads; ++h) {
      if (h === head) continue;
      put(`other-${h}`, from, arrow(h), { ink: headInk(h, heads, "--value"), width: 2.5, on: part >= 3 });
      from = add(from, arrow(h));
    }
    this.clearOthers(heads, head);
    put("will", messages, will, { ink: inkOf("--will"), width: 4, on: part >= 4 });
    put("move", [0, 0, 0], move, { ink: inkOf("--warm"), width: 6, on: part >= 5 });
    this.pieces.clear();
    const rest = less(move, end);
    if (part >= 5 && Math.hypot(...rest) > 0.01) {
      const soft = linear(inkOf("--ink-soft"));
      for (let k = 0; k < 12; ++k) {
        const [a, b] = [k / 12, (k + 0.55) / 12].map((s) => to(add(end, rest.map((c) => s * c) as Vector)));
        this.pieces.add(a, b, soft);
      }
    }
    this.strokes.set("rest", { ...this.pieces.lines, width: 2, order: kOrder + 1 });
  }
}
