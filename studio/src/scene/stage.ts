// stage.ts: the three-dimensional scene: tokens, trails, arrows, backdrop, camera, picking.
import { drawBackdrop, type Backdrop } from "./backdrop";
import { Camera, Orbit, ViewShift } from "./camera";
import { makePainter } from "./make_painter";
import { parseInk, type Rgb } from "./ink";
import { filled, type Look, type Painter, Scene } from "./layers";

export type { Backdrop };

/** What a layer of boids looks like; arrays are read when shown and may be reused. */
export interface Boids {
  positions: Float32Array; // (n, 3)
  colours: Float32Array; // (n, 3) 0 to 1
  sizes?: Float32Array; // (n); 1 when left out
  marks?: Float32Array; // (n) 1: ringed, 2: with a ring around it
  opacity?: number;
  order?: number; // drawn after layers of a lower one; 0 when left out
}

/** Straight pieces, each with its colour: trails, arrows, frames, streamlines. */
export interface Lines {
  points: Float32Array; // (pieces, 2, 3)
  colours: Float32Array; // (pieces, 2, 3)
  opacity?: number;
  order?: number;
}

export interface Label {
  text: string;
  place: [number, number, number];
  /** Not seen for now. */
  hidden?: boolean;
  kind?: "gate" | "axis" | "token" | "vote" | "mean" | "badge" | "asking" | "mass" | "leader" | "count";
  /** Whether its place is that of its foot, not of its middle. */
  foot?: boolean;
  /** What it is next to: words larger than on the page keep clear of it. */
  by?: readonly number[];
}

export interface StageOptions {
  backdrop: Backdrop;
  /** Half the width of what is to be seen. */
  extent: number;
  /** Radius of a boid of size 1. */
  radius: number;
  /** The position of the camera, in multiples of the extent. */
  eye?: [number, number, number];
  /** What it looks at, likewise; the middle where it is left out. */
  aim?: [number, number, number];
  /** Flat scenes look straight on and do not turn. */
  flat?: boolean;
}

/** Colours of the page, sRGB. */
interface Palette {
  paper: Rgb;
  line: Rgb;
  ink: Rgb;
}

/** A word of the scene on a picture, in its pixels; (x, y) is its middle. */
export interface Word {
  text: string;
  kind: string;
  x: number;
  y: number;
}

