// flock.ts: the words of the view flock.
import { fixed, written } from "./decimal";

export const flock = {
  title: "A flock of tokens",
  intro: {
    SA: "Every token looks at all others, and moves by what it hears from them.",
    USA: "As softmax attention, without dividing by the sum: who hears much moves fast.",
    causal: "Each token hears only itself and those before it. The first hears no one and never moves.",
    hardmax:
      "Each token hears only the one that answers it best. Corners of the flock lead, the others follow.",
    sinkhorn: "Every token hears all, and all are heard equally much: the weights are doubly stochastic.",
    euclidean: "Softmax attention without layer norm: positions may grow without bound.",
    rescaled: "Softmax attention in space, seen rescaled as it grows, so that its shape stays in view.",
    none: "No attention at all: each token follows its own will, or the gusts.",
  } as Record<string, string>,
  near: "It turns towards those it listens to, and hears near ones loudest.",
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
      "Coloured by order. Early tokens are leaders, later ones gather behind them; in the end all come " +
      "to the first.",
    repulsion: "V = −I: tokens flee each other, and the energy falls.",
    noise:
      "Gusts against attraction. Less noise: one cluster; more noise: an even ring. Move the noise " +
      "slider over the threshold.",
    hardmax: "Leaders never move. Followers fly straight to them.",
    polytope: "Seen rescaled, every token comes to the boundary of a polytope, or to the centre.",
    heads:
      "Three heads with random matrices, a colour each: beams from the chosen token show where each head's attention lies, lines whom " +
      "it hears loudest. No theorem covers them, and yet this flock gathers.",
  } as Record<string, string>,
  look_for: {
    ring: (noise: number, most: number) =>
      noise < most
        ? `Noise ${written(noise)} is below ${fixed(most, 2)}, where an even ring loses its hold at this β: one cluster forms.`
        : `Noise ${written(noise)} is above ${fixed(most, 2)}, what an even ring bears at this β: no cluster lasts.`,
    noise: (noise: number) => `Gusts of ${written(noise)} against attraction: turn the noise down until clusters hold, up until they dissolve.`,
    drawn: (heads: number) =>
      `${heads === 1 ? "One head" : `${heads} heads`} with matrices drawn by chance: no two seeds do the same. Roll another.`,
    flee: "V = −I: tokens flee each other, and the energy falls.",
    will: "Every token has a will of its own beside what it hears: clusters may be carried on together.",
    of: {
      causal: "Early tokens are leaders, later ones gather behind them. Colour by order shows it.",
      hardmax: "Ringed leaders never move; the others fly straight to them, and the hull keeps its corners.",
      sinkhorn: "All are heard equally much: nobody can become the leader.",
      euclidean: "Watch the half width of the view: the flock grows without bound along few directions.",
      rescaled: "Seen rescaled, every token comes to the hull's corners and sides, or to the centre.",
      none: "Nobody hears anybody: neighbours stay neighbours, and no cluster forms by talk.",
    } as Record<string, string>,
    one: (beta: number) => `At β = ${written(beta)} every token hears nearly all: nothing holds clusters apart, and all meet in one place.`,
    wait: (beta: number) =>
      `At β = ${written(beta)} clusters form soon and then wait; each wait is many times longer than the last. The steps of the energy are ` +
      "their meetings.",
    groups: (beta: number, d: number) =>
      `At β = ${written(beta)} a token hears those within about ${Math.round((180 / Math.PI) / Math.sqrt(beta))}° of it: clusters of that ` +
      `reach form ${d === 2 ? "on the circle" : "on the sphere"} and wait. Sharper sight, more clusters.`,
  },
  known: "What is known for this setting",
  told: (sentence: string) => sentence, // what the core knows, in the language of the page
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
  beta: "β, sharpness of sight",
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

  attention: "Who hears whom",
  query: "query Q",
  key: "key K",
  value: "value V",
  matrices: {
    identity:
      "identity", "minus-identity": "minus identity", gaussian: "Gaussian", goe: "GOE", wigner: "Wigner",
    psd: "positive", "query-key": "QᵀK", "minus-query-key": "−QᵀK",
  } as Record<string, string>,
  heads: "heads",
  reach: "hears",
  reaches: { all: "all", past: "those before" },
  self: "hears itself",
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
  merge: "fly as one those that met",
  mergeHint: "Keeps long flights quick: tokens closer than 1e-6 become one of their common mass.",

  faults: {
    tooLarge: (n: number, d: number, frames: number) =>
      `${n} tokens in ${d} dimensions, kept at ${frames} moments: more than the page can hold.`,
    tooLargeHint: "Move tokens n or dimensions d down, or make the flight shorter. The last flight stays on stage.",
    noValue: (value: string, label: string) => `“${value}” is no value for ${label}.`,
    noValueHint: (label: string) => `Set ${label} on the panel; the last flight stays on stage.`,
    refused: (what: string) => `These settings do not go together: ${what}.`,
    refusedHint: "Change what was set last, or press Undo; the last flight stays on stage.",
  },

  count: "Counting clusters",
  countBy: "two tokens are one",
  counts: { touch: "when they touch", modes: "at one peak" },
  tolAngle: "closer than (degrees)",
  tolDistance: "closer than",
  countNow: (k: number, largest: number, n: number) =>
    `${k === 1 ? "1 cluster" : `${k} clusters`} now; the largest has ${largest} of ${n} tokens.`,
  countLater: "Counted when the flock rests: it is large.",
  countTouch: (near: string) =>
    `A chain of tokens, each closer than ${near} to the next, counts as one cluster, however long it is. As the plot counts.`,
  countModes: (beta: string) =>
    `Clusters are the peaks of the density e^(β⟨x, y⟩), at the flock's own β = ${beta}. It sees clusters before their tokens touch; ` +
    "the plot below counts by touch.",
  masses: "discs: area is mass",
  hull: "hull of the flock",
  leaders: (k: number) => (k === 1 ? "1 leader, ringed: it hears itself best." : `${k} leaders, ringed: they hear themselves best.`),
  after: "at the end",
  afters: { drift: "drift", loop: "again", still: "rest" },
  afterHint: "When the flight has been played to its end: the view drifts round it, it flies again, or all rests.",

  look: "Look",
  colour: "colour by",
  colours: { end: "end", start: "start", now: "place", order: "order" },
  colourHint: "Where a token ends, where it started, where it is, or its place in the line.",
  trail: "trail, frames",
  linger: "linger where it moves",
  lingerHint: "Plateaus pass quickly, meetings slowly.",

  own: "Own points",
  ownHint: "Drop an .npy or .csv file of n rows and d columns on the page.",
  ownChoose: "Choose a file",
  ownNormalise: "put them on the sphere",
  ownTaken: (n: number, d: number) => `${n} points in ${d} dimensions start the flight.`,
  ownTooMany: (letters: number) => `the points make a link of ${letters} letters`,
  ownTooManyRemedy: (most: number) => `give fewer points: a link carries at most ${most} letters of them`,
  ownDrop: "Leave the own points",

  gaze: (boid: number, first: number, share: string, many: number) =>
    `Token ${boid} hears ${first === boid ? "itself" : `token ${first}`} most (${share}); ` +
    (many === 1 ? "that is nine tenths of all it hears." : `${many} tokens make up nine tenths of what it hears.`),
  gazeHint: (touch: boolean) => `${touch ? "Tap a token" : "Click a token, or press ]"}: lines show whom it hears.`,

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
