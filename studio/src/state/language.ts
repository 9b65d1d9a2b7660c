// language.ts: the language of the page: from the address, else from an earlier choice, else from the browser.
import { effect, signal } from "@preact/signals";
import { strings } from "../strings";
import { readDecimalsWith } from "../strings/numbers";
import { deepCopy, replaceTexts } from "../strings/translation";
import { change, recipe } from "./recipe";
import { withStorage } from "./theme";

export const kLanguages = ["en", "de", "fr"] as const;
export type Language = (typeof kLanguages)[number];
/** Each language by its own name. */
export const kLanguageNames: Record<Language, string> = { en: "English", de: "Deutsch", fr: "Français" };

/** Parts of the catalogue that come by themselves; the Story, half of all words, also in other languages. */
export type Part = "page" | "flock" | "fields" | "map" | "words" | "story";
type Words = Partial<Record<Part, object>>;

/** Other languages are fetched when they are spoken. */
const kPages: Record<Exclude<Language, "en">, () => Promise<Words>> = {
  de: () => import("../strings/de").then(({ words }) => words),
  fr: () => import("../strings/fr").then(({ words }) => words),
};
const kStories: typeof kPages = {
  de: () => import("../strings/de/story").then(({ story }) => ({ story })),
  fr: () => import("../strings/fr/story").then(({ story }) => ({ story })),
};

function languageOf(text: string | null | undefined): Language | undefined {
  const short = text?.toLowerCase().split("-")[0];
  return kLanguages.find((one) => one === short);
}

/** Of the visitor's languages the first that the page speaks. */
export function languageOfBrowser(wishes: readonly string[]): Language {
  return wishes.map(languageOf).find((one) => one !== undefined) ?? "en";
}

const kKept = "language";
/** What the visitor chose on this page before; null: the browser's. */
export function chosenLanguage(): Language | null {
  return languageOf(withStorage((storage) => storage.getItem(kKept))) ?? null;
}

/** The language that is spoken. */
export const language = signal<Language>("en");

interface RegisteredPart {
  tree: object;
  english: object;
}
const parts = new Map<Part, RegisteredPart>();

async function fetchTexts(part: Part, next: Language): Promise<object | undefined> {
  if (next === "en") return undefined;
  return (await (part === "story" ? kStories : kPages)[next]())[part];
}

function applyTexts({ tree, english }: RegisteredPart, words: object | undefined): void {
  replaceTexts(tree, english);
  if (words) replaceTexts(tree, words);
}

/** Registers a part of the catalogue: from now on it has the language of the page. */
export async function registerPart(part: Part, tree: object): Promise<void> {
  const enrolled = { tree, english: deepCopy(tree) };
  try {
    for (let spoken: Language = "en"; spoken !== language.value; ) {
      spoken = language.value;
      applyTexts(enrolled, await fetchTexts(part, spoken));
    }
  } finally {
    parts.set(part, enrolled);
  }
}

let wanted: Language = "en";

/** Fetches the texts of a language, then replaces all texts at once. */
export async function switchLanguage(next: Language): Promise<void> {
  wanted = next;
  if (next === language.value) return;
  const words = new Map<Part, object | undefined>();
  for (let missing = [...parts.keys()]; missing.length > 0; missing = [...parts.keys()].filter((one) => !words.has(one))) {
    await Promise.all(missing.map(async (part) => words.set(part, await fetchTexts(part, next))));
    if (wanted !== next) return; // another was asked for meanwhile
  }
  for (const [part, one] of parts) applyTexts(one, words.get(part));
  readDecimalsWith(next === "en" ? "." : ",");
  language.value = next;
}

/** Follows the language of the address; `failed` receives errors. */
export async function followLanguage(failed: (error: unknown) => void): Promise<void> {
  await registerPart("page", strings);
  const first = languageOf(recipe.value.lang) ?? chosenLanguage() ?? languageOfBrowser(navigator.languages);
  await switchLanguage(first).catch(failed);
  effect(() => {
    const said = languageOf(recipe.value.lang);
    if (said) switchLanguage(said).catch(failed);
  });
  effect(() => {
    document.documentElement.lang = language.value;
  });
}

/** The visitor's choice, kept for the next visit and in the address; null: as the browser says. */
export function chooseLanguage(next: Language | null): void {
  withStorage((storage) => (next === null ? storage.removeItem(kKept) : storage.setItem(kKept, next)));
  change({ lang: next ?? "" }, true);
  if (next === null) void switchLanguage(languageOfBrowser(navigator.languages));
}