/** A stage on a canvas, painted flat where there is no WebGL. Labels go into `overlay`, above the canvas. */
export class Stage {
  readonly scene = new Scene();
  readonly camera = new Camera();
  private readonly painter: Painter;
  private readonly orbit: Orbit;
  private labels: Label[] = [];
  private counts: Label[] = []; // of the dome
  private shown: { label: Label; element: HTMLElement; text: string }[] = []; // as the page has them
  private relabel = false; // whether the labels are others than the page has
  private options: StageOptions;
  private palette: Palette;
  private ones = new Float32Array(0); // sizes and marks of layers that have none
  private zeros = new Float32Array(0);
  private readonly sight: ViewShift;
  private dirty = true;
  private size: [number, number] | null = null; // of the canvas in CSS pixels, until it is another
  private readonly watch = new ResizeObserver(() => (this.size = null));
  /** While a film is made of its scene, the stage itself is not drawn. */
  lent = false;

  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly overlay: HTMLElement,
    options: StageOptions,
  ) {
    this.painter = makePainter(canvas, () => this.touch());
    this.sight = new ViewShift(this.camera);
    this.orbit = new Orbit(this.camera, canvas, () => this.touch());
    this.options = options;
    this.palette = this.readPalette();
    this.arrange(options);
    this.watch.observe(canvas);
  }

  /** Whether it is painted without WebGL. */
  get flat(): boolean {
    return this.painter.flat;
  }

  /** Colours of the page: --paper, --line, --ink. Called again when the theme changes. */
  private readPalette(): Palette {
    const style = getComputedStyle(this.overlay);
    const colour = (name: string) => parseInk(style.getPropertyValue(name));
    return { paper: colour("--paper"), line: colour("--line"), ink: colour("--ink") };
  }
  retheme(): void {
    this.palette = this.readPalette();
    this.arrange(this.options, false);
  }

  /** Sets up habitat and camera. */
  arrange(options: StageOptions, moveCamera = true): void {
    this.options = options;
    this.orbit.turns = !options.flat;
    if (moveCamera) this.home();
    drawBackdrop(this.scene, options, this.palette.line);
    this.dirty = true;
  }

  /** Brings the camera back. */
  home(): void {
    const eye = this.options.flat ? [0, 0, 3.2] : (this.options.eye ?? [1.6, 1.1, 2.6]);
    const e = this.options.extent;
    for (let c = 0; c < 3; ++c) {
      this.camera.position[c] = eye[c] * e;
      this.camera.target[c] = (this.options.aim?.[c] ?? 0) * e;
    }
    this.camera.near = e / 50;
    this.camera.far = e * 50;
    this.orbit.nearest = e / 10;
    this.orbit.farthest = e * 30;
    this.sight.forget();
    this.moved();
  }

  /** Turns or nears the camera, for the keyboard. */
  turn(azimuth: number, polar: number, nearer = 1): void {
    const turns = this.options.flat ? 0 : 1;
    this.camera.orbit(turns * azimuth, turns * polar, nearer);
    this.dirty = true;
  }

  /** Whether one finger and the left button draw; then two fingers and the right button turn. */
  pen(draws: boolean): void {
    this.orbit.draws = draws;
  }

  /** While something is dragged or lassoed the camera stays. */
  hold(held: boolean): void {
    this.orbit.enabled = !held;
  }

  /** Shows a layer of boids; null takes it away. */
  boids(name: string, boids: Boids | null): void {
    this.dirty = true;
    if (!boids) return this.scene.take("boids", name);
    const n = boids.positions.length / 3;
    if (n > this.ones.length) {
      this.ones = new Float32Array(2 * n).fill(1);
      this.zeros = new Float32Array(2 * n);
    }
    const old = this.scene.get("boids", name);
    const opacity = boids.opacity ?? 1;
    this.scene.put(name, {
      kind: "boids",
      count: n,
      places: filled(old?.places, boids.positions),
      colours: filled(old?.colours, boids.colours),
      sizes: filled(old?.sizes, boids.sizes ?? this.ones.subarray(0, n)),
      marks: filled(old?.marks, boids.marks ?? this.zeros.subarray(0, n)),
      opacity,
      order: (boids.order ?? 0) + (opacity >= 1 ? 0 : 1),
    });
  }

  /** Shows a layer of straight pieces; null takes it away. */
  lines(name: string, lines: Lines | null): void {
    this.dirty = true;
    if (!lines || lines.points.length === 0) return this.scene.take("lines", name);
    const old = this.scene.get("lines", name);
    this.scene.put(name, {
      kind: "lines",
      count: lines.points.length / 6,
      points: filled(old?.points, lines.points),
      colours: filled(old?.colours, lines.colours),
      opacity: lines.opacity ?? 1,
      order: lines.order ?? 0,
      width: 0,
    });
  }

  /** Words in the scene; they are text of the page, from when it is drawn, so that they can be read and restyled. */
  setLabels(labels: Label[]): void {
    this.labels = [...labels];
    this.relabel = this.dirty = true;
  }

  /** Numbers at what a dome shows, in addition to the labels of the view. */
  setCounts(counts: Label[]): void {
    if (counts.length + this.counts.length === 0) return;
    this.counts = counts;
    this.relabel = this.dirty = true;
  }

  /** Moves the words of a kind to another place; null: they are not seen until they are moved again. */
  moveLabel(kind: Label["kind"], place: Label["place"] | null): void {
    for (const label of this.labels) {
      if (label.kind !== kind) continue;
      label.hidden = place === null;
      if (place) label.place = place;
    }
    this.dirty = true;
  }

  /** The words of the scene with their places. */
  words(): readonly Label[] {
    return [...this.labels, ...this.counts].filter(({ hidden }) => !hidden);
  }

  /** Where a place of the scene is on the canvas, in CSS pixels; null behind the camera. */
  onScreen(place: ArrayLike<number>): { x: number; y: number; depth: number } | null {
    const [x, y, depth] = this.camera.project(place);
    if (depth > 1) return null;
    const [w, h] = this.size ?? [this.canvas.clientWidth, this.canvas.clientHeight];
    return { x: ((x + 1) / 2) * w, y: ((1 - y) / 2) * h, depth };
  }

  /** The place under (x, y) on the plane through `through` that faces the camera. */
  underPointer(x: number, y: number, through: ArrayLike<number>): [number, number, number] {
    return this.meet(x, y, through, this.camera.along(0, 0, 1)) ?? [0, 0, 0];
  }

  /** The place under (x, y), in CSS pixels, on a plane; null where none is. */
  meet(
    x: number, y: number, through: ArrayLike<number>, normal: ArrayLike<number>,
  ): [number, number, number] | null {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    return this.camera.meet((2 * x) / w - 1, 1 - (2 * y) / h, through, normal);
  }

  /** Where boid `i` of a layer is shown. */
  placeOf(name: string, i: number): [number, number, number] | null {
    const layer = this.scene.get("boids", name);
    if (!layer || i >= layer.count) return null;
    return [layer.places[3 * i], layer.places[3 * i + 1], layer.places[3 * i + 2]];
  }

  /** Turns about a place from now on; what is seen moves so that it is in the middle. */
  centre(place: ArrayLike<number>): void {
    const { target } = this.camera;
    this.camera.shift([0, 1, 2].map((c) => place[c] - target[c]));
    this.sight.forget();
    this.dirty = true;
  }

  /** Moves what is seen until a ball of the scene is whole on the canvas, above the `foot` lowest CSS pixels. */
  reveal(place: ArrayLike<number>, radius: number, foot = 0): void {
    this.fitCanvas();
    if (this.sight.reveal(place, radius, foot / this.canvas.clientHeight)) this.moved();
  }

  /** Undoes what `reveal` did. */
  unreveal(): void {
    if (this.sight.undo()) this.moved();
  }

  private moved(): void {
    this.camera.update();
    this.dirty = true;
  }

  /** Where a ball of the scene is seen, in CSS pixels of the canvas; null behind the camera. */
  disc(place: ArrayLike<number>, radius: number): { x: number; y: number; r: number } | null {
    const up = this.camera.along(0, radius);
    const middle = this.onScreen(place);
    const edge = this.onScreen([place[0] + up[0], place[1] + up[1], place[2] + up[2]]);
    return middle && edge && { x: middle.x, y: middle.y, r: Math.hypot(edge.x - middle.x, edge.y - middle.y) };
  }

  /** Something of the scene changed that no layer reports. */
  touch(): void {
    this.dirty = true;
  }

  /** Radius of a boid of size 1. */
  boidRadius(): number {
    return this.options.radius;
  }

  /** How much of the scene is seen across, in its units. */
  span(): number {
    return 2 * this.options.extent;
  }

  /** The boid of a layer nearest to (x, y), within `reach` CSS pixels; the front one of several. */
  pick(name: string, x: number, y: number, reach = 14): number | null {
    let best: number | null = null;
    let least = Infinity;
    this.eachOnScreen(name, (i, p) => {
      const gap = Math.hypot(p.x - x, p.y - y);
      if (gap < reach && gap + 40 * p.depth < least) {
        least = gap + 40 * p.depth;
        best = i;
      }
    });
    return best;
  }

  /** The boids of a layer inside a closed line of CSS pixels. */
  lasso(name: string, line: { x: number; y: number }[]): number[] {
    const inside: number[] = [];
    this.eachOnScreen(name, (i, p) => {
      let odd = false;
      for (let a = 0, b = line.length - 1; a < line.length; b = a++) {
        const crosses = line[a].y > p.y !== line[b].y > p.y;
        if (crosses && p.x < ((line[b].x - line[a].x) * (p.y - line[a].y)) / (line[b].y - line[a].y) + line[a].x) {
          odd = !odd;
        }
      }
      if (odd) inside.push(i);
    });
    return inside;
  }

  private eachOnScreen(name: string, visit: (i: number, p: { x: number; y: number; depth: number }) => void): void {
    const layer = this.scene.get("boids", name);
    for (let i = 0; i < (layer?.count ?? 0); ++i) {
      const p = this.onScreen(layer!.places.subarray(3 * i, 3 * i + 3));
      if (p) visit(i, p);
    }
  }

  /** How the scene is seen by a camera on a picture of that many device pixels. */
  look(camera: Camera, width: number, height: number, ratio: number): Look {
    const { radius, extent } = this.options;
    return { camera, width, height, ratio, radius, extent, paper: this.palette.paper, ink: this.palette.ink };
  }

  /** Draws if something changed, or if asked to. */
  render(force = false): void {
    if (this.lent || !this.fitCanvas() || (!this.dirty && !force)) return;
    const { width, height } = this.canvas;
    this.painter.paint(this.scene, this.look(this.camera, width, height, width / this.size![0]));
    this.placeLabels();
    this.dirty = false;
  }

  /** Whether there is a canvas to draw on, as large as its place on the page; that is asked when it changes. */
  private fitCanvas(): boolean {
    const [w, h] = (this.size ??= [this.canvas.clientWidth, this.canvas.clientHeight]);
    if (w === 0 || h === 0) {
      this.size = null;
      return false;
    }
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    const [width, height] = [Math.floor(w * ratio), Math.floor(h * ratio)];
    if (this.canvas.width === width && this.canvas.height === height && this.camera.aspect === w / h) return true;
    this.canvas.width = width;
    this.canvas.height = height;
    this.camera.frame(w, h);
    this.dirty = true;
    return true;
  }

  private makeLabels(): void {
    for (const { element } of this.shown) element.remove();
    this.shown = [...this.labels, ...this.counts].map((label) => {
      const element = document.createElement("span");
      element.className = `scene-label ${label.kind ?? "axis"}`;
      element.textContent = label.text;
      this.overlay.append(element);
      return { label, element, text: label.text };
    });
    this.relabel = false;
  }

  private placeLabels(): void {
    if (this.relabel) this.makeLabels();
    for (const one of this.shown) {
      const { label, element } = one;
      if (one.text !== label.text) element.textContent = one.text = label.text;
      const p = label.hidden ? null : this.onScreen(label.place);
      element.hidden = !p;
      if (p) element.style.transform = `translate(${p.x}px, ${p.y}px) translate(-50%, -50%)`;
    }
  }

  dispose(): void {
    this.labels = this.counts = [];
    this.makeLabels();
    this.watch.disconnect();
    this.orbit.dispose();
    this.painter.dispose();
  }
}
