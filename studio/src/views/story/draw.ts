// draw.ts: one stop of the story on the stage: words, their paths, whom one listens to, who speaks.
import type { Label, Stage } from "../../scene/stage";
import { inkOf, linear, mixInk, Pieces, type Rgb } from "../../scene/ink";
import type { Film } from "../../state/film";
import { kInfluence } from "./measured";
import { kBarsAt, type Scene, type Token, type Topic } from "./scenes";

const kInks: Record<Topic, string> = {
  water: "--right", money: "--warm", craft: "--query", plain: "--ink-soft", open: "--left", reader: "--ink",
};
const kMostTrail = 60; // frames
const kStrands = 30; // of a share of 1
const kGap = 0.0022; // between strands
const kOff = 1.02; // radii: where words that may come next are drawn

/** What beside the words is to be drawn. */
export interface Shown {
  scene: Scene;
  stop: number;
  film: Film;
  beside: Film | null;
  at: number;
  listener: number | null;
  /** (n) shares of the listener's attention; null while they are not known. */
  weights: ArrayLike<number> | null;
}

/** Keeps the arrays from one picture to the next. */
export class Painter {
  private positions = new Float32Array(0); // (n, 3)
  private colours = new Float32Array(0);
  private sizes = new Float32Array(0);
  private marks = new Float32Array(0);
  private flat = new Float32Array(0); // (n, d)
  private readonly trails = new Pieces();
  private readonly ears = new Pieces();
  private readonly marksOf = new Pieces();
  private labels: Label[] = [];
  private names: string[] = [];
  private groups = "";
  private inks = new Map<string, Rgb>();
  private key = ""; // of what was drawn last
  private drawn: { scene: Scene; weights: Shown["weights"] } | null = null;

  constructor(private readonly stage: Stage) {}

  /** Sets up words and colours of a scene. */
  open(scene: Scene, labelOf: (token: Token, i: number) => string): void {
    const n = scene.tokens.length;
    this.positions = new Float32Array(3 * n);
    this.colours = new Float32Array(3 * n);
    this.sizes = new Float32Array(n).fill(1);
    this.marks = new Float32Array(n);
    this.flat = new Float32Array(n * scene.tokens[0].place.length);
    this.names = scene.tokens.map(labelOf);
    this.groups = "";
    for (const name of ["messenger", "mean", "vocabulary"]) this.stage.boids(name, null);
    for (const name of ["trails", "ears", "marks"]) this.stage.lines(name, null);
    this.retheme(scene);
  }

  /** Takes the colours of the theme again. */
  retheme(scene: Scene): void {
    for (const name of [...Object.values(kInks), "--paper", "--line", "--accent"]) this.inks.set(name, inkOf(name));
    scene.tokens.forEach((token, i) => this.colours.set(this.ink(kInks[token.topic]), 3 * i));
    this.drawn = null;
  }

  /** Whether anything to be drawn, or the camera that the words follow, is another than at the last drawing. */
  private isNew({ scene, stop, film, beside, at, listener, weights }: Shown): boolean {
    const { camera, canvas } = this.stage;
    const key = [
      stop, film.info.id, film.flown.value, beside?.info.id, beside?.flown.value, at, listener,
      canvas.clientWidth, canvas.clientHeight, camera.matrixWorld.elements, camera.projectionMatrix.elements,
    ].join();
    if (key === this.key && this.drawn?.scene === scene && this.drawn.weights === weights) return false;
    this.key = key;
    this.drawn = { scene, weights };
    return true;
  }

  private ink(name: string): Rgb {
    return this.inks.get(name) ?? [0.5, 0.5, 0.5];
  }

  /** Draws what has changed since the last time. */
  draw(shown: Shown): void {
    if (!this.isNew(shown)) return;
    const { scene, film, at } = shown;
    const n = film.info.n;
    film.between(at, this.flat);
    lift(this.flat, film.info.d, this.positions);
    for (let i = 0; i < n; ++i) {
      const reader = scene.tokens[i].topic === "reader";
      this.sizes[i] = scene.tokens[i].topic === "plain" ? 0.75 : 1;
      this.marks[i] = i === shown.listener || reader ? 1 : 0;
    }
    if (shown.stop === 1) this.marks[0] = this.marks[1] = 1;
    const { positions, colours, sizes, marks } = this;
    this.stage.boids("words", { positions, colours, sizes, marks });
    this.name(scene);
    this.drawTrails(shown);
    this.drawEars(shown);
    this.drawSpeakers(shown);
    if (shown.stop === 2) this.drawMessenger(shown);
    if (scene.vocabulary) this.drawVocabulary(scene.vocabulary);
  }

