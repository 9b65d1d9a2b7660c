// measured.ts: what readers of the digits 5 and 6 reached, measured by this project, stop by stop.

/** `murmur reproduce flock-argument` and `murmur reproduce swarm-table`: three seeds each, 1850 test pictures. */
export interface Measured {
  reader: string; // as docs/flock-argument.md or bench/results/swarm-table.md names it
  accuracy: number; // per cent, mean over the seeds
  deviation: number; // standard deviation over the seeds
}

const argument = {
  isolated: { reader: "isolated tokens", accuracy: 97.46, deviation: 0.29 },
  messenger: { reader: "one messenger", accuracy: 91.78, deviation: 5.51 },
  attraction: { reader: "attraction only", accuracy: 96.94, deviation: 0.23 },
  messages: { reader: "messages to all", accuracy: 97.91, deviation: 0.53 },
  flock: { reader: "full flock", accuracy: 98.81, deviation: 0.28 },
  cls: { reader: "full flock, CLS", accuracy: 98.34, deviation: 0.94 },
} satisfies Record<string, Measured>;

/** One round and ten rounds of the same block, trained longer (60 epochs): another table. */
const rounds = {
  one: { reader: "5 vs 6, 1 block", accuracy: 98.61, deviation: 0.11 },
  ten: { reader: "5 vs 6, 10 shared", accuracy: 99.05, deviation: 0.11 },
} satisfies Record<string, Measured>;

export const measured = { ...argument, ...rounds };
export type Reader = keyof typeof measured;

/** The readers in the order of the story; the rounds stand apart, being trained for longer. */
export const kArgument: Reader[] = ["isolated", "messenger", "attraction", "messages", "flock", "cls"];
export const kRounds: Reader[] = ["one", "ten"];

/** Which readers a stop is about; the first is its own, a second one it is held against. */
export const kOfStop: Reader[][] = [
  ["isolated"], ["messenger"], ["attraction"], ["messages"], ["flock"], ["ten", "one"], ["flock", "cls"],
];

/** Mistakes in a hundred pictures. */
export function mistakes(reader: Reader): number {
  return 100 - measured[reader].accuracy;
}

/**
 * How much the tokens of each tenth of the row move the messenger's verdict, 1 being the mean; tokens shuffled.
 * First seed, mean over 100 test flocks: influence_shuffled.csv of `murmur reproduce flock-argument`.
 */
export const kInfluence = [0.00113, 0.00239, 0.00527, 0.0136, 0.0239, 0.0663, 0.1659, 0.5173, 1.7469, 7.7658];
