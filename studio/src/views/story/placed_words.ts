// placed_words.ts: where the visitor's words start: dragged there, as a value of the recipe, or typed, by short lists of words.
import { story as storyWords } from "../../strings/story";
import type { Scene, Token, Topic } from "./stops";

const kMost = 1.05; // no word is put off the page

/** Places by the number of the word; what cannot be read is left out. */
export function parsePut(text: string): Map<number, number[]> {
  const put = new Map<number, number[]>();
  for (const part of text.split(";")) {
    const found = /^(\d{1,2}):(-?\d*\.?\d+(?:,-?\d*\.?\d+){1,2})$/.exec(part);
    if (found) put.set(Number(found[1]), found[2].split(",").map(Number));
  }
  return put;
}

export function formatPut(put: ReadonlyMap<number, readonly number[]>): string {
  const places = [...put].sort(([a], [b]) => a - b);
  return places.map(([i, place]) => `${i}:${place.map((x) => String(Number(x.toFixed(3)))).join()}`).join(";");
}

/** The place nearest to the one wished at which a word may be: on the page, or on the sphere. */
export function allowed(scene: Scene, wish: readonly number[]): number[] {
  if (scene.flat) return wish.slice(0, 2).map((x) => Math.max(-kMost, Math.min(kMost, x)));
  const length = Math.hypot(...wish.slice(0, 3));
  return length > 1e-9 ? wish.slice(0, 3).map((x) => x / length) : [0, 0, 1];
}

/** The scene with the words where the hand has put them; coordinates that no hand reaches stay. */
export function putOn(scene: Scene, text: string): Scene {
  const put = parsePut(text);
  if (put.size === 0) return scene;
  const moved = (tokens: Token[]) => tokens.map((token, i) => {
    const wish = put.get(i);
    if (!wish || wish.length !== (scene.flat ? 2 : 3)) return token;
    const place = allowed(scene, wish);
    return { ...token, place: [...place, ...token.place.slice(place.length)] };
  });
  return { ...scene, tokens: moved(scene.tokens), beside: scene.beside && moved(scene.beside) };
}

const lists = new Map<string, Set<string>>(); // each list of words is read once
function isIn(words: string, text: string): boolean {
  const list = lists.get(words) ?? new Set(words.split(" "));
  lists.set(words, list);
  return list.has(text);
}

export const kMostWords = 12;
const kMostLetters = 14;

/** The words of a typed sentence, in small letters, without signs; no more than the page can show. */
export function wordsOf(sentence: string): string[] {
  const found = sentence.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? [];
  return found.slice(0, kMostWords).map((text) => text.slice(0, kMostLetters));
}

export function topicOf(text: string): Topic {
  const { water, money, little } = storyWords.lexicon;
  if (isIn(water, text)) return "water";
  if (isIn(money, text)) return "money";
  return isIn(little, text) ? "plain" : "open";
}

/** Words of one kind are placed below each other in the order of the sentence, so that none covers another. */
export function placedSentence(sentence: string): Token[] {
  const words = wordsOf(sentence).map((text) => ({ text, topic: topicOf(text) }));
  const across: Record<Topic, number> = { water: -0.85, money: 0.85, open: 0, plain: 0, craft: 0, reader: 0 };
  const little = words.filter(({ topic }) => topic === "plain").length;
  const counts = new Map<Topic, number>();
  return words.map(({ text, topic }) => {
    const k = counts.get(topic) ?? 0;
    const all = topic === "plain" ? little : words.filter((one) => one.topic === topic).length;
    counts.set(topic, k + 1);
    const share = all > 1 ? k / (all - 1) : 0.5;
    if (topic === "plain") return { text, topic, typed: true, place: [-0.8 + 1.6 * share, k % 2 === 0 ? -0.45 : -0.75] };
    return { text, topic, typed: true, place: [across[topic], 0.9 - 0.75 * share] };
  });
}
