// index.ts: the English texts that the first view and the page around it need; the texts of the other views are loaded with them.
import { digits } from "./digits";
import { degrees, figure, percent, percentFine } from "./numbers";

export const common = {
  title: "Murmuration",
  views: { digits: "Digits", flock: "Flock", story: "Story", fields: "Fields", map: "Map", words: "Words" },
  skip: "Skip to the scene",
  play: "Play",
  pause: "Pause",
  stepBack: "One frame back",
  stepOn: "One frame on",
  reset: "Back to the start",
  speed: "Speed",
  time: "Time",
  frame: (k: number, last: number) => `frame ${k} of ${last}`,
  undo: "Undo",
  redo: "Redo",
  share: "Copy link",
  shared: "Link copied",
  shareFailed: "The link is in the address bar",
  screenshot: "Save picture",
  record: "Record",
  stopRecording: "Stop recording",
  keyList: [
    ["Space", "play or pause"],
    ["← →", "one frame back or on; in the Story, the previous or next stop"],
    ["Home", "back to the start"],
    ["1 … 6", "Digits, Flock, Story, Fields, Map, Words"],
    ["z", "undo; with Shift, redo"],
    ["Shift + arrows", "turn the view; + and − zoom, 0 resets it"],
    ["[ ]", "the previous or next token; Esc deselects it"],
    [", .", "the previous or next part of a token's move, where its dome is shown"],
    ["m", "move tokens: arrows move the chosen ones, with Shift nearer and farther, Enter continues"],
    ["Tab", "to the next control"],
  ] as [string, string][],
  exportCsv: "Export CSV",
  exportNpy: "Export npy",
  theme: { auto: "As the system", light: "Light", dark: "Dark", label: "Colours" },
  language: { auto: "As the browser", label: "Language" },
  more: "More",
  close: "Close",
  keys: "Keyboard",
  loading: "Loading the flock…",
  coming: (got: number, all: number) => `Loading the transformer: ${got} of ${all} kB`,
  noWebgl: "This browser has no WebGL, so the scene cannot be drawn.",
  noWebglHint: "Turn on hardware acceleration, or open the page in another browser. Plots and verdicts still work.",
  otherVersion: "This link was made by another version of the page; its defaults are shown.",
  otherVersionStays: "This link was made by another version of the page; the present scene stays.",
  viewFailed: "This view could not be shown.",
  viewFailedHint: "Load the page again: there may be a newer one by now.",
  loadAgain: "Load again",
  noVideo: "This browser cannot encode video.",
  noUse: "This view cannot use that file.",
  noUseHint: "Digits and Flock take points as .npy or .csv; a picture saved by this page, or drawn by the program, opens in any view.",
  noSuchView: (name: string) => `There is no view “${name}”; Digits is shown.`,
  noSuchStop: (stop: string, stops: number) =>
    `The Story has no stop ${stop}; it has ${stops}, and the nearest is shown.`,
  noSuchPlace: (hash: string) => `This page does not know the address ${hash}; Digits is shown.`,
  home: "Reset view",
  homeHint: "Moves the camera back to its start (key 0)",
  toStory: (stop: number, title: string) => `Why this works: the Story, stop ${stop}, “${title}” →`,
  backTo: (view: string) => `← Back to ${view}`,
  scene: "Scene",
  controls: "Controls",
  plots: "Plots",
  story: "What you see",
};

export const core = {
  stopped: { what: "the core stopped", remedy: "load the page again" },
  crashed: { what: "the core stopped", remedy: "load the page again, and try other settings" },
  noMemory: { what: "there is not enough memory", remedy: "choose smaller n or d or fewer frames, or load the page again" },
  missingArray: (index: number) => `array ${index} is missing`,
  cannotStart: {
    what: "the core cannot be started",
    remedy: "use a browser with WebAssembly SIMD and exceptions",
  },
};

export const branch = {
  title: "Edit the flock",
  move: "Move tokens",
  moveHint: (touch: boolean) =>
    touch ? "Then drag a token with a finger, or draw round several and drag them." :
    "Drag a token, or draw round several and drag them. Alt-drag does the same at any time.",
  moving: (touch: boolean) =>
    touch ? "Drag a token with one finger, or draw round several first." :
    "Drag a token, or draw round several first. Keys: [ and ] choose, arrows move, Enter continues.",
  letGo: "Discard the edit",
  apply: "Continue from here",
  putBack: "Put back",
  asItWas: "as it was",
  afterHand: "after your edit",
  chosen: (n: number) => (n === 1 ? "1 token chosen" : `${n} tokens chosen`),
  held: (n: number) => (n === 1 ? "1 token is in a new place" : `${n} tokens are in new places`),
  moved: (n: number, frame: number) =>
    `${n === 1 ? "1 token was" : `${n} tokens were`} moved, first at frame ${frame}. ` +
    "The ghost shows the original run.",
  atEnd: "The run is at its end.",
  atEndHint: "Step back a few frames, then move a token.",
} as const;

