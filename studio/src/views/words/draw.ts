// draw.ts: the tokens of a text on the stage: their positions, paths and labels, what one attends to, their twins.
import { inkOf, linear, mixInk, Pieces, type Rgb } from "../../scene/ink";
import type { Label, Stage, StageOptions } from "../../scene/stage";
import { Strokes } from "../../scene/strokes";
import { loudest } from "./matrix";
import { isSpecial, placeAt, spelled, type WordsFilm } from "./file";

interface Dot {
  x: number; // CSS pixels
  y: number;
  r: number;
  text: string;
  rank: number; // the lowest is placed first
}

export interface Spot {
  x: number; // the middle of the label
  y: number;
}

interface Box extends Spot {
  wide: number;
  high: number;
}

const kHigh = 16; // CSS pixels of a line
const kEdge = 4;
/** Directions in which a label may be placed, the best first; further out where there is no room near by. */
const kWays = [[0, -1], [0, 1], [1, 0], [-1, 0], [1, -1], [-1, -1], [1, 1], [-1, 1]] as const;
const kOut = [0, 9];

/** About eight pixels a letter; signs of Chinese and the like are twice as wide. */
export function widthOfLabel(text: string): number {
  return [...text].reduce((sum, letter) => sum + (letter.codePointAt(0)! > 0x2e80 ? 15 : 8), 4);
}

function overlap(a: Box, b: Box): boolean {
  return Math.abs(a.x - b.x) < (a.wide + b.wide) / 2 && Math.abs(a.y - b.y) < (a.high + b.high) / 2;
}

/** The position of each label on a canvas of that size; null if there is no room. */
export function placeLabels(dots: readonly Dot[], width: number, height: number): (Spot | null)[] {
  const placed: Box[] = [];
  const spots: (Spot | null)[] = dots.map(() => null);
  const balls = dots.map(({ x, y, r }): Box => ({ x, y, wide: 2 * r, high: 2 * r }));
  const order = [...dots.keys()].sort((a, b) => dots[a].rank - dots[b].rank || a - b);
  for (const i of order) {
    const dot = dots[i];
    let best: Box | null = null;
    let least = Infinity;
    for (const out of kOut) {
      for (const [across, down] of kWays) {
        const wide = widthOfLabel(dot.text);
        const box = {
          x: dot.x + across * (dot.r + out + wide / 2),
          y: dot.y + down * (dot.r + out + kHigh / 2) * (across === 0 ? 1 : 0.8),
          wide, high: kHigh,
        };
        const inside = box.x - wide / 2 >= kEdge && box.x + wide / 2 <= width - kEdge &&
          box.y - kHigh / 2 >= kEdge && box.y + kHigh / 2 <= height - kEdge;
        if (!inside || placed.some((other) => overlap(box, other))) continue;
        const covers = balls.filter((ball, j) => j !== i && overlap(box, ball)).length + out / 40;
        if (covers < least) [best, least] = [box, covers];
      }
      if (least < 1) break;
    }
    if (!best) continue;
    placed.push(best);
    spots[i] = { x: best.x, y: best.y };
  }
  return spots;
}

export const kStage: StageOptions = { backdrop: "none", extent: 0.95, radius: 0.026, eye: [0.9, 0.65, 2.9] };
export const kLayer = "words";
const kMostLabels = 24; // tokens that all have their labels
const kLoud = 8; // of more tokens, those heard loudest have one
const kWidths = [1.5, 3, 5, 8, 12]; // CSS pixels of a line, by the share that it shows
const kLeast = 0.01; // share below which no line is drawn

export interface Shown {
  film: WordsFilm;
  at: number;
  token: number | null;
  shares: Float64Array | null; // (n) of what it hears
  twin: boolean;
  trail: boolean;
  /** The same word in the other sentence. */
  namesake: { place: [number, number, number]; label: string } | null;
  dark: boolean;
}

/** The place in kWidths of a share. */
export function widthOf(share: number): number {
  return Math.min(kWidths.length - 1, Math.floor(Math.sqrt(Math.max(0, share)) * kWidths.length));
}

type Place = [number, number, number];

/** Keeps arrays from one picture to the next; draws when something is another. */
export class WordsScene {
  private readonly strokes: Strokes;
  private readonly trails = new Pieces();
  private readonly ties = new Pieces();
  private readonly heard = kWidths.map(() => new Pieces());
  private labels: Label[] = [];
  private texts = "";
  private key = "";
  private last: Pick<Shown, "film" | "shares"> | null = null;

  constructor(readonly stage: Stage) {
    this.strokes = new Strokes(stage.scene);
  }

  private isNew({ film, at, token, shares, twin, trail, namesake, dark }: Shown): boolean {
    const { camera, canvas } = this.stage;
    const key = [
      at, token, twin, trail, namesake?.place, dark, canvas.clientWidth, canvas.clientHeight, film.flown.value,
      camera.matrixWorld.elements, camera.projectionMatrix.elements,
    ].join();
    if (key === this.key && this.last?.film === film && this.last.shares === shares) return false;
    this.key = key;
    this.last = { film, shares };
    return true;
  }

