// address.test.ts: every word that the page reads from its address stands in docs/address.md.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const source = new URL("../src/", import.meta.url);

/** Words that a file reads by `word`, `amount` or `flag` of the recipe. */
function wordsRead(code: string): string[] {
  const taken = /import \{([^}]*)\} from "[./]*(?:state\/)?recipe"/.exec(code)?.[1] ?? "";
  const readers = ["word", "amount", "flag"].filter((name) => new RegExp(`\\b${name}\\b`).test(taken));
  return readers.flatMap((name) =>
    [...code.matchAll(new RegExp(`\\b${name}\\("([a-zA-Z_]\\w*)"`, "g"))].map((found) => found[1]),
  );
}

describe("the words of an address", () => {
  it("are all told of", () => {
    const text = readFileSync(new URL("../../docs/address.md", import.meta.url), "utf8");
    const told = new Set([...text.matchAll(/`([a-zA-Z_]\w*)`/g)].map((found) => found[1]));
    const read = readdirSync(source, { recursive: true, encoding: "utf8" })
      .filter((path) => /\.tsx?$/.test(path))
      .flatMap((path) => wordsRead(readFileSync(new URL(path, source), "utf8")));
    expect(read.length).toBeGreaterThan(30);
    expect([...new Set(read)].filter((name) => !told.has(name))).toEqual([]);
  });
  it("are found where they are read, and nowhere else", () => {
    expect(wordsRead('import { amount, word } from "../../state/recipe";\nword("at", ""); flag("x", true);')).toEqual(["at"]);
    expect(wordsRead('const word = () => 1; word("bank", "money");')).toEqual([]);
  });
});
