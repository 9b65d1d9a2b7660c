// measured.ts: measurements of trained readers by this project, for the Story.
import kept from "./ladders.json";
import { stopOf } from "./stops";

/** One kind of reader: accuracies in per cent by the number of blocks, mean and deviation over the seeds. */
export interface Rungs {
  key: string;
  reader: string; // as the reproduction names it
  blocks: number[];
  accuracy: number[];
  sd: number[];
}

/** One task given to all readers; made by scripts/page_ladder.py from `murmur reproduce ladder`. */
export interface Ladder {
  task: string;
  chance: number; // per cent
  bound: number | null; // what readers that hear nobody cannot exceed
  seeds: number;
  readers: Rungs[];
}

export const kLadders: readonly Ladder[] = kept;

/** At which stop the story comes to a reader; the others are told with the depths. */
export const kStopOf: Readonly<Record<string, number>> = {
  isolated: stopOf("alone"), messenger: stopOf("messenger"), attraction: stopOf("attraction"),
  uniform: stopOf("messages"), selected: stopOf("asking"), selected_bare: stopOf("rounds"),
};
const kDepth = 10; // blocks of the readers that are held against each other, where they have so many

/** The depth at which a ladder's readers are compared: kDepth, else the largest that the most of them have. */
export function depthOf({ readers }: Ladder): number {
  const told = readers.filter(({ key }) => key in kStopOf);
  const count = (depth: number) => told.filter(({ blocks }) => blocks.includes(depth)).length;
  const depths = [...new Set(told.flatMap(({ blocks }) => blocks))];
  const best = Math.max(...depths.map(count));
  if (count(kDepth) === best) return kDepth;
  return Math.max(...depths.filter((depth) => count(depth) === best));
}

/** Mean and deviation of a reader at a depth; null where it was not trained. */
export function rungAt({ blocks, accuracy, sd }: Rungs, depth: number): { mean: number; sd: number } | null {
  const k = blocks.indexOf(depth);
  return k < 0 ? null : { mean: accuracy[k], sd: sd[k] };
}

/** The readers the story has come to, in its order, that were trained at the ladder's depth. */
export function rungsOf(ladder: Ladder): Rungs[] {
  const depth = depthOf(ladder);
  const told = ladder.readers.filter((rungs) => rungs.key in kStopOf && rungAt(rungs, depth));
  return told.sort((a, b) => kStopOf[a.key] - kStopOf[b.key]);
}

/**
 * How much the tokens of each tenth of the row move the messenger's verdict, 1 being the mean; tokens shuffled.
 * First seed, mean over 100 test flocks: influence_shuffled.csv of `murmur reproduce flock-argument`.
 */
export const kInfluence = [0.00113, 0.00239, 0.00527, 0.0136, 0.0239, 0.0663, 0.1659, 0.5173, 1.7469, 7.7658];
