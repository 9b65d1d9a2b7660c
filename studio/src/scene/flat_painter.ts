// flat_painter.ts: paints a scene on a plain canvas, where there is no WebGL: discs, far ones first, above their lines.
import { circleAt, type Vector } from "./strokes";
import type { Rgb } from "./ink";
import {
  type BallLayer, type BoidLayer, fogOf, kHalo, kLeastHalo, type Layer, type LineLayer, type Look, type Painter,
  type Scene,
} from "./layers";

const kRing = Math.sqrt(0.55); // of a ringed boid's radius: what is inside the ring
const kKinds: Layer["kind"][] = ["ball", "lines", "boids"]; // of one order: lines never hide boids

/** Linear light -> sRGB from 0 to 255, of one channel. */
export function byteOf(c: number): number {
  const s = c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055;
  return Math.max(0, Math.min(255, Math.round(255 * s)));
}

function css(r: number, g: number, b: number): string {
  const whole = (c: number) => Math.max(0, Math.min(255, Math.round(255 * c)));
  return `rgb(${whole(r)} ${whole(g)} ${whole(b)})`;
}

/** Layers in the order in which a painter without depth paints them. */
export function flatOrder(layers: readonly Layer[]): Layer[] {
  return [...layers].sort((a, b) => a.order - b.order || kKinds.indexOf(a.kind) - kKinds.indexOf(b.kind));
}

/** The angle from the middle of a falling opacity e^(-c (1 - cos a)) at which it is `factor`; half a turn where it is not. */
export function angleOf(c: number, factor: number): number {
  return Math.acos(Math.max(-1, 1 + Math.log(factor) / c));
}

export class FlatPainter implements Painter {
  readonly flat = true;
  private readonly ctx: CanvasRenderingContext2D;
  private readonly spot: Vector = [0, 0, 0];
  private readonly other: Vector = [0, 0, 0];

  /** Throws where there is no canvas at all. */
  constructor(readonly canvas: HTMLCanvasElement) {
    const ctx = canvas.getContext("2d", { alpha: false });
    if (!ctx) throw new Error("2d");
    this.ctx = ctx;
  }

  paint(scene: Scene, look: Look): void {
    const { ctx } = this;
    ctx.globalAlpha = 1;
    ctx.fillStyle = css(...look.paper);
    ctx.fillRect(0, 0, look.width, look.height);
    for (const layer of flatOrder(scene.inOrder())) {
      ctx.globalAlpha = layer.opacity;
      if (layer.kind === "ball") this.ball(layer, look);
      else if (layer.kind === "lines") this.lines(layer, look);
      else this.boids(layer, look);
    }
  }

  /** From -1 to 1 to device pixels. */
  private toPicture(v: Vector, { width, height }: Look): void {
    v[0] = ((v[0] + 1) / 2) * width;
    v[1] = ((1 - v[1]) / 2) * height;
  }

  private ball(layer: BallLayer, look: Look): void {
    const { camera, height } = look;
    const deep = -camera.seen(layer.place, this.other)[2];
    if (deep <= layer.radius) return;
    if (layer.fall) return this.caps(layer, layer.fall, look);
    this.toPicture(camera.project(layer.place, this.spot), look);
    const seen = layer.radius / Math.sqrt(deep * deep - layer.radius ** 2); // tangent of the half angle
    this.ctx.fillStyle = css(...layer.colour);
    this.disc(this.spot[0], this.spot[1], (height / 2) * camera.projectionMatrix.elements[5] * seen);
  }

  /** Ten caps, one over another, each up to where the opacity is a tenth less. */
  private caps({ place, radius, colour, opacity }: BallLayer, [x, y, z, c]: readonly number[], look: Look): void {
    const { ctx, spot } = this;
    ctx.fillStyle = css(...colour);
    ctx.globalAlpha = opacity / 10;
    for (let k = 0; k < 10; ++k) {
      const angle = angleOf(c, 0.05 + k / 10);
      ctx.beginPath();
      for (const at of circleAt([x, y, z], angle, 48)) {
        look.camera.project([0, 1, 2].map((e) => place[e] + radius * at[e]), spot);
        this.toPicture(spot, look);
        ctx.lineTo(spot[0], spot[1]);
      }
      ctx.fill();
    }
  }

