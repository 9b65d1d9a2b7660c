// digits.ts: texts of the view Digits.
import { chance as chanceOf } from "./numbers";

const percent = (share: number) => chanceOf(share, "over");

/** The count of layers, and whether they share their numbers. */
const layersOf = (blocks: number, shared: boolean) => {
  if (blocks === 1) return "1 layer";
  return shared ? `one layer used ${blocks} times` : `${blocks} layers, each with its own numbers`;
};

export const digits = {
  title: "A digit as a flock",
  what: (digits: readonly number[], pair: boolean) => {
    const few = digits.length <= 3;
    const one = few ? `a ${digits.join(" or a ")}` : "a digit";
    return `This is a transformer: each dot is a token. Draw ${one} ${pair ? "on each half" : "here"}.`;
  },
  lead:
    "This is a transformer at work. Every dot of ink is a token, and all tokens move " +
    "together as one flock. Every step of time is a layer: each token attends to others, takes in their messages, " +
    "and moves a little. No token leads. The large ringed ball is the vote: it is in the middle while it is undecided, " +
    "and moves into a gate when it is sure. It is moved by the mean of all tokens, the cross: only how far the mean lies " +
    "towards each gate is read, and turned into chances by a softmax.",
  task: (digits: readonly number[]) =>
    digits.length === 2
      ? `This transformer was trained to tell ${digits[0]} and ${digits[1]} apart: the vote should move into the left gate for a ${digits[0]}, ` +
        `into the right one for a ${digits[1]}.`
      : digits.length === 10
        ? "This transformer was trained to tell all ten digits apart: ten gates surround the flock, one per digit."
        : `This transformer was trained to tell ${digits.slice(0, -1).join(", ")} and ${digits.at(-1)} apart: ` +
          `${digits.length} gates surround the flock, one per digit.`,
  figures: (accuracy: number | null, parameters: number, blocks: number, shared: boolean) =>
    `${accuracy === null ? "It works" : `It reads ${percent(accuracy)} of unseen test digits correctly,`} ` +
    `with ${parameters.toLocaleString("en")} learned numbers and ${layersOf(blocks, shared)}.`,
  pairTitle: "Same or different?",
  pairLead:
    "Two pictures start side by side, as one flock. Do they show the same digit? No token can know that by itself: " +
    "it has to attend to the other side. The large ringed ball is the vote: in the left gate it says that they are " +
    "the same. It is moved by the mean of all tokens, the cross.",
  pairTask: (digits: readonly number[]) =>
    `Each picture is a ${digits.slice(0, -1).join(", a ")} or a ${digits.at(-1)}; this transformer was trained on pairs of them.`,
  pairFigures: (accuracy: number | null, parameters: number, blocks: number, shared: boolean) =>
    `${accuracy === null ? "It works" : `It is right about ${percent(accuracy)} of 8,192 pairs of unseen digits,`} ` +
    `with ${parameters.toLocaleString("en")} learned numbers and ${layersOf(blocks, shared)}.`,
  tellAttention: "First half of a layer: token i adds up all messages, weighted by its attention:",
  tellWhom: "Its query and their keys decide what it attends to:",
  tellFeed: "Second half: its feed-forward (MLP) moves it, depending only on where it is:",
  tellPick: (touch: boolean) =>
    `${touch ? "Tap" : "Click"} a token to see what it attends to. Pause and move one, and watch whether the vote changes. ` +
    "A token has the colour of the gate it is nearest to. " +
    "A ring marks a token that dissents: its nearest gate is not the vote's. The vote is a mean, not a count: " +
    "a few tokens far out can outweigh many near the middle.",
  sources: "It is a transformer without layer norm.",

  padLabel: "Draw pad. Draw with mouse, pen or finger; or use the arrow keys, space puts the pen down and lifts it.",
  stageLabel:
    "The stage. Draw on it with mouse, pen or finger; or use the arrow keys, space puts the pen down and lifts it.",
  drag: "A drag on the stage",
  dragNames: [
    { value: "draw", label: "Draw" },
    { value: "turn", label: "Turn" },
  ],
  tool: "Tool",
  toolNames: [
    { value: "pen", label: "Pen" },
    { value: "eraser", label: "Eraser" },
  ],
  takeBack: "Erase last stroke",
  takeBackHint: "Removes the last stroke and runs what is left",
  seen: "What it sees",
  seenShort: "as seen",
  seenLabel: "The 28 by 28 picture that the transformer sees",
  pen: "Pen",
  brush: "Brush",
  onTop: "Draw on top of what is there",
  onTopHint: "Otherwise the first stroke after a run has ended starts a new drawing",
  clear: "Clear",
  random: "Random digit",
  randomPair: "Random pair",
  sides: ["Left", "Right"],
  tasks: "Task",
  taskNames: [
    { value: "digits", label: "Read one" },
    { value: "same", label: "Compare two" },
  ],
  listens: "The tokens",
  listenNames: [
    { value: "same", label: "listen" },
    { value: "alone", label: "do not" },
  ],
  opinions: "With and without attention",
  opinionsLead:
    "Two transformers of the same size, trained alike. In one the tokens attend to each other; in the other " +
    "they do not (the best of five such trainings).",
  opinionNames: { same: "With attention", alone: "Without" },
  opinion: (name: string, chance: number) => `says ${name}, ${percent(chance)}`,
  opinionWaits: "is asked …",
  askBoth: "Test both on 100 pairs",
  asking: (done: number, all: number) => `${done} of ${all} pairs`,
  tally: (right: number, all: number) => `${right} of ${all} right`,
  tallyNote:
    "Every left picture is paired with a five and a six, so guessing scores 50. Without attention the tokens add up " +
    "two independent sums: whatever they learn, they cannot score more than 75.",
  file: "Open a file",
  fileHint: "A picture of a digit, or points as .npy or .csv with two or three columns",
  swarm: "Transformer",
  swarmName: "Trained on",
  deaf: "Show without attention",
  deafHint: "Same drawing, same transformer, all messages left out (ghost)",
  listenNow: "attention on",
  deafNow: "attention off",
  fool: "Fool the flock",
  foolLead: "Draw or erase until the transformer gets this digit wrong and does not refuse it.",
  foolStart: "Try to fool it",
  foolAgain: "Start again",
  foolEnd: "Stop playing",
  foolInk: "Draw here or on the stage to add ink to this digit; erase to remove it.",
  foolWaits: "The transformer is reading it …",
  foolNot: (name: string, chance: number) => `The vote is still ${name}, ${percent(chance)}. Change a little more.`,
  foolNeither: (name: string) => `The vote went to ${name}, but the drawing is refused: it looks like neither. Change less.`,
  foolWon: (truth: string, name: string) => `Fooled: a ${truth} is read as a ${name}.`,
  foolScore: (flips: number, fewest: number) =>
    `${flips === 1 ? "1 flip" : `${flips} flips`} so far, the shortest with ${fewest === 1 ? "1 stroke" : `${fewest} strokes`}.`,
  boids: "Tokens",
  boidCounts: [
    { value: "1", label: "×1" },
    { value: "2", label: "×4" },
    { value: "4", label: "×16" },
  ],
  blocks: "Layers",
  blocksShown: (blocks: number, trained: number) =>
    blocks === trained ? `${blocks}, as trained` : `${blocks}, trained on ${trained}`,
  blocksHint: "How many layers are run; past the trained depth the last one repeats",
  look: "Look",
  trails: "Trails",
  headings: "Headings",
  squeeze: "Draw far tokens nearer",
  squeezeHint: "Beyond the gates distances are drawn shorter, so that the whole flock stays in view",

  moment: (frame: number, trained: number) =>
    frame <= trained ? `layer ${frame} of ${trained}` : `layer ${frame}, ${frame - trained} past training`,
  className: (name: string) => name, // as the models have it: a digit, same, different
  vote: "the vote",
  mean: "mean of all",
  verdictLabel: "The vote",
  verdict: (name: string, chance: number) => `${name}, ${percent(chance)}`,
  says: "The vote:",
  soFar: "So far:",
  soFarWhy: "The vote if you lifted the pen now.",
  neither: "Neither",
  neitherVote: (name: string) => `though the vote went to ${name}`,
  neitherWhy: (name: string) => `This looks less like a ${name} than 99 % of the ${name}s that the page learned from.`,
  whyStart: (n: number) => `${n} tokens of ink; their mean decides the vote.`,
  whyDissent: (against: number, n: number) =>
    against === 0
      ? `All ${n} tokens agree.`
      : against === 1
        ? `1 of ${n} tokens dissents (ringed).`
        : `${against} of ${n} tokens dissent (ringed).`,
  whyParts: (most: number, n: number, theirs: string, vote: string) =>
    `${most} of ${n} tokens are nearest to ${theirs}, but the mean weights them by distance: the vote is nearest to ${vote}.`,
  wasBefore: (said: string) => `Before this stroke: ${said}.`,
  truth: (name: string, right: boolean, done: boolean) => {
    const pair = name === "same" || name === "different";
    const are = pair ? `they are ${name}` : `it is a ${name}`;
    return right ? (pair ? "and so they are" : `and ${are}`) : done ? `but ${are}` : `so far; ${are}`;
  },
  percent,
  chances: "Chances by layer",
  chancesSummary: (name: string, chance: number) => `Chances by layer; now ${name} leads with ${percent(chance)}.`,
  dashed: (title: string) => `${title}; dashed: as it was`,
  dissent: "Share of tokens that dissent",
  dissentSummary: (share: number) => `Share of dissenting tokens by layer; now ${percent(share)}.`,

  gaze: "One token's attention",
  gazeNone: (touch: boolean) =>
    touch ? "Tap a token, or step through them with the two buttons, to see what it attends to." :
    "Click a token, or press [ or ], to see what it attends to.",
  gazeOf: (boid: number) => `Token ${boid}`,
  gazeHears: (count: number) => `It attends to ${count === 1 ? "1 token" : `${count} tokens`} above average. Most:`,
  gazeVote: (name: string, dissents: boolean) => (dissents ? `is nearer to ${name}: it dissents` : `is nearer to ${name}`),
  hearsMost: (boid: number, share: number) => `It attends most to token ${boid}, ${percent(share)}.`,
  letBoidGo: "Deselect this token",
  gazeFull: (share: number) => `A whole bar is ${percent(share)} of its attention.`,
  gazeAt: "is at",
  gazeVectors: { query: "query", key: "key", value: "value", feedForward: "feed-forward" },
  gazeMeaning: {
    query: "where it looks",
    key: "place of its message",
    value: "its message",
    feedForward: "its own move",
  },
  gazeScale: "Arrows have the true direction; long ones are drawn shorter.",
  lessBoid: "Previous token",
  moreBoid: "Next token",

  sceneLabel: "The flock of the digit between its gates, in three dimensions",
  scene: (frame: number, blocks: number, name: string, chance: number, against: number, n: number) =>
    `Layer ${frame} of ${blocks}: the vote of ${n} tokens leans to ${name} with ${percent(chance)}; ` +
    `${against === 0 ? "no token dissents" : against === 1 ? "1 token dissents" : `${against} tokens dissent`}.`,
  sceneSplit: (was: string, is: string) =>
    was === is ? `After your edit it still says ${is}.` : `It said ${was}; after your edit it says ${is}.`,
  empty: "Draw a digit, and its ink starts to move.",
  emptyPair: "Draw a digit on each pad, and both start to move.",
  noSwarms: "This page has no trained transformers.",
  noSwarmsHint: "Make them with scripts/page_models.sh and build the page again.",
  noDigits: "This page has no test digits.",
  noDigitsHint: "Make them with scripts/page_digits.py and build the page again.",
  noInk: "There is no ink in this picture.",
  noInkHint: "Give a picture with a dark digit on light paper, or a light one on dark paper.",
  emptyFile: (name: string) => `There is nothing in ${name}.`,
  programFile: (name: string) => `${name} is a file of a run, which the page cannot open by itself.`,
  programFileHint: "Start murmur studio --runs DIR with the folder that holds the run: then it is in the list of transformers.",
  noPicture: (name: string) => `${name} is neither a picture nor a table of points.`,
  badPicture: (name: string) => `${name} is a picture, but a damaged one.`,
  badPictureHint: "Give a PNG, JPEG, WebP or SVG, or points as .npy or .csv.",
  fitted: "The points were centred and scaled to fit between the gates.",
  missing: (path: string) => `${path} could not be fetched`,
} as const;
