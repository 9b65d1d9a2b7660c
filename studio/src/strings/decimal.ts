// decimal.ts: the decimal sign of the language that is spoken, for every number that is read; addresses and files keep the point.

let sign = ".";

/** From now on numbers are read with this sign. */
export function readDecimalsWith(next: "." | ","): void {
  sign = next;
}

/** The text of a number, as "1.5" or "2.0e-3", with the sign of the language. */
export function decimal(text: string): string {
  return sign === "." ? text : text.replace(".", sign);
}

/** What stands between numbers of a list: a comma that is a decimal sign parts nothing. */
export function between(): string {
  return sign === "." ? ", " : "; ";
}

/** A number with so many places. */
export function fixed(value: number, places: number): string {
  return decimal(value.toFixed(places));
}

/** A number in as many digits as it has. */
export function written(value: number): string {
  return decimal(String(value));
}
