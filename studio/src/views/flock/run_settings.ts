// run_settings.ts: the settings of a visitor's run, or of a picture of the program, as parameters of the recipe; and those that the page cannot run.
import type { ProgramRecipe } from "../../export/file_recipe";
import { kMostKept } from "../../state/kept_film";
import { parseConfig } from "../../state/own_runs";
import { follow, formatRecipe, type Recipe } from "../../state/recipe";
import { core, notice } from "../../state/session";
import { strings } from "../../strings";
import { kMostNumbers } from "./own_points";
import { flockParameters, habitatOf, kMostBoids, kParameters, methodOf } from "./parameters";

/** What a run's config.toml says. */
export type Config = Readonly<Record<string, string>>;

/** How a run can be shown. */
export interface Plan {
  /** As few words as fly it; the start of own points is not among them. */
  words: Record<string, string>;
  /** What the page cannot fly; then the kept frames are shown. */
  why: string[];
  /** Whether it starts from points of its own, which its first frame has. */
  points: boolean;
}

const kFile = /\.(npy|safetensors|png)$/;

/** 9.0 and 9 are the same. */
function plain(value: unknown): string {
  const text = String(value);
  return text !== "" && Number.isFinite(Number(text)) ? String(Number(text)) : text;
}

/** All parameters that determine a run, with `initials` as defaults. */
function decided(recipe: Recipe, initials: Config): string {
  const words = { ...flockParameters(recipe) };
  const habitat = words.habitat ?? habitatOf(recipe);
  return kParameters.map((key) => plain(key === "habitat" ? habitat : words[key] ?? initials[key] ?? "")).join("\n");
}

/** Leaves out parameters at their defaults. */
function shortened(recipe: Record<string, string>, initials: Config): Record<string, string> {
  const words = { ...recipe };
  const whole = decided(recipe, initials);
  for (const key of Object.keys(recipe)) {
    const { [key]: said, ...rest } = words;
    if (decided(rest, initials) === whole) delete words[key];
    else words[key] = plain(said);
  }
  return words;
}

/** Frames that are too many for the page, or just the last, give way to the page's own. */
function keepsFrames(config: Config, frames: number): boolean {
  const every = Number(/^every:(.+)$/.exec(config.save ?? "")?.[1] ?? Infinity);
  const count = Math.max(frames, Number(config.T) / every || 0);
  return config.save !== "final" && count * Number(config.n) * Number(config.d) <= kMostKept;
}

/** `initials`: the defaults of the core; `most`: numbers a link can carry as points. */
export function planOf(config: Config, initials: Config, { frames, most }: { frames: number; most: number }): Plan {
  const files = Object.keys(config).filter((key) => kFile.test(config[key]));
  const n = Number(config.n);
  const points = config.init === "inputs/points.npy" && n <= kMostBoids && n * Number(config.d) <= most;
  const why = files.filter((key) => key !== "init" || !points).map((key) => `${key} = ${config[key]}`);
  const recipe: Record<string, string> = {};
  for (const key of kParameters) if (key in config && !files.includes(key)) recipe[key] = config[key];
  if (!keepsFrames(config, frames)) delete recipe.save;
  const flown = flockParameters(recipe);
  for (const key of ["n", "d", "init"]) {
    if (recipe[key] !== undefined && plain(flown[key]) !== plain(recipe[key])) why.push(`${key} = ${recipe[key]}`);
  }
  if (methodOf(recipe) !== (recipe.method ?? "dopri5")) why.push(`method = ${recipe.method}`);
  const words = shortened(recipe, initials);
  if (points) for (const key of ["n", "d"]) delete words[key];
  return { words, why, points };
}

/** Where a run's swarm lives; a trained one in space. */
export function habitatOfRun(config: Config): "sphere" | "space" {
  return (config.habitat ?? (config.model ? "space" : "sphere")) === "sphere" ? "sphere" : "space";
}

/** Shows the run of a picture, or a notice that says why the page cannot run it. */
export async function openPicture(made: ProgramRecipe, name: string): Promise<void> {
  const words = strings.runs;
  if (made.kind !== "simulate") {
    notice.value = { kind: "info", text: words.pictureOther(made.command), hint: words.pictureHint(name) };
    return;
  }
  const { parameters } = await (await core).about();
  const initials = Object.fromEntries(parameters.map((row) => [row.name, row.initial]));
  const plan = planOf(parseConfig(made.config, name), initials, { frames: 0, most: kMostNumbers });
  if (plan.why.length > 0 || plan.points) {
    const why = plan.points ? ["init"] : plan.why;
    notice.value = { kind: "info", text: words.pictureUnflown(why.join(", ")), hint: words.pictureHint(name) };
    return;
  }
  follow(formatRecipe({ view: "flock", ...plan.words }));
}
