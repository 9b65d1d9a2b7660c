// parameters.ts: the recipe of the view as parameters for the core; settles parameters that exclude each other; settings worth a look.
import type { MethodRow, Words } from "../../core/protocol";
import methodRows from "../../core/wasm/methods.json";
import { parseConfig } from "../../state/own_runs";
import type { Recipe } from "../../state/recipe";

/** What the view shows when the address says nothing: the flagship of the command line, a bit smaller. */
export const kDefaults = {
  dynamics: "SA", beta: 9, n: 200, d: 3, T: 60, dt: 0.1, seed: 4, save: "log:240", init: "uniform", cluster_tol: 1e-3,
};

type Initial = typeof kDefaults;

/** Other defaults where a dynamics needs them: laws of R^d with dots that are seen as one, times before growth. */
const kOthers: Record<string, Partial<Initial>> = {
  hardmax: { init: "box:1", T: 8, save: "every:T/240", cluster_tol: 0.05 },
  euclidean: { init: "gaussian", beta: 1, T: 4, save: "every:T/240", cluster_tol: 0.1 },
  rescaled: { init: "box:5", beta: 1, T: 10, save: "every:T/240", cluster_tol: 0.2 },
  sinkhorn: { beta: 1, n: 40, T: 10, save: "log:120" },
  none: { T: 10, save: "every:T/240" },
};

/** What a recipe leaves open. */
export function initialOf(recipe: Recipe): Initial {
  const dynamics = recipe.dynamics ?? kDefaults.dynamics;
  const given: Initial = { ...kDefaults, ...kOthers[dynamics], dynamics };
  if (recipe.habitat === "sphere" && /^(gaussian|box)/.test(given.init)) given.init = "uniform";
  if (recipe.habitat === "sphere") given.cluster_tol = kDefaults.cluster_tol;
  return given;
}

/** The sharpest sight that can be flown while one looks: Sinkhorn's sweeps grow many with it. */
export function mostBeta(dynamics: string): number {
  return dynamics === "sinkhorn" ? 3 : 100;
}

/** The parameters of the command line that an address may hold; what needs files is left out. */
export const kParameters = [
  "dynamics", "beta", "n", "d", "habitat", "query", "key", "value", "redraw", "heads", "head_scale", "reach", "self",
  "relative", "alibi", "clock", "normalisation", "gains", "gains_end", "gains_until", "perceptron",
  "activation", "direction", "init", "T", "dt", "method", "rtol", "atol", "merge", "noise", "save",
  "seed", "replica", "cluster_tol", "pair_threshold",
] as const;

export const kMostBoids = 1000;
export const kMostAxes = 64;
const kFrames = 240;
const kMostKept = 8_388_608; // numbers of a film, frames x n x d, that the core keeps
const kAlwaysSpace = ["euclidean", "rescaled"];
const kSpaceDynamics = ["hardmax", ...kAlwaysSpace];
const kSpaceNorms = /^(pre|peri|mix)/;
const kSphereNorms = /^(ngpt|sqrt)/;
const kMergeFrom = 200; // from this T on, those that met are flown as one
export const kMerge = "1e-6"; // how near is met

/** A number as the command line writes it: 12 digits, no trailing noise. */
function tidy(value: number): number {
  return Number(value.toPrecision(12));
}

/** The core's own table of methods, the default first. */
export const kMethods: readonly MethodRow[] =
  [...methodRows].sort((a, b) => Number(b.name === "dopri5") - Number(a.name === "dopri5"));

function rowOf(method: string): MethodRow | undefined {
  return kMethods.find((row) => row.name === method);
}

export function isFixed(method: string): boolean {
  return rowOf(method)?.fixed ?? false;
}

/** Whether a dynamics knows no other habitat than R^d. */
export function isAlwaysSpace(dynamics: string): boolean {
  return kAlwaysSpace.includes(dynamics);
}

/** Whether a dynamics is in R^d where `habitat` says nothing. */
export function isSpaceDynamics(dynamics: string): boolean {
  return kSpaceDynamics.includes(dynamics);
}

/** Whether a layer norm belongs on the sphere. */
export function isSphereNorm(normalisation: string): boolean {
  return kSphereNorms.test(normalisation);
}

/** The habitat of the parameters: `habitat` if given, else what the dynamics needs. */
export function habitatOf(recipe: Recipe): "sphere" | "space" {
  const { habitat, dynamics = kDefaults.dynamics, normalisation = "post" } = recipe;
  if (isAlwaysSpace(dynamics)) return "space";
  if (kSpaceNorms.test(normalisation)) return "space";
  if (habitat) return habitat === "space" ? "space" : "sphere";
  return isSpaceDynamics(dynamics) ? "space" : "sphere";
}

