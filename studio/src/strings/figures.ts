// figures.ts: writes numbers for the page, with the decimal sign of its language.
import { between, decimal, fixed } from "./decimal";

/** A probability in per cent, with one decimal place where it is near 0 or 1; `over`: the word "over" in the language. */
export const chance = (share: number, over: string) =>
  share > 0.9995 ? `${over} ${fixed(99.9, 1)} %` : `${fixed(100 * share, share > 0.975 || share < 0.01 ? 1 : 0)} %`;

export const percent = (share: number) => `${fixed(100 * share, share < 0.1 ? 1 : 0)} %`;
export const percentFine = (share: number) => `${fixed(100 * share, 1)} %`;

const plain = (x: number) => String(Number(Math.abs(x) >= 100 ? x.toFixed(0) : x.toPrecision(3)));
/** Three significant digits. */
export const figure = (x: number) =>
  decimal(Math.abs(x) >= 0.01 || x === 0 ? plain(x) : x.toExponential(1)).replace("-", "−");

/** An angle, given in radians. */
export const degrees = (angle: number) => `${fixed((180 * angle) / Math.PI, 0)}°`;

/** A coordinate: two decimal places, fewer where it is large. */
export const coordinate = (x: number) =>
  fixed(x, Math.abs(x) >= 100 ? 0 : Math.abs(x) >= 10 ? 1 : 2).replace("-", "−");
export const vector = (values: readonly number[]) => `(${values.map(coordinate).join(between())})`;
export const times = (factor: number) =>
  `× ${decimal(factor < 0.01 || factor >= 100 ? factor.toExponential(1) : factor.toPrecision(2))}`;

/** A large number with a narrow space between groups of three digits, since a comma could be read as a decimal sign. */
export const thousands = (x: number) => x.toLocaleString("en").replaceAll(",", "\u202f");
