// draw.ts: the scene of the fields: slice, arrows, streamlines, test tokens, flock, the vectors of one token.
import type { Gaze } from "../../core/protocol";
import { addArrow, Strokes } from "../../scene/strokes";
import { DomeScene } from "../../scene/dome";
import { inkOf, linear, mixInk, Pieces, type Rgb } from "../../scene/ink";
import { meanAttention } from "../../scene/heads";
import type { Label, Stage } from "../../scene/stage";
import type { Seen } from "../../state/dome";
import type { Film } from "../../state/film";
import { type FieldName, kFields, kInks, type LineName } from "./choices";
import type { FieldRequests, GridAnswer } from "./field_requests";
import { along, cellOf, cornersOf, isOn, kAxes, placeOn, type Slice } from "./slice";

const kShare = 0.95; // of the vectors are drawn no longer than a cell

/** How many times its length a vector is drawn, so that most arrows of a field fit between places. */
export function scaleOf(lengths: ArrayLike<number>, cell: number): number {
  const sorted = Array.from(lengths).filter(Number.isFinite).sort((a, b) => a - b);
  if (sorted.length === 0) return 0;
  const long = sorted[Math.min(sorted.length - 1, Math.floor(kShare * sorted.length))];
  return long > 0 ? cell / long : 0;
}

/** (count): lengths in the first three coordinates of `stride`-apart vectors from `start`. */
export function lengthsOf(values: Float64Array, start: number, stride: number, d: number): Float64Array {
  const out = new Float64Array(Math.floor((values.length - start + stride - 1) / stride));
  for (let k = 0; k < out.length; ++k) {
    let square = 0;
    for (let c = 0; c < Math.min(3, d); ++c) square += values[start + k * stride + c] ** 2;
    out[k] = Math.sqrt(square);
  }
  return out;
}

/** How many times its length each of the four fields (count, 4, d) is drawn. */
export function scalesOf(values: Float64Array, d: number, cell: number): number[] {
  return [0, 1, 2, 3].map((which) => scaleOf(lengthsOf(values, which * d, 4 * d, d), cell));
}

/** An arrow; nothing where the vector is too short to be seen. */
export function addVector(
  pieces: Pieces, at: ArrayLike<number>, way: ArrayLike<number>, { colour, cell }: { colour: Rgb; cell: number },
): void {
  const length = Math.hypot(way[0], way[1], way[2]);
  if (!(length > 0.03 * cell) || !Number.isFinite(length)) return;
  addArrow(pieces, at, way, { colour, barb: Math.min(0.28 * cell, 0.4 * length) });
}

export interface Shot {
  film: Film | null;
  at: number;
  slice: Slice;
  shown: readonly FieldName[];
  scale: number;
  lines: LineName;
  boid: number | null;
  flock: boolean;
  dark: boolean;
  /** Names of the two axes that lie in the slice. */
  sides: [string, string];
  /** The dome of the picked boid, null: none is drawn; and what of it. */
  dome: Seen | null;
  part: number;
  head: number;
}

export const kFlock = "flock";
const kHeard = 12; // lines of a gaze

export class FieldScene {
  private readonly strokes: Strokes;
  private readonly dome: DomeScene;
  private readonly pieces = new Pieces();
  private last = { slice: "", arrows: "", lines: "", drops: "", flock: "", gaze: "" };
  private grid: unknown = null;
  private ways: unknown = null;
  private dropped: unknown = null;
  private gaze: unknown = null;
  private flock = roomFor(0, 0);
  private drops = roomFor(0, 0);
  private scales: { of: GridAnswer | null; cell: number[] } = { of: null, cell: [1, 1, 1, 1] };
  private loudest: { of: Gaze | null; order: number[]; shares: Float64Array } = {
    of: null, order: [], shares: new Float64Array(0),
  };
  private readonly from = [0, 0, 0];
  private readonly to = [0, 0, 0];

  constructor(readonly stage: Stage, private readonly requests: FieldRequests) {
    this.strokes = new Strokes(stage.scene);
    this.dome = new DomeScene(stage);
  }

  private ink(name: string): Rgb {
    return linear(inkOf(name));
  }

  /** Draws what has changed since the last time. */
  show(shot: Shot): void {
    const look = `${shot.dark}`;
    const slice = JSON.stringify(shot.slice) + look;
    if (slice !== this.last.slice) this.drawSlice(shot);
    const arrows = `${slice}${shot.shown}${shot.scale}`;
    if (arrows !== this.last.arrows || this.grid !== this.requests.grid.value) this.drawArrows(shot);
    const lines = `${look}${shot.lines}`;
    if (lines !== this.last.lines || this.ways !== this.requests.lines.value) this.drawLines(shot);
    const moment = `${look}${shot.at}${shot.film?.info.id}${shot.film?.flown.value}`;
    const drops = moment;
    if (drops !== this.last.drops || this.dropped !== this.requests.drops.value) this.drawDrops(shot);
    const flock = `${moment}${shot.boid}${shot.flock}${shot.dome !== null}`;
    if (flock !== this.last.flock) this.drawFlock(shot);
    if (flock !== this.last.gaze || this.gaze !== this.requests.gaze.value) this.drawGaze(shot);
    this.drawDome(shot);
    this.last = { slice, arrows, lines, drops, flock, gaze: flock };
    this.grid = this.requests.grid.value;
    this.ways = this.requests.lines.value;
    this.dropped = this.requests.drops.value;
    this.gaze = this.requests.gaze.value;
  }

