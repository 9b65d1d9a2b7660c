// matrix.tsx: what tokens attend to in a layer, by one head or by all, and its matrix of shares: a row attends to the columns.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { inkOf, mixInk, type Rgb } from "../../scene/ink";
import { change } from "../../state/recipe";
import { isDark, isTouch } from "../../state/theme";
import { words } from "../../strings/words";
import { isSpecial, spelled, type TracedText } from "./file";

/** The layer whose attention belongs to a frame: the one that acts next; at the last frame the one that acted. */
export function layerAt(frame: number, text: TracedText): number {
  return Math.max(0, Math.min(frame, text.frames - 2));
}

/** (n) attention weights of a token in a layer; `head` null is the mean over all. Null where they are not kept. */
export function sharesOf(text: TracedText, heads: number, layer: number, token: number, head: number | null): Float64Array | null {
  const n = text.tokens.length;
  if (!text.attention || token < 0 || token >= n) return null;
  const out = new Float64Array(n);
  const asked = head === null ? Array.from({ length: heads }, (_, h) => h) : [head];
  for (const h of asked) {
    const row = ((layer * heads + h) * n + token) * n;
    for (let j = 0; j < n; ++j) out[j] += text.attention[row + j] / asked.length;
  }
  const sum = out.reduce((all, share) => all + share, 0); // rounded numbers do not quite add up to one
  return sum > 0 ? out.map((share) => share / sum) : out;
}

/** How the shares of a layer are read: by one head or the mean of all, with marks such as [CLS] or only among words. */
export interface AttentionChoice {
  layer: number;
  head: number | null;
  marks: boolean;
}

/** (n, n) row i: the weights of token i. Null where it is not kept. */
export function matrixOf(text: TracedText, heads: number, { layer, head, marks }: AttentionChoice): Float64Array | null {
  const n = text.tokens.length;
  if (!text.attention) return null;
  const all = new Float64Array(n * n);
  for (let i = 0; i < n; ++i) {
    const shares = sharesOf(text, heads, layer, i, head)!;
    all.set(marks ? shares : amongWords(text, shares), i * n);
  }
  return all;
}

/** (n) of every token the share of its hearing that goes to one; without marks those do not listen either. */
export function attentionOf(text: TracedText, matrix: Float64Array, token: number, marks: boolean): Float64Array {
  const n = text.tokens.length;
  return Float64Array.from({ length: n }, (_, i) => (!marks && isSpecial(text.tokens[i]) ? 0 : matrix[i * n + token]));
}

/** The weights among words only: special tokens are left out, and the rest adds up to one. */
export function amongWords(text: TracedText, shares: Float64Array): Float64Array {
  const kept = shares.map((share, j) => (isSpecial(text.tokens[j]) ? 0 : share));
  const sum = kept.reduce((all, share) => all + share, 0);
  return sum > 0 ? kept.map((share) => share / sum) : kept;
}

/** The `most` loudest, loudest first; those of less than a two-hundredth are left out. */
export function loudest(shares: Float64Array, most: number): number[] {
  const order = [...shares.keys()].sort((a, b) => shares[b] - shares[a] || a - b);
  return order.slice(0, most).filter((j) => shares[j] >= 0.005);
}

/** How much nearer the twin is than a token that never moved, as a share of that distance; NaN where none moved. */
export function explained(distance: number, still: number): number {
  return still > 1e-9 ? 1 - distance / still : NaN;
}

const kSide = 272; // CSS pixels of the map with its names
const kNamed = 24; // rows have names where there are so many at most
const kNames = 64; // CSS pixels for them

const css = (ink: Rgb) => `rgb(${ink.map((part) => Math.round(255 * part)).join(" ")})`;

/** How dark a share is drawn, 0 to 1: by its root, so that small ones show. */
export function shadeOf(share: number): number {
  return Math.sqrt(Math.min(1, Math.max(0, share)));
}

/** The cell under a position of the map; null outside of it. */
export function cellAt(x: number, y: number, n: number): [number, number] | null {
  const left = n <= kNamed ? kNames : 0;
  const size = (kSide - left) / n;
  const [row, column] = [Math.floor(y / size), Math.floor((x - left) / size)];
  return row >= 0 && row < n && column >= 0 && column < n ? [row, column] : null;
}

function paint(canvas: HTMLCanvasElement, text: TracedText, matrix: Float64Array, at: { row: number | null; column: number }): void {
  const n = text.tokens.length;
  const left = n <= kNamed ? kNames : 0;
  const size = (kSide - left) / n;
  const scale = Math.min(3, devicePixelRatio || 1);
  canvas.width = kSide * scale;
  canvas.height = size * n * scale;
  const pen = canvas.getContext("2d");
  if (!pen) return;
  pen.scale(scale, scale);
  const [paper, ink] = [inkOf("--paper"), inkOf("--left")];
  for (let i = 0; i < n; ++i)
    for (let j = 0; j < n; ++j) {
      pen.fillStyle = css(mixInk(paper, ink, shadeOf(matrix[i * n + j])));
      pen.fillRect(left + j * size, i * size, size + 0.3, size + 0.3);
    }
  if (left > 0) {
    pen.font = `${Math.min(12, 0.85 * size)}px system-ui, sans-serif`;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (let i = 0; i < n; ++i) {
      pen.fillStyle = css(inkOf(i === at.row ? "--ink" : "--ink-soft"));
      pen.fillText(spelled(text.tokens[i]), left - 6, (i + 0.5) * size, left - 8);
    }
  }
  if (at.row === null) return;
  pen.strokeStyle = css(inkOf("--ink"));
  pen.lineWidth = 1.5;
  pen.strokeRect(left + 0.75, at.row * size + 0.75, n * size - 1.5, size - 1.5);
  pen.strokeRect(left + at.column * size + 0.75, at.row * size + 0.75, size - 1.5, size - 1.5);
}

/** The map of a layer. The listener's row is framed; a cell says its share. */
export function Matrix({ text, matrix, token, layer }: { text: TracedText; matrix: Float64Array; token: number | null; layer: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const heard = useSignal<number | null>(null);
  const n = text.tokens.length;
  const row = token;
  const column = heard.value !== null && heard.value < n ? heard.value : row ?? 0;
  useEffect(() => {
    if (canvas.current) paint(canvas.current, text, matrix, { row, column });
  }, [text, matrix, row, column, isDark.value]);

  const choose = (listener: number, other: number) => {
    heard.value = other;
    if (listener !== token) change({ boid: listener });
  };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation(); // arrows elsewhere go from layer to layer
    const hold = (place: number) => Math.min(n - 1, Math.max(0, place));
    choose(row === null ? 0 : hold(row + step[0]), hold(column + step[1]));
  };
  return (
    <div class="matrix">
      <p class="listener">{words.matrix}</p>
      <div role="application" tabIndex={0} class="matrix-map" aria-label={words.matrixLabel(layer, n)} onKeyDown={onKey}>
        <canvas
          ref={canvas}
          aria-hidden="true"
          onClick={(event) => {
            const box = event.currentTarget.getBoundingClientRect();
            const scale = kSide / box.width;
            const cell = cellAt((event.clientX - box.left) * scale, (event.clientY - box.top) * scale, n);
            if (cell) choose(...cell);
          }}
        />
      </div>
      <p class="cell" role="status">
        {row !== null && words.cell(spelled(text.tokens[row]), spelled(text.tokens[column]), words.percent(matrix[row * n + column]))}
      </p>
      <p class="hint">{words.matrixHint(isTouch.value)}</p>
    </div>
  );
}
