// digits.ts: the words of the view digits.
import { chance as chanceOf } from "./figures";

const percent = (share: number) => chanceOf(share, "over");

/** Whether the layers are one and the same is said where they are counted. */
const layersOf = (blocks: number, shared: boolean) => {
  if (blocks === 1) return "1 layer";
  return shared ? `one layer, the same ${blocks} times over` : `${blocks} layers, each with numbers of its own`;
};

export const digits = {
  title: "A digit takes wing",
  what: (digits: readonly number[], pair: boolean) => {
    const few = digits.length <= 3;
    const one = few ? `a ${digits.join(" or a ")}` : "a digit";
    return `This is a transformer: each dot is a token. Draw ${one} ${pair ? "on each half" : "here"}.`;
  },
  lead:
    "This is a transformer at work. Every dot of ink is a token, and all tokens fly " +
    "together as one flock. Every step of time is a layer: each token looks round, hears the messages of those it listens " +
    "to, and moves a little. Nobody leads. The large ringed ball is the vote: it flies between the gates, in the middle while it " +
    "is undecided, into a gate when it is sure. What moves it is the mean of all tokens, the cross: only how far that lies " +
    "towards each gate is read, and turned into chances by a softmax.",
  task: (digits: readonly number[]) =>
    digits.length === 2
      ? `This transformer was trained to tell ${digits[0]} and ${digits[1]} apart: the vote is to fly into the left gate for a ${digits[0]}, ` +
        `into the right one for a ${digits[1]}.`
      : digits.length === 10
        ? "This transformer was trained to tell all ten digits apart: ten gates stand round the flock, one a digit."
        : `This transformer was trained to tell ${digits.slice(0, -1).join(", ")} and ${digits.at(-1)} apart: ` +
          `${digits.length} gates stand round the flock, one a digit.`,
  figures: (accuracy: number | null, parameters: number, blocks: number, shared: boolean) =>
    `${accuracy === null ? "It works" : `It reads ${percent(accuracy)} of unseen test digits rightly,`} ` +
    `with ${parameters.toLocaleString("en")} numbers learned and ${layersOf(blocks, shared)}.`,
  pairTitle: "Same or different?",
  pairLead:
    "Two pictures take off side by side, as one flock. Do they show the same digit? No token can tell by what it is " +
    "itself: it has to hear what stands on the other side. The large ringed ball is the vote: in the left gate it says that they are " +
    "the same. What moves it is the mean of all tokens, the cross.",
  pairTask: (digits: readonly number[]) =>
    `Each picture is a ${digits.slice(0, -1).join(", a ")} or a ${digits.at(-1)}; this transformer was trained on pairs of them.`,
  pairFigures: (accuracy: number | null, parameters: number, blocks: number, shared: boolean) =>
    `${accuracy === null ? "It works" : `It is right about ${percent(accuracy)} of 8,192 pairs of unseen digits,`} ` +
    `with ${parameters.toLocaleString("en")} numbers learned and ${layersOf(blocks, shared)}.`,
  tellAttention: "One layer, first half. Token i gathers messages, those of tokens it listens to more loudly:",
  tellWhom: "Whom it listens to is decided by its query and their keys:",
  tellFeed: "Second half: it moves by its own will, which depends only on where it is:",
  tellPick: (touch: boolean) =>
    `${touch ? "Tap" : "Click"} a token to see whom it hears. Pause and move one, and watch whether the vote changes. ` +
    "A token has the colour of the gate it is nearest to. " +
    "A ring marks a token that dissents: it is nearer to another gate than the vote is. The vote is no count of heads " +
    "but a mean: a few tokens far out can outweigh many near the middle.",
  sources: "It is a transformer without norms.",

  padLabel: "Draw pad. Draw with mouse, pen or finger; or use the arrow keys, space puts the pen down and lifts it.",
  stageLabel:
    "The stage. Draw on it with mouse, pen or finger; or use the arrow keys, space puts the pen down and lifts it.",
  drag: "A drag on the stage",
  dragNames: [
    { value: "draw", label: "Draw" },
    { value: "turn", label: "Turn" },
  ],
  tool: "In hand",
  toolNames: [
    { value: "pen", label: "Pen" },
    { value: "eraser", label: "Eraser" },
  ],
  takeBack: "Erase last stroke",
  takeBackHint: "Takes the last stroke back, and flies what is left",
  seen: "What it sees",
  seenShort: "as seen",
  seenLabel: "The 28 by 28 picture that the transformer sees",
  pen: "Pen",
  brush: "Brush",
  onTop: "Draw on top of what is there",
  onTopHint: "Otherwise the first stroke after a flight has ended begins a new sheet",
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
  opinions: "Together, or each alone",
  opinionsLead:
    "Two transformers, as large as each other and trained alike. In one the tokens listen to each other; in the other " +
    "nobody hears anybody (the best of five such trainings).",
  opinionNames: { same: "They listen", alone: "Each alone" },
  opinion: (name: string, chance: number) => `says ${name}, ${percent(chance)}`,
  opinionWaits: "is asked …",
  askBoth: "Put 100 pairs to both",
  asking: (done: number, all: number) => `${done} of ${all} pairs`,
  tally: (right: number, all: number) => `${right} of ${all} right`,
  tallyNote:
    "Every left picture meets a five and a six, so a coin has 50. Tokens that hear nobody add up two sums that know " +
    "nothing of each other: whatever they learn, they cannot have more than 75.",
  file: "Open a file",
  fileHint: "A picture of a digit, or places as .npy or .csv with two or three columns",
  swarm: "Transformer",
  swarmName: "Trained on",
  deaf: "Attention off, beside it",
  deafHint: "The same ink flown by the same transformer with every message left out, seen through",
  listenNow: "attention on",
  deafNow: "attention off",
  fool: "Fool the flock",
  foolLead: "Draw on a digit or erase from it until the vote goes to the wrong gate and is not refused.",
  foolStart: "Try to fool it",
  foolAgain: "Start again",
  foolEnd: "Stop playing",
  foolInk: "Whatever you draw now, here or on the stage, is added to this digit; the eraser takes ink away.",
  foolWaits: "The flock is looking at it …",
  foolNot: (name: string, chance: number) => `The vote is still ${name}, ${percent(chance)}. Change a little more.`,
  foolNeither: (name: string) => `The vote went to ${name}, but the ink is refused: it is like neither. Change less.`,
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
  blocksHint: "How many layers the flock flies; the last one goes on past the trained depth",
  look: "Look",
  trails: "Trails",
  headings: "Headings",
  squeeze: "Draw far places nearer",
  squeezeHint: "Beyond the gates distances are drawn shorter, so that the whole flock stays in sight",

  moment: (frame: number, trained: number) =>
    frame <= trained ? `layer ${frame} of ${trained}` : `layer ${frame}, ${frame - trained} past training`,
  className: (name: string) => name, // as the models have it: a digit, same, different
  vote: "the vote",
  mean: "mean of all",
  verdictLabel: "The vote",
  verdict: (name: string, chance: number) => `${name}, ${percent(chance)}`,
  says: "The vote:",
  soFar: "So far:",
  soFarWhy: "What the vote would be if you lifted the pen now.",
  neither: "Neither",
  neitherVote: (name: string) => `though the vote went to ${name}`,
  neitherWhy: (name: string) => `This ink is less like a ${name} than 99 of 100 that the page learned from.`,
  whyStart: (n: number) => `${n} tokens of ink; their mean decides the vote.`,
  whyDissent: (against: number, n: number) =>
    against === 0
      ? `All ${n} tokens agree.`
      : against === 1
        ? `1 of ${n} tokens dissents (ringed).`
        : `${against} of ${n} tokens dissent (ringed).`,
  whyParts: (most: number, n: number, theirs: string, vote: string) =>
    `${most} of ${n} tokens are nearest to ${theirs}, but a mean weighs distance: the vote is nearest to ${vote}.`,
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

  gaze: "One token's gaze",
  gazeNone: (touch: boolean) =>
    touch ? "Tap a token, or go through them by the two buttons, to see whom it listens to." :
    "Click a token, or press [ or ], to see whom it listens to.",
  gazeOf: (boid: number) => `Token ${boid}`,
  gazeHears: (count: number) => `It hears ${count === 1 ? "1 token" : `${count} tokens`} above average. Loudest:`,
  gazeVote: (name: string, dissents: boolean) => (dissents ? `is nearer to ${name}: it dissents` : `is nearer to ${name}`),
  hearsMost: (boid: number, share: number) => `It hears token ${boid} most, ${percent(share)}.`,
  letBoidGo: "Let go of this token",
  gazeFull: (share: number) => `A whole bar is ${percent(share)} of its attention.`,
  gazeAt: "is at",
  gazeVectors: { query: "query", key: "key", value: "value", feedForward: "own will" },
  gazeMeaning: {
    query: "where it looks",
    key: "place of its message",
    value: "its message",
    feedForward: "its own move",
  },
  gazeScale: "Arrows point the true way; long ones are drawn shorter.",
  lessBoid: "Token before",
  moreBoid: "Next token",

  sceneLabel: "The flock of the digit between its gates, in three dimensions",
  scene: (frame: number, blocks: number, name: string, chance: number, against: number, n: number) =>
    `Layer ${frame} of ${blocks}: the vote of ${n} tokens leans to ${name} with ${percent(chance)}; ` +
    `${against === 0 ? "no token dissents" : against === 1 ? "1 token dissents" : `${against} tokens dissent`}.`,
  sceneSplit: (was: string, is: string) =>
    was === is ? `After your hand it still says ${is}.` : `It said ${was}; after your hand it says ${is}.`,
  empty: "Draw a digit, and its ink takes off.",
  emptyPair: "Draw a digit on each pad, and both take off.",
  noSwarms: "This page came without trained transformers.",
  noSwarmsHint: "Make them by scripts/page_models.sh and build the page again.",
  noDigits: "This page came without test digits.",
  noDigitsHint: "Make them by scripts/page_digits.py and build the page again.",
  noInk: "There is no ink in this picture.",
  noInkHint: "Give a picture with a dark digit on light paper, or a light one on dark paper.",
  emptyFile: (name: string) => `There is nothing in ${name}.`,
  programFile: (name: string) => `${name} is a file of a run, which a page cannot take by itself.`,
  programFileHint: "Start murmur studio --runs DIR with the folder that holds the run: it joins the choice of transformers.",
  noPicture: (name: string) => `${name} is neither a picture nor a table of places.`,
  badPicture: (name: string) => `${name} is a picture, but a damaged one.`,
  badPictureHint: "Give a PNG, JPEG, WebP or SVG, or places as .npy or .csv.",
  fitted: "The places were centred and scaled to fit between the gates.",
  missing: (path: string) => `${path} could not be fetched`,
} as const;
