// draw.ts: the scene of a digit's run: tokens in the colours of their votes, trails, gates, the vote, the attention of one token.
import type { Gaze, TrainedInfo } from "../../core/protocol";
import { across, addArrow, cross, Strokes, unit, type Vector } from "../../scene/strokes";
import { DomeScene } from "../../scene/dome";
import { addHeadLines, meanAttention } from "../../scene/heads";
import { inkOf, linear, mixInk, Pieces, type Rgb } from "../../scene/ink";
import type { Label, Stage } from "../../scene/stage";
import type { Seen } from "../../state/dome";
import type { Film } from "../../state/film";
import { strings } from "../../strings";
import { chancesAt, leader, meanOf } from "./reading";

/** The radius of the gates; inside it, positions are drawn unchanged. */
export const kGates = 10;
const kRoom = 6; // all that lies beyond the gates is drawn within this many units

/** The scene's distance of a true one: r up to the gates, then gates + room v / (room + v) with v = r - gates. */
export function drawnAt(r: number): number {
  if (!(r > kGates)) return r;
  const v = r - kGates;
  return kGates + kRoom / (kRoom / v + 1);
}

/** The inverse; the end of the room, which nothing reaches, is taken for a place just before it. */
export function trueAt(s: number): number {
  if (!(s > kGates)) return s;
  const share = Math.min(0.999, (s - kGates) / kRoom);
  return kGates + (kRoom * share) / (1 - share);
}

/** (n, d) to (n, 3): the first three coordinates, drawn as `drawnAt` says when `on`. */
export function toScene(places: Float32Array, d: number, on: boolean, out: Float32Array): void {
  const n = out.length / 3;
  for (let i = 0; i < n; ++i) {
    const x = places[i * d];
    const y = places[i * d + 1];
    const z = d > 2 ? places[i * d + 2] : 0;
    const r = on ? Math.hypot(x, y, z) : 0;
    const scale = r > kGates ? drawnAt(r) / r : 1;
    out[3 * i] = scale * x;
    out[3 * i + 1] = scale * y;
    out[3 * i + 2] = scale * z;
  }
}

/** The true place (d) of a place in the scene, for a hand that drags there. */
export function moved(place: readonly number[], delta: readonly number[], on: boolean): number[] {
  const length = (p: readonly number[]) => Math.hypot(p[0], p[1], p[2] ?? 0);
  const r = length(place);
  const shrink = on && r > kGates ? drawnAt(r) / r : 1;
  const drawn = place.map((x, c) => (c < 3 ? x * shrink + delta[c] : x));
  const s = length(drawn);
  const grow = on && s > kGates ? trueAt(s) / s : 1;
  return drawn.map((x, c) => (c < 3 ? x * grow : x));
}

/** The names of the classes' colours: two sides, or ten hues. */
export function classColours(classes: number): string[] {
  return classes === 2 ? ["--left", "--right"] : Array.from({ length: classes }, (_, c) => `--class-${c % 10}`);
}

/** What the scene paints with. */
export interface Paints {
  classes: Rgb[];
  ink: Rgb;
  paper: Rgb;
  query: Rgb;
  key: Rgb;
  value: Rgb;
  will: Rgb;
  accent: Rgb;
}

export function readPaints(classes: number): Paints {
  return {
    classes: classColours(classes).map(inkOf),
    ink: inkOf("--ink"),
    paper: inkOf("--paper"),
    query: inkOf("--query"),
    key: inkOf("--key"),
    value: inkOf("--value"),
    will: inkOf("--will"),
    accent: inkOf("--accent"),
  };
}

const kRing = 2.4; // radius of a gate
const kRingGap = 0.04;
const kRingPieces = 56;
const kLongest = 7; // no arrow is longer, in units of the scene
const kHeard = 40; // the most tokens shown of an attention

