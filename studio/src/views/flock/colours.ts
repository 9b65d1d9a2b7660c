// colours.ts: positions, orders and weights as perceptually even colours (OKLab).

/** OKLab to linear sRGB, written at out[3 i]; clipped to what a screen shows. */
export function oklab(L: number, a: number, b: number, out: Float32Array, i: number): void {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  out[3 * i] = encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
  out[3 * i + 1] = encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
  out[3 * i + 2] = encode(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s);
}

/** The sRGB curve. */
function encode(linear: number): number {
  const v = Math.min(1, Math.max(0, linear));
  return v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055;
}

/** Lightness in the middle and its swing, and the chroma, for dark and for light paper. */
export function shades(dark: boolean): { L: number; swing: number; chroma: number } {
  return dark ? { L: 0.76, swing: 0.1, chroma: 0.15 } : { L: 0.6, swing: 0.12, chroma: 0.165 };
}

/**
 * Directions as colours: the unit sphere goes into OKLab as a ball, so that even steps on the one
 * are even steps of colour; on the circle (third coordinate 0) the angle is the hue.
 * `places` (n, 3), of any length.
 */
export function colourByPlace(places: Float32Array, dark: boolean, out: Float32Array): void {
  const { L, swing, chroma } = shades(dark);
  for (let i = 0; i < places.length / 3; ++i) {
    const x = places[3 * i];
    const y = places[3 * i + 1];
    const z = places[3 * i + 2];
    const length = Math.hypot(x, y, z) || 1;
    const flat = Math.hypot(x, y) || 1;
    // Towards the poles the hue keeps some chroma: grey boids would say nothing.
    const c = chroma * (0.35 + (0.65 * Math.hypot(x, y)) / length);
    oklab(L + (swing * z) / length, (c * x) / flat, (c * y) / flat, out, i);
  }
}

/** Places in a line as colours: the first warm and strong, the last cool. */
export function colourByOrder(n: number, dark: boolean, out: Float32Array): void {
  const { L, chroma } = shades(dark);
  for (let i = 0; i < n; ++i) {
    const share = n > 1 ? i / (n - 1) : 0;
    const hue = (0.08 + 0.62 * share) * 2 * Math.PI;
    oklab(L + 0.06 - 0.12 * share, chroma * Math.cos(hue), chroma * Math.sin(hue), out, i);
  }
}
