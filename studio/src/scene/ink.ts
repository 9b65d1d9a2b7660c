// ink.ts: the theme's colours as numbers, for tokens (sRGB) and for lines (linear light).

export type Rgb = [number, number, number];

/** "#1a2130", "#abc" or "rgb(26, 33, 48)" -> 0 to 1 in sRGB; grey for anything else. */
export function parseInk(text: string): Rgb {
  const long = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text.trim());
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(text.trim());
  const parts = long?.slice(1) ?? short?.slice(1).map((c) => c + c);
  if (parts) return parts.map((hex) => parseInt(hex, 16) / 255) as Rgb;
  const tens = /^rgba?\(([\d.]+)[ ,]+([\d.]+)[ ,]+([\d.]+)/.exec(text.trim());
  return tens ? (tens.slice(1).map((c) => Number(c) / 255) as Rgb) : [0.5, 0.5, 0.5];
}

const known = new Map<string, Rgb>();

/** The colour a CSS variable has now, in sRGB; the style is asked once a theme. Not to be written into. */
export function inkOf(variable: string): Rgb {
  const root = document.documentElement;
  const key = `${root.dataset.theme} ${variable}`;
  const before = known.get(key);
  if (before) return before;
  const text = getComputedStyle(root).getPropertyValue(variable);
  const ink = parseInk(text);
  if (text !== "") known.set(key, ink); // a style that is still on its way is asked again
  return ink;
}

export function mixInk(a: Rgb, b: Rgb, share: number): Rgb {
  return [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]), a[2] + share * (b[2] - a[2])];
}

/** sRGB -> linear light, of one channel. */
export function linearOne(c: number): number {
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
}

/** sRGB -> linear light, as the lines of the stage want it. */
export function linear(colour: Rgb): Rgb {
  return [linearOne(colour[0]), linearOne(colour[1]), linearOne(colour[2])];
}

/** Straight pieces gathered one by one into arrays that grow and are used again. */
export class Pieces {
  private points = new Float32Array(6 * 256);
  private colours = new Float32Array(6 * 256);
  private count = 0;

  clear(): void {
    this.count = 0;
  }

  /** From a to b (three coordinates each); colours in linear light. */
  add(a: ArrayLike<number>, b: ArrayLike<number>, from: Rgb, to: Rgb = from): void {
    const start = 6 * this.count++;
    if (start + 6 > this.points.length) {
      this.points = grown(this.points);
      this.colours = grown(this.colours);
    }
    for (let k = 0; k < 3; ++k) {
      this.points[start + k] = a[k];
      this.points[start + 3 + k] = b[k];
      this.colours[start + k] = from[k];
      this.colours[start + 3 + k] = to[k];
    }
  }

  /** (pieces, 2, 3) each; views that the next clear() makes stale. */
  get lines(): { points: Float32Array; colours: Float32Array } {
    return { points: this.points.subarray(0, 6 * this.count), colours: this.colours.subarray(0, 6 * this.count) };
  }
}

function grown(old: Float32Array): Float32Array<ArrayBuffer> {
  const room = new Float32Array(2 * old.length);
  room.set(old);
  return room;
}
