// sheet.ts: the drawing: an older picture below, strokes of pen and eraser above, and the recipe's value for them.
import { signal } from "@preact/signals";
import type { Ink } from "../../core/protocol";
import { amount, word } from "../../state/recipe";
import { showError } from "../../state/session";
import type { PadName } from "./flight";
import { kNoInk } from "./ink";
import { begin, centred } from "./picture";

export const kPixels = 280; // of the pad, ten a pixel of the swarm's picture
const kEdge = 6; // pixels kept free where a drawing is made to fit

/** One movement of the pen or of the eraser: places, which may be off the pad, and widths. */
export interface Line {
  erases: boolean;
  points: { x: number; y: number; width: number }[];
}

/** Drawings made during this visit, by their word: undo brings them back as they were drawn. */
const drawn = new Map<string, { below: Ink | null; lines: Line[] }>();

/** The word of the drawing that came out of the one before it by a stroke more or less. */
export const grown = signal("");

export type Tool = "pen" | "eraser";
/** What the hand holds, on every pad and on the stage. */
export const tool = signal<Tool>("pen");
/** Whether strokes go on what is there, whatever it is. */
export const onTop = signal(false);

/** How thick the pen draws, in pixels of the pad: a stylus by its pressure, all else evenly. */
export function widthOf(event: PointerEvent): number {
  return event.pointerType === "pen" ? brushNow() * (0.4 + 1.2 * event.pressure) : brushNow();
}
export function brushNow(): number {
  return amount("brush", 24, 8, 48);
}

function paintInk(ctx: CanvasRenderingContext2D, ink: Ink): void {
  const small = document.createElement("canvas");
  small.width = ink.width;
  small.height = ink.height;
  const data = new ImageData(ink.width, ink.height);
  ink.pixels.forEach((p, k) => (data.data[4 * k + 3] = p));
  small.getContext("2d")!.putImageData(data, 0, 0);
  ctx.drawImage(small, 0, 0, kPixels, kPixels);
}

function paintLine(ctx: CanvasRenderingContext2D, { points, erases }: Line, from = 0): void {
  ctx.lineCap = ctx.lineJoin = "round";
  ctx.globalCompositeOperation = erases ? "destination-out" : "source-over";
  for (let k = from; k < points.length; ++k) {
    const a = points[Math.max(0, k - 1)];
    const b = points[k];
    ctx.lineWidth = b.width;
    ctx.beginPath();
    ctx.moveTo(a.x, a.y);
    ctx.lineTo(b.x + 0.01, b.y);
    ctx.stroke();
  }
  ctx.globalCompositeOperation = "source-over";
}

/** Scale and shift that bring strokes, wherever they are, onto the pad; the identity where they are on it. */
export function fitOf(lines: readonly Line[]): { scale: number; x: number; y: number } {
  const points = lines.filter((line) => !line.erases).flatMap((line) => line.points);
  const span = (axis: "x" | "y") => {
    const low = Math.min(0, ...points.map((p) => p[axis] - p.width / 2 - kEdge));
    const high = Math.max(kPixels, ...points.map((p) => p[axis] + p.width / 2 + kEdge));
    return { low, size: high - low };
  };
  const [across, down] = [span("x"), span("y")];
  const scale = kPixels / Math.max(across.size, down.size);
  return { scale, x: -scale * across.low, y: -scale * down.low };
}

/** Black ink; the page's style recolours it. */
export class Sheet {
  /** The pen of the keys. */
  readonly pen = signal<{ x: number; y: number; down: boolean } | null>(null);
  /** Counts what was painted: whoever shows the sheet elsewhere paints again. */
  readonly painted = signal(0);
  readonly sketching = signal(false);
  /** How many strokes could be taken back one by one. */
  readonly strokes = signal(0);
  canvas: HTMLCanvasElement | null = null;
  /** Hears of every movement while a stroke is drawn. */
  onSketch: (() => void) | null = null;
  private below: Ink | null = null;
  private lines: Line[] = [];
  private line: Line | null = null;

  /** `landed`: whether the flight of what is on the sheet has ended. */
  constructor(readonly name: PadName, private readonly landed: () => boolean) {}

  /** The word of the recipe that holds the drawing. */
  get word(): `ink${PadName}` {
    return `ink${this.name}`;
  }

  private get ctx(): CanvasRenderingContext2D {
    return this.canvas!.getContext("2d", { willReadFrequently: true })!;
  }

  /** Shows what the recipe says, unless a stroke is being drawn. */
  show(text: string, ink: Ink | null): void {
    if (this.line) return;
    const known = drawn.get(text);
    this.lines = known ? [...known.lines] : [];
    this.below = known ? known.below : ink;
    this.strokes.value = this.lines.length;
    this.repaint();
  }

