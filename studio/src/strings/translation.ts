// translation.ts: the type of a translation of part of the texts, and how it replaces the English ones.

/** The same tree: a text for each text, a function of the same arguments for each function. */
export type Translation<T> = T extends (...given: infer A) => string
  ? (...given: A) => string
  : T extends string
    ? string
    : T extends number | boolean | undefined
      ? T
      : { [K in keyof T]: Translation<T[K]> };

type Tree = Record<string, unknown>;
const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null;

/** A deep copy. */
export function deepCopy<T>(tree: T): T {
  if (!isTree(tree)) return tree;
  const made: unknown = Array.isArray(tree)
    ? tree.map(deepCopy)
    : Object.fromEntries(Object.entries(tree).map(([key, value]) => [key, deepCopy(value)]));
  return made as T;
}

/**
 * Replaces the texts of `tree` by those of `texts`, in place, so that all holders of a part of it show them. What
 * `texts` leaves out stays, so data that no language changes are written once.
 */
export function replaceTexts(tree: object, texts: object): void {
  const into = tree as Tree;
  for (const [key, value] of Object.entries(texts)) {
    const old = into[key];
    if (isTree(old) && isTree(value)) replaceTexts(old, value);
    else into[key] = value;
  }
}
