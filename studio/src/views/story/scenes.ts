// scenes.ts: the small flocks of words: where each word starts, and by which parameters of the core they move.
import type { Words } from "../../core/protocol";
import { levels } from "./levels";
import { placedSentence, putOn } from "./placed_words";
import {
  type Knobs, kStopNames, type Matrix, matrixWord, type Scene, type Signs, times, type Token, type Topic,
} from "./stops";

// The stop at which query, key and value are three things: five words, and what each asks, shows and says.
//   a_ij = softmax_j( beta <Q x_i, K x_j> ),   x_i' = sum_j a_ij V x_j
// Coordinates of a word: two on the page (how cute, how known its looks), then what kind of word it is.
const kKinds = { size: [1, 0, 0, 0], colour: [0, 1, 0, 0], doer: [0, 0, 1, 0], deed: [0, 0, 0, 1], none: [0, 0, 0, 0] };

const word = (text: string, topic: Token["topic"], kind: keyof typeof kKinds, at: number[]): Token => ({
  text, topic, place: [...at, ...kKinds[kind]],
});

const kAsking: readonly Token[] = [
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

const kSign = 0.36; // across, where signs of up and down do not cover badges

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

/** Height of the base line of the messenger's bars. */
export const kBarsAt = -0.82;

const plane = (tokens: [string, Topic, number, number][]): Token[] =>
  tokens.map(([text, topic, x, y]) => ({ text, topic, place: [x, y] }));

/** On the unit sphere by longitude and latitude in degrees. */
const globe = (tokens: [string, Topic, number, number][]): Token[] =>
  tokens.map(([text, topic, east, north]) => {
    const [a, b] = [(east * Math.PI) / 180, (north * Math.PI) / 180];
    return { text, topic, place: [Math.sin(a) * Math.cos(b), Math.sin(b), Math.cos(a) * Math.cos(b)] };
  });

type Sign = Scene["signs"][number];

const sides = (left: string, right: string, up?: string, down?: string): Sign[] => [
  { text: left, place: [-1.02, -1.0, 0], kind: "axis" },
  { text: right, place: [1.02, -1.0, 0], kind: "axis" },
  ...(up ? [{ text: up, place: [0, 1.03, 0], kind: "axis" } as Sign] : []),
  ...(down ? [{ text: down, place: [0, -1.0, 0], kind: "axis" } as Sign] : []),
];

export const flat = { backdrop: "plane" as const, extent: 1.08, flat: true };
export const together: Words = { dynamics: "euclidean", habitat: "space", relative: true, beta: 0, method: "dopri5" };

/** Everyone flies by their own feed-forward; the two banks start at one place, or as far apart as was turned. */
function alone({ apart }: Knobs): Scene {
  const tokens = plane([
    ["bank", "open", 0.05, 0.3], ["bank", "open", 0.05 + apart, 0.3], ["river", "water", -0.6, 0.45],
    ["money", "money", 0.65, 0.35], ["muddy", "water", -0.5, -0.35], ["lent", "money", 0.55, -0.3],
    ["the", "plain", -0.1, -0.5],
  ]);
  const words: Words = {
    dynamics: "none", habitat: "space", perceptron: "gaussian:24", activation: "tanh", seed: 8,
    method: "layers", dt: 0.05, T: 5, save: "every:0.05",
  };
  return { ...flat, tokens, words, rate: 14, signs: [], listener: null };
}

/** Another order of the same ten words. */
export const kShuffle = [9, 3, 6, 0, 8, 4, 2, 7, 5, 1];

/** Nobody moves (V = 0): the messenger walks from word to word, one a unit of time. */
function messenger(knobs: Knobs, signs: Signs): Scene {
  const { row } = signs;
  const order = knobs.shuffled ? kShuffle : row.map((_, i) => i);
  const topics: Record<number, Topic> = { 0: "water", 1: "water", 9: "open" };
  const tokens = order.map((from, i) => {
    return { text: row[from], topic: topics[from] ?? "plain", place: [-0.95 + (1.9 * i) / 9, i % 2 === 0 ? 0.68 : 0.4] };
  });
  const words: Words = { ...together, value: "matrix:0,0;0,0", T: row.length, save: "every:0.1" };
  const edges: Sign[] = [{ text: signs.influence, place: [0, kBarsAt - 0.1, 0], kind: "axis" }];
  return { ...flat, backdrop: "none", tokens, words, rate: 12, signs: edges, listener: null, fixed: true };
}

/** x_i' = s (mean - x_i): all come together, whatever they had to say. */
function attraction({ pull }: Knobs, signs: Signs): Scene {
  const tokens = plane([
    ["river", "water", -0.9, 0.5], ["bank", "open", 0.05, 0.55], ["muddy", "water", -0.7, -0.4],
    ["the", "plain", 0.35, -0.75], ["was", "plain", -0.15, -0.6], ["boat", "water", -0.45, 0.8],
    ["money", "money", 0.9, 0.4],
  ]);
  const value: Matrix = [[pull, 0], [0, pull]];
  const words: Words = { ...together, value: matrixWord(value), T: 4, save: "every:0.05" };
  return { ...flat, tokens, words, rate: 14, signs: sides(signs.water, signs.money), listener: 1, value };
}

/** V draws along the first direction, and turns that difference into haste along the second. */
function messages(knobs: Knobs, signs: Signs): Scene {
  const tokens = plane([
    ["nail", "open", -0.85, -0.3], ["ocean", "water", 0.9, -0.25], ["leaks", "water", 0.45, 0.02],
    ["emergency", "craft", 0.2, 0.55],
  ]);
  const value: Matrix = knobs.push ? [[1, 0], [0.7, -0.4]] : [[1, 0], [0, 1]];
  const words: Words = { ...together, value: matrixWord(value), T: 1.2, save: "every:0.015" };
  const edges = sides(signs.hand, signs.ship, signs.urgent, signs.calm);
  return { ...flat, tokens, words, rate: 14, signs: edges, listener: 0, value };
}

const kSentences = {
  river: plane([
    ["the", "plain", 0.5, -0.7], ["river", "water", -0.95, 0.85], ["bank", "open", 0, 0.45],
    ["was", "plain", 0.1, -0.4], ["muddy", "water", -0.7, 0.15],
  ]),
  money: plane([
    ["the", "plain", 0.5, -0.7], ["bank", "open", 0, 0.45], ["lent", "money", 0.7, 0.15],
    ["me", "plain", -0.2, -0.4], ["money", "money", 0.95, 0.85],
  ]),
};

/** Q reads only the second coordinate, V only the first. */
function listening(knobs: Knobs, signs: Signs): Scene {
  const value: Matrix = [[1, 0], [0, 0]];
  const words: Words = {
    ...together, query: "matrix:0,0;0,1", value: matrixWord(value), beta: knobs.beta, T: 4, save: "every:0.05",
  };
  const edges = sides(signs.water, signs.money, signs.content, signs.filler);
  const own = knobs.bank === "own" ? placedSentence(knobs.own) : [];
  const tokens = own.length > 1 ? own : kSentences[knobs.bank === "money" ? "money" : "river"];
  const open = tokens.findIndex(({ topic }) => topic === "open");
  return { ...flat, tokens, words, rate: 12, signs: edges, listener: Math.max(0, open), value };
}

const kSaid: Record<string, { topic: Topic; place: number[] }> = {
  dog: { topic: "craft", place: [-0.75, 0.3] },
  bites: { topic: "open", place: [0, -0.7] },
  man: { topic: "water", place: [0.75, 0.3] },
};
const kCode = 0.4; // how much higher a word is for coming one earlier

/** Words in a row: each starts at its own position, plus a code of its place in the row when `placed`. */
function inOrder(row: string[], placed: boolean): Token[] {
  return row.map((text, k) => {
    const { topic, place } = kSaid[text];
    return { text, topic, place: [place[0], place[1] + (placed ? kCode * (1 - k) : 0)] };
  });
}

/** Q asks for higher words; the verb starts at the same position in both orders, because it is second in both. */
function order(knobs: Knobs, signs: Signs): Scene {
  const value: Matrix = [[1, 0], [0, 1]];
  const words: Words = { ...together, query: "matrix:0,0;0,-1", beta: 14, T: 0.9, save: "every:0.01" };
  const edges = knobs.placed ? sides("", "", signs.first, signs.last).slice(2) : [];
  return {
    ...flat, tokens: inOrder(["dog", "bites", "man"], knobs.placed), words, rate: 14, signs: edges, listener: 1,
    beside: inOrder(["man", "bites", "dog"], knobs.placed), value, fixed: true,
  };
}

/** Listen, think, repeat: layers on the sphere, attention first, then each one's own feed-forward. */
function rounds(knobs: Knobs): Scene {
  const tokens = globe([
    ["river", "water", -62, 12], ["mud", "water", -84, -14], ["shore", "water", -45, -32],
    ["boat", "water", -66, -38], ["loan", "money", 64, 10], ["coin", "money", 86, -16],
    ["vault", "money", 47, -30], ["rate", "money", 68, -40], ["hammer", "craft", 10, 84],
    ["nail", "craft", -18, 56], ["plank", "craft", 24, 60], ["bank", "open", -10, -12],
  ]);
  const will: Words = knobs.think ? { perceptron: "gaussian:32", activation: "gelu", seed: 10 } : {};
  const words: Words = { dynamics: "SA", beta: 9, method: "layers", dt: 0.2, T: 8, save: "every:0.2", ...will };
  return { tokens, words, backdrop: "sphere", extent: 1, flat: false, rate: 5, signs: [], listener: 11 };
}

const kSpoken = plane([
  ["river", "water", -0.95, 0.45], ["bank", "open", -0.05, 0.6], ["muddy", "water", -0.75, -0.2],
  ["fish", "water", -0.6, 0.85], ["reeds", "water", -0.45, -0.6], ["boat", "water", -0.3, 0.15],
  ["the", "plain", 0.3, -0.75], ["CLS", "reader", -0.1, 0],
]);
const kGuest = plane([["loan", "money", 1.0, 0.35]]);

const kTight = 0.35;

/** The speakers as they are, or drawn together about their middle. */
function spoken(wide: boolean): Token[] {
  if (wide) return kSpoken;
  const middle = [0, 1].map((c) => kSpoken.reduce((sum, { place }) => sum + place[c], 0) / kSpoken.length);
  return kSpoken.map((token) => ({ ...token, place: token.place.map((x, c) => middle[c] + kTight * (x - middle[c])) }));
}

/** CLS is one more token that listens along; a guest may join. */
function speaker(knobs: Knobs, signs: Signs): Scene {
  const words: Words = { ...together, beta: 4, T: 2.5, save: "every:0.025" };
  const flock = spoken(knobs.wide);
  const tokens = knobs.guest ? [...flock, ...kGuest] : flock;
  return {
    ...flat, tokens, words, rate: 12, signs: sides(signs.water, signs.money), listener: 7,
    beside: knobs.guest ? flock : undefined, value: [[1, 0], [0, 1]],
  };
}

const kNext = globe([
  ["sea", "water", -60, 26], ["lake", "water", -80, -18], ["shore", "water", -46, -44], ["shop", "money", 46, 44],
  ["vault", "money", 60, -26], ["till", "money", 80, 18], ["moon", "plain", 2, 62], ["nail", "craft", 4, -62],
]);
const kSaying = {
  river: globe([
    ["rivers", "water", -62, 4], ["run", "water", -38, 2], ["down", "plain", -8, -34], ["to", "plain", 14, 18],
    ["the…", "open", 0, -2],
  ]),
  money: globe([
    ["coins", "money", 62, -4], ["lie", "money", 38, -2], ["safe", "plain", 8, 34], ["in", "plain", -14, -18],
    ["the…", "open", 0, 2],
  ]),
};

/** Each token attends to itself and those before it; the last word's position is compared with the candidates. */
function next(knobs: Knobs): Scene {
  const words: Words = { dynamics: "causal", beta: 2, T: 5, save: "every:0.05", method: "dopri5" };
  return {
    tokens: kSaying[knobs.bank === "money" ? "money" : "river"], words, backdrop: "sphere", extent: 1.12, flat: false,
    rate: 14, signs: [], listener: 4, vocabulary: kNext,
  };
}

/** Two pictures of digits: their ink flies, so there are no words. */
function tested(): Scene {
  return {
    tokens: [], words: {}, backdrop: "none", extent: 15, flat: false, rate: 2.5, signs: [], listener: null, fixed: true,
  };
}

const kScenes = {
  alone, messenger, attraction, messages, listening, asking, order, rounds, levels, speaker, next, tested,
};

export function sceneOf(stop: number, knobs: Knobs, signs: Signs): Scene {
  const name = kStopNames[stop - 1];
  const scene = worded(kScenes[name](knobs, signs), (word) => signs.said(name, word));
  return scene.fixed ? scene : putOn(scene, knobs.put);
}

/** The scene with its words as the language of the page writes them. */
function worded(scene: Scene, said: (word: string) => string): Scene {
  const write = (tokens: readonly Token[]) => tokens.map((one) => (one.typed ? one : { ...one, text: said(one.text) }));
  const { tokens, beside, vocabulary } = scene;
  return {
    ...scene, tokens: write(tokens), beside: beside && write(beside), vocabulary: vocabulary && write(vocabulary),
  };
}

/** The places of tokens as the core takes them. */
export function pointsOf(tokens: readonly Token[]): { rows: Float64Array; n: number; d: number } {
  const d = tokens[0].place.length;
  const rows = new Float64Array(tokens.length * d);
  tokens.forEach((token, i) => rows.set(token.place, i * d));
  return { rows, n: tokens.length, d };
}
