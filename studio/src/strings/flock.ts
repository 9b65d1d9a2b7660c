// flock.ts: texts of the view Flock.
import type { KnownResult } from "../core/protocol";
import { fixed, written } from "./numbers";

export const flock = {
  title: "A flock of tokens",
  intro: {
    SA: "Every token attends to all others, and moves by their messages.",
    USA: "As softmax attention, without dividing by the sum: more attention, faster moves.",
    causal: "Each token attends only to itself and those before it. The first has none before it and never moves.",
    hardmax:
      "Each token attends only to the one that fits it best. Corners of the flock lead, the others follow.",
    sinkhorn: "Every token attends to all, and all get equally much attention: the weights are doubly stochastic.",
    euclidean: "Softmax attention without layer norm: positions may grow without bound.",
    rescaled: "Softmax attention in space, seen rescaled as it grows, so that its shape stays in view.",
    none: "No attention at all: only feed-forward and noise move the tokens.",
  } as Record<string, string>,
  near: "It turns towards those it attends to, most of all near ones.",
  lookFor: "What to look for",
  hints: {
    flagship: "Clusters form by t ≈ 5, then wait. The steps of the energy are meetings of clusters.",
    one: "At β = 1 nothing holds the clusters apart: all tokens meet in one place.",
    metastable:
      "Logarithmic time: each wait is many times longer than the last. Four clusters, then three, then two.",
    circle:
      "Thirty-two tokens on the circle, the setting of a published figure: most often three clusters at " +
      "t = 30.",
    causal:
      "Coloured by order. Early tokens are leaders, later ones gather around them; in the end all come " +
      "to the first.",
    repulsion: "V = −I: tokens flee each other, and the energy falls.",
    noise:
      "Noise against attraction. Less noise: one cluster; more noise: an even ring. Move the noise " +
      "slider over the threshold.",
    hardmax: "Leaders never move. Followers go straight to them.",
    polytope: "Seen rescaled, every token comes to the boundary of a polytope, or to the centre.",
    heads:
      "Three heads with random matrices, one colour each: beams from the chosen token show where each head's attention lies, lines " +
      "what it attends to most. No theorem covers them, and yet this flock gathers.",
  } as Record<string, string>,
  look_for: {
    ring: (noise: number, most: number) =>
      noise < most
        ? `Noise ${written(noise)} is below ${fixed(most, 2)}, where an even ring becomes unstable at this β: one cluster forms.`
        : `Noise ${written(noise)} is above ${fixed(most, 2)}, where an even ring is stable at this β: no cluster lasts.`,
    noise: (noise: number) => `Noise of ${written(noise)} against attraction: turn it down until clusters last, up until they dissolve.`,
    drawn: (heads: number) =>
      `${heads === 1 ? "One head" : `${heads} heads`} with random matrices: no two seeds do the same. Roll another.`,
    flee: "V = −I: tokens flee each other, and the energy falls.",
    will: "The feed-forward moves every token too: it may carry clusters along.",
    of: {
      causal: "Early tokens are leaders, later ones gather around them. Colour by order shows it.",
      hardmax: "Ringed leaders never move; the others go straight to them, and the hull keeps its corners.",
      sinkhorn: "All get equally much attention: no token can become the leader.",
      euclidean: "Watch the half width of the view: the flock grows without bound along few directions.",
      rescaled: "Seen rescaled, every token comes to the hull's corners and sides, or to the centre.",
      none: "No token attends to another: neighbours stay neighbours, and attention forms no cluster.",
    } as Record<string, string>,
    one: (beta: number) => `At β = ${written(beta)} every token attends to nearly all: nothing holds clusters apart, and all meet in one place.`,
    wait: (beta: number) =>
      `At β = ${written(beta)} clusters form soon and then wait; each wait is many times longer than the last. The steps of the energy are ` +
      "their meetings.",
    groups: (beta: number, d: number) =>
      `At β = ${written(beta)} a token attends to those within about ${Math.round((180 / Math.PI) / Math.sqrt(beta))}° of it: clusters of that ` +
      `reach form ${d === 2 ? "on the circle" : "on the sphere"} and wait. Higher β, more clusters.`,
  },
  known: "What is known for this setting",
  told: (result: KnownResult) => result.sentence,
  nothingKnown: "No theorem that we know of covers this setting.",
  equation: "The equation",
  command: "The same in a terminal",
  scene: (n: number, where: string) => `${n} tokens ${where}`,
  where: (habitat: string, d: number) =>
    habitat === "sphere"
      ? d === 2 ? "on the circle" : d === 3 ? "on the sphere" : `on the sphere in ${d} dimensions`
      : d === 2 ? "in the plane" : `in ${d}-dimensional space`,
  projected: (d: number) => `${d} dimensions, drawn along the three in which the flock spreads most`,
  widened: (half: string) => `half width of the view: ${half}`,
  sentence: (n: number, where: string, time: string, clusters: string) =>
    `${n} tokens ${where} at time ${time}${clusters}.`,
  clusterClause: (k: number) => (k === 1 ? ", in one cluster" : `, in ${k} clusters`),

  presets: "Settings to start from",
  preset: {
    flagship:
      "Flocks", one: "One cluster", metastable: "Metastable", circle: "Circle, β = 9", causal: "Causal " +
      "leaders",
    repulsion: "Repulsion", noise: "Noise", hardmax: "Hardmax", polytope: "Polytope", heads: "Three heads",
  } as Record<string, string>,

  swarm: "The flock",
  dynamics: "Dynamics",
  dynamicsNames: {
    SA: "softmax (SA)", USA: "unscaled (USA)", causal: "causal", hardmax: "hardmax", sinkhorn: "Sinkhorn",
    euclidean: "softmax in space", rescaled: "rescaled in space", none: "no attention",
  } as Record<string, string>,
  beta: "β, sharpness",
  n: "tokens n",
  d: "dimensions d",
  seed: "seed",
  roll: "Roll another seed",
  init: "start",
  initNames: {
    uniform: "uniform", hemisphere: "half the sphere", cap: "a cap", orthonormal: "right angles",
    equiangular:
      "equal angles", clusters: "near clusters", gaussian: "Gaussian", box: "a box", points: "own points",
  } as Record<string, string>,
  initArgument: {
    cap: "angle of the cap", equiangular: "common cosine", clusters: "clusters", box: "half width",
  } as Record<string, string>,
  habitat: "habitat",
  habitats: { auto: "as the dynamics needs", sphere: "sphere", space: "space" },

  attention: "Attention",
  query: "query Q",
  key: "key K",
  value: "value V",
  matrices: {
    identity:
      "identity", "minus-identity": "minus identity", gaussian: "Gaussian", goe: "GOE", wigner: "Wigner",
    psd: "positive", "query-key": "QᵀK", "minus-query-key": "−QᵀK",
  } as Record<string, string>,
  heads: "heads",
  reach: "attends to",
  reaches: { all: "all", past: "those before" },
  self: "attends to itself",
  redraw: "redraw weights every",
  never: "never",

  layer: "The rest of the layer",
  normalisation: "layer norm",
  normalisations: {
    post: "post", pre: "pre", peri: "peri", "mix:2": "mix at t = 2", ngpt: "nGPT", sqrt: "1/√t",
  } as Record<string, string>,
  perceptron: "feed-forward",
  perceptrons: { none: "none", gaussian: "Gaussian", gradient: "with an energy" } as Record<string, string>,
  hidden: "hidden units",
  activation: "activation",
  direction: "direction",
  directions: { ascent: "ascent", descent: "descent" },
  noise: "noise 1/κ",
  none: "none",
  clock: "clock of USA",

  time: "Time",
  T: "final time T",
  schedule: "frames",
  linear: "evenly",
  log: "logarithmic",
  method: "method",
  methods: {
    dopri5: "exact flow", layers: "layers", euler: "Euler", rk4: "Runge-Kutta 4", strang: "Strang (noise)",
    tsit5: "exact flow (Tsitouras)", dop853: "exact flow (order 8)",
  } as Record<string, string>,
  dt: "step dt",
  merge: "merge tokens that have met",
  mergeHint: "Keeps long runs fast: tokens closer than 1e-6 become one with their total mass.",

  faults: {
    tooLarge: (n: number, d: number, frames: number) =>
      `${n} tokens in ${d} dimensions, kept at ${frames} moments: more than the page can hold.`,
    tooLargeHint: "Move tokens n or dimensions d down, or make the run shorter. The last run stays on stage.",
    noValue: (value: string, label: string) => `“${value}” is not a value for ${label}.`,
    noValueHint: (label: string) => `Set ${label} on the panel; the last run stays on stage.`,
    refused: (what: string) => `These settings do not go together: ${what}.`,
    refusedHint: "Change what was set last, or press Undo; the last run stays on stage.",
  },

  count: "Counting clusters",
  countBy: "two tokens are one",
  counts: { touch: "when they touch", modes: "at one peak" },
  tolAngle: "closer than (degrees)",
  tolDistance: "closer than",
  countNow: (k: number, largest: number, n: number) =>
    `${k === 1 ? "1 cluster" : `${k} clusters`} now; the largest has ${largest} of ${n} tokens.`,
  countLater: "Counted when playback stops: the flock is large.",
  countTouch: (near: string) =>
    `Tokens closer than ${near} chain into one cluster, however long. The plot counts the same way.`,
  countModes: (beta: string) =>
    `Clusters are the peaks of the density e^(β⟨x, y⟩), at the flock's own β = ${beta}. It finds clusters before their tokens touch; ` +
    "the plot below counts by touch.",
  masses: "discs: area is mass",
  hull: "hull of the flock",
  leaders: (k: number) => (k === 1 ? "1 leader, ringed: it attends to itself." : `${k} leaders, ringed: they attend to themselves.`),
  after: "at the end",
  afters: { drift: "drift", loop: "again", still: "rest" },
  afterHint: "When the run has been played to its end: the view drifts round it, it plays again, or all rests.",

  look: "Look",
  colour: "colour by",
  colours: { end: "end", start: "start", now: "place", order: "order" },
  colourHint: "Where a token ends, where it started, where it is, or its place in the order.",
  trail: "trail, frames",
  linger: "slow down where it moves",
  lingerHint: "Plateaus pass quickly, meetings slowly.",

  own: "Own points",
  ownHint: "Drop an .npy or .csv file of n rows and d columns on the page.",
  ownChoose: "Choose a file",
  ownNormalise: "put them on the sphere",
  ownTaken: (n: number, d: number) => `${n} points in ${d} dimensions start the run.`,
  ownTooMany: (letters: number) => `the points make a link of ${letters} characters`,
  ownTooManyRemedy: (most: number) => `give fewer points: a link holds at most ${most} characters of them`,
  ownDrop: "Remove the own points",

  gaze: (boid: number, first: number, share: string, many: number) =>
    `Token ${boid} attends most to ${first === boid ? "itself" : `token ${first}`} (${share}); ` +
    (many === 1 ? "that is nine tenths of its attention." : `${many} tokens make up nine tenths of its attention.`),
  gazeHint: (touch: boolean) => `${touch ? "Tap" : "Press ], or click"} a token: lines show what it attends to.`,

  energy: "energy",
  energyScaled: "energy",
  edited: "edited",
  asItWas: "as it was",
  order: "order |mean|",
  clusters: "clusters",
  clustersBy: (near: string) => `clusters, closer than ${near}`,
  degrees: (angle: number) => `${angle < 10 ? fixed(angle, 1) : Math.round(angle)}°`,
  cosines: "cosines of pairs",
  largest: "share of the largest cluster",
  radius: "mean norm",
  cosinesSummary: (time: string, share: string) =>
    `Histogram of cosines at time ${time}: ${share} of the pairs lie above 0.95.`,
  plotSummary: (title: string, now: string) => `${title} over time; now ${now}.`,
};
