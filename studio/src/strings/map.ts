// map.ts: texts of the view Map.
export const map = {
  title: "A map of all runs",
  intro:
    "Every pixel is 256 runs: 32 tokens on the circle, at one sharpness β, seen at one time. Colour shows in how many clusters they are.",
  read:
    "Time passes from left to right; β grows upwards. On the dark strip tokens are still apart. Below β ≈ 1 all " +
    "meet in one cluster by t = 15. Above, more and more runs stop half way, in two or three clusters that wait long.",
  theory: "The dashed lines",
  theoryText:
    "How it begins: while tokens are still apart, an even ring of them breaks into a wave. At each line the wave that grows " +
    "fastest gains one more crest. Crests are not yet clusters: some meet on the way. At t = 30 there are on average no more clusters " +
    "than there were crests at first.",
  real: "Where trained transformers are",
  realText:
    "MiniLM, whose tokens move in Words, is off this map, beyond its lower left corner. The β that fits its layers best " +
    "falls from 0.3 to −1.7: below 0 a token attends most to what is unlike it. And its six layers together take about " +
    "0.3 of time t. So its tokens are still apart when it has read a sentence.",
  source: (paper: string, figure: number, quantity: string) =>
    `Source: the setting of ${paper}, Fig. ${figure}, which shows ${quantity}.`,
  how: (touch: boolean) =>
    `${touch ? "Tap a pixel" : "Click a pixel, or move the cursor with the arrow keys and press Enter"}: this run is ` +
    "computed again next to the map.",
  chart:
    "Map of clusters over time and β. Arrow keys move the cursor, with Shift ten pixels; Enter runs " +
    "the pixel.",
  beta: "β, sharpness",
  time: "time t",
  axisTime: "time t of the flow →",
  axisBeta: "sharpness of attention β →",
  axisTimeShort: "time t →",
  axisBetaShort: "sharpness β →",
  barTitles: { clusters: "clusters", close_pairs: "met" },
  regions: { apart: "still apart", one: "all in one cluster", two: "two clusters wait", three: "three clusters wait" },
  colour: "colour",
  quantities: { clusters: "clusters", close_pairs: "close pairs" },
  mode: (k: number) => (k === 1 ? "1 crest" : `${k} crests`),
  replica: "run of 256",
  cursor: (beta: string, t: string, value: string) => `β = ${beta}, t = ${t}: ${value}`,
  clusters: (mean: string) => `${mean} clusters on average`,
  pairs: (share: string) => `${share} of the pairs have met`,
  replay: "Run it again",
  open: "Open in Flock",
  stage: (beta: string) => `32 tokens on the circle at β = ${beta}`,
  run: "this run, now",
  pixel: "this run on the map",
  mean: "mean of 256 runs",
  meanOf: (mean: string, error: string) => `${mean} ± ${error}`,
  waiting: "…",
  same: "as on the map",
  different: "differs from the map",
  plotClusters: "clusters",
  plotPairs: "close pairs",
  counts: (t: string) => `runs by clusters at t = ${t}, as the pixel`,
  noCounts: (t: string) => `At t = ${t} all runs are at their random starts.`,
  countOf: (flights: number, clusters: string) => `${flights} with ${clusters}`,
  countsSummary: (text: string) => `Runs by their number of clusters: ${text}.`,
  thisFlight: "this run",
  allFlights: "mean",
  summary: (title: string) => `${title}: this run and the mean of 256.`,
  loading: "Loading the map…",
  failed: "The map could not be read.",
  failedHint: "Load the page again; the file maps/circle.json belongs next to it.",
  sentence: (beta: string, t: string, clusters: string, mean: string) =>
    `The run at β = ${beta} is at time ${t}, in ${clusters} clusters; at its pixel 256 runs have ${mean} on average.`,
};
