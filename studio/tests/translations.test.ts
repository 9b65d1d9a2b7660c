// translations.test.ts: German and French say all that English says, with the same arguments, and in their own words.
import { existsSync, readFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { coreOf } from "../src/core/core";
import type { KnownResult } from "../src/core/protocol";
import { registerPart, language, languageOfBrowser, switchLanguage } from "../src/state/language";
import { strings } from "../src/strings/all";
import { words as german } from "../src/strings/de";
import { story as germanStory } from "../src/strings/de/story";
import { words as french } from "../src/strings/fr";
import { story as frenchStory } from "../src/strings/fr/story";
import { story } from "../src/strings/story";
import { deepCopy } from "../src/strings/translation";
import { flockParameters, kPresets } from "../src/views/flock/parameters";
import { topicOf } from "../src/views/story/placed_words";
import { sceneOf } from "../src/views/story/scenes";
import { kKnobs, kStopNames } from "../src/views/story/stops";
import { filesOf, literalsOf } from "./literals";

const english = deepCopy({ ...strings, story });
const languages = {
  de: { ...german.page, flock: german.flock, fields: german.fields, map: german.map, words: german.words, story: germanStory },
  fr: { ...french.page, flock: french.flock, fields: french.fields, map: french.map, words: french.words, story: frenchStory },
} as const;

type Leaf = string | ((...given: never[]) => unknown);
/** Every text and function by its path; numbers and flags are no words. */
function leavesOf(tree: unknown, path = ""): Map<string, Leaf> {
  if (typeof tree === "string" || typeof tree === "function") return new Map([[path, tree as Leaf]]);
  if (typeof tree !== "object" || tree === null) return new Map();
  return new Map(Object.entries(tree).flatMap(([key, value]) => [...leavesOf(value, path ? `${path}.${key}` : key)]));
}

/** Of each argument of a function: whether its text says it. */
function usedIn(said: (...given: never[]) => unknown): boolean[] {
  const [, inner, single] = /^(?:\(([^)]*)\)|(\w+)) =>/.exec(String(said)) ?? [];
  const names = (inner ?? single ?? "").split(",").map((one) => one.trim()).filter(Boolean);
  return names.map((one) => [...String(said).matchAll(new RegExp(`\\b${one}\\b`, "g"))].length > 1);
}

/** Which formula stands at a stop is data, as are the values of choices. */
const kData = /(\.equation|Names\.\d+\.value|boidCounts\.\d+\.value)$/;

/** Names and signs that are the same in every language, and words that the languages share. */
const kSame: Record<keyof typeof languages, readonly string[]> = {
  de: ["Murmuration", "Format", "Transformer", "Token"],
  fr: [
    "Murmuration", "Format", "Transformer", "Portrait", "Pause", "Source", "Token", "Tokens", "tokens n", "habitat", "direction", "activation",
    "feed-forward", "layer norm", "dimensions d", "Attention", "Message", "Messages", "Attraction", "attraction", "Polytope", "post", "pre",
    "peri", "positive", "urgent",
  ],
};
/** Formulas, numbers, keys, file formats, names of methods and of people. */
const kSign = /^[^a-z]*$|^(1080p, 16:9|5 min|10 min|15 min|Tab|nGPT|GOE|Wigner|QᵀK|−QᵀK|Sinkhorn|Euler|Runge-Kutta 4|[Hh]ardmax|[Ss]oftmax \(SA\)|Post|Pre|Peri|z|m|x|y|CLS|1\/√t)$/;

