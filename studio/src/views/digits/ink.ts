// ink.ts: ink as a value of the recipe, and pictures and points converted to input of a transformer.
import type { Ink } from "../../core/protocol";

export const kSide = 28;

/** Ink of the first visit: a five of MNIST's test set. */
export const kFirstInk =
  "Dw8PDw8PDw8PBah3FEV4qPCgw-_HC5_bC-9M8emZgRC-8aERERDwBvIw8GnyIPBu8qMPBW8-oQ8EOr7" +
  "xxhDwU67xsQ8GOu8MQPB28aDwc_HQ6WBk8dDvFhAxzx0Orx2Wie8sDj74wPAD720g8Cm_LWDw8PDw8OA";

/** The recipe's word for a cleared pad. */
export const kNoInk = "none";

const kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Bytes as text that an address can hold (base64url without padding). */
export function encodeBytes(bytes: Uint8Array): string {
  let text = "";
  for (let k = 0; k < bytes.length; k += 3) {
    const group = (bytes[k] << 16) | ((bytes[k + 1] ?? 0) << 8) | (bytes[k + 2] ?? 0);
    const letters = 1 + Math.min(3, bytes.length - k);
    for (let l = 0; l < letters; ++l) text += kLetters[(group >> (18 - 6 * l)) & 63];
  }
  return text;
}

/** The inverse; null where a letter does not belong. */
export function decodeBytes(text: string): Uint8Array | null {
  if (text.length % 4 === 1) return null;
  const bytes = new Uint8Array(Math.floor((3 * text.length) / 4));
  let bits = 0;
  let held = 0;
  let k = 0;
  for (const letter of text) {
    const value = kLetters.indexOf(letter);
    if (value < 0) return null;
    bits = ((bits << 6) | value) & 0xffff;
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes[k++] = (bits >> held) & 255;
    }
  }
  return bytes;
}

/**
 * A 28 x 28 picture as text: sixteen shades, reading order; paper (0) and full ink (15) are followed by how many
 * further ones come after, 15 at most. Pixels above half stay above half.
 */
export function encodeInk(ink: Ink): string {
  const shades = Array.from(ink.pixels, (p) => Math.round(p / 17));
  const halves: number[] = [];
  for (let k = 0; k < shades.length; ++k) {
    const shade = shades[k];
    halves.push(shade);
    if (shade !== 0 && shade !== 15) continue;
    let more = 0;
    while (more < 15 && shades[k + 1] === shade) {
      ++more;
      ++k;
    }
    halves.push(more);
  }
  if (halves.length % 2 === 1) halves.push(0);
  const bytes = new Uint8Array(halves.length / 2);
  for (let k = 0; k < bytes.length; ++k) bytes[k] = (halves[2 * k] << 4) | halves[2 * k + 1];
  return encodeBytes(bytes);
}

/** The inverse; null if the text is not a picture. */
export function decodeInk(text: string): Ink | null {
  const bytes = decodeBytes(text);
  if (!bytes) return null;
  const pixels = new Uint8Array(kSide * kSide);
  const half = (h: number) => (h % 2 === 0 ? bytes[h >> 1] >> 4 : bytes[h >> 1] & 15);
  let p = 0;
  let h = 0;
  while (p < pixels.length) {
    if (h >= 2 * bytes.length) return null;
    const shade = half(h++);
    let count = 1;
    if (shade === 0 || shade === 15) {
      if (h >= 2 * bytes.length) return null;
      count += half(h++);
    }
    if (p + count > pixels.length) return null;
    pixels.fill(17 * shade, p, p + count);
    p += count;
  }
  return 2 * bytes.length - h <= 1 ? { height: kSide, width: kSide, pixels } : null;
}

/** Grey (0 black, 255 white) as ink: the middle shade of the border is the paper, whichever of the two it is. */
export function inkOfGrey(grey: ArrayLike<number>, height: number, width: number): Ink {
  const border: number[] = [];
  for (let x = 0; x < width; ++x) border.push(grey[x], grey[(height - 1) * width + x]);
  for (let y = 0; y < height; ++y) border.push(grey[y * width], grey[y * width + width - 1]);
  const paper = border.sort((a, b) => a - b)[border.length >> 1];
  const most = Math.max(paper, 255 - paper);
  const sum = Array.from(grey).reduce((all, g) => all + g - paper, 0);
  const sign = sum <= 0 ? -1 : 1; // what differs from the paper is darker, or brighter
  const pixels = Uint8Array.from({ length: height * width }, (_, k) => {
    const gap = (sign * (grey[k] - paper) * 255) / most;
    return gap > 24 ? Math.min(255, Math.round(gap)) : 0; // the paper's grain is no ink
  });
  return { height, width, pixels };
}

/** Whether there is anything on the paper. */
export function hasInk(ink: Ink): boolean {
  return ink.pixels.some((p) => p > 0);
}

/** (n, 3) places as text: thousandths of a unit in two bytes each, low byte first. */
export function encodePlaces(rows: Float64Array): string {
  const bytes = new Uint8Array(2 * rows.length);
  const view = new DataView(bytes.buffer);
  rows.forEach((x, k) => view.setInt16(2 * k, Math.max(-32768, Math.min(32767, Math.round(1000 * x))), true));
  return encodeBytes(bytes);
}

/** The inverse; null if the text is not a list of positions. */
export function decodePlaces(text: string): Float64Array | null {
  const bytes = decodeBytes(text);
  if (!bytes || bytes.length === 0 || bytes.length % 6 !== 0) return null;
  const view = new DataView(bytes.buffer);
  return Float64Array.from({ length: bytes.length / 2 }, (_, k) => view.getInt16(2 * k, true) / 1000);
}

/** (n, 2 or 3) places as (n, 3) in the habitat [-10, 10]: as they are when they fit, else centred and scaled. */
export function fitPlaces(rows: Float64Array, d: number): { rows: Float64Array; scaled: boolean } {
  const n = rows.length / d;
  const out = new Float64Array(3 * n);
  for (let i = 0; i < n; ++i) for (let c = 0; c < d; ++c) out[3 * i + c] = rows[d * i + c];
  const scaled = rows.some((x) => Math.abs(x) > 10);
  if (!scaled) return { rows: out, scaled };
  const middle = [0, 1, 2].map((c) => {
    let least = Infinity;
    let most = -Infinity;
    for (let i = 0; i < n; ++i) {
      least = Math.min(least, out[3 * i + c]);
      most = Math.max(most, out[3 * i + c]);
    }
    return { at: (least + most) / 2, half: (most - least) / 2 };
  });
  const scale = 10 / Math.max(1e-12, ...middle.map((m) => m.half));
  return { rows: out.map((x, k) => (x - middle[k % 3].at) * scale), scaled };
}
