// pad.tsx: the draw pad: strokes of mouse, pen, finger or keys become ink, and ink a word of the recipe.
import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Ink } from "../../core/protocol";
import { Button, Group, Slider, Switch } from "../../parts/controls";
import { amount, change, word } from "../../state/recipe";
import { tell } from "../../state/session";
import { isDark } from "../../state/theme";
import { strings } from "../../strings";
import type { Drawn, PadName } from "./flight";
import { kNoInk, kSide } from "./ink";
import { begin, centred } from "./picture";

const kPixels = 280; // of the pad, ten a pixel of the swarm's picture
const kKeyStep = 7;

/** One movement of the pen: places and widths. */
type Line = { x: number; y: number; width: number }[];

/** Strokes of drawings made during this visit, by their word: undo brings them back as they were drawn. */
const drawn = new Map<string, Line[]>();

function paintInk(ctx: CanvasRenderingContext2D, ink: Ink): void {
  const small = document.createElement("canvas");
  small.width = ink.width;
  small.height = ink.height;
  const data = new ImageData(ink.width, ink.height);
  ink.pixels.forEach((p, k) => (data.data[4 * k + 3] = p));
  small.getContext("2d")!.putImageData(data, 0, 0);
  ctx.drawImage(small, 0, 0, kPixels, kPixels);
}

function paintLine(ctx: CanvasRenderingContext2D, line: Line, from = 0): void {
  ctx.lineCap = ctx.lineJoin = "round";
  for (let k = from; k < line.length; ++k) {
    const a = line[Math.max(0, k - 1)];
    const b = line[k];
    ctx.lineWidth = b.width;
    ctx.beginPath();
    ctx.moveTo(a.x, a.y);
    ctx.lineTo(b.x + 0.01, b.y);
    ctx.stroke();
  }
}

/** What is on the pad: an older picture below, strokes above; black, and recoloured by the page's style. */
class Sheet {
  readonly onTop = signal(false);
  readonly pen = signal<{ x: number; y: number; down: boolean } | null>(null);
  canvas: HTMLCanvasElement | null = null;
  private below: Ink | null = null;
  private lines: Line[] = [];
  private line: Line | null = null;

  constructor(readonly name: PadName) {}

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
    this.lines = known ? [...known] : [];
    this.below = known ? null : ink;
    this.repaint();
  }

  private repaint(): void {
    if (!this.canvas) return;
    this.ctx.clearRect(0, 0, kPixels, kPixels);
    if (this.below) paintInk(this.ctx, this.below);
    for (const line of this.lines) paintLine(this.ctx, line);
  }

  /** A stroke begins; over a digit that was not drawn here it begins a new drawing. */
  down(x: number, y: number, width: number): void {
    if (this.below && !this.onTop.value && word(this.word, "") === "") this.below = null;
    this.line = [{ x, y, width }];
    this.repaint();
    paintLine(this.ctx, this.line);
  }
  move(x: number, y: number, width: number): void {
    if (!this.line) return;
    this.line.push({ x, y, width });
    paintLine(this.ctx, this.line, this.line.length - 1);
  }
  get drawing(): boolean {
    return this.line !== null;
  }

  /** The stroke ends, and the drawing goes into the recipe. */
  async up(): Promise<void> {
    if (!this.line) return;
    const lines = [...this.lines, this.line];
    const whole = this.below === null;
    this.lines = lines;
    this.line = null;
    const { data } = this.ctx.getImageData(0, 0, kPixels, kPixels);
    const pixels = Uint8Array.from({ length: kPixels * kPixels }, (_, k) => data[4 * k + 3]);
    const text = await centred({ height: kPixels, width: kPixels, pixels });
    if (text === null) return;
    if (whole) drawn.set(text, lines);
    begin({ [this.word]: text }, this.name);
  }
}

/** How thick the pen draws: a stylus by its pressure, all else evenly. */
function widthOf(event: PointerEvent): number {
  const brush = amount("brush", 24, 8, 48);
  return event.pointerType === "pen" ? brush * (0.4 + 1.2 * event.pressure) : brush;
}

function onKey(event: KeyboardEvent, sheet: Sheet): void {
  const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  const pen = sheet.pen.value ?? { x: kPixels / 2, y: kPixels / 4, down: false };
  const brush = amount("brush", 24, 8, 48);
  if (by) {
    const x = Math.max(10, Math.min(kPixels - 10, pen.x + kKeyStep * by[0]));
    const y = Math.max(10, Math.min(kPixels - 10, pen.y + kKeyStep * by[1]));
    if (pen.down) sheet.move(x, y, brush);
    sheet.pen.value = { ...pen, x, y };
  } else if (event.key === " " || event.key === "Enter") {
    if (pen.down) void sheet.up().catch(tell);
    else sheet.down(pen.x, pen.y, brush);
    sheet.pen.value = { ...pen, down: !pen.down };
  } else return;
  event.preventDefault();
  event.stopPropagation();
}