  private drawSlice({ slice, sides }: Shot): void {
    this.pieces.clear();
    const corners = cornersOf(slice);
    const line = linear(mixInk(inkOf("--line"), inkOf("--ink-soft"), 0.5));
    corners.forEach((corner, k) => this.pieces.add(corner, corners[(k + 1) % 4], line));
    this.stage.lines("slice", this.pieces.lines);
    const [a, b] = along(slice.axis);
    const end = (c: number, name: string): Label => {
      const place = placeOn(slice, c === a ? 1.2 : 0, c === b ? 1.14 : 0);
      return { text: name, place, kind: "axis" };
    };
    this.stage.setLabels([end(a, sides[0]), end(b, sides[1])]);
  }

  private drawArrows({ slice, shown, scale }: Shot): void {
    const answer = this.requests.grid.value;
    this.pieces.clear();
    if (answer) {
      const { places, values, d } = answer;
      const cell = cellOf(slice);
      for (const name of shown) {
        const which = kFields.indexOf(name);
        const longer = this.scaleOf(which) * cell * scale;
        const colour = this.ink(kInks[name]);
        for (let k = 0; k * d < places.length; ++k) {
          spot(places, k * d, d, this.from);
          spot(values, (4 * k + which) * d, d, this.to);
          for (let c = 0; c < 3; ++c) this.to[c] *= longer;
          addVector(this.pieces, this.from, this.to, { colour, cell });
        }
      }
    }
    this.strokes.set("arrows", { ...this.pieces.lines, width: 1.6 });
    this.touch();
  }

  /** How many times its length a field's vector is drawn on a slice whose places are 1 apart. */
  private scaleOf(which: number): number {
    const grid = this.requests.grid.value;
    if (grid && grid !== this.scales.of) this.scales = { of: grid, cell: scalesOf(grid.values, grid.d, 1) };
    return this.scales.cell[which];
  }

  private drawLines({ lines }: Shot): void {
    const answer = this.requests.lines.value;
    this.pieces.clear();
    if (answer && lines !== "none") {
      const { ways, count, d } = answer;
      const size = count * d;
      const steps = ways.length / size - 1;
      const [paper, ink] = [inkOf("--paper"), inkOf(kInks[lines])];
      for (let k = 0; k < steps; ++k) {
        const [from, to] = [k, k + 1].map((e) => linear(mixInk(paper, ink, 0.25 + (0.75 * e) / steps)));
        for (let i = 0; i < count; ++i) {
          spot(ways, k * size + i * d, d, this.from);
          this.pieces.add(this.from, spot(ways, (k + 1) * size + i * d, d, this.to), from, to);
        }
      }
    }
    this.strokes.set("lines", { ...this.pieces.lines, width: 2 });
    this.touch();
  }

  /** Test particles where they are at the moment, with the way they have come. */
  private drawDrops({ at, film }: Shot): void {
    const answer = this.requests.drops.value;
    this.pieces.clear();
    if (!answer || !film) {
      this.stage.boids("drops", null);
      this.stage.lines("drops", null);
      return;
    }
    const { ways, count, d, first } = answer;
    const size = count * d;
    const last = ways.length / size - 1;
    const moment = Math.max(0, Math.min(last, at - first));
    const k = Math.min(last, Math.floor(moment));
    if (this.drops.marks.length !== count) this.drops = roomFor(count, d);
    const { positions, colours, marks: sizes } = this.drops;
    paint(colours, inkOf("--warm"));
    sizes.fill(1.5);
    const ink = this.ink("--warm");
    for (let i = 0; i < count; ++i) {
      for (let e = 0; e < k; ++e) {
        spot(ways, e * size + i * d, d, this.from);
        this.pieces.add(this.from, spot(ways, (e + 1) * size + i * d, d, this.to), ink);
      }
      spot(ways, k * size + i * d, d, this.from);
      spot(ways, Math.min(last, k + 1) * size + i * d, d, this.to);
      for (let c = 0; c < 3; ++c) this.to[c] = this.from[c] + (moment - k) * (this.to[c] - this.from[c]);
      this.pieces.add(this.from, this.to, ink);
      positions.set(this.to, 3 * i);
    }
    this.stage.boids("drops", { positions, colours, sizes });
    this.stage.lines("drops", this.pieces.lines);
  }