/** `rings` close rings at a target, across the way from the middle to it; two gates also look to the viewer. */
function addRings(
  pieces: Pieces,
  target: readonly number[],
  { colour, turned, rings }: { colour: Rgb; turned: boolean; rings: number },
): void {
  const at: Vector = [target[0], target[1], target[2] ?? 0];
  const out = unit(at);
  const axis = turned ? unit([out[0], out[1], out[2] + 1.2]) : out;
  const u = across(axis);
  const v = cross(axis, u);
  const place = (k: number, radius: number) => {
    const a = (2 * Math.PI * k) / kRingPieces;
    return at.map((x, c) => x + radius * (Math.cos(a) * u[c] + Math.sin(a) * v[c]));
  };
  for (let ring = 0; ring < rings; ++ring) {
    const radius = kRing + kRingGap * ring;
    for (let k = 0; k < kRingPieces; ++k) pieces.add(place(k, radius), place(k + 1, radius), colour);
  }
}

/** Others in the order of loudness, the loudest first. */
export function loudest(weights: Float64Array, boid: number, most: number): number[] {
  const others = Array.from(weights.keys()).filter((j) => j !== boid && weights[j] > 0);
  return others.sort((a, b) => weights[b] - weights[a] || a - b).slice(0, most);
}

/** Lines from a token to those it attends to, in three thicknesses; colour by weight, 1 the largest. */
export function gazeLines(gaze: Gaze, boid: number, spots: Float32Array, colour: (loud: number) => Rgb) {
  const weights = meanAttention(gaze);
  const order = loudest(weights, boid, kHeard);
  const most = weights[order[0]] ?? 0;
  const layers = [1, 2.2, 4].map((width) => ({ points: [] as number[], colours: [] as number[], width }));
  for (const j of order) {
    const loud = weights[j] / most;
    if (loud < 0.02) break;
    const layer = layers[loud > 0.6 ? 2 : loud > 0.25 ? 1 : 0];
    layer.points.push(...spots.subarray(3 * boid, 3 * boid + 3), ...spots.subarray(3 * j, 3 * j + 3));
    layer.colours.push(...colour(loud), ...colour(loud));
  }
  return layers;
}

/** How long a vector of length l is drawn: long ones are shortened, none is longer than `kLongest`. */
function drawnLength(l: number): number {
  return (kLongest * l) / (l + kLongest);
}

/** Query, key, value and feed-forward as arrows from a place. */
export function addVectors(pieces: Pieces, gaze: Gaze, at: ArrayLike<number>, paints: Paints): void {
  const arrows: [number[], Rgb][] = [
    [gaze.query, paints.query], [gaze.key, paints.key], [gaze.value, paints.value], [gaze.feedForward, paints.will],
  ];
  for (const [vector, paint] of arrows) {
    if (vector.length === 0) continue;
    const way: Vector = [vector[0], vector[1], vector[2] ?? 0];
    const length = drawnLength(Math.hypot(...way));
    if (!(length > 0.05)) continue;
    const forth = unit(way);
    const drawn: Vector = [length * forth[0], length * forth[1], length * forth[2]];
    addArrow(pieces, at, drawn, { colour: linear(paint), barb: Math.min(0.8, 0.35 * length) });
  }
}

//   p = softmax_c( <m, g_c> / 10 ),   v = sum_c p_c g_c
// Of the mean m only counts how far it lies towards each gate g; a sure mean may lie anywhere on that side. So m is drawn
// where it is, as a cross, and the vote v, a ball, where the chances p have it: in the middle undecided, in a gate sure.
const kUnderVote = 1.7; // its name is below the ball
const kBesideMean = 1.5; // and that of the mean next to its cross, away from the vote
const kArm = 0.62; // of the cross
const kNear = 44; // CSS pixels: a mean that is seen closer to the vote has no name, which would cover the vote's

/** Where chances put the vote between the gates, (3). */
export function voteOf(targets: readonly (readonly number[])[], chances: ArrayLike<number>): [number, number, number] {
  const place: [number, number, number] = [0, 0, 0];
  targets.forEach((gate, c) => {
    for (let k = 0; k < 3; ++k) place[k] += chances[c] * (gate[k] ?? 0);
  });
  return place;
}