/** How time advances: noise needs a method that takes it. */
export function methodOf(recipe: Recipe): string {
  const method = recipe.method ?? "dopri5";
  if (Number(recipe.noise ?? 0) > 0 && !rowOf(method)?.noise) return "strang";
  return rowOf(method) ? method : "dopri5";
}

/** Whether particles that have met may be flown as one. */
export function mayMerge(recipe: Recipe): boolean {
  return !(
    recipe.dynamics === "causal" || recipe.reach === "past" || recipe.self === "false" ||
    Number(recipe.noise ?? 0) > 0
  );
}

/** How near is met: as the recipe says, else by how long the flight is; "0" where none are flown as one. */
export function mergeOf(recipe: Recipe, T: number): string {
  return mayMerge(recipe) ? recipe.merge ?? (T >= kMergeFrom ? kMerge : "0") : "0";
}

/** As many frames as fit: a large flock keeps fewer of those that the view has by itself. */
export function framesFor(save: string, n: number, d: number): string {
  const found = /^(log:|every:T\/)(\d+)$/.exec(save);
  const most = Math.floor(kMostKept / Math.max(1, n * d)) - 1;
  return found && Number(found[2]) > most ? `${found[1]}${Math.max(2, most)}` : save;
}

/** T and save of the fixed-step methods: whole multiples of dt, about kFrames frames. */
export function gridOf(T: number, dt: number, save: string): { T: number; save: string } {
  const steps = Math.max(1, Math.round(T / dt));
  const asked = /^every:(\d*\.?\d+(?:e-?\d+)?)$/.exec(save);
  const each = asked ? Number(asked[1]) / dt : steps / kFrames;
  const stride = Math.min(steps, Math.max(1, Math.round(each)));
  const whole = Math.ceil(steps / stride) * stride;
  return { T: tidy(whole * dt), save: `every:${tidy(stride * dt)}` };
}

function timeWords(recipe: Recipe): Words {
  const initial = initialOf(recipe);
  const T = Math.max(1e-6, Number(recipe.T ?? initial.T) || initial.T);
  const dt = Math.max(1e-6, Number(recipe.dt ?? initial.dt) || initial.dt);
  const save = recipe.save ?? initial.save;
  const method = methodOf(recipe);
  if (isFixed(method)) return { method, dt: tidy(dt), ...gridOf(T, dt, save) };
  const [n, d] = [Number(recipe.n ?? initial.n), Number(recipe.d ?? initial.d)];
  const words: Words = { T: tidy(T), dt: tidy(dt), save: framesFor(save, Math.min(n, kMostBoids), Math.min(d, kMostAxes)) };
  const merge = mergeOf(recipe, T);
  if (Number(merge) > 0) words.merge = merge;
  return words;
}

function startWords(recipe: Recipe, space: boolean): Words {
  const initial = initialOf(recipe);
  const init = recipe.init ?? initial.init;
  if (init.startsWith("points:")) return { init };
  const d = Math.round(Number(recipe.d ?? initial.d)) || initial.d;
  let n = Math.round(Number(recipe.n ?? initial.n)) || initial.n;
  n = Math.min(kMostBoids, n);
  if (/^(orthonormal|equiangular)/.test(init)) n = Math.min(n, d);
  const law = !space && /^(gaussian|box)/.test(init) ? "uniform" : init;
  const clusters = /^clusters:(\d+)(.*)$/.exec(law);
  const fitting = clusters && Number(clusters[1]) > n ? `clusters:${n}${clusters[2]}` : law;
  return { n, d: Math.min(kMostAxes, d), init: fitting };
}

/**
 * Everything the core needs, with the plain conflicts settled: noise takes a method that knows it,
 * fixed steps a grid, clocks only USA, laws of R^d only R^d. What is left the core refuses itself.
 */
export function flockParameters(recipe: Recipe): Words {
  const words: Words = {};
  for (const key of kParameters) if (recipe[key] !== undefined) words[key] = recipe[key];
  const space = habitatOf(recipe) === "space";
  const initial = initialOf(recipe);
  words.dynamics = initial.dynamics;
  words.beta = recipe.beta ?? initial.beta;
  words.seed = recipe.seed ?? initial.seed;
  if (initial.dynamics === "sinkhorn") {
    words.rtol = recipe.rtol ?? 1e-5;
    words.atol = recipe.atol ?? 1e-6;
  }
  for (const key of ["T", "dt", "save", "method", "merge", "n", "d", "init"]) delete words[key];
  Object.assign(words, startWords(recipe, space), timeWords(recipe));
  if (words.cluster_tol === undefined && initial.cluster_tol !== kDefaults.cluster_tol) words.cluster_tol = initial.cluster_tol;
  if (words.dynamics !== "USA") delete words.clock;
  if (words.dynamics === "causal" || words.dynamics === "sinkhorn") delete words.reach;
  if (space && isSphereNorm(String(words.normalisation ?? ""))) delete words.normalisation;
  if (isAlwaysSpace(initial.dynamics)) delete words.habitat;
  if (kSpaceNorms.test(String(words.normalisation ?? ""))) delete words.habitat;
  if (Number(words.alibi ?? 0) > 0 && words.dynamics !== "causal" && words.reach !== "past") delete words.alibi;
  return words;
}