for (const [name, tree] of Object.entries(languages)) {
  describe(`the catalogue in ${name}`, () => {
    const [ours, theirs] = [leavesOf(english), leavesOf(tree)];

    it("says all that English says, and no more", () => {
      const missing = [...ours.keys()].filter((path) => !kData.test(path) && !theirs.has(path));
      const more = [...theirs.keys()].filter((path) => !ours.has(path));
      expect({ missing, more }).toEqual({ missing: [], more: [] });
      expect(ours.size).toBeGreaterThan(600);
    });

    it("takes the same arguments", () => {
      const other = [...ours].filter(([path, mine]) => {
        const said = theirs.get(path);
        if (said === undefined) return false;
        return typeof said !== typeof mine || (typeof said === "function" && said.length !== (mine as () => void).length);
      });
      expect(other.map(([path]) => path)).toEqual([]);
    });

    it("leaves nothing in English", () => {
      const kept = [...ours].filter(([path, mine]) => typeof mine === "string" && !kData.test(path) && theirs.get(path) === mine);
      const odd = kept.filter(([, mine]) => !kSign.test(mine as string) && !kSame[name as keyof typeof kSame].includes(mine as string));
      expect(odd).toEqual([]);
    });

    it("leaves no sentence of a function in English", () => {
      const texts = (folder: string) =>
        filesOf(folder).flatMap((file) => literalsOf(folder + file).map(({ text }) => text.trim()));
      const mine = new Set(texts("").filter((text) => /[a-z]{2,} +[a-z]{2,}/.test(text)));
      expect(mine.size).toBeGreaterThan(400);
      const shared = kSame[name as keyof typeof kSame];
      expect(texts(`${name}/`).filter((text) => mine.has(text) && !shared.includes(text))).toEqual([]);
    });

    it("says all that is put into a sentence", () => {
      const dropped = [...ours].filter(([path, mine]) => {
        const said = theirs.get(path);
        if (typeof mine !== "function" || typeof said !== "function") return false;
        const [used, kept] = [usedIn(mine), usedIn(said)];
        return used.some((one, k) => one && !kept[k]);
      });
      expect(dropped.map(([path]) => path)).toEqual([]);
      expect(usedIn(((a: number, _: number) => `${a}`) as never)).toEqual([true, false]);
    });

    it("writes all words of the scenes", () => {
      const signs = tree.story.signs;
      for (const [k, stop] of kStopNames.entries()) {
        for (const bank of ["river", "money"] as const) {
          const mine = sceneOf(k + 1, { ...kKnobs, bank, guest: true }, story.signs);
          const said = sceneOf(k + 1, { ...kKnobs, bank, guest: true }, signs);
          const texts = (scene: typeof mine) => [...scene.tokens, ...(scene.vocabulary ?? []), ...(scene.beside ?? [])].map((t) => t.text);
          expect(said.tokens.map((t) => t.place)).toEqual(mine.tokens.map((t) => t.place)); // the flight is the same
          texts(mine).forEach((word, i) => {
            if (!["CLS", "in"].includes(word)) expect(texts(said)[i], `${stop}: ${word}`).not.toBe(word);
          });
        }
        const vocabulary = sceneOf(k + 1, kKnobs, signs).vocabulary ?? [];
        expect(new Set(vocabulary.map((t) => t.text)).size).toBe(vocabulary.length); // no two alike
      }
    });

    it("knows the words of its own sentences", () => {
      const { water, money, little } = tree.story.lexicon;
      const lists = [water, money, little].map((one) => one.split(" "));
      const all = lists.flat();
      expect(all.length).toBe(new Set(all).size); // each in one list, once
      lists.forEach((list) => expect(list.length).toBeGreaterThan(60));
    });
  });
}

it("French signs stay with the word before them", () => {
  const loose = filesOf("fr/").flatMap((file) => literalsOf(`fr/${file}`)).filter(({ text }) => /\p{L} [:;?!»]|« /u.test(text));
  expect(loose).toEqual([]);
});

it("the question of the last stop calls nothing alone but the readers that are named so", () => {
  const kAlone = [[english.story, /\balone\b/i], [germanStory, /\ballein\b/i], [frenchStory, /\bseule?s?\b/i]] as const;
  for (const [{ stops }, alone] of kAlone) {
    const { question, choices } = stops.at(-1)!;
    for (const text of [question, ...choices.flatMap((one) => [one.text, one.answer])]) expect(text).not.toMatch(alone);
  }
});