/** One moment of a flight; `places` (n, d) of it, as they are drawn. */
interface Poll {
  film: Film;
  at: number;
  targets: readonly (readonly number[])[];
  places: Float32Array;
  paints: Paints;
  squeeze: boolean;
}

class VoteScene {
  private readonly pieces = new Pieces();

  constructor(private readonly stage: Stage, private readonly strokes: Strokes) {}

  clear(): void {
    this.stage.boids("vote", null);
    for (const name of ["vote-way", "mean", "mean-way"]) this.strokes.set(name, null);
  }

  draw(poll: Poll): void {
    const { film, at, targets, paints } = poll;
    const frames = Array.from({ length: Math.floor(at) - film.first + 1 }, (_, k) => film.first + k);
    const chances = chancesAt(film, at);
    const verdict = leader(chances);
    const votes = [...frames, at].map((k) => voteOf(targets, chancesAt(film, k)));
    const means = [...frames.map((k) => this.meanAt(poll, film.frame(k))), this.meanAt(poll, poll.places)];
    const [vote, mean] = [votes[votes.length - 1], means[means.length - 1]];
    const soft = linear(mixInk(paints.paper, paints.ink, 0.55));
    this.way("vote-way", votes, linear(paints.ink), 3);
    this.way("mean-way", [...means, vote], soft, 1.25); // its own way, and the tie to what comes of it
    this.pieces.clear();
    for (let k = 0; k < 3; ++k) {
      const arm = [0, 1, 2].map((c) => (c === k ? kArm : 0));
      this.pieces.add(mean.map((x, c) => x - arm[c]), mean.map((x, c) => x + arm[c]), linear(paints.ink));
    }
    this.strokes.set("mean", { ...this.pieces.lines, width: 2.5, order: 2 });
    this.stage.boids("vote", {
      positions: Float32Array.from(vote), colours: new Float32Array(at > 0 ? paints.classes[verdict] : paints.ink),
      sizes: new Float32Array([2.4]), marks: new Float32Array([1]), order: 2,
    });
    const [one, other] = [this.stage.onScreen(vote), this.stage.onScreen(mean)];
    const apart = one && other && Math.hypot(one.x - other.x, one.y - other.y) > kNear;
    const away = one && other && other.y > one.y ? -kBesideMean : kBesideMean;
    this.stage.moveLabel("vote", [vote[0], vote[1] - kUnderVote, vote[2]]);
    this.stage.moveLabel("mean", apart ? [mean[0], mean[1] + away, mean[2]] : null);
  }

  private meanAt({ film, squeeze }: Poll, places: Float32Array): number[] {
    const spot = new Float32Array(3);
    toScene(Float32Array.from(meanOf(places, film.info.n, film.info.d)), 3, squeeze, spot);
    return [...spot];
  }

  private way(name: string, places: readonly (readonly number[])[], colour: Rgb, width: number): void {
    this.pieces.clear();
    for (let k = 1; k < places.length; ++k) this.pieces.add(places[k - 1], places[k], colour);
    this.strokes.set(name, { ...this.pieces.lines, width });
  }
}

export const kFlockLayer = "flock";
const kTrail = 2.5; // frames
const kBelow = 4; // words are below their gate,
const kAboveGate = 3.6; // digits above it,
const kOutwards = 0.32; // or further out than it where there are more than two, in shares of its distance
const kTrailPieces = 4;

/** Everything one drawing depends on. */
export interface Shot {
  film: Film;
  ghost: Film | null;
  /** The same picture with attention off, if it runs too. */
  beside?: Film | null;
  at: number;
  trained: TrainedInfo;
  paints: Paints;
  chosen: readonly number[];
  gaze: { boid: number; gaze: Gaze } | null;
  /** The dome of the chosen boid, null: none is drawn; and what of it. */
  dome: Seen | null;
  part: number;
  head: number;
  /** The one head whose attention is drawn; null: all. */
  picked: number | null;
  dark: boolean;
  trails: boolean;
  headings: boolean;
  squeeze: boolean;
  /** Puts what a hand holds into the places (n, d). */
  overlay(places: Float32Array): Float32Array;
}