export const share = {
  title: "Pictures and films",
  format: "Format",
  formats: { page: "As shown", wide: "1080p, 16:9", square: "Square", portrait: "Portrait" },
  gif: "Make GIF",
  filming: (done: number, all: number) => `Filming ${Math.floor((100 * done) / all)} %`,
  filmed: (name: string, frames: number, seconds: string, plays: string) =>
    `Saved as ${name}: ${frames} pictures in ${seconds} s; the film plays ${plays} s`,
  embed: "Copy HTML to embed",
  embedded: "The HTML is copied",
  embedFailed: "The browser allows no clipboard: add &embed=1 to the address in the address bar",
  embedTitle: (view: string) => `Murmuration: ${view}`,
  openWhole: "Open in Murmuration",
  openWholeHint: "opens the whole page in a new tab",
  flat: "Drawn flat: this browser has no WebGL",
  pageTitle: (view: string, page: string) => `${view} · ${page}`,
};

/** [5, 6] -> "5 or 6" */
export function digitsTitle(digits: readonly number[]): string {
  if (digits.length === 10) return "ten digits";
  return `${digits.slice(0, -1).join(", ")} or ${digits.at(-1)}`;
}

export const runs = {
  title: "Your runs",
  digitsTitle,
  pairTitles: { same: "same or different", alone: "same or different, without attention" } as Record<string, string>,
  shipped: "With the page",
  hint: "Runs from the folder given to murmur studio.",
  swarm: (name: string, digits: readonly number[], accuracy: number | null) =>
    `${name}: ${digitsTitle(digits)}${accuracy === null ? "" : `, ${percentFine(accuracy)}`}`,
  about: (n: number, d: number, frames: number) =>
    `${n} tokens, ${d} dimensions, ${frames === 1 ? "1 frame" : `${frames} frames`}`,
  status: { running: "still running", interrupted: "interrupted", failed: "failed" } as Record<string, string>,
  damaged: (name: string, note: string) => `${name} cannot be read: ${note}`,
  odd: "its line in the list cannot be read",
  firstThree: (d: number) => `This transformer has ${d} dimensions; the first three are drawn.`,
  otherData: (data: string) => `This transformer learned from ${data}, not from the digits of MNIST.`,
  otherDataHint: "Its classes have the numbers used there; it does not know the digits of this page.",
  missing: (name: string) => `There is no run ${name} here.`,
  missingSwarm: "Serve its folder with murmur studio --runs DIR. The page's own transformer is shown instead.",
  missingFlight: "Serve its folder with murmur studio --runs DIR. The link's other settings are run instead.",
  pictureOther: (command: string) => `This picture was made by ${command}, which the page cannot run.`,
  pictureUnflown: (what: string) => `The page cannot run the settings of this picture: ${what}.`,
  pictureHint: (name: string) => `murmur open ${name} shows how it was made, and makes it again.`,
  noFile: (what: string) => `the run has no ${what} that can be read`,
  noFileRemedy: "look at it with murmur runs show, or repeat it",
  badLine: (line: number) => `line ${line} of the run's config.toml cannot be read`,
  badLineRemedy: "each line is key = value, as murmur writes it; repeat the run",
  tooLarge: (numbers: number) => `the saved frames hold ${numbers.toLocaleString("en")} numbers`,
  tooLargeRemedy: (most: number) =>
    `the page shows up to ${most.toLocaleString("en")}; save fewer frames (save=), or use murmur render`,
  kept: (name: string) => `${name}, as saved`,
  keptWhy: (settings: readonly string[]) =>
    `The page shows the saved frames, since it cannot run ${settings.join(", ")} itself.`,
  keptHint: "Tokens cannot be moved in saved frames. Change any control, and the page runs the settings it knows.",
  keptAxes: (d: number) => `${d} dimensions, the first three are drawn`,
} as const;

