// words.ts: texts of the view Words, which no other view loads.
import { fixed } from "./numbers";

export const words = {
  title: "Words of a trained transformer",
  intro:
    "A trained transformer has read a sentence. Its tokens move, and every layer is a moment of their path. Scrub through " +
    "the layers, and choose a token to see what it attends to.",
  meaning:
    "Each token starts as its dictionary vector, in some models plus its position. From layer to layer it takes in " +
    "what the others say.",
  pair: (token: string, first: string, last: string) =>
    `“${token}” is in both sentences. The cosine of the two is ${first} before the first layer and ${last} after ` +
    "the last: they have different contexts.",
  marks:
    "[CLS] and [SEP] mark start and end. A head that finds nothing to attend to often turns to them.",
  howDrawn: (d: number, share: string) =>
    `Each state has ${d} coordinates, and is divided by its norm. Three axes are drawn, the same for all layers and ` +
    `sentences: those along which the words spread most, all taken together. They show ${share} of that spread.`,
  twinTitle: "The twin",
  twin:
    "Ghosts, tied to each token, show where the theory says it should go: the flow of the papers from the same start. Layer by " +
    "layer it has the sharpness β that fits the heads best, and the time that brings it nearest to the real move.",
  twinSays: (explained: string, little: boolean) =>
    `The theory explains ${explained} of this layer's movement` +
    (little ? ": it says next to nothing about where these tokens go." : "."),
  twinStart: "Before the first layer both are in one place.",
  source: (model: string, layers: number, heads: number) => `${model}: ${layers} layers of ${heads} heads.`,
  made: "Made by",
  scene: (text: string, n: number) => `The ${n} tokens of “${text}” in space`,
  writtenHere: "written by the model",
  tokens: "Tokens of the sentence",
  moment: (layer: number, last: number) => (layer === 0 ? "the dictionary" : `layer ${layer} of ${last}`),
  sentence: (moment: string, clause: string) => (clause === "" ? moment : `${moment}: ${clause}`),
  hearsMost: (token: string, other: string, share: string) => `“${token}” attends most to “${other}”, ${share}`,
  namesake: (token: string) => `the other ${token}`,
  what: "What is read",
  trace: "Sentences",
  traces: { bank: "Two banks", nail: "Two nails", live: "Typed here", own: "Your own trace" },
  text: "Sentence",
  hearing: "What it attends to",
  none: (touch: boolean) => `Choose a token: in the line above the scene${touch ? " or in the scene" : ", in the scene, or with [ and ]"}.`,
  hears: (token: string, layer: number) => `“${token}” in layer ${layer} attends to`,
  hearsHint: (acted: boolean) =>
    `Attention of the ${acted ? "last" : "next"} layer; thicker lines in the scene mean more.`,
  isHeard: (token: string) => `“${token}” gets attention from`,
  isHeardHint: "Shares of the attention of each of them; they need not add up to one.",
  matrix: "All attention at once",
  matrixLabel: (layer: number, n: number) => `Attention of layer ${layer}: ${n} rows by ${n} columns. Arrow keys go from cell to cell.`,
  matrixHint: (touch: boolean) =>
    "The token of a row attends to those of the columns; the stronger the colour, the larger the share. " +
    (touch ? "Tap a cell." : "Click a cell, or use the arrow keys."),
  cell: (token: string, other: string, share: string) => `“${token}” attends to “${other}”: ${share}`,
  noAttention: "This trace has no attention.",
  itself: "itself",
  percent: (share: number) => `${fixed(100 * share, share < 0.0995 ? 1 : 0)} %`,
  marksHeard: "Marks count too",
  marksHint: "Off: shares among the words only, without [CLS], [SEP] and the like",
  head: "Head",
  mean: "mean of all",
  headOf: (k: number) => `head ${k}`,
  show: "With the tokens",
  showTwin: "Path of the twin",
  showTrail: "Path of the chosen token",
  next: "Which token comes next",
  nextAt: (moment: string, token: string) =>
    `If ${moment} were the end, next after “${token}” would come (the logit lens):`,
  noNext: "This model reads whole sentences and predicts no next token. Type a text below, which another model reads.",
  typed: "Type a text",
  typedHint:
    "stories260K, a transformer of 260,000 numbers trained on English children's stories, reads it here on your " +
    "machine, with the same bits as the program. The first time 1.3 MB are fetched.",
  typedLabel: "Text",
  more: "Tokens it adds",
  read: "Read it",
  reading: "Reading…",
  initial: "Once upon a time",
  own: "Own trace",
  ownHint: "Drop a file here that the program wrote, or choose one:",
  choose: "Choose a file",
  notWords: "This file is not a trace for this view.",
  notWordsHint: "Write one with murmur export RUN -o words.json, of a run of murmur trace.",
  failed: "The sentences could not be read.",
  failedHint: "Load the page again; the folder words belongs next to it.",
  readerFailed: "The model could not be fetched.",
  readerFailedHint: "Look at the network, then try again.",
  plotCosine: "mean cosine of tokens",
  plotShared: (token: string) => `cosine of both “${token}”`,
  plotTwin: "distance from",
  fromTwin: "twin",
  fromStart: "start",
  summary: (title: string, first: string, last: string) => `${title} by layer: ${first} at first, ${last} at last.`,
  loading: "Loading the sentences…",
};