/** Arrays for one flock of n boids, kept from drawing to drawing. */
class Room {
  readonly places: Float32Array;
  readonly earlier: Float32Array;
  readonly spots: Float32Array;
  readonly colours: Float32Array;
  readonly sizes: Float32Array;
  readonly marks: Float32Array;
  readonly way: Float32Array; // (kTrailPieces + 1, n, 3)
  readonly trail: Float32Array;
  readonly trailColours: Float32Array;

  constructor(readonly n: number, readonly d: number) {
    this.places = new Float32Array(n * d);
    this.earlier = new Float32Array(n * d);
    this.spots = new Float32Array(3 * n);
    this.colours = new Float32Array(3 * n);
    this.sizes = new Float32Array(n);
    this.marks = new Float32Array(n);
    this.way = new Float32Array(3 * n * (kTrailPieces + 1));
    this.trail = new Float32Array(6 * n * kTrailPieces);
    this.trailColours = new Float32Array(6 * n * kTrailPieces);
  }
}

export class DigitScene {
  private readonly strokes: Strokes;
  private readonly dome: DomeScene;
  private readonly vote: VoteScene;
  private readonly pieces = new Pieces();
  private rooms = new Map<string, Room>();
  private gates = "";

  constructor(private readonly stage: Stage) {
    this.strokes = new Strokes(stage.scene);
    this.dome = new DomeScene(stage);
    this.vote = new VoteScene(stage, this.strokes);
  }

  private room(name: string, film: Film): Room {
    const { n, d } = film.info;
    const old = this.rooms.get(name);
    if (old && old.n === n && old.d === d) return old;
    const made = new Room(n, d);
    this.rooms.set(name, made);
    return made;
  }

  /** Takes everything off. */
  clear(): void {
    this.stage.boids(kFlockLayer, null);
    for (const name of ["ghost", "beside"]) this.stage.boids(name, null);
    for (const name of ["trails", "ghost-trails", "beside-trails", "headings", "gates"]) this.stage.lines(name, null);
    this.vote.clear();
    this.strokes.clear();
    this.dome.show(null);
    this.stage.setLabels([]);
    this.gates = "";
  }

  show(shot: Shot): void {
    const verdict = leader(chancesAt(shot.film, shot.at));
    this.drawGates(shot, verdict);
    const room = this.room(kFlockLayer, shot.film);
    shot.overlay(shot.film.between(shot.at, room.places));
    toScene(room.places, room.d, shot.squeeze, room.spots);
    this.paint(room, shot.film, shot);
    for (let i = 0; i < room.n; ++i) room.sizes[i] = 1;
    for (const i of shot.chosen) if (i < room.n) room.sizes[i] = shot.chosen.length === 1 ? 1.8 : 1.3;
    this.markDissent(room, shot, verdict);
    const { spots: positions, colours, sizes, marks } = room;
    this.stage.boids(kFlockLayer, { positions, colours, sizes, marks });
    this.drawTrails("trails", room, shot.film, shot, 0.75);
    this.drawHeadings(room, shot);
    this.drawOther("ghost", shot.ghost, shot);
    this.drawOther("beside", shot.beside ?? null, shot);
    this.drawVote(room, shot);
    this.drawGaze(room, shot);
    this.drawDome(room, shot);
  }

  /** The mean of all tokens, the only readout, and the vote computed from it. */
  private drawVote(room: Room, { film, at, trained, paints, squeeze }: Shot): void {
    if (trained.readout !== "mean") return this.vote.clear();
    this.vote.draw({ film, at, targets: trained.targets, places: room.places, paints, squeeze });
  }