  /** Words above their boids; those too near each other to be read apart share one label. */
  private name(scene: Scene): void {
    const named = this.names.flatMap((text, i) => (text ? [i] : []));
    const at = named.map((i) => this.stage.onScreen(this.positions.subarray(3 * i, 3 * i + 3)));
    const places = at.map((p, e) => ({ x: p?.x ?? -1e4, y: p?.y ?? -1e4, text: this.names[named[e]] }));
    const { clientWidth: width } = this.stage.canvas;
    const perLine = width < 500 ? 2 : 3;
    const groups = gather(places, perLine).map((group) => group.map((e) => named[e]));
    const key = JSON.stringify([groups, perLine]);
    if (key !== this.groups) {
      this.groups = key;
      const text = (group: number[]) => joined(group.map((i) => this.names[i]), perLine);
      this.labels = groups.map((group) => ({ text: text(group), place: [0, 0, 0], kind: "token" }));
      this.stage.setLabels([...this.labels, ...scene.signs, ...wordLabels(scene)]);
    }
    groups.forEach((group, g) => {
      const label = this.labels[g];
      const mean = (k: number) => group.reduce((sum, i) => sum + this.positions[3 * i + k], 0) / group.length;
      label.place = [mean(0), mean(1), mean(2)];
      const p = this.stage.onScreen(label.place);
      const room = 4 * Math.max(...label.text.split("\n").map((line) => line.length)) + 4; // half the label
      const x = p && Math.max(room, Math.min(width - room, p.x));
      if (p && x !== null && Math.abs(x - p.x) > 0.5) label.place = this.stage.underPointer(x, p.y, label.place);
    });
  }

  private drawTrails({ scene, film, at, stop }: Shown): void {
    this.trails.clear();
    const { n, d } = film.info;
    const last = Math.min(Math.floor(at), film.flown.value - 1);
    const first = Math.max(film.first, last - kMostTrail);
    const paper = this.ink("--paper");
    for (let i = 0; i < n && stop !== 2; ++i) {
      const ink = this.ink(kInks[scene.tokens[i].topic]);
      for (let k = first; k < last; ++k) {
        const fade = (0.8 * (k - first + 1)) / (last - first);
        const colour = linear(mixInk(paper, ink, fade));
        this.trails.add(under(film.frame(k), i, d), under(film.frame(k + 1), i, d), colour);
      }
      const colour = linear(mixInk(paper, ink, 0.8));
      if (last >= first) this.trails.add(under(film.frame(last), i, d), under(this.flat, i, d), colour);
    }
    this.stage.lines("trails", this.trails.lines);
  }

  /** From the listener to the others: as many strands beside each other as the share is large. */
  private drawEars({ film, listener, weights }: Shown): void {
    this.ears.clear();
    if (listener !== null && weights && weights.length === film.info.n) {
      const [paper, accent] = [this.ink("--paper"), this.ink("--accent")];
      const from = under(this.flat, listener, film.info.d);
      for (let j = 0; j < weights.length; ++j) {
        if (j === listener || weights[j] < 0.004) continue;
        const colour = linear(mixInk(paper, accent, 0.25 + 0.75 * Math.sqrt(weights[j])));
        this.listen(from, under(this.flat, j, film.info.d), colour, 1 + Math.round(kStrands * weights[j]));
      }
    }
    this.stage.lines("ears", this.ears.lines);
  }

  private listen(a: number[], b: number[], colour: Rgb, strands: number): void {
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    const length = Math.hypot(dx, dy) || 1;
    for (let s = 0; s < strands; ++s) {
      const off = (s - (strands - 1) / 2) * kGap;
      const [ox, oy] = [(-dy / length) * off, (dx / length) * off];
      this.ears.add([a[0] + ox, a[1] + oy, a[2]], [b[0] + ox, b[1] + oy, b[2]], colour);
    }
  }