  private drawFlock({ film, at, boid, flock }: Shot): void {
    if (!film || !flock || film.flown.value <= film.first) return this.stage.boids(kFlock, null);
    const { n, d } = film.info;
    if (this.flock.rows.length !== n * d || this.flock.marks.length !== n) this.flock = roomFor(n, d);
    const { rows, positions, colours, marks } = this.flock;
    film.between(at, rows);
    for (let i = 0; i < n; ++i) for (let c = 0; c < Math.min(3, d); ++c) positions[3 * i + c] = rows[i * d + c];
    paint(colours, mixInk(inkOf("--paper"), inkOf("--ink-soft"), 0.75));
    marks.fill(0);
    if (boid !== null && boid < n) marks[boid] = 1;
    this.stage.boids(kFlock, { positions, colours, marks });
  }

  private drawDome({ dome, boid, flock, film, head, part, dark }: Shot): void {
    const spots = this.flock.positions;
    const fits = dome && flock && film && dome.boid === boid && spots.length > 3 * boid;
    if (!fits) return this.dome.show(null);
    const place = spots.subarray(3 * dome.boid, 3 * dome.boid + 3);
    this.dome.show({ place, dome: dome.dome, head, part, dark });
  }

  /** Turns the scene about a boid of the flock. */
  centre(boid: number): void {
    const place = this.stage.placeOf(kFlock, boid);
    if (place) this.stage.centre(place);
  }

  /** The picked boid's four vectors, unless its dome shows them, and lines to those it listens to most. */
  private drawGaze({ boid, slice, scale, flock, film, dome }: Shot): void {
    const seen = this.requests.gaze.value;
    const spots = this.flock.positions;
    const fits = seen && flock && film && seen.boid === boid && spots.length > 3 * boid;
    const at = fits ? spots.subarray(3 * seen.boid, 3 * seen.boid + 3) : null;
    this.pieces.clear();
    if (at && !dome) this.addVectors(at, seen!.gaze, slice, scale);
    this.strokes.set("gaze", { ...this.pieces.lines, width: 4 });
    this.pieces.clear();
    if (at && !dome) this.addHeard(at, seen!.boid, seen!.gaze);
    this.stage.lines("ears", this.pieces.lines);
  }

  /** Drawn three times as long as the arrows of the slice, but not out of all measure. */
  private addVectors(at: ArrayLike<number>, gaze: Gaze, slice: Slice, scale: number): void {
    const cell = 3 * cellOf(slice);
    const vectors = { query: gaze.query, key: gaze.key, value: gaze.value, will: gaze.feedForward };
    kFields.forEach((name, which) => {
      const way = this.to;
      for (let c = 0; c < 3; ++c) way[c] = scale * cell * this.scaleOf(which) * (vectors[name][c] ?? 0);
      const cut = Math.min(1, (2.5 * cell * scale) / Math.hypot(way[0], way[1], way[2]));
      for (let c = 0; c < 3; ++c) way[c] *= cut;
      addVector(this.pieces, at, way, { colour: this.ink(kInks[name]), cell });
    });
  }

  private addHeard(at: ArrayLike<number>, boid: number, gaze: Gaze): void {
    if (gaze !== this.loudest.of) {
      const shares = meanAttention(gaze);
      const order = [...shares.keys()].filter((j) => j !== boid).sort((i, j) => shares[j] - shares[i]);
      this.loudest = { of: gaze, order: order.slice(0, kHeard), shares };
    }
    const { order, shares } = this.loudest;
    const [paper, ink] = [inkOf("--paper"), inkOf("--accent")];
    for (const j of order) {
      const colour = linear(mixInk(paper, ink, 0.2 + (0.8 * shares[j]) / (shares[order[0]] || 1)));
      this.pieces.add(at, spot(this.flock.positions, 3 * j, 3, this.to), colour);
    }
  }

  /** The stage draws again after lines change; strokes do not report changes. */
  private touch(): void {
    this.stage.lines("touch", null);
  }

  /** The position of the slice under a pointer; null outside of it. */
  under(x: number, y: number, slice: Slice): number[] | null {
    const normal = kAxes.map((axis) => (axis === slice.axis ? 1 : 0));
    const place: number[] | null = this.stage.meet(x, y, normal.map((c) => c * slice.offset), normal);
    if (!place) return null;
    place[kAxes.indexOf(slice.axis)] = slice.offset;
    return isOn(slice, place) ? place : null;
  }
}

/** Arrays of n particles with d coordinates, used again at every drawing. */
function roomFor(n: number, d: number) {
  return {
    rows: new Float32Array(n * d), positions: new Float32Array(3 * n), colours: new Float32Array(3 * n),
    marks: new Float32Array(n),
  };
}

/** The first three coordinates of the row at `start`, into `out`; 0 for those beyond d. */
function spot(rows: ArrayLike<number>, start: number, d: number, out: number[]): number[] {
  for (let c = 0; c < 3; ++c) out[c] = c < d ? rows[start + c] : 0;
  return out;
}

function paint(colours: Float32Array, ink: Rgb): void {
  for (let e = 0; e < colours.length; ++e) colours[e] = ink[e % 3];
}
