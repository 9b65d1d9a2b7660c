// one_word.test.ts: one word for one thing in all views: a dot is a token, a step a layer, all together a flock.
import { describe, expect, it } from "vitest";
import { filesOf, literalsOf } from "./literals";

/** The other words for what has its word already. */
const kOther: [string, RegExp][] = [
  ["token", /\b(boids?|particles?|dots?)\b/i],
  ["layer", /\b(blocks?|rounds|(one|a|each|every|per) round)\b/i],
  ["transformer, or flock", /\bswarms?\b/i],
  ["cluster", /\bgroups?\b/i],
];

/** Where the other word is said once, to introduce ours, or means another thing. */
const kAllowed = [
  "This is a transformer: each dot is a token.",
  "Every dot of ink is a token",
  "every dot of ink a token",
];

/** Birds belong to the Story, which introduces the picture. */
const kBirds = /\b(birds?|wings?|wingbeats?|starlings?|feathers?)\b/i;

const without = (text: string, allowed: readonly string[]) => allowed.reduce((left, one) => left.replace(one, ""), text);

/** The other words of the other languages. */
const kOthers: Record<string, RegExp> = {
  de: /\b(Boids?|Partikel|Blocks?|Blöcken?|Gruppen?|Flocks?|Ebene \d)\b/i,
  fr: /\b(boids?|particules?|blocs?|jetons?|groupes?|clusters?|grappes?|essaims?|troupeaux?)\b/i,
};

describe("one word for one thing", () => {
  for (const file of filesOf("")) {
    it(file, () => {
      const found = literalsOf(file).flatMap(({ text, line }) =>
        kOther
          .filter(([, other]) => other.test(without(text, kAllowed)))
          .map(([ours]) => `${file}:${line}: say ${ours}: ${text}`),
      );
      expect(found).toEqual([]);
      if (/^(story|lesson|lexicon)/.test(file)) return;
      const birds = literalsOf(file).filter(({ text }) => kBirds.test(text));
      expect(birds).toEqual([]);
    });
  }

  for (const [name, other] of Object.entries(kOthers)) {
    it(`in ${name}`, () => {
      const all = filesOf(`${name}/`).flatMap((file) => literalsOf(`${name}/${file}`));
      expect(all.length).toBeGreaterThan(500);
      expect(all.filter(({ text }) => other.test(text))).toEqual([]);
    });
  }

  it("sees the words of functions, templates and sums", () => {
    const texts = literalsOf("digits.ts").map(({ text }) => text);
    expect(texts).toContain("All {} tokens agree.");
    expect(texts.some((text) => text.startsWith("This is a transformer at work.") && text.endsWith("by a softmax."))).toBe(true);
    expect(texts).toContain("over");
    expect(texts).not.toContain("boids"); // names of properties are no text
  });
});