  private drawDome(room: Room, { dome, chosen, head, part, dark }: Shot): void {
    if (!dome || !chosen.includes(dome.boid) || dome.boid >= room.n) return this.dome.show(null);
    const place = room.spots.subarray(3 * dome.boid, 3 * dome.boid + 3);
    this.dome.show({ place, dome: dome.dome, head, part, dark });
  }

  /** Another flight of the same boids, seen through. */
  private drawOther(name: "ghost" | "beside", film: Film | null, shot: Shot): void {
    if (!film) {
      this.stage.boids(name, null);
      this.stage.lines(`${name}-trails`, null);
      return;
    }
    const room = this.room(name, film);
    toScene(film.between(shot.at, room.places), room.d, shot.squeeze, room.spots);
    this.paint(room, film, shot);
    this.stage.boids(name, { positions: room.spots, colours: room.colours, opacity: 0.28 });
    this.drawTrails(`${name}-trails`, room, film, shot, 0.25);
  }

  /** Ink at first, then the colour of the class whose target is nearest, softly from frame to frame. */
  private paint(room: Room, film: Film, { at, paints }: Shot): void {
    const last = film.flown.value - 1;
    const k = Math.max(film.first, Math.min(Math.floor(at), last));
    const next = Math.min(k + 1, last);
    const share = Math.max(0, Math.min(1, at - k));
    const lifted = Math.max(0, Math.min(1, at / 1.5));
    const { n } = room;
    for (let i = 0; i < n; ++i) {
      const a = paints.classes[film.verdicts[k * n + i]] ?? paints.ink;
      const b = paints.classes[film.verdicts[next * n + i]] ?? a;
      for (let c = 0; c < 3; ++c) {
        const voted = a[c] + share * (b[c] - a[c]);
        room.colours[3 * i + c] = paints.ink[c] + lifted * (voted - paints.ink[c]);
      }
    }
  }

  private markDissent(room: Room, { film, at, chosen }: Shot, verdict: number): void {
    const { n } = room;
    const k = Math.max(film.first, Math.min(Math.round(at), film.flown.value - 1));
    for (let i = 0; i < n; ++i) room.marks[i] = k > 0 && film.verdicts[k * n + i] !== verdict ? 2 : 0;
    for (const i of chosen) if (i < n) room.marks[i] = 1;
  }

  private drawTrails(name: string, room: Room, film: Film, shot: Shot, opacity: number): void {
    const from = Math.max(film.first, shot.at - kTrail);
    if (!shot.trails || shot.at <= from) return this.stage.lines(name, null);
    const { n, d } = room;
    const moments = [from];
    for (let k = Math.floor(from) + 1; k < shot.at; ++k) moments.push(k);
    moments.push(shot.at);
    const pieces = Math.min(kTrailPieces, moments.length - 1);
    moments.forEach((moment, m) => {
      if (m > kTrailPieces) return;
      toScene(film.between(moment, room.earlier), d, shot.squeeze, room.way.subarray(3 * n * m, 3 * n * (m + 1)));
    });
    room.way.set(room.spots, 3 * n * pieces);
    const paper = linear(shot.paints.paper);
    for (let m = 0, p = 0; m < pieces; ++m) {
      for (let i = 0; i < n; ++i) {
        for (let end = 0; end < 2; ++end, p += 3) {
          const share = (m + end) / pieces;
          for (let c = 0; c < 3; ++c) {
            room.trail[p + c] = room.way[3 * (n * (m + end) + i) + c];
            const lit = room.colours[3 * i + c];
            room.trailColours[p + c] = paper[c] + share * (lit * lit - paper[c]);
          }
        }
      }
    }
    const points = room.trail.subarray(0, 6 * n * pieces);
    this.stage.lines(name, { points, colours: room.trailColours.subarray(0, 6 * n * pieces), opacity });
  }

