// query_key_value.ts: the stop at which query, key and value are three things: five words, and what each asks, shows and says.
//   a_ij = softmax_j( beta <Q x_i, K x_j> ),   x_i' = sum_j a_ij V x_j
import type { Words } from "../../core/protocol";
import { matrixWord, times, type Matrix } from "./matrix";
import type { Knobs, Scene, Signs, Token } from "./stops";

// Coordinates of a word: two on the page (how cute, how known its looks), then what kind of word it is.
const kKinds = { size: [1, 0, 0, 0], colour: [0, 1, 0, 0], doer: [0, 0, 1, 0], deed: [0, 0, 0, 1], none: [0, 0, 0, 0] };

const word = (text: string, topic: Token["topic"], kind: keyof typeof kKinds, at: number[]): Token => ({
  text, topic, place: [...at, ...kKinds[kind]],
});

export const kAsking: readonly Token[] = [
  word("the", "plain", "none", [-0.85, -0.3]), word("small", "water", "size", [-0.85, 0.25]),
  word("brown", "money", "colour", [-0.45, 0.75]), word("puppy", "open", "doer", [0.5, -0.2]),
  word("sleeps", "craft", "deed", [-0.4, -0.8]),
];

/** (channels, d) Who does it asks for size and colour; all that describes it, and the deed, ask who does it. */
const kQuery: Matrix = [[0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 1, 0], [0, 0, 1, 1, 0, 1]];
/** (channels, d) Everyone shows what it is. */
const kKey: Matrix = [[0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0]];
/** (d, d) The doer says cute, size and colour say what it looks like; the kinds of words stay. */
const kValue: Matrix = [
  [0, 0, 0.2, 0, 0.85, 0], [0, 0, 0.55, 0.55, 0, 0],
  ...Array.from({ length: 4 }, () => [0, 0, 0, 0, 0, 0]),
];

const kSign = 0.36; // across, where signs of up and down stand clear of badges

const channels = (rows: Matrix, token: Token): number[] =>
  times(rows, token.place).flatMap((size, channel) => (size > 0 ? [channel] : []));

export function asking({ mirror, beta }: Knobs, signs: Signs): Scene {
  const key = mirror ? kQuery : kKey;
  const words: Words = {
    dynamics: "euclidean", habitat: "space", method: "dopri5", relative: false, beta: beta / 2,
    query: matrixWord(kQuery), key: matrixWord(key), value: matrixWord(kValue), T: 1, save: "every:0.0125",
  };
  return {
    tokens: [...kAsking], words, backdrop: "plane", extent: 1.08, flat: true, rate: 14, listener: 3,
    value: kValue, plain: true,
    badges: kAsking.map((token) => ({ asks: channels(kQuery, token), shows: channels(key, token) })),
    signs: [
      { text: signs.notCute, place: [-1.02, -1, 0], kind: "axis" }, { text: signs.cute, place: [1.02, -1, 0], kind: "axis" },
      { text: signs.knownLooks, place: [kSign, 1.03, 0], kind: "axis" },
      { text: signs.plainLooks, place: [kSign, -1, 0], kind: "axis" },
    ],
  };
}