  private repaint(): void {
    ++this.painted.value;
    if (!this.canvas) return;
    const { ctx } = this;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, kPixels, kPixels);
    const { scale, x, y } = fitOf(this.all);
    ctx.setTransform(scale, 0, 0, scale, x, y);
    this.paint(ctx);
  }

  private get all(): Line[] {
    return this.line ? [...this.lines, this.line] : this.lines;
  }

  /** Paints everything, in pixels of the pad, onto whatever the context is. */
  paint(ctx: CanvasRenderingContext2D): void {
    if (this.below) paintInk(ctx, this.below);
    for (const line of this.all) paintLine(ctx, line);
  }

  /** Whether a stroke would begin a new sheet: over a digit that was not drawn here, and once the flight has ended. */
  private get fresh(): boolean {
    if (onTop.value || tool.value === "eraser" || word("fool", "") !== "") return false;
    return this.landed() || (this.below !== null && word(this.word, "") === "");
  }

  down(x: number, y: number, width: number): void {
    if (this.fresh) {
      this.below = null;
      this.lines = [];
    }
    const erases = tool.value === "eraser";
    this.line = { erases, points: [{ x, y, width }] };
    this.sketching.value = true;
    this.repaint();
  }

  move(x: number, y: number, width: number): void {
    if (!this.line) return;
    this.line.points.push({ x, y, width });
    const on = [x, y].every((c) => c > width / 2 && c < kPixels - width / 2);
    if (on && this.canvas) {
      paintLine(this.ctx, this.line, this.line.points.length - 1);
      ++this.painted.value;
    } else this.repaint();
    this.onSketch?.();
  }

  get drawing(): boolean {
    return this.line !== null;
  }

  /** A stroke that was none after all: a second finger came. */
  drop(): void {
    if (!this.line) return;
    this.line = null;
    this.sketching.value = false;
    this.repaint();
  }

  /** What is on the sheet now, at the size of the pad. */
  ink(): Ink {
    const { data } = this.ctx.getImageData(0, 0, kPixels, kPixels);
    const pixels = Uint8Array.from({ length: kPixels * kPixels }, (_, k) => data[4 * k + 3]);
    return { height: kPixels, width: kPixels, pixels };
  }

  /** The stroke ends, and the drawing goes into the recipe. */
  async up(): Promise<void> {
    if (!this.line) return;
    this.lines = this.all;
    this.line = null;
    await this.keep();
  }

  /** Takes the last stroke back. */
  async takeBack(): Promise<void> {
    if (this.lines.length === 0) return;
    this.lines = this.lines.slice(0, -1);
    await this.keep();
  }

  private async keep(): Promise<void> {
    const kept = { below: this.below, lines: this.lines };
    const more = this.below !== null || this.lines.length !== 1 || this.strokes.value > 1;
    this.strokes.value = this.lines.length;
    this.repaint(); // the same strokes are the same ink, however they came
    try {
      const text = await centred(this.ink());
      if (text !== null) drawn.set(text, kept);
      grown.value = more ? (text ?? "") : "";
      begin({ [this.word]: text ?? kNoInk }, this.name);
    } finally {
      this.sketching.value = false;
    }
  }

  clear(): void {
    begin({ [this.word]: kNoInk, fool: "" }, this.name);
  }
}

const kKeyStep = 7;

/** Keys of whoever shows a sheet: arrows move the pen, space and Enter put it down and lift it. */
export function penKey(event: KeyboardEvent, sheet: Sheet): void {
  const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  const pen = sheet.pen.value ?? { x: kPixels / 2, y: kPixels / 4, down: false };
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  if (by) {
    const x = Math.max(10, Math.min(kPixels - 10, pen.x + kKeyStep * by[0]));
    const y = Math.max(10, Math.min(kPixels - 10, pen.y + kKeyStep * by[1]));
    if (pen.down) sheet.move(x, y, brushNow());
    sheet.pen.value = { ...pen, x, y };
  } else if (event.key === " " || event.key === "Enter") {
    if (pen.down) void sheet.up().catch(showError);
    else sheet.down(pen.x, pen.y, brushNow());
    sheet.pen.value = { ...pen, down: !pen.down };
  } else return;
  event.preventDefault();
  event.stopPropagation();
}

/** The keys' pen goes elsewhere: a stroke that is down ends. */
export function penLeaves(sheet: Sheet): void {
  if (sheet.pen.value?.down) void sheet.up().catch(showError);
  sheet.pen.value = null;
}