  draw(shown: Shown): void {
    if (!this.isNew(shown)) return;
    const { film, at, token } = shown;
    const n = film.info.n;
    const positions = film.between(at, new Float32Array(3 * n));
    const colours = new Float32Array(3 * n);
    const sizes = new Float32Array(n).fill(1);
    const marks = new Float32Array(n);
    for (let i = 0; i < n; ++i) {
      colours.set(this.inkOfToken(film, i, token), 3 * i);
      if (isSpecial(film.text.tokens[i])) sizes[i] = 0.7;
      if (i === token) marks[i] = 1;
    }
    this.stage.boids(kLayer, { positions, colours, sizes, marks });
    const spot = (i: number): Place => [positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]];
    this.drawTwins(shown, spot);
    this.drawTrails(shown, spot);
    this.drawHearing(shown, spot);
    this.drawNamesake(shown);
    this.drawLabels(shown, spot);
    this.stage.touch();
  }

  private inkOfToken(film: WordsFilm, i: number, token: number | null): Rgb {
    if (i === token) return inkOf("--left");
    if (isSpecial(film.text.tokens[i])) return inkOf("--ink-soft");
    return i < film.text.given ? inkOf("--right") : inkOf("--warm");
  }

  /** The twin of every token, tied to it; of many tokens only the listener's. */
  private drawTwins({ film, at, twin, token }: Shown, spot: (i: number) => Place): void {
    const n = film.info.n;
    const few = n <= kMostLabels || token === null;
    const drawn = twin ? [...film.text.tokens.keys()].filter((i) => few || i === token) : [];
    this.ties.clear();
    const positions = new Float32Array(3 * drawn.length);
    const colours = new Float32Array(3 * drawn.length);
    const tie = linear(mixInk(inkOf("--paper"), inkOf("--ink-soft"), 0.4));
    drawn.forEach((i, k) => {
      const place = placeAt(film.text.twin.places, n, i, at, film.scale);
      positions.set(place, 3 * k);
      colours.set(inkOf("--ink-soft"), 3 * k);
      this.ties.add(spot(i), place, tie);
    });
    const sizes = new Float32Array(drawn.length).fill(0.8);
    this.stage.boids("twins", drawn.length > 0 ? { positions, colours, sizes, opacity: 0.35 } : null);
    this.stage.lines("ties", this.ties.lines);
  }

  /** The path of the listener so far; without a listener, of all. */
  private drawTrails({ film, at, token, trail }: Shown, spot: (i: number) => Place): void {
    this.trails.clear();
    const n = film.info.n;
    for (let i = 0; i < n && trail; ++i) {
      if (token !== null && i !== token) continue;
      const ink = linear(mixInk(inkOf("--paper"), this.inkOfToken(film, i, token), 0.8));
      let from = placeAt(film.text.places, n, i, 0, film.scale);
      for (let k = 1; k <= Math.floor(at); ++k) {
        const to = placeAt(film.text.places, n, i, k, film.scale);
        this.trails.add(from, to, ink);
        from = to;
      }
      this.trails.add(from, spot(i), ink);
    }
    this.strokes.set("trails", { ...this.trails.lines, width: 2, order: 1 });
  }

  private drawHearing({ token, shares }: Shown, spot: (i: number) => Place): void {
    for (const pieces of this.heard) pieces.clear();
    const ink = linear(inkOf("--left"));
    shares?.forEach((share, j) => {
      if (token !== null && j !== token && share >= kLeast) this.heard[widthOf(share)].add(spot(token), spot(j), ink);
    });
    this.heard.forEach((pieces, w) => {
      this.strokes.set(`heard ${w}`, { ...pieces.lines, width: kWidths[w], opacity: 0.55, order: 1 });
    });
  }

  private drawNamesake({ namesake }: Shown): void {
    this.stage.boids("namesake", namesake && {
      positions: Float32Array.from(namesake.place), colours: Float32Array.from(inkOf("--query")),
      sizes: new Float32Array([1]), marks: new Float32Array([1]),
    });
  }

  /** Labels near their tokens, none over another; the listener's and those of the tokens it attends to come first. */
  private drawLabels({ film, token, shares, namesake }: Shown, spot: (i: number) => Place): void {
    const { tokens } = film.text;
    const { clientWidth: width, clientHeight: height } = this.stage.canvas;
    const rank = (i: number) => (i === token ? -2 : 1 - (shares?.[i] ?? 0) + (isSpecial(tokens[i]) ? 1 : 0));
    const named = [...tokens.keys()].filter((i) => isNamed(i, tokens.length, token, shares));
    const all = named.map((i) => ({ place: spot(i), text: spelled(tokens[i]), rank: rank(i) }));
    if (namesake) all.push({ place: namesake.place, text: namesake.label, rank: -1 });
    const dots = all.map(({ place, text, rank }) => {
      const disc = this.stage.disc(place, this.stage.boidRadius());
      return { x: disc?.x ?? -99, y: disc?.y ?? -99, r: (disc?.r ?? 8) + 1, text, rank };
    });
    const spots = placeLabels(dots, width, height);
    const shown = [...all.keys()].filter((e) => spots[e] !== null);
    const key = shown.map((e) => `${e} ${all[e].text}`).join("\n");
    if (key !== this.texts) {
      this.texts = key;
      this.labels = shown.map((e) => ({ text: all[e].text, place: [0, 0, 0], kind: "token" }));
      this.stage.setLabels(this.labels);
    }
    shown.forEach((e, l) => {
      this.labels[l].by = all[e].place;
      this.labels[l].place = this.stage.underPointer(spots[e]!.x, spots[e]!.y, all[e].place);
    });
  }
}

/** Of many tokens only those have labels that the listener attends to, itself and the last. */
function isNamed(i: number, n: number, token: number | null, shares: Float64Array | null): boolean {
  if (n <= kMostLabels || i === token || i === n - 1) return true;
  return shares !== null && loudest(shares, kLoud).includes(i);
}
