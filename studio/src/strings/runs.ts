// runs.ts: texts about the visitor's own runs.
import { percentFine as percent } from "./figures";

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
    `${name}: ${digitsTitle(digits)}${accuracy === null ? "" : `, ${percent(accuracy)}`}`,
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
