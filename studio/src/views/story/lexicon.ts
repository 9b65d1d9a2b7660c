// lexicon.ts: where the words of a typed sentence start, by short lists about water, about money and of little words.
import { story as storyWords } from "../../strings/story";
import type { Token, Topic } from "./stops";

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

/** Words of one kind stand below each other in the order of the sentence, so that none covers another. */
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
