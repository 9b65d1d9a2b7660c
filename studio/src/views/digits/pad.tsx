// pad.tsx: drawing on the pad or on the stage itself: strokes of mouse, pen, finger or keys become ink, and ink a value of the recipe.
import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Ink } from "../../core/protocol";
import { Button, Group, Segments, Slider, Switch } from "../../parts/controls";
import type { Stage } from "../../scene/stage";
import type { Branch } from "../../state/branch";
import { change, word } from "../../state/recipe";
import { showError } from "../../state/session";
import { isDark } from "../../state/theme";
import { strings } from "../../strings";
import { kGates } from "./draw";
import type { Drawn } from "./flight";
import { kSide } from "./ink";
import { brushNow, kPixels, onTop, penKey, penLeaves, type Sheet, tool, type Tool, widthOf } from "./sheet";

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
  /** As many, of which the first are shown. */
  sheets: readonly Sheet[];
  onRandom(): void;
  onFiles(files: File[]): void;
}

function PadButtons({ pads, sheets, onRandom, onFiles }: PadProps) {
  const words = strings.digits;
  const file = useRef<HTMLInputElement>(null);
  return (
    <div class="pad-buttons">
      <Button primary onClick={onRandom}>{pads.length > 1 ? words.randomPair : words.random}</Button>
      <Button hint={words.fileHint} onClick={() => file.current?.click()}>{words.file}</Button>
      {pads.length === 1 && (
        <Button
          hint={words.takeBackHint}
          disabled={sheets[0].strokes.value === 0}
          onClick={() => void sheets[0].takeBack().catch(showError)}
        >
          {words.takeBack}
        </Button>
      )}
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
    void sheet.up().catch(showError);
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
        onKeyDown={(event) => penKey(event, sheet)}
        onBlur={() => penLeaves(sheet)}
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
        <Button label={side === "" ? undefined : named(words.clear)} onClick={() => sheet.clear()}>
          {words.clear}
        </Button>
      </div>
    </div>
  );
}

export function Pad(props: PadProps) {
  const words = strings.digits;
  const { pads, sheets } = props;
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
        <div class="choice">
          <span>{words.tool}</span>
          <Segments
            label={words.tool}
            value={tool.value}
            options={[...words.toolNames]}
            onChange={(next) => (tool.value = next as Tool)}
          />
        </div>
        <Slider
          label={words.brush}
          value={brushNow()}
          least={8}
          most={48}
          onChange={(value) => change({ brush: value === 24 ? "" : value }, true)}
        />
        <Switch label={words.onTop} hint={words.onTopHint} on={onTop.value} onChange={(on) => (onTop.value = on)} />
      </Group>
    </div>
  );
}

/** Whether a drag on the stage draws rather than turns. */
export const draws = signal(true);

const kSlack = 4; // CSS pixels a click may wander
const kFlat = 0.35; // a sheet seen more from its side is drawn on as if it faced the viewer

/** Pixels of the pad -> CSS pixels of the stage: (a, b, c, d, e, f) as a canvas has them. */
type Affine = readonly [number, number, number, number, number, number];

type Spot = { x: number; y: number };

/** The sheet as the camera sees it; a square in the middle where it is seen from its side. */
export function sheetOn(corners: readonly (Spot | null)[], width: number, height: number): Affine {
  const [topLeft, topRight, bottomLeft] = corners;
  if (topLeft && topRight && bottomLeft) {
    const [a, b] = [(topRight.x - topLeft.x) / kPixels, (topRight.y - topLeft.y) / kPixels];
    const [c, d] = [(bottomLeft.x - topLeft.x) / kPixels, (bottomLeft.y - topLeft.y) / kPixels];
    const area = a * d - b * c;
    const long = Math.max(Math.hypot(a, b), Math.hypot(c, d));
    if (area > kFlat * long * long) return [a, b, c, d, topLeft.x, topLeft.y];
  }
  const side = (0.8 * Math.min(width, height)) / kPixels;
  return [side, 0, 0, side, (width - side * kPixels) / 2, (height - side * kPixels) / 2];
}

/** The inverse, of one place. */
export function onSheet([a, b, c, d, e, f]: Affine, { x, y }: Spot): Spot {
  const area = a * d - b * c;
  return { x: (d * (x - e) - c * (y - f)) / area, y: (a * (y - f) - b * (x - e)) / area };
}

function affineOf(stage: Stage): Affine {
  const { clientWidth: w, clientHeight: h } = stage.canvas;
  const corner = (x: number, y: number) => stage.onScreen([x, y, 0]);
  return sheetOn([corner(-kGates, kGates), corner(kGates, kGates), corner(-kGates, -kGates)], w, h);
}

interface PenProps {
  stage: Stage | null;
  branch: Branch;
  /** The only sheet, or the left and the right one. */
  sheets: readonly Sheet[];
}

/** Where a stroke may begin outside of the canvas: on the answer above it, on the words below it. */
const kAround = ".verdicts, .what";