/** The 28 x 28 the swarm sees. */
function Preview({ ink, label, caption }: { ink: Ink | null; label: string; caption: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const dark = isDark.value;
  useEffect(() => {
    const ctx = canvas.current!.getContext("2d")!;
    const data = new ImageData(kSide, kSide);
    ink?.pixels.forEach((p, k) => data.data.set(dark ? [241, 244, 250, p] : [26, 33, 48, p], 4 * k));
    ctx.putImageData(data, 0, 0);
  }, [ink, dark]);
  return (
    <figure class="seen">
      <canvas ref={canvas} width={kSide} height={kSide} role="img" aria-label={label} />
      <figcaption>{caption}</figcaption>
    </figure>
  );
}

interface PadProps {
  /** One picture, or the left and the right one. */
  pads: Drawn[];
  onRandom(): void;
  onFiles(files: File[]): void;
}

function PadButtons({ pads, onRandom, onFiles }: PadProps) {
  const words = strings.digits;
  const file = useRef<HTMLInputElement>(null);
  return (
    <div class="pad-buttons">
      <Button primary onClick={onRandom}>{pads.length > 1 ? words.randomPair : words.random}</Button>
      <Button hint={words.fileHint} onClick={() => file.current?.click()}>{words.file}</Button>
      <input
        ref={file}
        type="file"
        hidden
        aria-label={words.fileHint}
        accept="image/*,.npy,.csv,.tsv,.txt"
        onChange={(event) => {
          const input = event.currentTarget;
          if (input.files?.length) onFiles([...input.files]);
          input.value = "";
        }}
      />
    </div>
  );
}

/** The pointer's side of the pad: one pointer draws at a time, others are let pass. */
function pointersOf(sheet: Sheet) {
  let id: number | null = null;
  const at = (event: PointerEvent): [number, number, number] => {
    const box = sheet.canvas!.getBoundingClientRect();
    const scale = kPixels / box.width;
    return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale, widthOf(event)];
  };
  const up = (event: PointerEvent) => {
    if (event.pointerId !== id) return;
    id = null;
    void sheet.up().catch(tell);
  };
  return {
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0 || sheet.drawing) return;
      id = event.pointerId;
      sheet.canvas!.setPointerCapture(id);
      sheet.pen.value = null;
      sheet.down(...at(event));
    },
    onPointerMove(event: PointerEvent) {
      if (event.pointerId !== id) return;
      for (const e of event.getCoalescedEvents?.() ?? [event]) sheet.move(...at(e));
    },
    onPointerUp: up,
    onPointerCancel: up,
  };
}

/** The paper itself, with the pen of the keys above it. */
function Paper({ sheet, ink, label }: { sheet: Sheet; ink: Ink | null; label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const pointers = useMemo(() => pointersOf(sheet), [sheet]);
  const text = word(sheet.word, "");
  useEffect(() => {
    sheet.canvas = canvas.current;
    sheet.show(text, ink);
  }, [text, ink]);
  const pen = sheet.pen.value;
  return (
    <div class="sheet">
      <canvas
        ref={canvas}
        class="pad-canvas"
        width={kPixels}
        height={kPixels}
        role="application"
        aria-label={label}
        tabIndex={0}
        {...pointers}
        onKeyDown={(event) => onKey(event, sheet)}
        onBlur={() => {
          if (pen?.down) void sheet.up().catch(tell);
          sheet.pen.value = null;
        }}
      />
      {pen && (
        <span
          class={pen.down ? "pen down" : "pen"}
          style={{ left: `${(100 * pen.x) / kPixels}%`, top: `${(100 * pen.y) / kPixels}%` }}
        />
      )}
    </div>
  );
}

/** Pad, what the swarm sees of it, and the way to an empty sheet; `side`: which of two. */
function OnePad({ sheet, ink, side }: { sheet: Sheet; ink: Ink | null; side: string }) {
  const words = strings.digits;
  const named = (label: string) => (side === "" ? label : `${side}: ${label}`);
  return (
    <div class="pad-row">
      <Paper sheet={sheet} ink={ink} label={named(words.padLabel)} />
      <div class="pad-side">
        <Preview ink={ink} label={named(words.seenLabel)} caption={side === "" ? words.seen : words.seenShort} />
        <Button label={side === "" ? undefined : named(words.clear)} onClick={() => clear(sheet)}>{words.clear}</Button>
      </div>
    </div>
  );
}

function clear(sheet: Sheet): void {
  begin({ [sheet.word]: kNoInk }, sheet.name);
}

export function Pad(props: PadProps) {
  const words = strings.digits;
  const { pads } = props;
  const sheets = useMemo(() => [new Sheet(""), new Sheet("2")], []);
  const pair = pads.length > 1;
  return (
    <div class={pair ? "pad pair" : "pad"}>
      <div class="pads">
        {pads.map(({ ink }, k) => (
          <OnePad key={k} sheet={sheets[k]} ink={ink} side={pair ? words.sides[k] : ""} />
        ))}
      </div>
      <PadButtons {...props} />
      <Group title={words.pen} open={false}>
        <Slider
          label={words.brush}
          value={amount("brush", 24, 8, 48)}
          least={8}
          most={48}
          onChange={(value) => change({ brush: value === 24 ? "" : value }, true)}
        />
        <Switch
          label={words.onTop}
          on={sheets[0].onTop.value}
          onChange={(on) => sheets.forEach((sheet) => (sheet.onTop.value = on))}
        />
      </Group>
    </div>
  );
}
