// measured.ts: what this project measured of trained readers, for the story.
import kept from "./ladders.json";

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
  isolated: 1, messenger: 2, attraction: 3, uniform: 4, selected: 5, selected_bare: 6,
};
export const kDepth = 10; // blocks of the readers that are held against each other
export const kDepthStop = 6; // where depth is told

/** Mean and deviation of a reader at a depth; null where it was not trained. */
export function rungAt({ blocks, accuracy, sd }: Rungs, depth: number): { mean: number; sd: number } | null {
  const k = blocks.indexOf(depth);
  return k < 0 ? null : { mean: accuracy[k], sd: sd[k] };
}

/** The readers that a stop may show: those the story has come to. */
export function revealed(ladder: Ladder, stop: number): Rungs[] {
  return ladder.readers.filter(({ key }) => (kStopOf[key] ?? Infinity) <= stop);
}

/**
 * How much the tokens of each tenth of the row move the messenger's verdict, 1 being the mean; tokens shuffled.
 * First seed, mean over 100 test flocks: influence_shuffled.csv of `murmur reproduce flock-argument`.
 */
export const kInfluence = [0.00113, 0.00239, 0.00527, 0.0136, 0.0239, 0.0663, 0.1659, 0.5173, 1.7469, 7.7658];
