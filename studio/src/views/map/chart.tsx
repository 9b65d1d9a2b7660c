// chart.tsx: the map on a canvas: pixels, axes, colour bar, lines of the theory, and a cursor for pointer and keys.
import { useEffect, useRef } from "preact/hooks";
import { isDark } from "../../state/theme";
import { map as mapText } from "../../strings/map";
import {
  betasOf, moved, paint, ticksOf, timesOf, tone, viridis, type PhaseMap, type Pixel, type Quantity,
} from "./phase_map";

interface ChartProps {
  atlas: PhaseMap;
  quantity: Quantity;
  chosen: Pixel;
  cursor: Pixel | null;
  /** A pointer passes over a pixel, or leaves the map. */
  onPass(pixel: Pixel | null): void;
  /** A key moves the cursor. */
  onMove(pixel: Pixel): void;
  onChoose(pixel: Pixel): void;
}

/** CSS pixels round the map: for the labels of the axes and the colour bar. */
const kEdge = { left: 44, right: 66, top: 22, bottom: 40 };
const kNarrow = 240; // CSS pixels: axes shorter than this have short names

interface Sheet {
  ctx: CanvasRenderingContext2D;
  width: number;
  height: number;
  w: number; // of the map itself
  h: number;
  ink: string;
  soft: string;
}

function picture(atlas: PhaseMap, quantity: Quantity): HTMLCanvasElement {
  const { pixels, width, height } = paint(atlas, quantity);
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  canvas.getContext("2d")!.putImageData(new ImageData(pixels, width, height), 0, 0);
  return canvas;
}

/** The middle of a pixel on the sheet. */
function placeOf(atlas: PhaseMap, sheet: Sheet, pixel: Pixel): { x: number; y: number } {
  return {
    x: kEdge.left + ((pixel.column + 0.5) / timesOf(atlas).length) * sheet.w,
    y: kEdge.top + (1 - (pixel.row + 0.5) / betasOf(atlas).length) * sheet.h,
  };
}

/** Where a number of an axis lies, in pixels of the map from its first. */
function along(values: readonly number[], value: number): number {
  const step = (values.at(-1)! - values[0]) / (values.length - 1);
  return (value - values[0]) / step;
}

function drawAxes(atlas: PhaseMap, sheet: Sheet): void {
  const { ctx, w, h, soft } = sheet;
  const words = mapText;
  ctx.fillStyle = soft;
  ctx.font = "12px system-ui, sans-serif";
  ctx.textBaseline = "top";
  ctx.textAlign = "center";
  for (let t = 0; t <= timesOf(atlas).at(-1)!; t += 5) {
    const { x } = placeOf(atlas, sheet, { row: 0, column: along(timesOf(atlas), t) });
    ctx.fillText(String(t), x, kEdge.top + h + 5);
  }
  ctx.fillText(w < kNarrow ? words.axisTimeShort : words.axisTime, kEdge.left + w / 2, kEdge.top + h + 22);
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  for (let beta = 1; beta <= betasOf(atlas).at(-1)!; ++beta) {
    const { y } = placeOf(atlas, sheet, { row: along(betasOf(atlas), beta), column: 0 });
    ctx.fillText(String(beta), kEdge.left - 6, y);
  }
  ctx.save();
  ctx.translate(12, kEdge.top + h / 2);
  ctx.rotate(-Math.PI / 2);
  ctx.textAlign = "center";
  ctx.fillText(h < kNarrow ? words.axisBetaShort : words.axisBeta, 0, 0);
  ctx.restore();
}

function drawBar(sheet: Sheet, quantity: Quantity): void {
  const { ctx, w, h, soft } = sheet;
  const x = kEdge.left + w + 14;
  const few = quantity === "clusters";
  for (let y = 0; y < h; ++y) {
    const place = 1 - y / Math.max(1, h - 1);
    ctx.fillStyle = `rgb(${viridis(few ? 1 - place : place).join()})`;
    ctx.fillRect(x, kEdge.top + y, 12, 1.5);
  }
  ctx.fillStyle = soft;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ctx.fillText(mapText.barTitles[quantity], x - 2, kEdge.top - 11);
  for (const { text, place } of ticksOf(quantity)) {
    ctx.fillText(text, x + 18, kEdge.top + (1 - place) * h);
  }
}

