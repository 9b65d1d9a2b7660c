// protocol.ts: the messages between the page and the core's worker.
import type { KnownName } from "./wasm/known";

/** Parameters by the names the command line has: { beta: 4, n: 64, dynamics: "SA" }. */
export type Words = Record<string, string | number | boolean>;

/** A refusal: what, where, what to do; `fault` is the command line's exit code. */
export interface Fault {
  fault: number;
  what: string;
  where: string;
  remedy: string;
  /** The flight or the trained swarm asked about was closed, or never made. */
  gone?: true;
  /** Of a flight that is too large: how many frames of how many boids with how many coordinates. */
  frames?: number;
  n?: number;
  d?: number;
}

export interface ParameterRow {
  name: string;
  kind: "number" | "whole" | "word" | "flag";
  initial: string;
  values: string;
  meaning: string;
}

/** A way to advance in time: whether its steps all have the length dt, and whether it takes noise. */
export interface MethodRow {
  name: string;
  fixed: boolean;
  noise: boolean;
}

export interface About {
  version: string;
  commit: string;
  parameters: ParameterRow[];
  methods: MethodRow[];
}

/** A flight ready to fly; frame 0 is where it starts. */
export interface FlightInfo {
  id: number;
  n: number;
  d: number;
  habitat: "sphere" | "space";
  /** How many frames the whole schedule has, and the first one this flight has (a branch's is > 0). */
  frames: number;
  first: number;
  /** When the schedule ends. */
  T: number;
  columns: string[];
  /** Trained flights: the digits that were learned, and the names of the classes in the order of the scores. */
  digits: number[];
  classes: string[];
  /** What is proved about the setting. */
  known: KnownResult[];
  /** The .toml that flies the same with the program murmur; empty for trained flights. */
  config: string;
}

export type { KnownName };
/** A result as the core's statement that applies, with the numbers and formulas in it. */
export interface KnownResult {
  name: KnownName;
  source: string; // empty: it is a note on the others
  sentence: string; // in English, with its source
  values: string[];
}

export interface Ending {
  ok: boolean;
  what: string;
  remedy: string;
}

/** Frames first, first + 1, ... of a flight; arrays in C order. */
export interface Frames {
  flight: number;
  first: number;
  count: number;
  times: Float64Array; // (count)
  positions: Float32Array; // (count, n, d)
  observables: Float64Array; // (count, columns); NaN where one does not exist
  cosines: Float64Array; // (count, kCosineBins) shares of the pairs, from -1 to 1; empty off the sphere
  scores: Float64Array; // (count, classes) chances of the readout; empty unless trained
  verdicts: Int8Array; // (count, n) the class whose target is nearest to each boid; empty unless trained
  ended: Ending | null; // set with the last frame
}
export const kCosineBins = 40;

export interface TrainedInfo {
  id: number;
  /** Which digit a picture shows, or whether two pictures show the same one. */
  task: "digits" | "same";
  digits: number[];
  classes: string[]; // names, in the order of the targets
  d: number;
  blocks: number;
  shared: boolean;
  heads: number;
  hidden: number;
  residual: number;
  interaction: "none" | "attraction" | "uniform" | "attention";
  position: boolean;
  readout: "mean" | "cls";
  parameters: number;
  height: number;
  width: number;
  targets: number[][]; // (classes, d)
}

/** Where boid `boid` is put before the flight goes on. */
export interface Edit {
  boid: number;
  place: number[]; // (d)
}

/** The attention of a token at a frame; for trained swarms also its four vectors. */
export interface Gaze {
  weights: Float64Array; // (heads, n), each row sums to 1 where the attention is normalised
  heads: number;
  query: number[]; // (d) Q x + b; empty where there is none
  key: number[];
  value: number[];
  feedForward: number[];
}

/** The groups of a moment. */
export interface Groups {
  of: Int32Array; // (n) the group of each boid, numbered by first member
  leaders: Int32Array; // who hears itself best, and so stays under hardmax
}

/** Within `tol`: 1 - <x, y> on the sphere, |x - y| in space. For `beta`: at one peak of sum_j e^(beta <y, x_j>). */
export type Grouping = { tol: number } | { beta: number };

/** Which word may come next at a place. */
export interface NextWord {
  probability: Float64Array; // (words)
  entropy: number; // nats
  outcomes: number; // e^entropy: how many words are possible
  best: number;
}

/** What one head has in a boid's move. */
export interface DomeHead {
  k: number; // coordinates of query and keys
  share: number; // of how the keys lie around the query, that two axes show; 1 for k <= 3
  attended: number; // to how many boids it attends
  beta: number; // 0: all weights are the same
  message: number; // length
  sameLengths: boolean; // of the keys: scores depend only on directions
  meanLength: number; // of the keys that the boid sees
  concentration: number; // c of the field of vision: a key of that length, a away from the query, has e^(-c (1 - cos a))
  halfAngle: number; // where that is one half
  keyGroups: number; // keys that overlap, as drawn: how many rows of keyGroups are of this head
  valueGroups: number;
}