export const files = {
  npySave: "save it with numpy.save(file, array)",
  notNpy: "not an npy file: its first bytes are not NumPy's",
  npyCut: "the npy file ends inside its header",
  npyHeader: "the npy header cannot be read",
  kind: (kind: string) => `the numbers of the npy file have type ${kind}`,
  kindRemedy: "save it as float64",
  shape: (shape: readonly number[]) => `the npy file has shape (${shape.join(", ")})`,
  shapeRemedy: "give an array (n, 2) or (n, 3)",
  bytes: (needs: number, has: number) => `the npy file should have ${needs} bytes of numbers and has ${has}`,
  numbers: (has: number, needs: number) => `the npy file has ${has} of ${needs} numbers`,
  saveAgain: "save it again",
  notNumber: (line: number, text: string) => `line ${line} has '${text}' where a number belongs`,
  notNumberRemedy: "give two or three numbers per line",
  ragged: (line: number, has: number, others: number) =>
    `line ${line} has ${has} numbers, those before have ${others}`,
  raggedRemedy: "give all lines equally many numbers",
  none: "the file has no points",
  noneRemedy: "give one point per line",
  coordinates: (d: number) => `the points have ${d} coordinates`,
  coordinatesRemedy: (dimensions: readonly number[]) =>
    `give an array ${dimensions.map((d) => `(n, ${d})`).join(" or ")}`,
  tooMany: (n: number) => `the file has ${n} points`,
  tooManyRemedy: (most: number) => `give at most ${most}`,
  notFinite: (place: number) => `point ${place} is not finite`,
  notFiniteRemedy: "remove or correct it",
  notPng: "not a PNG",
} as const;

export const dome = {
  title: "Dome of query and message",
  shown: "Draw the dome around the token",
  none: (touch: boolean) => `${touch ? "Tap" : "Click"} a token in the scene to see what moves it.`,
  kept: "A saved run shows no dome: run it again.",
  waiting: "Loading the parts.",
  centre: "Centre it",
  part: "Part of the move",
  parts: ["Query", "Keys", "Attention", "Message", "Feed-forward", "Move"],
  back: "Previous part",
  on: "Next part",
  head: "Head",
  headOf: (h: number) => String(h + 1),
  allHeads: "all",
  tell: [
    (boid: number) => `Token ${boid} looks along its query: the ring on the dome.`,
    (_: number, n: number) =>
      `The keys of all ${n} tokens: where their messages are found. A number counts keys that lie together.`,
    (_: number, __: number, attended: number, loudest: number, share: number) =>
      `The closer a key is to the query, the larger its share: this token attends to about ${figure(attended)}, ` +
      `most of all to token ${loudest}, with ${percent(share)}.`,
    (length: number) =>
      `The diamonds are their values, larger where more of the message comes from them. Weighted and summed, they are one message of length ${figure(length)}.`,
    (length: number) => `The feed-forward (MLP) adds a push of length ${figure(length)}.`,
    (length: number, layers: boolean) =>
      layers
        ? `Together they move it by ${figure(length)}.`
        : `Together they give it the velocity ${figure(length)}.`,
  ] as const,
  vision: (angle: number) =>
    `The shade is its field of vision: at the line, ${degrees(angle)} from the query, a key counts half as much as at the query.`,
  allVision: "Its field of vision is the whole dome: everywhere a key counts at least half as much as at the query.",
  far: (angle: number, factor: number) =>
    `That token's key is ${degrees(angle)} from the query, outside the field of vision, but ${figure(factor)} times as long as ` +
    "the mean: that is why it counts.",
  noWill: "This flock has no feed-forward.",
  sameForAll: "All tokens count alike: the query plays no part.",
  corrected: (length: number, layers: boolean) =>
    layers
      ? `Dashes: back onto the sphere, ${figure(length)}.`
      : `Dashes: removed to stay on the sphere, ${figure(length)}.`,
  exact: "Exact: attention, and the angle between query and keys.",
  lengths: (longest: number) => `Stems: the lengths of the keys, which matter too; the longest is ${figure(longest)}.`,
  around: (k: number, share: number) =>
    `Query and keys have ${k} coordinates: two axes show how the keys lie around the query, ` +
    `${percent(share)} of it.`,
  values: (d: number) => `Values of ${d} coordinates are drawn along the axes of the arrows.`,
  arrows: (d: number, share: number) => `Arrows of ${d} coordinates are drawn along three axes, ${percent(share)} of them.`,
  ownAxes: "Dome and arrows have axes of their own.",
  noise: "Noise is left out.",
  scale: (radius: number) => `On the scale of the arrows the dome's radius is ${figure(radius)}.`,
  percent,
} as const;

export const storyTitles = [
  "Every word for itself",
  "One messenger",
  "Everyone to the middle",
  "To say more than “here I am”",
  "Whom to listen to",
  "Ask, show, say",
  "Who bites, who is bitten?",
  "Listen, think, repeat",
  "One space after another",
  "Who speaks for the flock?",
  "Which word comes next?",
  "Does it hold?",
] as const;

export const strings = { common, branch, core, files, digits, dome, runs, share, storyTitles } as const;
