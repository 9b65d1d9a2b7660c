// patterns.ts: translates the core's English sentences into another language by patterns.

/** The point of a value after a sign of comparison; numbers of theorems and papers keep their point. */
const kValue = /(?<=(?:[=<>~]|Rauschen|bruit) ?-?\d+)\.(?=\d)/g;

/** Applies every pattern that matches and writes values with a decimal comma; returns a sentence without a match unchanged. */
export function byPatterns(patterns: readonly (readonly [RegExp, string])[]): (sentence: string) => string {
  return (sentence) => {
    const result = patterns.reduce((text, [from, to]) => text.replace(from, to), sentence);
    return result === sentence ? sentence : result.replace(kValue, ",");
  };
}