/** Attaches the pen to the stage's canvas and what surrounds it; returns the function that detaches it. */
function listen(stage: Stage, branch: Branch, sheets: readonly Sheet[]): () => void {
  const { canvas } = stage;
  const paper = canvas.closest<HTMLElement>(".digit-scene") ?? canvas;
  const off = new AbortController();
  let start: (Spot & { id: number; event: PointerEvent }) | null = null;
  let sheet: Sheet | null = null;
  let affine: Affine = [1, 0, 0, 1, 0, 0];
  const at = (event: PointerEvent): Spot => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const put = (event: PointerEvent, deed: "down" | "move") => {
    const { x, y } = onSheet(affine, at(event));
    sheet?.[deed](x, y, widthOf(event));
  };
  const down = (event: PointerEvent) => {
    if (!event.isPrimary) {
      sheet?.drop(); // two fingers turn
      start = sheet = null;
      return;
    }
    if (event.target !== canvas && !(event.target as Element).closest(kAround)) return; // a button, a hand
    const other = event.altKey || event.shiftKey || event.ctrlKey || event.metaKey;
    if (event.button !== 0 || other || branch.moving.value || !draws.value) return;
    start = { ...at(event), id: event.pointerId, event };
  };
  const move = (event: PointerEvent) => {
    if (event.pointerId !== start?.id) return;
    const { x, y } = at(event);
    if (!sheet) {
      if (Math.hypot(x - start.x, y - start.y) <= kSlack) return;
      affine = affineOf(stage);
      sheet = sheets.length > 1 && start.x > canvas.clientWidth / 2 ? sheets[1] : sheets[0];
      sheet.pen.value = null;
      canvas.setPointerCapture(event.pointerId);
      put(start.event, "down");
    }
    for (const one of event.getCoalescedEvents?.() ?? [event]) put(one, "move");
  };
  const up = (event: PointerEvent) => {
    if (event.pointerId !== start?.id) return;
    void sheet?.up().catch(showError);
    start = sheet = null;
  };
  const options = { capture: true, signal: off.signal };
  paper.addEventListener("pointerdown", down, options);
  paper.addEventListener("pointermove", move, options);
  paper.addEventListener("pointerup", up, options);
  paper.addEventListener("pointercancel", up, options);
  return () => off.abort();
}

/** Paints the sheets as they lie on the stage, and says where the keys' pen is. */
function paint(canvas: HTMLCanvasElement, stage: Stage, sheets: readonly Sheet[]): Spot | null {
  const { clientWidth: w, clientHeight: h } = stage.canvas;
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  canvas.width = Math.max(1, Math.round(w * ratio));
  canvas.height = Math.max(1, Math.round(h * ratio));
  const affine = affineOf(stage);
  const ctx = canvas.getContext("2d")!;
  ctx.scale(ratio, ratio);
  ctx.transform(...affine);
  sheets.find((sheet) => sheet.sketching.value || sheet.pen.value)?.paint(ctx);
  const pen = sheets[0].pen.value;
  const [a, b, c, d, e, f] = affine;
  return pen && { x: a * pen.x + c * pen.y + e, y: b * pen.x + d * pen.y + f };
}

/** The ink on the stage while it is drawn, and the pen of the keys; touches go to the stage below. */
export function StagePen({ stage, branch, sheets }: PenProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const cursor = useRef<HTMLSpanElement>(null);
  const words = strings.digits;
  const painted = sheets.map((sheet) => sheet.painted.value).join();
  const sketching = sheets.some((sheet) => sheet.sketching.value);
  const pen = sheets[0].pen.value;
  useEffect(() => (stage ? listen(stage, branch, sheets) : undefined), [stage, branch, sheets]);
  useEffect(() => stage?.pen(draws.value), [stage, draws.value]);
  useEffect(() => {
    if (!stage || (!sketching && !pen)) return;
    const spot = paint(canvas.current!, stage, sheets);
    if (spot && cursor.current) cursor.current.style.translate = `${spot.x}px ${spot.y}px`;
  }, [stage, painted, sketching, pen, isDark.value]);
  if (!stage) return null;
  return (
    <div class={sketching ? "stage-pen sketching" : "stage-pen"} data-sketching={sketching}>
      <canvas
        ref={canvas}
        role="application"
        aria-label={words.stageLabel}
        tabIndex={0}
        onKeyDown={(event) => penKey(event, sheets[0])}
        onBlur={() => penLeaves(sheets[0])}
      />
      {pen && <span ref={cursor} class={pen.down ? "pen down" : "pen"} />}
    </div>
  );
}

/** What a drag on the stage does. */
export function DragChoice() {
  const words = strings.digits;
  return (
    <div class="drag-choice">
      <Segments
        label={words.drag}
        value={draws.value ? "draw" : "turn"}
        options={[...words.dragNames]}
        onChange={(value) => (draws.value = value === "draw")}
      />
    </div>
  );
}
