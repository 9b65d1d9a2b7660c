// figures.ts: numbers as the page writes them, with the decimal sign of its language.
import { between, decimal, fixed } from "./decimal";

/** A chance in per cent, with one place where it is near 0 or 1; `over`: how the language says "over". */
export const chance = (share: number, over: string) =>
  share > 0.9995 ? `${over} ${fixed(99.9, 1)} %` : `${fixed(100 * share, share > 0.975 || share < 0.01 ? 1 : 0)} %`;

export const percent = (share: number) => `${fixed(100 * share, share < 0.1 ? 1 : 0)} %`;
export const percentFine = (share: number) => `${fixed(100 * share, 1)} %`;

const plain = (x: number) => String(Number(Math.abs(x) >= 100 ? x.toFixed(0) : x.toPrecision(3)));
/** Three digits that count. */
export const figure = (x: number) =>
  decimal(Math.abs(x) >= 0.01 || x === 0 ? plain(x) : x.toExponential(1)).replace("-", "−");

/** An angle, given in radians. */
export const degrees = (angle: number) => `${fixed((180 * angle) / Math.PI, 0)}°`;

/** A coordinate: two places, fewer where it is large. */
export const coordinate = (x: number) =>
  fixed(x, Math.abs(x) >= 100 ? 0 : Math.abs(x) >= 10 ? 1 : 2).replace("-", "−");
export const vector = (values: readonly number[]) => `(${values.map(coordinate).join(between())})`;
export const times = (factor: number) =>
  `× ${decimal(factor < 0.01 || factor >= 100 ? factor.toExponential(1) : factor.toPrecision(2))}`;

/** A large number in threes parted by narrow spaces, where a comma would read as a point. */
export const thousands = (x: number) => x.toLocaleString("en").replaceAll(",", "\u202f");
