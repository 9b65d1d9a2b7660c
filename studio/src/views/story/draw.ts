// draw.ts: draws one stop of the Story on the stage: words, their paths, the messages that reach a listener, and the readout.
import { addArrow, Strokes } from "../../scene/strokes";
import { inkOf, linear, mixInk, Pieces, type Rgb } from "../../scene/ink";
import type { Label, Stage } from "../../scene/stage";
import type { Film } from "../../state/film";
import { written } from "../../strings/numbers";
import { gather, shared, within } from "./labels";
import { spaceAt } from "./levels";
import { kInfluence } from "./ladder";
import { kPoint, type Message, messagesTo, offsets, roomOf, seen, sightScale, sumOf } from "./messages";
import { kBarsAt } from "./scenes";
import type { Scene, StopName, Token, Topic } from "./stops";

function addCross(pieces: Pieces, [x, y]: readonly number[], colour: Rgb, arm: number): void {
  for (const off of [-0.004, 0, 0.004]) {
    pieces.add([x - arm, y + off, 0.01], [x + arm, y + off, 0.01], colour);
    pieces.add([x + off, y - arm, 0.01], [x + off, y + arm, 0.01], colour);
  }
}

export function addRing(pieces: Pieces, at: readonly number[], colour: Rgb, radius: number): void {
  const point = (k: number) => {
    const angle = (2 * Math.PI * k) / 24;
    return [at[0] + radius * Math.cos(angle), at[1] + radius * Math.sin(angle), 0.01];
  };
  for (let k = 0; k < 24; ++k) pieces.add(point(k), point(k + 1), colour);
}

const kRays = 48;
const kWidest = 0.17; // half a beam's width at who has the whole share

/** A beam of looking, from the listener's eye to the badge it falls on; it fades towards the eye. */
function addBeam(
  pieces: Pieces, from: readonly number[], to: readonly number[], share: number, [near, far]: readonly [Rgb, Rgb],
): void {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy) || 1;
  const half = kWidest * Math.sqrt(share);
  const rays = Math.max(3, Math.round(kRays * Math.sqrt(share)));
  for (let k = 0; k < rays; ++k) {
    const off = half * ((2 * k) / (rays - 1) - 1);
    pieces.add([from[0], from[1], -0.03], [to[0] - (dy / length) * off, to[1] + (dx / length) * off, -0.03], near, far);
  }
}

/** Where the messenger visits a word of its row: at the word, behind its ball. */
function visited(token: Token): number[] {
  return [token.place[0], token.place[1], -0.02];
}

/** The progress of the messenger at a share of its way: the words it has seen, and its position between two words. */
export function walk(tokens: readonly Token[], gone: number): { seen: number; place: number[] } {
  const n = tokens.length;
  const time = gone * n; // words visited
  const seen = Math.min(n - 1, Math.floor(time));
  const share = Math.min(1, Math.max(0, (time - seen) * 2.5 - 1.5)); // lingers, then walks on
  const [a, b] = [visited(tokens[seen]), visited(tokens[Math.min(n - 1, seen + 1)])];
  return { seen, place: [0, 1].map((k) => a[k] + (seen < n - 1 ? share : 0) * (b[k] - a[k])) };
}