const kSmall = 300; // CSS pixels: a map narrower than this has small words
const kTiny = 200; // CSS pixels: and one narrower than this no words of crests
const kWaves = 6; // waves are named until this time: then clusters have formed at their crests

/** Where the fastest wave of an even ring gains a crest, drawn over the time in which it grows; the crests between the lines. */
function drawTheory(atlas: PhaseMap, sheet: Sheet): void {
  const { ctx, w } = sheet;
  const betas = betasOf(atlas);
  const y = (beta: number) => placeOf(atlas, sheet, { row: along(betas, beta), column: 0 }).y;
  const end = placeOf(atlas, sheet, { row: 0, column: along(timesOf(atlas), kWaves) }).x;
  const stops = [betas[0], ...atlas.fastest_mode.switches, betas.at(-1)!];
  ctx.setLineDash([6, 5]);
  for (const [width, colour] of [[3.5, "#0009"], [1.5, "#fff"]] as const) {
    ctx.lineWidth = width;
    ctx.strokeStyle = colour;
    for (const beta of atlas.fastest_mode.switches) {
      ctx.beginPath();
      ctx.moveTo(kEdge.left, y(beta));
      ctx.lineTo(end, y(beta));
      ctx.stroke();
    }
  }
  ctx.setLineDash([]);
  ctx.font = "500 11px system-ui, sans-serif";
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  for (let k = 1; k < stops.length && w > kTiny; ++k) {
    const at = k === 1 ? (y(stops[0]) + y(stops[1])) / 2 : y(stops[k]) + 11; // below its line
    outlined(ctx, mapText.mode(k), w < kSmall ? end + 4 : kEdge.left + 5, at); // a narrow strip has room only for its own name
  }
}

/** Where the regions of the map are named: (t, beta); found on the map, not put there. */
const kRegions = { apart: [1.9, 4.4], one: [18, 0.62], two: [18, 4.3], three: [18, 7.2] } as const;
const kNarrowAt = 21; // the time at which a narrow map names them, clear of the crests

/** The names of the regions; the first is written along the strip in which no tokens have met yet. */
function drawRegions(atlas: PhaseMap, sheet: Sheet): void {
  const { ctx } = sheet;
  ctx.font = `600 ${sheet.w < kSmall ? 11 : 13}px system-ui, sans-serif`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  for (const [name, [wide, beta]] of Object.entries(kRegions) as [keyof typeof kRegions, readonly [number, number]][]) {
    const t = sheet.w < kSmall && name !== "apart" ? kNarrowAt : wide;
    const { x, y } = placeOf(atlas, sheet, { row: along(betasOf(atlas), beta), column: along(timesOf(atlas), t) });
    ctx.save();
    ctx.translate(x, y);
    if (name === "apart") ctx.rotate(-Math.PI / 2);
    outlined(ctx, mapText.regions[name], 0, 0);
    ctx.restore();
  }
}

/** White words that can be read on any colour. */
function outlined(ctx: CanvasRenderingContext2D, text: string, x: number, y: number): void {
  ctx.lineJoin = "round";
  ctx.lineWidth = 3.5;
  ctx.strokeStyle = "#000b";
  ctx.strokeText(text, x, y);
  ctx.fillStyle = "#fff";
  ctx.fillText(text, x, y);
}

function drawMark(atlas: PhaseMap, sheet: Sheet, pixel: Pixel, size: number): void {
  const { ctx } = sheet;
  const { x, y } = placeOf(atlas, sheet, pixel);
  for (const [width, colour] of [[4, "#000c"], [2, "#fff"]] as const) {
    ctx.lineWidth = width;
    ctx.strokeStyle = colour;
    ctx.beginPath();
    ctx.arc(x, y, size, 0, 2 * Math.PI);
    ctx.stroke();
  }
}

