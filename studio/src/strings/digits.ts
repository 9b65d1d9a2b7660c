// digits.ts: the words of the view digits.
const percent = (share: number) =>
  share > 0.9995 ? "over 99.9 %" : `${(100 * share).toFixed(share > 0.975 || share < 0.01 ? 1 : 0)} %`;

export const digits = {
  title: "A digit takes wing",
  lead:
    "Every dot of ink becomes a boid, and the boids fly as one flock. Nobody leads: in every block each boid " +
    "looks round, hears the messages of those it listens to, and moves a little. Where the flock's middle ends " +
    "is the answer, so the flock itself reads the digit.",
  task: (names: string, count: number) =>
    count === 2
      ? `This swarm was trained to tell ${names} apart: the flock of the first is to end left, the other right.`
      : count === 10
        ? "This swarm was trained to tell all ten digits apart: ten gates stand round the flock, one a digit."
        : `This swarm was trained to tell ${names} apart: ${count} gates stand round the flock, one a digit.`,
  figures: (accuracy: number | null, parameters: number, blocks: number) =>
    `${accuracy === null ? "It works" : `It reads ${percent(accuracy)} of unseen test digits rightly,`} ` +
    `with ${parameters.toLocaleString("en")} numbers learned and ${blocks === 1 ? "1 block" : `${blocks} blocks`}.`,
  pairTitle: "Same or different?",
  pairLead:
    "Two pictures take off side by side, as one flock. Do they show the same digit? No boid can tell by what it is " +
    "itself: it has to hear what stands on the other side. The middle of all boids, the large ringed ball, is read " +
    "alone: if it ends on the side of the left gate, they are the same.",
  pairTask: (names: string) => `Both pictures are a ${names}; this swarm was trained on pairs of them.`,
  pairFigures: (accuracy: number | null, parameters: number, blocks: number) =>
    `${accuracy === null ? "It works" : `It is right about ${percent(accuracy)} of 8,192 pairs of unseen digits,`} ` +
    `with ${parameters.toLocaleString("en")} numbers learned and ${blocks === 1 ? "1 block" : `${blocks} blocks`}.`,
  tellAttention: "One block, first half. Boid i gathers messages, those of boids it listens to more loudly:",
  tellWhom: "Whom it listens to is decided by its query and their keys:",
  tellFeed: "Second half: it moves by its own will, which depends only on where it is:",
  tellPick:
    "Click a boid to see whom it hears. Pause and move one, and watch whether the verdict changes. " +
    "A ring marks a boid that would vote against the flock.",
  sources: "This is a transformer without norms: tokens are boids, layers are steps of time.",

  padLabel: "Draw pad. Draw with mouse, pen or finger; or use the arrow keys, space puts the pen down and lifts it.",
  seen: "The swarm sees",
  seenShort: "as seen",
  seenLabel: "The 28 by 28 picture that the swarm sees",
  pen: "Pen",
  brush: "Brush",
  onTop: "Draw on top of what is there",
  clear: "Clear",
  random: "Random digit",
  randomPair: "Random pair",
  sides: ["Left", "Right"],
  tasks: "Task",
  taskNames: [
    { value: "digits", label: "Read one" },
    { value: "same", label: "Compare two" },
  ],
  listens: "The boids",
  listenNames: [
    { value: "same", label: "listen" },
    { value: "alone", label: "do not" },
  ],
  opinions: "Together, or each alone",
  opinionsLead:
    "Two swarms, as large as each other and trained alike. In one the boids listen to each other; in the other " +
    "nobody hears anybody (the best of five such trainings).",
  opinionNames: { same: "They listen", alone: "Each alone" },
  opinion: (name: string, chance: number) => `says ${name}, ${percent(chance)}`,
  opinionWaits: "is asked …",
  askBoth: "Put 100 pairs to both",
  asking: (done: number, all: number) => `${done} of ${all} pairs`,
  tally: (right: number, all: number) => `${right} of ${all} right`,
  tallyNote:
    "Every left picture meets a five and a six, so a coin has 50. Boids that hear nobody add up two sums that know " +
    "nothing of each other: whatever they learn, they cannot have more than 75.",
  file: "Open a file",
  fileHint: "A picture of a digit, or places as .npy or .csv with two or three columns",
  swarm: "Swarm",
  boids: "Boids",
  boidCounts: [
    { value: "1", label: "×1" },
    { value: "2", label: "×4" },
    { value: "4", label: "×16" },
  ],
  blocks: "Blocks",
  blocksShown: (blocks: number, trained: number) =>
    blocks === trained ? `${blocks}, as trained` : `${blocks}, trained on ${trained}`,
  blocksHint: "How many blocks the flock flies; the last one goes on past the trained depth",
  look: "Look",
  trails: "Trails",
  headings: "Headings",
  squeeze: "Draw far places nearer",
  squeezeHint: "Beyond the gates distances are drawn shorter, so that the whole flock stays in sight",

  moment: (frame: number, trained: number) =>
    frame <= trained ? `block ${frame} of ${trained}` : `block ${frame}, ${frame - trained} past training`,
  verdictLabel: "Verdict of the flock",
  verdict: (name: string, chance: number) => `${name}, ${percent(chance)}`,
  says: "The flock says",
  truth: (name: string, right: boolean, done: boolean) => {
    const pair = name === "same" || name === "different";
    const are = pair ? `they are ${name}` : `it is a ${name}`;
    return right ? (pair ? "and so they are" : `and ${are}`) : done ? `but ${are}` : `so far; ${are}`;
  },
  percent,
  chances: "Chances by block",
  chancesSummary: (name: string, chance: number) => `Chances by block; now ${name} leads with ${percent(chance)}.`,
  dashed: (title: string) => `${title}; dashed: as it was`,
  dissent: "Share of boids that dissent",
  dissentSummary: (share: number) => `Share of dissenting boids by block; now ${percent(share)}.`,

  gaze: "One boid's gaze",
  gazeNone: "Click a boid, or press [ or ], to see whom it listens to.",
  gazeOf: (boid: number) => `Boid ${boid}`,
  gazeHears: (count: number) => `It hears ${count === 1 ? "1 boid" : `${count} boids`} above average. Loudest:`,
  gazeVote: (name: string, dissents: boolean) => (dissents ? `votes ${name}, against the flock` : `votes ${name}`),
  gazeAt: "is at",
  gazeVectors: { query: "query", key: "key", value: "value", feedForward: "own will" },
  gazeMeaning: {
    query: "where it looks",
    key: "place of its message",
    value: "its message",
    feedForward: "its own move",
  },
  gazeScale: "Arrows point the true way; long ones are drawn shorter.",
  lessBoid: "Boid before",
  moreBoid: "Next boid",

  sceneLabel: "The flock of the digit between its gates, in three dimensions",
  scene: (frame: number, blocks: number, name: string, chance: number, against: number, n: number) =>
    `Block ${frame} of ${blocks}: the flock of ${n} boids leans to ${name} with ${percent(chance)}; ` +
    `${against === 0 ? "no boid dissents" : against === 1 ? "1 boid dissents" : `${against} boids dissent`}.`,
  sceneSplit: (was: string, is: string) =>
    was === is ? `After your hand it still says ${is}.` : `It said ${was}; after your hand it says ${is}.`,
  empty: "Draw a digit, and its ink takes off.",
  emptyPair: "Draw a digit on each pad, and both take off.",
  noSwarms: "This page came without trained swarms.",
  noSwarmsHint: "Make them by scripts/page_models.sh and build the page again.",
  noDigits: "This page came without test digits.",
  noDigitsHint: "Make them by scripts/page_digits.py and build the page again.",
  noInk: "There is no ink in this picture.",
  noInkHint: "Give a picture with a dark digit on light paper, or a light one on dark paper.",
  badPicture: "This file cannot be read as a picture.",
  badPictureHint: "Give a PNG, JPEG, WebP or SVG, or places as .npy or .csv.",
  fitted: "The places were centred and scaled to fit between the gates.",
  missing: (path: string) => `${path} could not be fetched`,
} as const;
