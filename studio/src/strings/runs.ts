// runs.ts: the words about the visitor's own runs.
import { percentFine as percent } from "./figures";

/** [5, 6] -> "5 or 6" */
export function digitsTitle(digits: readonly number[]): string {
  if (digits.length === 10) return "ten digits";
  return `${digits.slice(0, -1).join(", ")} or ${digits.at(-1)}`;
}

export const runs = {
  title: "Your runs",
  digitsTitle,
  pairTitles: { same: "same or different", alone: "same or different, alone" } as Record<string, string>,
  shipped: "With the page",
  hint: "Runs of the folder that murmur studio was given.",
  swarm: (name: string, digits: readonly number[], accuracy: number | null) =>
    `${name}: ${digitsTitle(digits)}${accuracy === null ? "" : `, ${percent(accuracy)}`}`,
  about: (n: number, d: number, frames: number) =>
    `${n} tokens, ${d} dimensions, ${frames === 1 ? "1 frame" : `${frames} frames`}`,
  status: { running: "still running", interrupted: "interrupted", failed: "failed" } as Record<string, string>,
  damaged: (name: string, note: string) => `${name} cannot be read: ${note}`,
  odd: "its line in the list is not understood",
  firstThree: (d: number) => `This transformer lives in ${d} dimensions; the first three are drawn.`,
  otherData: (data: string) => `This transformer learned from ${data}, not from the digits of MNIST.`,
  otherDataHint: "Its classes go by the numbers they have there; the digits of this page are strange to it.",
  missing: (name: string) => `There is no run ${name} here.`,
  missingSwarm: "Serve its folder by murmur studio --runs DIR. The page's own transformer is shown instead.",
  missingFlight: "Serve its folder by murmur studio --runs DIR. What the link says besides is flown instead.",
  pictureOther: (command: string) => `This picture was made by ${command}, which the page does not fly.`,
  pictureUnflown: (what: string) => `The page cannot fly what this picture is of: ${what}.`,
  pictureHint: (name: string) => `murmur open ${name} tells how it was made, and makes it again.`,
  noFile: (what: string) => `the run has no ${what} that can be read`,
  noFileRemedy: "see it by murmur runs show, or fly it again",
  badLine: (line: number) => `line ${line} of the run's config.toml is not understood`,
  badLineRemedy: "a line reads key = value, as murmur writes it; fly the run again",
  tooLarge: (numbers: number) => `the kept frames hold ${numbers.toLocaleString("en")} numbers`,
  tooLargeRemedy: (most: number) =>
    `the page shows up to ${most.toLocaleString("en")}; keep fewer frames by save, or use murmur render`,
  kept: (name: string) => `${name}, as it was kept`,
  keptWhy: (words: readonly string[]) =>
    `The page shows the kept frames, for it cannot fly ${words.join(", ")} itself.`,
  keptHint: "No token can be moved in kept frames. Turn any control, and the page flies anew with what it has.",
  keptAxes: (d: number) => `${d} dimensions, the first three are drawn`,
} as const;
