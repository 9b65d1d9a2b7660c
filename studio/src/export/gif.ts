// gif.ts: writes pictures as an animated GIF (GIF89a): one palette for all, and only the changed part of each picture.

const kNone = 255; // the index that leaves a pixel as it is
const kBits = 5; // a channel, by which colours are counted
const kBins = 1 << (3 * kBits);

function binOf(r: number, g: number, b: number): number {
  return ((r >> 3) << 10) | ((g >> 3) << 5) | (b >> 3);
}

/** How often each colour occurs, to 5 bits a channel, and the sums of what was counted there. */
export class Histogram {
  readonly count = new Uint32Array(kBins);
  readonly sums = new Float64Array(3 * kBins);

  /** Counts a picture (pixels, 4), and gives its bins (pixels). */
  add(rgba: Uint8ClampedArray): Uint16Array {
    const bins = new Uint16Array(rgba.length / 4);
    for (let k = 0; k < bins.length; ++k) {
      const [r, g, b] = [rgba[4 * k], rgba[4 * k + 1], rgba[4 * k + 2]];
      const bin = binOf(r, g, b);
      bins[k] = bin;
      ++this.count[bin];
      this.sums[3 * bin] += r;
      this.sums[3 * bin + 1] += g;
      this.sums[3 * bin + 2] += b;
    }
    return bins;
  }
}

/** The mean colour of some bins, and the channel in which they spread most, weighed by their pixels. */
function boxOf({ count, sums }: Histogram, bins: number[]) {
  const mean = [0, 0, 0];
  let all = 0;
  for (const bin of bins) {
    all += count[bin];
    for (let c = 0; c < 3; ++c) mean[c] += sums[3 * bin + c];
  }
  for (let c = 0; c < 3; ++c) mean[c] /= all;
  const spread = [0, 0, 0];
  for (const bin of bins) {
    for (let c = 0; c < 3; ++c) spread[c] += Math.sqrt(count[bin]) * (sums[3 * bin + c] / count[bin] - mean[c]) ** 2;
  }
  const channel = spread.indexOf(Math.max(...spread));
  return { bins, mean, channel, spread: spread[channel] };
}

/** Up to `most` colours by splitting, again and again, the box that spreads most at its mean; (colours, 3). */
export function paletteOf(histogram: Histogram, most = kNone): number[][] {
  const used = Array.from(histogram.count.keys()).filter((bin) => histogram.count[bin] > 0);
  const boxes = [boxOf(histogram, used)];
  while (boxes.length < most) {
    const widest = boxes.reduce((best, box, k) => (box.spread > boxes[best].spread ? k : best), 0);
    const { bins, mean, channel } = boxes[widest];
    const value = (bin: number) => histogram.sums[3 * bin + channel] / histogram.count[bin];
    const low = bins.filter((bin) => value(bin) <= mean[channel]);
    if (low.length === 0 || low.length === bins.length) break; // every box is one colour
    const high = bins.filter((bin) => value(bin) > mean[channel]);
    boxes.splice(widest, 1, boxOf(histogram, low), boxOf(histogram, high));
  }
  return boxes.map(({ mean }) => mean.map(Math.round));
}

/** For every bin that occurs the colour of the palette that is nearest to it. */
function indexOfBins({ count, sums }: Histogram, palette: number[][]): Uint8Array {
  const index = new Uint8Array(kBins);
  for (let bin = 0; bin < kBins; ++bin) {
    if (count[bin] === 0) continue;
    let least = Infinity;
    palette.forEach((colour, k) => {
      let gap = 0;
      for (let c = 0; c < 3; ++c) gap += (sums[3 * bin + c] / count[bin] - colour[c]) ** 2;
      if (gap < least) {
        least = gap;
        index[bin] = k;
      }
    });
  }
  return index;
}

/** Bytes that grow. */
class Bytes {
  private room = new Uint8Array(1 << 16);
  private used = 0;

  put(...bytes: number[]): void {
    for (const byte of bytes) this.byte(byte);
  }
  byte(byte: number): void {
    if (this.used === this.room.length) {
      const more = new Uint8Array(2 * this.used);
      more.set(this.room);
      this.room = more;
    }
    this.room[this.used++] = byte;
  }
  /** In blocks of 255 at most, each with its length before it, ended by an empty one. */
  blocks(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += 255) {
      const part = bytes.subarray(at, at + 255);
      this.byte(part.length);
      for (const byte of part) this.byte(byte);
    }
    this.byte(0);
  }
  done(): Uint8Array<ArrayBuffer> {
    return this.room.slice(0, this.used);
  }
}

