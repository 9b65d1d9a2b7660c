// patterns.ts: sentences of the core, which speaks English, by patterns in another language.

/** Every pattern that fits takes its turn; what none fits stays as it is. */
export function byPatterns(patterns: readonly (readonly [RegExp, string])[]): (sentence: string) => string {
  return (sentence) => patterns.reduce((said, [from, to]) => said.replace(from, to), sentence);
}