/** The same as a command that flies it in a terminal; a shell takes every word as it is. */
export function commandOf(words: Words): string {
  const plain = /^[\w.,:+/-]+$/;
  const quoted = (value: string) => (plain.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`);
  const rest = Object.entries(words).map(([key, value]) => `${key}=${quoted(String(value))}`);
  return ["murmur simulate", ...rest].join(" ");
}

export interface Part {
  text: string;
  href?: string;
  sup?: boolean;
}

/** A sentence of the core cut so that papers become links and powers are raised; Greek letters are Greek. */
export function withLinks(text: string): Part[] {
  const greek = text
    .replace(/\bbeta\b/g, "β").replace(/\bkappa(?=\b|_)/g, "κ").replace(/>=/g, "≥").replace(/<=/g, "≤");
  const parts: Part[] = [];
  for (const part of greek.split(/(\b\d{4}\.\d{5}\b|\^(?:\((?:[^()]|\([^()]*\))*\)|[A-Za-z0-9]+))/)) {
    if (part === "") continue;
    if (/^\d{4}\.\d{5}$/.test(part)) parts.push({ text: part, href: `https://arxiv.org/abs/${part}` });
    else if (part.startsWith("^")) parts.push({ text: part.slice(1).replace(/^\((.*)\)$/, "$1"), sup: true });
    else parts.push({ text: part });
  }
  return parts;
}

interface Preset {
  name: string;
  words: Record<string, string>;
}

const isDefault = ([key, value]: [string, string]): boolean => value === String(kDefaults[key as keyof typeof kDefaults]);

const kExperiments = import.meta.glob<string>("../../../../experiments/{causal,circle,heads,repulsion}.toml", {
  query: "?raw", import: "default", eager: true,
});

/** A preset of the program with changes for the page, without what the view shows by itself. */
function presetOfProgram(name: string, changes: Record<string, string>): Preset {
  const { name: _, ...words } = parseConfig(kExperiments[`../../../../experiments/${name}.toml`], name);
  return { name, words: Object.fromEntries(Object.entries({ ...words, ...changes }).filter((word) => !isDefault(word))) };
}

/** The first is what the view shows by itself: no words at all. Those not of the program are smaller, so that they play at once. */
export const kPresets: Preset[] = [
  { name: "flagship", words: {} },
  { name: "one", words: { beta: "1", n: "200", T: "12", save: "every:T/240", seed: "1" } },
  { name: "metastable", words: { T: "10000", save: "log:300" } },
  presetOfProgram("circle", { seed: "0" }),
  presetOfProgram("causal", { save: "log:240", seed: "0", colour: "order" }),
  presetOfProgram("repulsion", { seed: "0" }),
  {
    name: "noise",
    words: {
      dynamics: "USA", d: "2", beta: "1", noise: "0.2", method: "strang", dt: "0.05", T: "24", n: "200",
      save: "every:0.1", seed: "1", colour: "start",
    },
  },
  {
    name: "hardmax",
    words: { dynamics: "hardmax", d: "2", init: "box:1", n: "150", T: "8", save: "every:T/240", seed: "3" },
  },
  {
    name: "polytope",
    words: {
      dynamics: "rescaled", d: "3", beta: "1", init: "box:5", n: "80", T: "10", save: "every:T/240", seed: "0",
    },
  },
  presetOfProgram("heads", { save: "every:T/240", colour: "start", boid: "40" }),
];

/** Words of a preset that are of its look: another look is still the preset. */
const kPresetLooks = ["colour", "boid"];

/** Words that choose what is seen, not what is flown: a preset keeps the visitor's other looks. */
export const kLookWords = ["view", "lang", "trail", "linger", "masses", "hull", "after", "count"];

/** The preset whose words the recipe holds, or "". */
export function presetOf(recipe: Readonly<Record<string, string>>): string {
  const looks = [...kLookWords, "colour", "at", "boid", "edit", "normalise", "dome", "part", "head"];
  const rest = Object.entries(recipe).filter((word) => !looks.includes(word[0]) && !isDefault(word));
  const found = kPresets.find(({ words }) => {
    const own = Object.entries(words).filter((word) => !kPresetLooks.includes(word[0]) && !isDefault(word));
    return own.length === rest.length && own.every(([key, value]) => recipe[key] === value);
  });
  return found?.name ?? "";
}