  /** The mean of all words but CLS as a cross, and with a guest where cross and ring would be without. */
  private drawSpeakers(shown: Shown): void {
    const { stop, scene, beside, at } = shown;
    this.marksOf.clear();
    if (stop === 7) {
      const cross = linear(this.ink("--ink"));
      this.cross(middle(this.flat, scene.tokens), cross, 0.09);
      if (beside && scene.beside) {
        const places = beside.between(at, new Float32Array(2 * scene.beside.length));
        const faint = linear(mixInk(this.ink("--paper"), this.ink("--ink"), 0.45));
        this.cross(middle(places, scene.beside), faint, 0.07);
        const cls = scene.beside.findIndex((token) => token.topic === "reader");
        this.ring(spot(places, cls, 2), faint, 0.05);
      }
    }
    if (stop === 8) this.drawOrders(shown);
    if (stop !== 2) this.stage.lines("marks", this.marksOf.lines);
  }

  /** The same words in another order: rings, each joined to its word where they are apart. */
  private drawOrders({ scene, beside, at }: Shown): void {
    if (!beside || !scene.beside || beside.info.n !== scene.beside.length) return;
    const places = beside.between(Math.min(at, beside.flown.value - 1), new Float32Array(2 * scene.beside.length));
    scene.beside.forEach(({ text, topic }, j) => {
      const ink = linear(this.ink(kInks[topic]));
      const i = scene.tokens.findIndex((token) => token.text === text);
      const there = spot(places, j, 2);
      for (const radius of [0.07, 0.075, 0.08]) this.ring(there, ink, radius);
      this.marksOf.add(under(this.flat, i, 2), [there[0], there[1], -0.02], ink);
    });
  }

  /** Words that may come next, as small points just off the sphere. */
  private drawVocabulary(words: readonly Token[]): void {
    const n = words.length;
    const positions = new Float32Array(3 * n);
    const colours = new Float32Array(3 * n);
    words.forEach(({ place, topic }, v) => {
      positions.set(place.map((x) => kOff * x), 3 * v);
      colours.set(mixInk(this.ink("--paper"), this.ink(kInks[topic]), 0.7), 3 * v);
    });
    this.stage.boids("vocabulary", { positions, colours, sizes: new Float32Array(n).fill(0.55) });
  }

  private cross(at: number[], colour: Rgb, arm: number): void {
    const [x, y] = at;
    for (const off of [-0.004, 0, 0.004]) {
      this.marksOf.add([x - arm, y + off, 0.01], [x + arm, y + off, 0.01], colour);
      this.marksOf.add([x + off, y - arm, 0.01], [x + off, y + arm, 0.01], colour);
    }
  }

  private ring(at: number[], colour: Rgb, radius: number): void {
    const point = (k: number) => {
      const angle = (2 * Math.PI * k) / 24;
      return [at[0] + radius * Math.cos(angle), at[1] + radius * Math.sin(angle), 0.01];
    };
    for (let k = 0; k < 24; ++k) this.marksOf.add(point(k), point(k + 1), colour);
  }

  /** The messenger walks; behind it stand the measured bars of what the places it has seen still count. */
  private drawMessenger({ scene, film, at }: Shown): void {
    const n = scene.tokens.length;
    const time = (at / film.last) * n; // words visited
    const seen = Math.min(n - 1, Math.floor(time));
    const share = Math.min(1, Math.max(0, (time - seen) * 2.5 - 1.5)); // lingers, then walks on
    const [a, b] = [scene.tokens[seen].place, scene.tokens[Math.min(n - 1, seen + 1)].place];
    const place = [0, 1].map((k) => a[k] + (seen < n - 1 ? share : 0) * (b[k] - a[k]));
    this.stage.boids("messenger", {
      positions: new Float32Array([place[0], place[1] - 0.13, 0.02]),
      colours: new Float32Array(this.ink("--accent")),
      sizes: new Float32Array([1.25]),
    });
    this.marksOf.clear();
    const most = Math.max(...kInfluence);
    const ink = linear(this.ink("--accent"));
    const base = linear(this.ink("--line"));
    this.marksOf.add([-1.02, kBarsAt, 0], [1.02, kBarsAt, 0], base);
    for (let i = 0; i <= seen; ++i) {
      const x = scene.tokens[i].place[0];
      const y = kBarsAt + (0.95 * kInfluence[i]) / most;
      for (let s = -0.045; s <= 0.045; s += 0.0018) this.marksOf.add([x + s, kBarsAt, 0], [x + s, y, 0], ink);
    }
    for (let i = 0; i < seen; ++i) this.marksOf.add(spotOf(scene.tokens[i]), spotOf(scene.tokens[i + 1]), base);
    this.stage.lines("marks", this.marksOf.lines);
  }
}