/** Behind the messenger are bars: the measured influence of the positions it has seen. */
function addBars(pieces: Pieces, tokens: readonly Token[], seen: number, [ink, base]: readonly [Rgb, Rgb]): void {
  const most = Math.max(...kInfluence);
  pieces.add([-1.02, kBarsAt, 0], [1.02, kBarsAt, 0], base);
  for (let i = 0; i <= seen; ++i) {
    const x = tokens[i].place[0];
    const y = kBarsAt + (0.95 * kInfluence[i]) / most;
    for (let s = -0.045; s <= 0.045; s += 0.0018) pieces.add([x + s, kBarsAt, 0], [x + s, y, 0], ink);
  }
  for (let i = 0; i < seen; ++i) pieces.add(visited(tokens[i]), visited(tokens[i + 1]), base);
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

export const kInks: Record<Topic, string> = {
  water: "--right", money: "--warm", craft: "--query", plain: "--ink-soft", open: "--left", reader: "--ink",
};
const kMostTrail = 60; // frames
const kOff = 1.02; // radii: where words that may come next are drawn
const kAside = 0.042; // between arrows of one direction
const kBadgeBelow = 0.13;
const kListenerBelow = 0.19;
const kLine = 19; // CSS pixels of a label below its boid
const kMessenger = 1.2; // the radius of its ring, in those of a ball: it goes round the word that it visits
const kLeast = 0.6; // how long messages of spaces are drawn at least: they are long
const kLongest = 0.36; // of one arrow that is drawn longer than it is, in the scene's units,
const kLongestSeen = 58; // and in CSS pixels, whichever is more
const kBroadBarb = 0.11; // of the arrow that is all of them together
const kEdge = 9; // CSS pixels from the lower edge to what says how long arrows are drawn
const kRim = 1.15; // where arrows start, in radii of their ball
const kPointAt = 1.7; // and where points are drawn

/** The texts drawn at tokens, and the text with the scale of the arrows. */
interface SceneWords {
  asks(channels: number[]): string;
  shows(channels: number[]): string;
  arrows(times: string): string;
}

/** What is drawn in addition to the words. */
export interface Shown {
  scene: Scene;
  stop: StopName;
  film: Film;
  beside: Film | null;
  at: number;
  listener: number | null;
  /** (n) shares of the listener's attention; null while they are not known. */
  weights: ArrayLike<number> | null;
  /** A word that a hand holds, and where. */
  held: { word: number; place: readonly number[] } | null;
}

/** Keeps the arrays from one picture to the next. */
export class Painter {
  private positions = new Float32Array(0); // (n, 3)
  private colours = new Float32Array(0);
  private sizes = new Float32Array(0);
  private marks = new Float32Array(0);
  private rows = new Float32Array(0); // (n, d)
  private readonly trails = new Pieces();
  private readonly arrows = new Pieces();
  private readonly points = new Pieces();
  private readonly scaleSign: Label = { text: "", place: [0, 0, 0], kind: "axis", hidden: true };
  private readonly marksOf = new Pieces();
  private readonly strokes: Strokes;
  private labels: Label[] = [];
  private names: string[] = [];
  private groups = "";
  private inks = new Map<string, Rgb>();
  private key = ""; // of what was drawn last
  private drawn: { scene: Scene; weights: Shown["weights"] } | null = null;

  constructor(private readonly stage: Stage, private readonly sceneWords: SceneWords) {
    this.strokes = new Strokes(stage.scene);
  }

  /** Sets up words and colours of a scene. */
  open(scene: Scene, labelOf: (token: Token, i: number) => string): void {
    const n = scene.tokens.length;
    this.positions = new Float32Array(3 * n);
    this.colours = new Float32Array(3 * n);
    this.sizes = new Float32Array(n).fill(1);
    this.marks = new Float32Array(n);
    this.rows = new Float32Array(n * scene.tokens[0].place.length);
    this.names = scene.tokens.map(labelOf);
    this.clear();
    this.retheme(scene);
  }

  /** Takes everything off the stage. */
  clear(): void {
    this.groups = "";
    for (const name of ["words", "vocabulary"]) this.stage.boids(name, null);
    for (const name of ["trails", "marks"]) this.stage.lines(name, null);
    for (const name of ["messages", "points", "move", "messenger"]) this.strokes.set(name, null);
    this.stage.setLabels([]);
    this.drawn = null;
  }

  /** Takes the colours of the theme again. */
  retheme(scene: Scene): void {
    const names = [...Object.values(kInks), "--paper", "--line", "--accent", "--query", "--ink"];
    for (const name of names) this.inks.set(name, inkOf(name));
    scene.tokens.forEach((token, i) => this.colours.set(this.ink(kInks[token.topic]), 3 * i));
    this.drawn = null;
  }

  /** Whether anything to be drawn, or the camera that the words follow, is another than at the last drawing. */
  private isNew({ scene, stop, film, beside, at, listener, weights, held }: Shown): boolean {
    const { camera, canvas } = this.stage;
    const key = [
      stop, film.info.id, film.flown.value, beside?.info.id, beside?.flown.value, at, listener, held?.word, held?.place,
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

  /** Where word `i` is shown. */
  private spot(i: number): [number, number, number] {
    return [this.positions[3 * i], this.positions[3 * i + 1], this.positions[3 * i + 2]];
  }

  /** Draws what has changed since the last time. */
  draw(shown: Shown): void {
    if (!this.isNew(shown)) return;
    const { scene, film, at, held } = shown;
    film.between(at, this.rows);
    const d = film.info.d;
    for (let i = 0; i < film.info.n; ++i) {
      const { topic } = scene.tokens[i];
      if (held?.word === i) this.rows.set(held.place, i * d);
      this.positions.set(seen(scene, this.rows.subarray(i * d, (i + 1) * d), at), 3 * i);
      this.sizes[i] = topic === "plain" ? 0.75 : 1;
      this.marks[i] = i === shown.listener || topic === "reader" ? 1 : 0;
    }
    if (shown.stop === "alone") this.marks[0] = this.marks[1] = 1;
    const { positions, colours, sizes, marks } = this;
    this.stage.boids("words", { positions, colours, sizes, marks });
    this.drawTrails(shown);
    const sum = this.drawMessages(shown);
    this.name(shown, scene.flat && sum[1] > 0.05);
    this.drawMarks(shown);
    if (scene.vocabulary) this.drawVocabulary(scene.vocabulary);
  }

  /** Words above their boids, a listener's `below` it; those too near each other to be read apart share one label. */
  private name({ scene, listener, at }: Shown, below: boolean): void {
    const inBadge = scene.badges ? listener : null; // its name is shown with what it asks
    const named = this.names.flatMap((text, i) => (text && i !== inBadge ? [i] : []));
    const places = named.map((i) => {
      const disc = this.stage.disc(this.spot(i), this.stage.boidRadius() * this.sizes[i]);
      return { x: disc?.x ?? -1e4, y: disc?.y ?? -1e4, r: disc?.r ?? 0, text: this.names[i], first: i === listener };
    });
    const { clientWidth: width, clientHeight: height } = this.stage.canvas;
    const perLine = width < 500 ? 2 : 3;
    const groups = gather(places, perLine);
    const { space } = spaceAt(at, scene.levels?.length ?? 1);
    const key = JSON.stringify([groups, perLine, space, inBadge]);
    if (key !== this.groups) {
      this.groups = key;
      const text = (group: number[]) => shared(group.map((e) => places[e]), perLine);
      this.labels = groups.map((group) => ({ text: text(group), place: [0, 0, 0], kind: "token", foot: true }));
      const signs = scene.levels?.[space].signs ?? scene.signs;
      this.stage.setLabels([...this.labels, ...signs, ...wordLabels(scene), ...this.badgesOf(scene, listener), this.scaleSign]);
    }
    groups.forEach((group, g) => {
      const label = this.labels[g];
      const x = group.reduce((sum, e) => sum + places[e].x, 0) / group.length;
      const top = Math.min(...group.map((e) => places[e].y - places[e].r));
      const under = below && group.length === 1 && named[group[0]] === listener; // its arrows go up
      const foot = within(label.text, x, under ? places[group[0]].y + places[group[0]].r + kLine : top, width, height);
      label.by = under ? this.spot(named[group[0]]) : undefined;
      label.place = this.stage.underPointer(foot.x, foot.y, this.spot(named[group[0]]));
    });
    this.badges.forEach((badge, i) => {
      const [x, y, z] = this.spot(i);
      badge.place = [x, y - (i === inBadge ? kListenerBelow : kBadgeBelow), z];
    });
  }

  private badges: Label[] = [];

  /** What each word shows, below it; the listener's says what it asks for as well. */
  private badgesOf({ badges = [] }: Scene, listener: number | null): Label[] {
    const { asks, shows } = this.sceneWords;
    this.badges = badges.map((badge, i) => ({
      text: i === listener ? [this.names[i], asks(badge.asks), shows(badge.shows)].join("\n") : shows(badge.shows),
      place: [0, 0, 0], kind: i === listener ? "asking" : "badge",
    }));
    return this.badges;
  }

  private drawTrails({ scene, film, at, stop }: Shown): void {
    this.trails.clear();
    const { n, d } = film.info;
    const last = Math.min(Math.floor(at), film.flown.value - 1);
    const own = scene.levels ? spaceAt(at, scene.levels.length) : null;
    const first = Math.max(film.first, last - kMostTrail, own ? this.spaceFirst(at, scene) : 0);
    const paper = this.ink("--paper");
    const place = (k: number, i: number) => under(scene, seen(scene, film.frame(k).subarray(i * d, (i + 1) * d), at));
    for (let i = 0; i < n && stop !== "messenger"; ++i) {
      const ink = this.ink(kInks[scene.tokens[i].topic]);
      for (let k = first; k < last; ++k) {
        const fade = (0.8 * (k - first + 1)) / (last - first);
        this.trails.add(place(k, i), place(k + 1, i), linear(mixInk(paper, ink, fade)));
      }
      if (last >= first) this.trails.add(place(last, i), under(scene, this.spot(i)), linear(mixInk(paper, ink, 0.8)));
    }
    this.stage.lines("trails", this.trails.lines);
  }

  /** Where the space of a moment begins: trails do not reach back into another one. */
  private spaceFirst(at: number, scene: Scene): number {
    let k = Math.floor(at);
    const { space } = spaceAt(at, scene.levels!.length);
    while (k > 0 && spaceAt(k - 1, scene.levels!.length).space === space) --k;
    return k;
  }

  /** On the listener: one arrow a speaker, its message times its share; bold, all of them together. */
  private drawMessages(shown: Shown): [number, number, number] {
    const { scene, listener, weights, at } = shown;
    const known = listener !== null && weights !== null && weights.length === scene.tokens.length;
    const turning = scene.levels ? spaceAt(at, scene.levels.length).turned > 0 : false;
    const heard = known && !turning ? messagesTo(scene, this.rows, listener, weights, at) : [];
    const from = listener === null ? [0, 0, 0] : this.spot(listener);
    const scale = this.messageScale(shown, heard.length > 0);
    const messages = heard.map((one) => ({ ...one, way: one.way.map((x) => scale * x) as Message["way"] }));
    this.tellScale(heard.length > 0 ? scale : 1, from);
    this.arrows.clear();
    this.points.clear();
    const aside = offsets(messages, scene.flat ? kAside : 0);
    messages.forEach((message, m) => {
      const ink = linear(this.ink(kInks[scene.tokens[message.from].topic]));
      this.arrow(message, [from[0] + aside[m][0], from[1] + aside[m][1], from[2] + 0.005], ink);
    });
    this.strokes.set("messages", { ...this.arrows.lines, width: 3, order: 2 });
    this.strokes.set("points", { ...this.points.lines, width: 7, order: 2 });
    this.arrows.clear();
    const sum = sumOf(messages);
    const broad = { colour: linear(mixInk(this.ink("--paper"), this.ink("--ink"), 0.3)), barb: kBroadBarb };
    if (Math.hypot(...sum) > kBroadBarb) addArrow(this.arrows, from, sum, broad);
    this.strokes.set("move", { ...this.arrows.lines, width: 8, order: 1 });
    this.stage.touch();
    return sum;
  }

  /** The factor of all arrows, as if the words stood where they start, with the shares of now: arrows grow shorter as the pull does. */
  private messageScale({ scene, film, listener, weights, at }: Shown, known: boolean): number {
    if (!known) return 1;
    const first = scene.levels ? this.spaceFirst(at, scene) : film.first;
    const start = messagesTo(scene, film.frame(first), listener!, weights!, first);
    const d = scene.tokens[0].place.length;
    const unit = this.stage.disc([0, 0, 0], 1)?.r ?? 0; // CSS pixels
    return sightScale(start, {
      least: scene.levels ? kLeast : 1, longest: Math.max(kLongest, kLongestSeen / unit),
      room: scene.flat ? roomOf(start, seen(scene, film.frame(first).subarray(d * listener!, d * (listener! + 1)), first)) : Infinity,
    });
  }

  private arrow({ way }: Message, from: readonly number[], colour: Rgb): void {
    const length = Math.hypot(...way);
    const radius = this.stage.boidRadius();
    const off = (radii: number) => from.map((x, c) => x + (radii * radius * way[c]) / length);
    if (length > kPoint) addArrow(this.arrows, off(kRim), way, { colour, barb: Math.min(0.07, 0.45 * length) });
    else this.points.add(off(kPointAt), off(kPointAt + 0.01), colour);
  }

  /** Says in the corner how many times as long as they are arrows are drawn, where that is another number than one. */
  private tellScale(scale: number, through: readonly number[]): void {
    const { scaleSign: sign } = this;
    sign.hidden = Math.abs(scale - 1) < 0.05;
    sign.text = this.sceneWords.arrows(written(Number(scale.toPrecision(2))));
    const { clientWidth, clientHeight } = this.stage.canvas;
    sign.place = this.stage.underPointer(within(sign.text, 0, 0, clientWidth, clientHeight).x, clientHeight - kEdge, through);
  }

  /** Beams, crosses, rings, the messenger: what belongs to single stops. */
  private drawMarks(shown: Shown): void {
    this.marksOf.clear();
    if (shown.stop === "messenger") this.drawMessenger(shown);
    if (shown.stop === "asking") this.drawBeams(shown);
    if (shown.stop === "speaker") this.drawSpeakers(shown);
    if (shown.stop === "order") this.drawOrders(shown);
    this.stage.lines("marks", this.marksOf.lines);
  }

  /** The query as a beam: it falls on those whose keys fit. */
  private drawBeams({ scene, listener, weights }: Shown): void {
    if (listener === null || !weights || weights.length !== scene.tokens.length) return;
    const paper = this.ink("--paper");
    const light = (share: number) => linear(mixInk(paper, this.ink("--query"), share));
    for (let j = 0; j < scene.tokens.length; ++j) {
      if (j === listener) continue;
      const tones = [light(0.08), light(0.1 + 0.45 * Math.sqrt(weights[j]))] as const;
      addBeam(this.marksOf, this.spot(listener), this.spot(j), weights[j], tones);
    }
  }

  /** The mean of all words but CLS as a cross, and with a guest where cross and ring would be without. */
  private drawSpeakers({ scene, beside, at }: Shown): void {
    addCross(this.marksOf, middle(this.rows, scene.tokens), linear(this.ink("--ink")), 0.09);
    if (!beside || !scene.beside || beside.info.n !== scene.beside.length) return;
    const places = beside.between(at, new Float32Array(2 * scene.beside.length));
    const faint = linear(mixInk(this.ink("--paper"), this.ink("--ink"), 0.45));
    addCross(this.marksOf, middle(places, scene.beside), faint, 0.07);
    const cls = scene.beside.findIndex((token) => token.topic === "reader");
    addRing(this.marksOf, [places[2 * cls], places[2 * cls + 1]], faint, 0.05);
  }

  /** The same words in another order: rings, each joined to its word where they are apart. */
  private drawOrders({ scene, beside, at }: Shown): void {
    if (!beside || !scene.beside || beside.info.n !== scene.beside.length) return;
    const places = beside.between(Math.min(at, beside.flown.value - 1), new Float32Array(2 * scene.beside.length));
    scene.beside.forEach(({ text, topic }, j) => {
      const ink = linear(this.ink(kInks[topic]));
      const i = scene.tokens.findIndex((token) => token.text === text);
      const there = [places[2 * j], places[2 * j + 1]];
      for (const radius of [0.07, 0.075, 0.08]) addRing(this.marksOf, there, ink, radius);
      this.marksOf.add(under(scene, this.spot(i)), [there[0], there[1], -0.02], ink);
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

  private drawMessenger({ scene, film, at }: Shown): void {
    const { seen: count, place } = walk(scene.tokens, at / film.last);
    this.arrows.clear();
    addRing(this.arrows, place, linear(this.ink("--accent")), kMessenger * this.stage.boidRadius());
    this.strokes.set("messenger", { ...this.arrows.lines, width: 5, order: 2 });
    addBars(this.marksOf, scene.tokens, count, [linear(this.ink("--accent")), linear(this.ink("--line"))]);
  }
}

function wordLabels({ vocabulary = [] }: Scene): Label[] {
  return vocabulary.map(({ text, place }) => ({
    text, place: [kOff * place[0], kOff * place[1] + (place[1] < 0 ? -0.1 : 0.1), kOff * place[2]], kind: "axis",
  }));
}

/** In flat scenes a little behind the boids, so that these stay whole. */
function under(scene: Scene, place: readonly number[]): readonly number[] {
  return scene.flat ? [place[0], place[1], -0.02] : place;
}