function drawCross(atlas: PhaseMap, sheet: Sheet, pixel: Pixel): void {
  const { ctx, w, h } = sheet;
  const { x, y } = placeOf(atlas, sheet, pixel);
  ctx.lineWidth = 1;
  ctx.strokeStyle = "#fffb";
  ctx.beginPath();
  ctx.moveTo(kEdge.left, y);
  ctx.lineTo(kEdge.left + w, y);
  ctx.moveTo(x, kEdge.top);
  ctx.lineTo(x, kEdge.top + h);
  ctx.stroke();
  drawMark(atlas, sheet, pixel, 4);
}

function sheetOf(canvas: HTMLCanvasElement): Sheet | null {
  const { clientWidth: width, clientHeight: height } = canvas;
  if (width < 80 || height < 80) return null;
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const ctx = canvas.getContext("2d")!;
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  const style = getComputedStyle(canvas);
  return {
    ctx, width, height,
    w: width - kEdge.left - kEdge.right,
    h: height - kEdge.top - kEdge.bottom,
    ink: style.getPropertyValue("--ink").trim(),
    soft: style.getPropertyValue("--ink-soft").trim(),
  };
}

/** The pixel under a place of the canvas, or null off the map. */
function pixelUnder(atlas: PhaseMap, canvas: HTMLCanvasElement, event: PointerEvent | MouseEvent): Pixel | null {
  const box = canvas.getBoundingClientRect();
  const u = (event.clientX - box.left - kEdge.left) / (box.width - kEdge.left - kEdge.right);
  const v = (event.clientY - box.top - kEdge.top) / (box.height - kEdge.top - kEdge.bottom);
  if (u < 0 || u >= 1 || v < 0 || v >= 1) return null;
  return { row: Math.floor((1 - v) * betasOf(atlas).length), column: Math.floor(u * timesOf(atlas).length) };
}

export function Chart(props: ChartProps) {
  const { atlas, quantity, chosen, cursor } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const made = useRef<{ key: string; image: HTMLCanvasElement } | null>(null);
  const draw = () => {
    const sheet = canvas.current && sheetOf(canvas.current);
    if (!sheet) return;
    if (made.current?.key !== quantity) made.current = { key: quantity, image: picture(atlas, quantity) };
    sheet.ctx.clearRect(0, 0, sheet.width, sheet.height);
    sheet.ctx.imageSmoothingEnabled = false;
    sheet.ctx.drawImage(made.current.image, kEdge.left, kEdge.top, sheet.w, sheet.h);
    drawAxes(atlas, sheet);
    drawBar(sheet, quantity);
    drawTheory(atlas, sheet);
    drawRegions(atlas, sheet);
    drawMark(atlas, sheet, chosen, 6);
    if (cursor) drawCross(atlas, sheet, cursor);
  };
  const latest = useRef(draw);
  latest.current = draw;
  useEffect(draw, [atlas, quantity, chosen.row, chosen.column, cursor?.row, cursor?.column, isDark.value]);
  useEffect(() => {
    const watch = new ResizeObserver(() => latest.current());
    watch.observe(canvas.current!);
    return () => watch.disconnect();
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    const far = event.shiftKey ? 10 : 1;
    const by = { ArrowLeft: [0, -far], ArrowRight: [0, far], ArrowUp: [far, 0], ArrowDown: [-far, 0] }[event.key];
    if (by) props.onMove(moved(atlas, cursor ?? chosen, by[0], by[1]));
    else if (event.key === "Enter" || event.key === " ") props.onChoose(cursor ?? chosen);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <canvas
      ref={canvas}
      class="chart"
      role="application"
      tabIndex={0}
      aria-label={mapText.chart}
      aria-describedby="map-value"
      data-quantity={quantity}
      data-tone={tone(quantity, atlas.values[quantity][chosen.row][chosen.column]).toFixed(3)}
      onPointerMove={(event) => props.onPass(pixelUnder(atlas, event.currentTarget, event))}
      onPointerLeave={() => props.onPass(null)}
      onClick={(event) => {
        const pixel = pixelUnder(atlas, event.currentTarget, event);
        if (pixel) props.onChoose(pixel);
      }}
      onKeyDown={onKeyDown}
    />
  );
}