describe("the language of the page", () => {
  afterEach(() => switchLanguage("en"));

  it("is the first of the browser's that the page speaks", () => {
    expect(languageOfBrowser(["ja", "fr-CA", "de"])).toBe("fr");
    expect(languageOfBrowser(["de-CH", "en"])).toBe("de");
    expect(languageOfBrowser(["ja"])).toBe("en");
    expect(languageOfBrowser([])).toBe("en");
  });

  it("changes what parts say that are held already, and back", async () => {
    const held = { ...deepCopy(strings), story: deepCopy(story) };
    const { flock, fields, map, story: told, ...page } = held;
    await registerPart("page", page);
    await registerPart("flock", flock);
    const branch = page.branch; // whoever holds a branch of the tree
    await switchLanguage("de");
    expect(language.value).toBe("de");
    expect(branch.move).toBe(german.page.branch.move);
    expect(flock.hints.noise).toBe(german.flock.hints.noise);
    await registerPart("story", told); // one that comes later
    expect(told.stops[7].title).toBe(germanStory.stops[7].title);
    expect(told.stops[7].equation).toBe(english.story.stops[7].equation);
    expect(told.stops[7].choices[0]).toEqual({ ...germanStory.stops[7].choices[0], right: true });
    await switchLanguage("fr");
    expect(branch.move).toBe(french.page.branch.move);
    expect(told.asked.nothing).toBe(frenchStory.asked.nothing);
    await switchLanguage("en");
    expect(branch.move).toBe(english.branch.move);
    expect(told.stops[7].text).toEqual(english.story.stops[7].text);
  });

  it("is the last one asked for", async () => {
    await Promise.all([switchLanguage("de"), switchLanguage("fr")]);
    expect(language.value).toBe("fr");
    await Promise.all([switchLanguage("de"), switchLanguage("fr")]);
    expect(language.value).toBe("fr");
  });

  it("knows where a typed sentence goes", async () => {
    await registerPart("story", story);
    await switchLanguage("de");
    expect(["fischer", "kredit", "neben", "bank"].map(topicOf)).toEqual(["water", "money", "plain", "open"]);
    await switchLanguage("fr");
    expect(["pêcheur", "pièces", "près", "liquide"].map(topicOf)).toEqual(["water", "money", "plain", "open"]);
    await switchLanguage("en");
    expect(["fisherman", "coins", "beside", "bank"].map(topicOf)).toEqual(["water", "money", "plain", "open"]);
  });
});

const wasm = new URL("../src/core/wasm/murmur.wasm", import.meta.url);
const glue = new URL("../src/core/wasm/murmur.mjs", import.meta.url);

describe.skipIf(!existsSync(wasm))("what the core knows", () => {
  it("is said in every language", async () => {
    const { default: factory } = await import(/* @vite-ignore */ glue.href);
    const core = coreOf(await factory({ wasmBinary: readFileSync(wasm) }));
    const settings = [
      ...kPresets.map(({ words }) => words),
      { dynamics: "SA", n: "8", d: "16" }, { dynamics: "SA", n: "8", d: "16", query: "gaussian" }, { dynamics: "sinkhorn", d: "2" },
      { dynamics: "euclidean" }, { dynamics: "rescaled", value: "minus-identity" }, { dynamics: "rescaled", value: "gaussian" },
      { normalisation: "pre" }, { normalisation: "ngpt" }, { normalisation: "sqrt" }, { dynamics: "SA", value: "gaussian", redraw: "0.1" },
      { dynamics: "SA", value: "psd", redraw: "0.1" }, { dynamics: "USA", d: "2", noise: "0.5" },
      { dynamics: "SA", query: "gaussian", key: "gaussian", value: "query-key" },
      { dynamics: "sinkhorn", habitat: "space", query: "gaussian", key: "gaussian", value: "query-key" },
      { dynamics: "SA", value: "gaussian", query: "gaussian", key: "gaussian", redraw: "0.1" },
    ];
    const known = new Map<string, KnownResult>();
    for (const recipe of settings) {
      try {
        const info = await core.flight(flockParameters(recipe as Record<string, string>));
        info.known.forEach((result) => known.set(result.sentence, result));
        await core.close(info.id);
      } catch {
        // a setting that does not go together knows nothing
      }
    }
    expect(known.size).toBeGreaterThan(12);
    for (const { flock } of Object.values(languages)) {
      for (const [sentence, result] of known) {
        const said = flock.told(result);
        expect(said).not.toBe(sentence);
        expect(said).not.toMatch(/\b(the|with|where|which|every|and|never|swarm|particles?)\b/);
        const papers = (text: string) => [...text.matchAll(/\d{4}\.\d{5}/g)].map(([one]) => one);
        expect(papers(said)).toEqual(papers(sentence));
      }
    }
  }, 60_000);
});
