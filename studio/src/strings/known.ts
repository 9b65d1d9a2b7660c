// known.ts: writes what the core knows about a setting in other languages, from the name and the values of each result.
import type { KnownName, KnownResult } from "../core/protocol";
import { decimal } from "./numbers";

/** For every result its text, with {0}, {1} for values; and its source where the core's has English words. */
export type KnownTexts = Record<KnownName, string | readonly [text: string, source: string]>;

export function writeKnown({ name, source, values }: KnownResult, texts: KnownTexts): string {
  const found = texts[name];
  const [text, from] = typeof found === "string" ? [found, source] : found;
  const value = (k: number) => (Number.isNaN(Number(values[k])) ? values[k] : decimal(values[k])); // formulas keep their points
  const sentence = text.replace(/\{(\d)\}/g, (_, k: string) => value(Number(k)));
  return from === "" ? `${sentence}.` : `${sentence} (${from}).`;
}
