// neither.ts: decides whether a drawing is unlike the digit its flock voted for, by the directions of its strokes.
//
//   f = sqrt(h / |h|),   h (cells, cells, bins): how much edge of which direction lies where
//   refused: (f - m_c)^T P_c (f - m_c) > limit_c
//
// m_c, P_c: mean and precision of f over training digits of class c; limit_c: what 1 in 100 of other training digits of
// that class exceeds. A flock always flies somewhere, so where it ends says little of this (docs/studio.md).
import type { Ink } from "../../core/protocol";

export const kCells = 4; // a side
export const kBins = 4; // directions of an edge, of half a turn
export const kFeatures = kCells * kCells * kBins;
const kPacked = (kFeatures * (kFeatures + 1)) / 2;
/** Numbers of one digit's law in digit_laws.bin: mean, upper half of the precision by rows, limit. */
export const kLawNumbers = kFeatures + kPacked + 1;

/** One number a pixel, blurred by (1, 2, 1) / 4 along both axes; paper beyond the edge. */
function blurred({ height, width, pixels }: Ink): Float64Array {
  const at = (from: ArrayLike<number>, y: number, x: number) =>
    y < 0 || x < 0 || y >= height || x >= width ? 0 : from[y * width + x];
  const along = (from: ArrayLike<number>, dy: number, dx: number) =>
    Float64Array.from({ length: height * width }, (_, k) => {
      const [y, x] = [Math.floor(k / width), k % width];
      return (at(from, y - dy, x - dx) + 2 * at(from, y, x) + at(from, y + dy, x + dx)) / 4;
    });
  return along(along(pixels, 1, 0), 0, 1);
}

/** The features f of some ink, (cells, cells, bins); zeros where there is none. */
export function directionsOf(ink: Ink): Float64Array {
  const { height, width } = ink;
  const grey = blurred(ink);
  const out = new Float64Array(kFeatures);
  for (let y = 1; y < height - 1; ++y) {
    for (let x = 1; x < width - 1; ++x) {
      const k = y * width + x;
      const gx = grey[k + 1] - grey[k - 1];
      const gy = grey[k + width] - grey[k - width];
      const edge = Math.hypot(gx, gy);
      if (edge === 0) continue;
      const angle = Math.atan2(gy, gx) / Math.PI; // in half turns: an edge has two sides
      const place = kBins * (angle - Math.floor(angle));
      const bin = Math.floor(place);
      const cell = Math.floor((y * kCells) / height) * kCells + Math.floor((x * kCells) / width);
      out[cell * kBins + (bin % kBins)] += edge * (1 - (place - bin));
      out[cell * kBins + ((bin + 1) % kBins)] += edge * (place - bin);
    }
  }
  const length = Math.hypot(...out);
  return length > 0 ? out.map((h) => Math.sqrt(h / length)) : out;
}

/** (f - m)^T P (f - m) of one law. */
export function squaredDistance(law: ArrayLike<number>, features: Float64Array): number {
  let sum = 0;
  for (let a = 0, p = kFeatures; a < kFeatures; ++a) {
    const za = features[a] - law[a];
    sum += law[p++] * za * za;
    for (let b = a + 1; b < kFeatures; ++b) sum += 2 * law[p++] * za * (features[b] - law[b]);
  }
  return sum;
}

/** How unlike a digit some ink is, in units of the limit: above 1 it is refused. `laws`: those of 0 to 9. */
export function strangeness(laws: Float32Array, ink: Ink, digit: number): number {
  const law = laws.subarray(digit * kLawNumbers, (digit + 1) * kLawNumbers);
  if (law.length < kLawNumbers) return 0;
  return squaredDistance(law, directionsOf(ink)) / law[kLawNumbers - 1];
}
