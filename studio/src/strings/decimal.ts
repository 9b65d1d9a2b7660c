// decimal.ts: the decimal sign of the page's language, for all numbers that it shows; addresses and files keep the point.

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