function wordLabels({ vocabulary = [] }: Scene): Label[] {
  return vocabulary.map(({ text, place }) => ({
    text, place: [kOff * place[0], kOff * place[1] + (place[1] < 0 ? -0.1 : 0.1), kOff * place[2]], kind: "axis",
  }));
}

/** (n, d) -> (n, 3) */
function lift(from: Float32Array, d: number, to: Float32Array): void {
  for (let i = 0, n = from.length / d; i < n; ++i) {
    for (let k = 0; k < 3; ++k) to[3 * i + k] = k < d ? from[i * d + k] : 0;
  }
}

function spot(from: Float32Array, i: number, d: number): number[] {
  return [from[i * d], from[i * d + 1], d > 2 ? from[i * d + 2] : 0];
}

/** In flat scenes a little behind the boids, so that these stay whole. */
function under(from: Float32Array, i: number, d: number): number[] {
  const place = spot(from, i, d);
  return d === 2 ? [place[0], place[1], -0.02] : place;
}

function spotOf(token: Token): number[] {
  return [token.place[0], token.place[1] - 0.13, 0];
}

/** Where the cross goes: the middle of the words' places on the page, CLS left out. */
export function middle(places: Float32Array, tokens: readonly Token[]): number[] {
  const sum = [0, 0];
  let count = 0;
  tokens.forEach((token, i) => {
    if (token.topic === "reader") return;
    sum[0] += places[2 * i];
    sum[1] += places[2 * i + 1];
    ++count;
  });
  return [sum[0] / count, sum[1] / count];
}

const kTogether = 60; // CSS pixels: boids further apart never share a label

interface Named {
  x: number;
  y: number;
  text: string;
}

/** Groups of boids (CSS pixels) whose words would cover each other if each had its own label. */
export function gather(places: readonly Named[], perLine = 3): number[][] {
  let groups = places.map((_, i) => [i]);
  for (let merged = true; merged; ) {
    merged = false;
    const boxes = groups.map((group) => boxOf(group.map((i) => places[i]), perLine));
    search: for (let a = 0; a < groups.length; ++a) {
      for (let b = a + 1; b < groups.length; ++b) {
        const [dx, dy] = [Math.abs(boxes[a].x - boxes[b].x), Math.abs(boxes[a].y - boxes[b].y)];
        const apart = dx >= (boxes[a].wide + boxes[b].wide) / 2 || dy >= (boxes[a].high + boxes[b].high) / 2;
        if (apart || dx > kTogether) continue;
        groups[a] = [...groups[a], ...groups[b]].sort((i, j) => i - j);
        groups = groups.filter((_, g) => g !== b);
        merged = true;
        break search;
      }
    }
  }
  return groups;
}

/** The label of a group: above its middle, about eight pixels a letter and fifteen a line. */
function boxOf(group: Named[], perLine: number): { x: number; y: number; wide: number; high: number } {
  const lines = joined(group.map((p) => p.text), perLine).split("\n");
  const high = 15 * lines.length;
  const mean = (key: "x" | "y") => group.reduce((sum, p) => sum + p[key], 0) / group.length;
  return { x: mean("x"), y: mean("y") - 11 - high / 2, wide: 8 * Math.max(...lines.map((l) => l.length)), high };
}

/** So many words a line. */
export function joined(words: string[], perLine: number): string {
  const lines: string[] = [];
  for (let k = 0; k < words.length; k += perLine) lines.push(words.slice(k, k + perLine).join(" · "));
  return lines.join("\n");
}
