// numbers.ts: writes numbers for the page, with the decimal sign of its language; addresses and files keep the point.

let sign = ".";

/** Sets the sign for all numbers shown from now on. */
export function readDecimalsWith(next: "." | ","): void {
  sign = next;
}

/** The text of a number, as "1.5" or "2.0e-3", with the sign of the language. */
export function decimal(text: string): string {
  return sign === "." ? text : text.replace(".", sign);
}

/** The separator of the numbers in a list: a semicolon where the comma is the decimal sign. */
export function between(): string {
  return sign === "." ? ", " : "; ";
}

/** A number with a fixed count of decimal places. */
export function fixed(value: number, places: number): string {
  return decimal(value.toFixed(places));
}

/** A number with all its digits. */
export function written(value: number): string {
  return decimal(String(value));
}

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