/** The variable-length codes of GIF for indices of 8 bits: each string of the table but its last is an older one. */
export function packed(indices: Uint8Array): Uint8Array {
  const [clear, end, first] = [256, 257, 258];
  const out = new Bytes();
  const table = new Int16Array(4096 * 256).fill(-1); // (string, next index) -> string
  const made: number[] = [];
  let [size, next, bits, held] = [9, first, 0, 0];
  const put = (code: number) => {
    held |= code << bits;
    for (bits += size; bits >= 8; bits -= 8) {
      out.byte(held & 255);
      held >>>= 8;
    }
  };
  put(clear);
  let string = indices[0];
  for (let k = 1; k < indices.length; ++k) {
    const key = (string << 8) | indices[k];
    if (table[key] >= 0) {
      string = table[key];
      continue;
    }
    put(string);
    if (next < 4096) {
      if (next === 1 << size) ++size;
      table[key] = next++;
      made.push(key);
    } else {
      put(clear);
      for (const old of made) table[old] = -1;
      made.length = 0;
      [size, next] = [9, first];
    }
    string = indices[k];
  }
  put(string);
  if (next === 1 << size && size < 12) ++size;
  put(end);
  if (bits > 0) out.byte(held & 255);
  return out.done();
}

/** The smallest box around what differs; null where nothing does. */
export function changed(now: Uint8Array, before: Uint8Array, width: number) {
  let [left, right, top, bottom] = [width, -1, -1, -1];
  for (let k = 0; k < now.length; ++k) {
    if (now[k] === before[k]) continue;
    const x = k % width;
    const y = (k - x) / width;
    if (top < 0) top = y;
    bottom = y;
    left = Math.min(left, x);
    right = Math.max(right, x);
  }
  return top < 0 ? null : { x: left, y: top, w: right - left + 1, h: bottom - top + 1 };
}

export interface GifOptions {
  width: number;
  height: number;
  delay: number; // hundredths of a second that a picture is shown
  rest: number; // and the last one
  comment: string;
}

/** A film that begins again when it ends. */
export class GifMaker {
  private readonly histogram = new Histogram();
  private readonly pictures: Uint16Array[] = []; // bins

  constructor(private readonly options: GifOptions) {}

  /** Takes a picture (height, width, 4). */
  add(rgba: Uint8ClampedArray): void {
    this.pictures.push(this.histogram.add(rgba));
  }

  finish(): Uint8Array<ArrayBuffer> {
    const { width, height, delay, rest, comment } = this.options;
    const palette = paletteOf(this.histogram);
    const index = indexOfBins(this.histogram, palette);
    const out = new Bytes();
    const two = (value: number) => [value & 255, value >> 8];
    const text = (words: string) => new TextEncoder().encode(words);
    out.put(...text("GIF89a"), ...two(width), ...two(height), 0xf7, 0, 0);
    for (let k = 0; k < 256; ++k) out.put(...(palette[k] ?? [0, 0, 0]));
    out.put(0x21, 0xff, 11, ...text("NETSCAPE2.0"), 3, 1, 0, 0, 0); // for ever
    out.put(0x21, 0xfe);
    out.blocks(text(comment));
    let before: Uint8Array | null = null;
    this.pictures.forEach((bins, k) => {
      const now = Uint8Array.from(bins, (bin) => index[bin]);
      const whole = { x: 0, y: 0, w: width, h: height };
      const box = before ? (changed(now, before, width) ?? { x: 0, y: 0, w: 1, h: 1 }) : whole;
      const part = new Uint8Array(box.w * box.h);
      for (let y = 0; y < box.h; ++y) {
        for (let x = 0; x < box.w; ++x) {
          const at = (box.y + y) * width + box.x + x;
          part[y * box.w + x] = before && before[at] === now[at] ? kNone : now[at];
        }
      }
      const stands = k + 1 === this.pictures.length ? rest : delay;
      out.put(0x21, 0xf9, 4, before ? 5 : 4, ...two(stands), kNone, 0); // kept when the next one comes
      out.put(0x2c, ...two(box.x), ...two(box.y), ...two(box.w), ...two(box.h), 0, 8);
      out.blocks(packed(part));
      before = now;
    });
    out.put(0x3b);
    return out.done();
  }
}

/** The first comment of a GIF, or null. */
export function gifComment(gif: Uint8Array): string | null {
  const table = (flags: number) => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0);
  let at = 13 + table(gif[10] ?? 0);
  const blocks = (): number[] => {
    const bytes: number[] = [];
    while (at < gif.length && gif[at] !== 0) {
      bytes.push(...gif.subarray(at + 1, at + 1 + gif[at]));
      at += 1 + gif[at];
    }
    ++at;
    return bytes;
  };
  while (at + 2 < gif.length) {
    const kind = gif[at];
    if (kind === 0x21) {
      const comment = gif[at + 1] === 0xfe;
      at += 2;
      const bytes = blocks();
      if (comment) return new TextDecoder().decode(Uint8Array.from(bytes));
    } else if (kind === 0x2c) {
      at += 10 + table(gif[at + 9]) + 1;
      blocks();
    } else return null;
  }
  return null;
}
