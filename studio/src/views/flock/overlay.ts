// overlay.ts: what is drawn over the flock: clusters as discs whose area is their mass, hulls, leaders.
import type { Grouping, Groups } from "../../core/protocol";
import { inkOf, linear, mixInk, Pieces } from "../../scene/ink";
import type { Label, Stage } from "../../scene/stage";
import { Question } from "../../state/question";

type Place = [number, number, number];
type Edge = readonly [Place, Place];

/** Edges of the hull of places (n, 3); `flat`: only the first two coordinates count. */
export function hullOf(places: Float32Array, flat: boolean): Edge[] {
  const points = Array.from({ length: places.length / 3 }, (_, i): Place => [
    places[3 * i], places[3 * i + 1], places[3 * i + 2],
  ]);
  return flat ? polygon(points) : polytope(points);
}

/** Andrew's monotone chain. */
function polygon(points: Place[]): Edge[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const turn = (a: Place, b: Place, c: Place) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  const half = (from: Place[]) => {
    const chain: Place[] = [];
    for (const p of from) {
      while (chain.length > 1 && turn(chain[chain.length - 2], chain[chain.length - 1], p) <= 1e-12) chain.pop();
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  const corners = [...half(sorted), ...half(sorted.reverse())];
  if (corners.length < 2) return [];
  return corners.map((corner, k): Edge => [corner, corners[(k + 1) % corners.length]]);
}

type Face = readonly [number, number, number]; // corners, counter-clockwise from outside

const kFlat = 1e-9; // of the flock's size cubed: less is no volume

/** Six times the volume of the tetrahedron a, b, c, p: above 0 where p lies outside the face a, b, c. */
function above(points: readonly Place[], [a, b, c]: Face, p: Place): number {
  const [u, v, w] = [points[b], points[c], p].map((q) => q.map((x, k) => x - points[a][k]));
  const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  return n[0] * w[0] + n[1] * w[1] + n[2] * w[2];
}

/** Edges of the hull of points, added one by one; none where all of them lie in a plane. */
function polytope(points: Place[]): Edge[] {
  const size = Math.max(...points.flat().map(Math.abs), 1e-300);
  const least = kFlat * size ** 3;
  const first = startOf(points, least);
  if (!first) return [];
  let faces = first;
  points.forEach((p, i) => {
    const seen = faces.filter((face) => above(points, face, p) > least);
    if (seen.length === 0) return;
    const sides = new Set(seen.flatMap((face) => face.map((a, k) => `${a},${face[(k + 1) % 3]}`)));
    const rim = [...sides].map((side) => side.split(",").map(Number)).filter(([a, b]) => !sides.has(`${b},${a}`));
    faces = [...faces.filter((face) => !seen.includes(face)), ...rim.map(([a, b]): Face => [a, b, i])];
  });
  return edgesOf(points, faces, 1e3 * least);
}

/** A tetrahedron of four points that do not lie in a plane, its faces turned outwards. */
function startOf(points: readonly Place[], least: number): Face[] | null {
  for (let b = 1; b < points.length; ++b) {
    for (let c = b + 1; c < points.length; ++c) {
      const d = points.findIndex((p) => Math.abs(above(points, [0, b, c], p)) > least);
      if (d < 0) continue;
      const out = above(points, [0, b, c], points[d]) < 0; // d lies behind the face
      const [x, y] = out ? [b, c] : [c, b];
      return [[0, x, y], [0, d, x], [x, d, y], [y, d, 0]];
    }
  }
  return null;
}

/** Each edge once; not those inside a side that two faces make up. */
function edgesOf(points: readonly Place[], faces: readonly Face[], flat: number): Edge[] {
  const third = new Map<string, number>();
  for (const face of faces) face.forEach((a, k) => third.set(`${a},${face[(k + 1) % 3]}`, face[(k + 2) % 3]));
  return faces.flatMap((face) => face.flatMap((a, k): Edge[] => {
    const b = face[(k + 1) % 3];
    const beyond = third.get(`${b},${a}`);
    const inside = beyond !== undefined && Math.abs(above(points, face, points[beyond])) <= flat;
    return a < b && !inside ? [[points[a], points[b]]] : [];
  }));
}

/** A group as it is drawn: where its middle is on the stage, and how many tokens it has. */
interface Mass {
  place: [number, number, number];
  tokens: number;
  first: number; // the token that lends its colour
}

/** All groups. `places` (n, 3) of the stage; on the sphere the middle lies on it. */
export function massesOf(of: Groups["of"], places: Float32Array, sphere: boolean): Mass[] {
  const masses: Mass[] = [];
  of.forEach((group, i) => {
    const mass = (masses[group] ??= { place: [0, 0, 0], tokens: 0, first: i }); // groups are numbered by first member
    ++mass.tokens;
    for (let c = 0; c < 3; ++c) mass.place[c] += places[3 * i + c];
  });
  for (const mass of masses) {
    const length = sphere ? Math.hypot(...mass.place) || 1 : mass.tokens;
    for (let c = 0; c < 3; ++c) mass.place[c] /= length;
  }
  return masses;
}

/** One moment of a flock, and what is drawn of it. */
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

  /** Labels are made again only when their numbers change; their positions are updated. */
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
