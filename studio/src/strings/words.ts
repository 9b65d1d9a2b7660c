// words.ts: the words of the view words, read by that view alone.
import { fixed } from "./decimal";

export const words = {
  title: "Words of a trained transformer",
  intro:
    "A trained transformer has read a sentence. Its tokens fly, and every layer is a moment of their flight. Scrub through " +
    "the layers, and choose a token to see whom it hears.",
  meaning:
    "A token begins as its entry in a dictionary, with its place in the line at most. From layer to layer it takes in " +
    "what the others say.",
  pair: (token: string, first: string, last: string) =>
    `“${token}” stands in both sentences. The cosine of the two is ${first} before the first layer and ${last} behind ` +
    "the last: each has heard other company.",
  marks:
    "[CLS] and [SEP] begin and end the sentence and are no words. A head that finds nothing to hear often turns to them.",
  howDrawn: (d: number, share: string) =>
    `Each state has ${d} coordinates, and is divided by its norm. Drawn are three axes, the same for all layers and ` +
    `sentences: those along which the words of all of them together spread most. They show ${share} of that spread.`,
  twinTitle: "The twin",
  twin:
    "Seen through, and tied to each token, is its twin: the flow of the papers from the same start. Layer by layer it has the " +
    "sharpness β that fits the heads best, and as much time as brings it nearest to the real move.",
  twinSays: (explained: string, little: boolean) =>
    `At this layer the twin is nearer to the tokens than their start is, by ${explained} of that distance` +
    (little ? ": the flow of the papers says next to nothing of where these tokens go." : "."),
  twinStart: "Before the first layer both are in one place.",
  source: (model: string, layers: number, heads: number) => `${model}: ${layers} layers of ${heads} heads.`,
  made: "Made by",
  scene: (text: string, n: number) => `The ${n} tokens of “${text}” in space`,
  writtenHere: "written by the model",
  tokens: "Tokens of the sentence",
  moment: (layer: number, last: number) => (layer === 0 ? "the dictionary" : `layer ${layer} of ${last}`),
  sentence: (moment: string, clause: string) => (clause === "" ? moment : `${moment}: ${clause}`),
  hearsMost: (token: string, other: string, share: string) => `“${token}” hears “${other}” most, ${share}`,
  namesake: (token: string) => `the other ${token}`,
  what: "What is read",
  trace: "Sentences",
  traces: { bank: "Two banks", nail: "Two nails", live: "Typed here", own: "Your own trace" },
  text: "Sentence",
  hearing: "Whom it hears",
  none: (touch: boolean) => `Choose a token: in the line above the scene${touch ? " or on the scene" : ", on the scene, or with [ and ]"}.`,
  hears: (token: string, layer: number) => `“${token}” in layer ${layer} hears`,
  hearsHint: (acted: boolean) =>
    `That is the layer that ${acted ? "acted last" : "acts next"}; lines in the scene are as broad as the share.`,
  isHeard: (token: string) => `“${token}” is heard by`,
  isHeardHint: "Shares of what each of them hears; they need not add up to one.",
  matrix: "Who hears whom, all at once",
  matrixLabel: (layer: number, n: number) => `Attention of layer ${layer}: ${n} listeners by ${n} heard. Arrow keys go from cell to cell.`,
  matrixHint: (touch: boolean) =>
    "A row is a listener, a column one that is heard; the stronger the colour, the larger the share. " +
    (touch ? "Tap a cell." : "Click a cell, or walk with the arrow keys."),
  cell: (token: string, other: string, share: string) => `“${token}” hears “${other}”: ${share}`,
  noAttention: "This trace keeps no attention.",
  itself: "itself",
  percent: (share: number) => `${fixed(100 * share, share < 0.0995 ? 1 : 0)} %`,
  marksHeard: "Marks count too",
  marksHint: "Off: shares among the words alone, without [CLS], [SEP] and the like",
  head: "Head",
  mean: "mean of all",
  headOf: (k: number) => `head ${k}`,
  show: "Beside the tokens",
  showTwin: "Twin flight",
  showTrail: "Path of the listener",
  next: "Which token comes next",
  nextAt: (moment: string, token: string) =>
    `What would come behind “${token}”, the last token, if ${moment} were the end (the logit lens):`,
  noNext: "This model reads whole sentences and says nothing next. Type a text below, which another model reads.",
  typed: "Type a text",
  typedHint:
    "stories260K, a transformer of 260,000 numbers that has read children's stories in English, reads it here on your " +
    "machine, with the same bits as the program. The first time 1.3 MB are fetched.",
  typedLabel: "Text",
  more: "Tokens it writes behind it",
  read: "Read it",
  reading: "Reading…",
  initial: "Once upon a time",
  own: "Own trace",
  ownHint: "Drop a file here that the program wrote, or choose one:",
  choose: "Choose a file",
  notWords: "This file is no trace for this view.",
  notWordsHint: "Write one with murmur export RUN -o words.json, of a run of murmur trace.",
  failed: "The sentences could not be read.",
  failedHint: "Load the page again; the folder words belongs beside it.",
  readerFailed: "The model could not be fetched.",
  readerFailedHint: "Look at the network, then try again.",
  plotCosine: "mean cosine of tokens",
  plotShared: (token: string) => `cosine of both “${token}”`,
  plotTwin: "distance from",
  fromTwin: "twin",
  fromStart: "start",
  summary: (title: string, first: string, last: string) => `${title} by layer: ${first} at first, ${last} at last.`,
  loading: "Opening the sentences…",
};
