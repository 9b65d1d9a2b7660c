// stage_pen.tsx: drawing on the stage itself: the drawing lies where its ink will start.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Segments } from "../../parts/controls";
import type { Stage } from "../../scene/stage";
import type { Branch } from "../../state/branch";
import { tell } from "../../state/session";
import { isDark } from "../../state/theme";
import { strings } from "../../strings";
import { kGates } from "./squeeze";
import { kPixels, penKey, penLeaves, widthOf, type Sheet } from "./sheet";

/** Whether a drag on the stage draws rather than turns. */
export const draws = signal(true);

const kSlack = 4; // CSS pixels a click may wander
const kFlat = 0.35; // a sheet seen more from its side is drawn on as if it faced the viewer

/** Pixels of the pad -> CSS pixels of the stage: (a, b, c, d, e, f) as a canvas has them. */
export type Affine = readonly [number, number, number, number, number, number];

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

/** Where a stroke may begin beside the canvas: on the answer above it, on the words below it. */
const kAround = ".verdicts, .what";

/** Puts the pen on the stage's canvas and what stands around it; gives the way to take it off. */
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
    void sheet?.up().catch(tell);
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