  /** A short line from each boid towards where it goes next. */
  private drawHeadings(room: Room, shot: Shot): void {
    const { film, at } = shot;
    const ahead = Math.min(film.flown.value - 1, at + 0.5);
    if (!shot.headings || ahead <= at) return this.stage.lines("headings", null);
    const { n, d } = room;
    const next = room.way.subarray(0, 3 * n);
    toScene(film.between(ahead, room.earlier), d, shot.squeeze, next);
    const ink = linear(shot.paints.ink);
    for (let i = 0; i < n; ++i) {
      const gap = [0, 1, 2].map((c) => next[3 * i + c] - room.spots[3 * i + c]);
      const scale = Math.min(1, 1.4 / Math.max(1e-6, Math.hypot(...gap)));
      for (let c = 0; c < 3; ++c) {
        room.trail[6 * i + c] = room.spots[3 * i + c];
        room.trail[6 * i + 3 + c] = room.spots[3 * i + c] + scale * gap[c];
        room.trailColours[6 * i + c] = room.trailColours[6 * i + 3 + c] = ink[c];
      }
    }
    const points = room.trail.subarray(0, 6 * n);
    this.stage.lines("headings", { points, colours: room.trailColours.subarray(0, 6 * n), opacity: 0.8 });
  }

  /** A ring with its digit at every target; the verdict's is drawn stronger. */
  private drawGates({ trained, paints }: Shot, verdict: number): void {
    const key = [trained.id, verdict, ...paints.classes.flat()].join();
    if (key === this.gates) return;
    this.gates = key;
    const turned = trained.targets.length === 2;
    this.pieces.clear();
    trained.targets.forEach((target, c) => {
      addRings(this.pieces, target, { colour: linear(paints.classes[c]), turned, rings: c === verdict ? 7 : 1 });
    });
    this.stage.lines("gates", this.pieces.lines);
    const { vote, mean, className } = strings.digits;
    const gates = trained.targets.map((target, c): Label => ({
      text: className(trained.classes[c]), place: nameOf(target, trained.task, turned), kind: "gate",
    }));
    const read: Label[] = [{ text: vote, place: [0, 0, 0], kind: "vote" }, { text: mean, place: [0, 0, 0], kind: "mean" }];
    this.stage.setLabels(trained.readout === "mean" ? [...gates, ...read] : gates);
  }

  private drawGaze(room: Room, { gaze, paints, chosen, dome, picked }: Shot): void {
    const shown = gaze && !dome && chosen.includes(gaze.boid) && gaze.boid < room.n ? gaze : null;
    if (shown && shown.gaze.heads > 1) {
      [0, 1, 2].forEach((k) => this.strokes.set(`gaze-${k}`, null));
      this.pieces.clear();
      addHeadLines(this.pieces, shown.gaze, { boid: shown.boid, spots: room.spots, head: picked });
      return this.strokes.set("arrows", { ...this.pieces.lines, width: 1.5 });
    }
    const thick = shown ? gazeLines(shown.gaze, shown.boid, room.spots, (loud) => this.loudness(paints, loud)) : [];
    [0, 1, 2].forEach((k) => this.strokes.set(`gaze-${k}`, thick[k] ?? null));
    this.pieces.clear();
    if (shown) addVectors(this.pieces, shown.gaze, room.spots.subarray(3 * shown.boid, 3 * shown.boid + 3), paints);
    this.strokes.set("arrows", { ...this.pieces.lines, width: 3 });
  }

  private loudness(paints: Paints, loud: number): Rgb {
    return linear(mixInk(paints.paper, paints.accent, 0.25 + 0.75 * loud));
  }
}

/** Where the name of a gate is drawn: next to it, because the vote ends in it. */
function nameOf(target: readonly number[], task: TrainedInfo["task"], two: boolean): [number, number, number] {
  const [x, y, z = 0] = target;
  if (!two) return [x, y, z].map((c) => (1 + kOutwards) * c) as [number, number, number];
  return [x, y + (task === "same" ? -kBelow : kAboveGate), z];
}