/** One boid's move in parts, as token_move.h has them; arrows along three axes. Of a flow they are velocities. */
export interface Dome {
  heads: DomeHead[];
  layers: boolean; // whether the flight goes layer by layer
  ball: number; // radii of the dome: a place that has all attention
  diamond: number; // and half a value that is all of the message
  dt: number;
  share: number; // of the arrows, that the three axes show
  feedForwards: number; // how many perceptrons there are
  noise: number;
  lengths: { messages: number; feedForward: number; correction: number; move: number };
  weights: Float64Array; // (heads, n)
  keys: Float64Array; // (heads, n, 3) on the unit sphere; 0 where one has no direction
  queries: Float64Array; // (heads, 3)
  arrows: Float64Array; // (heads + 4, 3): the heads' messages, then messages, feed-forward, correction, move
  keyLengths: Float64Array; // (heads, n) of the keys
  values: Float64Array; // (heads, n, 3) on the unit sphere; 0 where one has no direction
  keyGroups: Float64Array; // (groups, 5) of all heads in turn: place, weight, how many keys
  valueGroups: Float64Array; // (groups, 5) likewise; their weight is the part of the message
}

/** Drawn ink: (height, width), 0 is paper, 255 ink, row 0 the top. */
export interface Ink {
  height: number;
  width: number;
  pixels: Uint8Array;
}

export interface FlockOptions {
  finer?: number; // boids x1, x4, x16: 1, 2, 4
  blocks?: number; // past the trained depth; 0: as trained
  engine?: "auto" | "reference" | "simd";
}

/** The core. Every promise rejects with a Fault. */
export interface Core {
  about(): Promise<About>;
  /** A flight out of words; `points` (n, d) as C rows replaces `init`. */
  flight(words: Words, points?: { rows: Float64Array; n: number; d: number }): Promise<FlightInfo>;
  trained(bytes: ArrayBuffer): Promise<TrainedInfo>;
  /** The 28 x 28 a swarm sees: cropped, scaled and centred as MNIST was. */
  centre(ink: Ink): Promise<Ink>;
  /** A flight of a picture's ink; a swarm that compares takes the left and the right picture, of one size. */
  flock(trained: number, ink: Ink | readonly [Ink, Ink], options?: FlockOptions): Promise<FlightInfo>;
  /** A flight of a trained swarm from given places (n, d). */
  flockOfPoints(trained: number, rows: Float64Array, n: number, options?: FlockOptions): Promise<FlightInfo>;
  /**
   * Flies up to `count` further frames; the first call gives frame `first` as well. Comes back after about a tenth
   * of a second with what there is, which may be no frame at all: ask again until the flight has ended.
   */
  fly(flight: number, count: number): Promise<Frames>;
  /** (n, d): a frame already flown, in double precision. */
  frame(flight: number, frame: number): Promise<Float64Array>;
  /** A new flight that leaves `flight` at `frame` with some boids put elsewhere. */
  branch(flight: number, frame: number, edits: Edit[]): Promise<FlightInfo>;
  gaze(flight: number, frame: number, boid: number): Promise<Gaze>;
  dome(flight: number, frame: number, boid: number): Promise<Dome>;
  /** Groups of boids at `rows` (n, d). */
  groups(rows: ArrayLike<number>, d: number, sphere: boolean, by: Grouping): Promise<Groups>;
  /** `words` (count, d) of length 1. p_v = e^(kappa <u, w_v>) / sum_w e^(kappa <u, w_w>), u = place / |place|. */
  nextWord(place: ArrayLike<number>, words: Float64Array, kappa: number): Promise<NextWord>;
  /** (count, 4, d): query, key, value, feed-forward of one block at `rows` (count, d). */
  fields(trained: number, block: number, rows: Float64Array): Promise<Float64Array>;
  /** (count, d): velocity of test particles without weight at `rows` (count, d), among the flock of a frame. */
  velocity(flight: number, frame: number, rows: Float64Array): Promise<Float64Array>;
  /**
   * (frames, rows, d): where test particles without weight, at `rows` (rows, d) in `frame`, are in the next `count`
   * frames flown, carried by the flight's own method; fewer where one of them leaves all numbers.
   */
  carry(flight: number, frame: number, count: number, rows: Float64Array): Promise<Float64Array>;
  /** (3, d): orthonormal axes along which the frames flown so far spread most; the identity when d <= 3. */
  axes(flight: number): Promise<Float64Array>;
  close(flight: number): Promise<void>;
  /** Lets go of a trained swarm; flights of it that are open go on. */
  release(trained: number): Promise<void>;
}

/** A call of the core on its way to the worker. */
export interface Call {
  id: number;
  name: keyof Core;
  given: unknown[];
}

/** Either the result or, where there is a fault, the refusal. */
export interface Answer {
  id: number;
  result?: unknown;
  fault?: Fault;
}