  private disc(x: number, y: number, r: number): void {
    this.ctx.beginPath();
    this.ctx.arc(x, y, r, 0, 2 * Math.PI);
    this.ctx.fill();
  }

  /** Pieces of one colour, to 5 bits a channel, are one path. */
  private lines(layer: LineLayer, look: Look): void {
    const { ctx, spot, other } = this;
    const { points, colours } = layer;
    const paths = new Map<number, Path2D>();
    for (let k = 0; k < layer.count; ++k) {
      look.camera.project(points.subarray(6 * k, 6 * k + 3), spot);
      look.camera.project(points.subarray(6 * k + 3, 6 * k + 6), other);
      if (spot[2] > 1 || other[2] > 1) continue;
      this.toPicture(spot, look);
      this.toPicture(other, look);
      const [r, g, b] = [0, 1, 2].map((c) => byteOf(colours[6 * k + c]) >> 3);
      const key = (r << 10) | (g << 5) | b;
      let path = paths.get(key);
      if (!path) paths.set(key, (path = new Path2D()));
      path.moveTo(spot[0], spot[1]);
      path.lineTo(other[0], other[1]);
    }
    ctx.lineWidth = look.ratio * Math.max(1, layer.width);
    ctx.lineCap = layer.width > 0 ? "round" : "butt";
    for (const [key, path] of paths) {
      ctx.strokeStyle = css(...([key >> 10, (key >> 5) & 31, key & 31].map((c) => c / 31) as Rgb));
      ctx.stroke(path);
    }
  }

  private boids(layer: BoidLayer, look: Look): void {
    const { camera, paper, ink } = look;
    const [from, to] = fogOf(look);
    const scale = (look.height / 2) * camera.projectionMatrix.elements[5] * look.radius;
    const seen = new Float64Array(4 * layer.count); // x, y, radius, depth
    for (let i = 0; i < layer.count; ++i) {
      const place = layer.places.subarray(3 * i, 3 * i + 3);
      const deep = -camera.seen(place, this.other)[2];
      if (deep <= camera.near || layer.sizes[i] <= 0) continue; // radius 0: not seen
      this.toPicture(camera.project(place, this.spot), look);
      seen.set([this.spot[0], this.spot[1], Math.max(1, (scale * layer.sizes[i]) / deep), deep], 4 * i);
    }
    const order = Array.from({ length: layer.count }, (_, i) => i).filter((i) => seen[4 * i + 2] > 0);
    order.sort((i, j) => seen[4 * j + 3] - seen[4 * i + 3]);
    for (const i of order) {
      const [x, y, r, deep] = seen.subarray(4 * i, 4 * i + 4);
      const far = 0.7 * Math.max(0, Math.min(1, (deep - from) / Math.max(1e-6, to - from)));
      const faded = (c: number, k: number) => c + far * (paper[k] - c);
      const ringed = layer.marks[i] === 1;
      if (layer.marks[i] > 1.5) this.ring(x, y, Math.max((kLeastHalo * look.ratio) / 2, kHalo * r), ink);
      if (ringed) {
        this.ctx.fillStyle = css(faded(ink[0], 0), faded(ink[1], 1), faded(ink[2], 2));
        this.disc(x, y, r);
      }
      const c = layer.colours.subarray(3 * i, 3 * i + 3);
      this.ctx.fillStyle = css(faded(0.88 * c[0], 0), faded(0.88 * c[1], 1), faded(0.88 * c[2], 2));
      this.disc(x, y, ringed ? kRing * r : r);
      if (r < 4) continue;
      this.ctx.fillStyle = css(...([0, 1, 2].map((k) => faded(Math.min(1, c[k] + 0.16), k)) as Rgb));
      this.disc(x - 0.22 * r, y - 0.26 * r, 0.36 * r);
    }
  }

  /** A ring of radius r, its outer edge. */
  private ring(x: number, y: number, r: number, ink: Rgb): void {
    const { ctx } = this;
    ctx.strokeStyle = css(...ink);
    ctx.lineWidth = 0.22 * r;
    ctx.beginPath();
    ctx.arc(x, y, 0.89 * r, 0, 2 * Math.PI);
    ctx.stroke();
  }

  dispose(): void {}
}
