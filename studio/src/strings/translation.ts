// translation.ts: what another language has to say of a part of the catalogue.

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

/** A copy whose branches are its own. */
export function copied<T>(tree: T): T {
  if (!isTree(tree)) return tree;
  const made: unknown = Array.isArray(tree)
    ? tree.map(copied)
    : Object.fromEntries(Object.entries(tree).map(([key, value]) => [key, copied(value)]));
  return made as T;
}

/**
 * Lets `tree` say what `words` say, in place: whoever holds a branch of it says it too. What `words` leave out
 * stays, so data that no language changes are written once.
 */
export function install(tree: object, words: object): void {
  const into = tree as Tree;
  for (const [key, value] of Object.entries(words)) {
    const old = into[key];
    if (isTree(old) && isTree(value)) install(old, value);
    else into[key] = value;
  }
}
