// patterns.ts: sentences of the core, which speaks English, by patterns in another language.

/** A value behind a sign of comparison, but no theorem and no paper, which keep their point. */
const kValue = /(?<=(?:[=<>~]|Rauschen|bruit) ?-?\d+)\.(?=\d)/g;

/** Every pattern that fits takes its turn, and values get a decimal comma; what none fits stays as it is. */
export function byPatterns(patterns: readonly (readonly [RegExp, string])[]): (sentence: string) => string {
  return (sentence) => {
    const told = patterns.reduce((said, [from, to]) => said.replace(from, to), sentence);
    return told === sentence ? sentence : told.replace(kValue, ",");
  };
}
