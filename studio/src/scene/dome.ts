// dome.ts: a sphere around one token that shows its query and field of vision, all keys and values, and arrows within.
import type { Dome } from "../core/protocol";
import { across, addArrow, circleAt, cross, Strokes, type Vector } from "./strokes";
import { headInk } from "./heads";
import { inkOf, linear, mixInk, Pieces, type Rgb } from "./ink";
import type { Label, Stage } from "./stage";

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
const kFoot = 60; // CSS pixels at the foot of the scene, for the bar of the dome
const kReach = 0.86; // of the radius: how far the arrows go
const kDot = 0.012; // of the radius: the least place
const kStem = 0.24; // the longest key
const kCounted = 4; // numbers on keys, and on values
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

/** Keys, or values, of a head that overlap, heaviest first. */
export function groupsOf(
  dome: Dome, head: number, which: "keyGroups" | "valueGroups",
): { place: Vector; weight: number; count: number }[] {
  const k = which === "keyGroups" ? dome.heads[head].k : 3; // values have the axes of the arrows
  const first = dome.heads.slice(0, head).reduce((sum, other) => sum + other[which], 0);
  return Array.from({ length: dome.heads[head][which] }, (_, g) => {
    const row = dome[which].subarray(5 * (first + g), 5 * (first + g) + 5);
    return { place: turned(row, k), weight: row[3], count: row[4] };
  }).sort((a, b) => b.weight - a.weight);
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
    const stems = shot.dome.heads.some(({ sameLengths }) => !sameLengths);
    this.stage.reveal(at, (kRoom + (stems ? kStem : 0)) * radius, kFoot);
    this.tellDisc(at, radius);
    const colour = mixInk(inkOf("--paper"), inkOf("--panel"), 0.5);
    // It covers the flock, and what is on it hides nothing but its like.
    const ball = { place: at, radius, colour, opacity: 0.93, above: true };
    this.stage.scene.put("dome", { kind: "ball", order: kOrder - 1, ...ball });
    const to = (v: ArrayLike<number>): Vector => [0, 1, 2].map((c) => at[c] + radius * v[c]) as Vector;
    this.drawRings(to);
    this.drawVision(shot, radius, to);
    this.drawKeys(shot, radius, to);
    this.drawValues(shot, to);
    this.drawQuery(shot, radius, to);
    this.drawThreads(shot, to);
    this.drawArrows(shot, radius, to);
    this.stage.setCounts(this.countsOf(shot, to));
  }

  /** Says on the canvas where the dome is seen, for whoever looks at the page from outside. */
  private tellDisc(at: Vector, radius: number): void {
    const disc = this.stage.disc(at, radius);
    if (disc) this.stage.canvas.dataset.dome = [disc.x, disc.y, disc.r].map((x) => x.toFixed(1)).join();
  }

  private clear(): void {
    for (const name of ["dome", "dome-vision"]) this.stage.scene.take("ball", name);
    for (const name of ["dome-keys", "dome-dots", "dome-query"]) this.stage.boids(name, null);
    for (const name of ["dome-rings", "dome-threads"]) this.stage.lines(name, null);
    for (const name of ["query", "vision", "stems", "values", "message", "will", "rest", "move"]) this.strokes.set(name, null);
    this.stage.setCounts([]);
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

  private row({ dome, head }: Pick<DomeShot, "dome" | "head">): { n: number; weights: Float64Array; most: number } {
    const n = dome.weights.length / dome.heads.length;
    const weights = dome.weights.subarray(head * n, (head + 1) * n);
    return { n, weights, most: Math.max(...weights, 1e-300) };
  }

  /** Shaded by the factor that a key of the mean length has in each direction; the line is where it is one half. */
  private drawVision(shot: DomeShot, radius: number, to: (v: ArrayLike<number>) => Vector): void {
    const { concentration: c, halfAngle } = shot.dome.heads[shot.head];
    const way = this.queryOf(shot).map((x) => (c < 0 ? -x : x)) as Vector;
    this.pieces.clear();
    if (c === 0 || Math.hypot(...way) === 0) this.stage.scene.take("ball", "dome-vision");
    else {
      const colour = inkOf("--query");
      const fall = [...way, Math.abs(c)];
      const ball = { place: to([0, 0, 0]), radius, colour, opacity: 0.3, above: false, fall };
      this.stage.scene.put("dome-vision", { kind: "ball", order: kOrder - 0.5, ...ball });
      const edge = circleAt(way, halfAngle, 64).map(to);
      if (halfAngle < 3.14) edge.forEach((a, k) => this.pieces.add(a, edge[(k + 1) % 64], linear(colour)));
    }
    this.strokes.set("vision", { ...this.pieces.lines, width: 1.5, opacity: 0.6, order: kOrder });
  }

  /** A dot for each key, with a stem as long as it is; with the part Attention a ball for keys that overlap: its area and colour are the weights. */
  private drawKeys(shot: DomeShot, radius: number, to: (v: ArrayLike<number>) => Vector): void {
    this.pieces.clear();
    if (shot.part < 1) {
      for (const name of ["dome-keys", "dome-dots"]) this.stage.boids(name, null);
      return this.strokes.set("stems", null);
    }
    const { n, weights } = this.row(shot);
    const { keys, heads, keyLengths } = shot.dome;
    const key = headInk(shot.head, heads.length, "--key");
    const none = mixInk(inkOf("--paper"), inkOf("--ink-soft"), 0.6);
    const unit = radius / this.stage.boidRadius();
    const groups = shot.part >= 2 ? groupsOf(shot.dome, shot.head, "keyGroups") : [];
    const most = Math.max(...groups.map(({ weight }) => weight), 1e-300);
    const ink = (weight: number) => mixInk(none, key, Math.sqrt(shot.part >= 2 ? weight / most : 0));
    const lengths = keyLengths.subarray(shot.head * n, (shot.head + 1) * n);
    const longest = Math.max(...lengths);
    const dots = { positions: new Float32Array(3 * n), colours: new Float32Array(3 * n), sizes: new Float32Array(n) };
    for (let j = 0; j < n; ++j) {
      const place = turned(keys.subarray(3 * (shot.head * n + j), 3 * (shot.head * n + j) + 3), heads[shot.head].k);
      const there = Math.hypot(...place) > 0;
      const colour = mixInk(ink(weights[j]), inkOf("--ink"), 0.25);
      dots.positions.set(to(place), 3 * j);
      dots.colours.set(colour, 3 * j);
      dots.sizes[j] = there ? unit * kDot : 0;
      const stem = 1 + (kStem * lengths[j]) / longest;
      if (there && !heads[shot.head].sameLengths) this.pieces.add(to(place), to(place.map((c) => stem * c)), linear(colour));
    }
    this.strokes.set("stems", { ...this.pieces.lines, width: 1.5, order: kOrder });
    this.stage.boids("dome-dots", { ...dots, order: kOrder });
    this.stage.boids("dome-keys", {
      positions: new Float32Array(groups.flatMap(({ place }) => to(place))),
      colours: new Float32Array(groups.flatMap(({ weight }) => ink(weight))),
      sizes: new Float32Array(groups.map(({ weight }) => unit * Math.max(kDot, shot.dome.ball * Math.sqrt(weight)))),
      order: kOrder,
    });
  }

  /** What each message says, its value, as a diamond on the dome; its area is its part of the message. */
  private drawValues(shot: DomeShot, to: (v: ArrayLike<number>) => Vector): void {
    this.pieces.clear();
    if (shot.part >= 3) {
      const ink = linear(headInk(shot.head, shot.dome.heads.length, "--value"));
      for (const { place, weight } of groupsOf(shot.dome, shot.head, "valueGroups")) {
        const r = Math.max(kDot, shot.dome.diamond * Math.sqrt(weight));
        const u = across(place);
        const corners = [u, cross(place, u)].flatMap((side) =>
          [r, -r].map((off) => to(place.map((c, k) => c + off * side[k]))));
        const [a, c, b, d] = corners;
        for (const [from, end] of [[a, b], [b, c], [c, d], [d, a]]) this.pieces.add(from, end, ink);
      }
    }
    this.strokes.set("values", { ...this.pieces.lines, width: 2.5, order: kOrder });
  }

  /** How many overlap, where there is weight or many are. */
  private countsOf(shot: DomeShot, to: (v: ArrayLike<number>) => Vector): Label[] {
    const many = Math.max(4, this.row(shot).n / 20);
    const counted = (which: "keyGroups" | "valueGroups") => {
      const groups = groupsOf(shot.dome, shot.head, which);
      const told = groups.filter(({ weight, count }) => count > 1 && (count >= many || weight > 0.1 * groups[0].weight));
      return told.slice(0, kCounted).map(({ place, count }): Label => ({ text: String(count), place: to(place), kind: "count" }));
    };
    return [...(shot.part >= 1 ? counted("keyGroups") : []), ...(shot.part >= 3 ? counted("valueGroups") : [])];
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

  /** Lines from the places that are heard most to what they say. */
  private drawThreads(shot: DomeShot, to: (v: ArrayLike<number>) => Vector): void {
    this.pieces.clear();
    if (shot.part >= 3) {
      const { n, weights, most } = this.row(shot);
      const { keys, heads, values } = shot.dome;
      const [paper, ink] = [inkOf("--paper"), headInk(shot.head, heads.length, "--value")];
      for (const j of loudestOf(weights, kThreads)) {
        const start = 3 * (shot.head * n + j);
        const place = turned(keys.subarray(start, start + 3), heads[shot.head].k);
        const value = values.subarray(start, start + 3);
        if (weights[j] < 0.02 * most || Math.hypot(...place) === 0 || Math.hypot(...value) === 0) continue;
        this.pieces.add(to(place), to(value), linear(mixInk(paper, ink, 0.25 + (0.5 * weights[j]) / most)));
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
