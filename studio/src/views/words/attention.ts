// attention.ts: what a token attends to in a layer, by one head or by all.
import { isSpecial, type TracedText } from "./file";

/** The layer whose attention belongs to a frame: the one that acts next; at the last frame the one that acted. */
export function layerAt(frame: number, text: TracedText): number {
  return Math.max(0, Math.min(frame, text.frames - 2));
}

/** (n) shares of what a token hears in a layer; `head` null is the mean over all. Null where they are not kept. */
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

/** How the shares of a layer are read: by one head or the mean of all, with marks such as [CLS] or among words alone. */
export interface AttentionChoice {
  layer: number;
  head: number | null;
  marks: boolean;
}

/** (n, n) row i: what token i hears. Null where it is not kept. */
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
export function heardBy(text: TracedText, matrix: Float64Array, token: number, marks: boolean): Float64Array {
  const n = text.tokens.length;
  return Float64Array.from({ length: n }, (_, i) => (!marks && isSpecial(text.tokens[i]) ? 0 : matrix[i * n + token]));
}

/** The shares among words alone: tokens that stand for none are not heard, and the rest adds up to one. */
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
