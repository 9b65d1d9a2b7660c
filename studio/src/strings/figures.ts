// figures.ts: numbers as every language of the page writes them: with a point.

/** A chance in per cent, with one place where it is near 0 or 1; `over`: how the language says "over". */
export const chance = (share: number, over: string) =>
  share > 0.9995 ? `${over} 99.9 %` : `${(100 * share).toFixed(share > 0.975 || share < 0.01 ? 1 : 0)} %`;

export const percent = (share: number) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
export const percentFine = (share: number) => `${(100 * share).toFixed(1)} %`;

const plain = (x: number) => String(Number(Math.abs(x) >= 100 ? x.toFixed(0) : x.toPrecision(3)));
/** Three digits that count. */
export const figure = (x: number) =>
  (Math.abs(x) >= 0.01 || x === 0 ? plain(x) : x.toExponential(1)).replace("-", "−");

/** A coordinate: two places, fewer where it is large. */
export const coordinate = (x: number) =>
  x.toFixed(Math.abs(x) >= 100 ? 0 : Math.abs(x) >= 10 ? 1 : 2).replace("-", "−");
export const vector = (values: readonly number[]) => `(${values.map(coordinate).join(", ")})`;
export const times = (factor: number) =>
  `× ${factor < 0.01 || factor >= 100 ? factor.toExponential(1) : factor.toPrecision(2)}`;

/** A large number in threes parted by narrow spaces, where a comma would read as a point. */
export const thousands = (x: number) => x.toLocaleString("en").replaceAll(",", "\u202f");
