// levels.ts: three spaces one after another: who belongs together, what the phrase means, what the sentence says.
//   x_i' = sum_j a_ij V (x_j - x_i), in the last sum_j a_ij V x_j, with a Q, K and V for each; a space starts where the
//   last one ended.
import type { Words } from "../../core/protocol";
import {
  type Knobs, type Level, type Matrix, matrixWord, type Scene, type Signs, type Token, type Topic,
} from "./stops";

// Coordinates: one along each of the three spaces, then how much the word says.
const word = (text: string, topic: Topic, ...place: number[]): Token => ({ text, topic, place });

const kPhrase: readonly Token[] = [
  word("cold", "water", -0.85, 0.8, -0.25, 0.25), word("feet", "craft", -0.35, -0.75, -0.1, 0.85),
  word("before", "plain", 0.2, -0.1, 0.1, -0.45), word("the", "plain", 0.5, 0.15, -0.15, -0.8),
  word("wedding", "open", 0.9, 0.2, -0.6, 0.55),
];

interface Given {
  beta: number;
  query: Matrix;
  key: Matrix;
  value: Matrix;
  plain?: boolean; // messages are V x_j
  T: number;
}

const only = (row: number, column: number, size = 1): Matrix =>
  [0, 1, 2, 3].map((r) => [0, 1, 2, 3].map((c) => (r === row && c === column ? size : 0)));

const kGiven: readonly Given[] = [
  // Words that are near belong to one phrase and move closer.
  { beta: 9, query: [[1, 0, 0, 0]], key: [[1, 0, 0, 0]], value: only(0, 0), T: 3 },
  // Words that say much ask for a feeling in their own phrase, and take it on.
  { beta: 8, query: [[1, 0, 0, 0], [0, 0, 0, 1]], key: [[1, 0, 0, 0], [0, 1, 0, 0]], value: only(1, 1), T: 3 },
  // Words that say much ask for things that say much and carry a feeling; a feeling is told as a doubt.
  {
    beta: 10, query: [[0, 0, 0, 1], [0, 0, 0, 1]], key: [[0, 1, 0, 0], [0, 0, 0, 3]], value: only(2, 1, 1.5), plain: true, T: 1.3,
  },
];

const kFrames = 40; // of each space

const wordsOf = ({ beta, query, key, value, plain = false, T }: Given): Words => ({
  dynamics: "euclidean", habitat: "space", relative: !plain, method: "dopri5", beta, query: matrixWord(query),
  key: matrixWord(key), value: matrixWord(value), T, save: `every:${Number((T / kFrames).toFixed(6))}`,
});

/** In the space that is left out there are no messages. */
const kSilent = only(0, 0, 0);

export function levels({ skip }: Knobs, signs: Signs): Scene {
  const names = [signs.phrases, signs.senses, signs.outlook];
  const spaces: Level[] = kGiven.map((given, k) => {
    const value = skip && k === 1 ? kSilent : given.value;
    const edge = (text: string, x: number, y: number): Level["signs"][number] => ({ text, place: [x, y, 0], kind: "axis" });
    return {
      words: wordsOf({ ...given, value }), value, plain: given.plain ?? false,
      signs: [
        edge(names[k][0], -1.02, -1), edge(names[k][1], 1.02, -1), edge(signs.content, 0, 1.03), edge(signs.filler, 0, -1),
      ],
    };
  });
  return {
    tokens: kPhrase.map((token) => ({ ...token })), words: spaces[0].words, backdrop: "plane", extent: 1.08, flat: true,
    rate: 14, signs: spaces[0].signs, listener: 4, fixed: true, levels: spaces,
  };
}

export const kTurn = 14; // frames in which the view turns from one space to the next

/** Where a fractional frame is: in which space, and how far the view has turned to the next, 0 to 1. */
export function spaceAt(at: number, count: number): { space: number; turned: number } {
  const each = kFrames + kTurn;
  const space = Math.max(0, Math.min(count - 1, Math.floor(at / each)));
  const into = at - space * each - kFrames;
  return { space, turned: space < count - 1 ? Math.max(0, Math.min(1, into / kTurn)) : 0 };
}

/** The first frame of a space. */
export function firstOf(space: number): number {
  return space * (kFrames + kTurn);
}

export { kFrames as kLevelFrames };

/** What of a vector (a coordinate a space, then the height) is seen on the page: the view turns about the height. */
export function seenAt(vector: ArrayLike<number>, at: number, count: number): [number, number] {
  const { space, turned } = spaceAt(at, count);
  const angle = (turned * Math.PI) / 2;
  const next = Math.min(count - 1, space + 1);
  return [Math.cos(angle) * vector[space] + Math.sin(angle) * vector[next] * (next > space ? 1 : 0), vector[count]];
}
