// core.ts: implements the Core of protocol.ts with the compiled library, in whichever thread loads it.

import type { MurmurModule } from "./wasm/murmur.mjs";
import type {
  About,
  Core,
  Dome,
  Edit,
  Ending,
  Fault,
  FlightInfo,
  FlockOptions,
  Frames,
  Gaze,
  Grouping,
  Ink,
  NextWord,
  TrainedInfo,
  Words,
} from "./protocol";
import { core as words } from "../strings";

type Request = Record<string, unknown> & { do: string };
type Numbers = Float64Array | Uint8Array;

interface Reply {
  text: unknown;
  arrays: ArrayBuffer[];
}

const encoder = new TextEncoder();
const kRequestSeconds = 0.1; // seconds that one request flies, so that others come between

/** Copies bytes into the library's memory; the caller frees. */
function copyIn(module: MurmurModule, bytes: Uint8Array): number {
  const pointer = module._malloc(bytes.byteLength);
  if (pointer === 0) {
    const fault: Fault = { fault: 1, where: "", ...words.noMemory };
    throw fault;
  }
  module.HEAPU8.set(bytes, pointer); // after _malloc, which may have moved the heap
  return pointer;
}

/** A crash of the library itself, an assertion or a stack overflow, as a Fault like any other. */
function crash(error: unknown): Fault {
  return { fault: 1, where: error instanceof Error ? error.message : String(error), ...words.crashed };
}

/** What went wrong before the core could say so itself. */
export function faultOf(error: unknown): Fault {
  if (typeof error === "object" && error !== null && "fault" in error) return error as Fault;
  return { fault: 1, where: String(error), ...words.cannotStart };
}

/** One request and its reply; throws a Fault. */
export function ask(module: MurmurModule, request: Request, data?: Numbers): Reply {
  const text = encoder.encode(JSON.stringify(request) + "\0");
  const bytes = data
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(0);
  const textAt = copyIn(module, text);
  let bytesAt = 0;
  let fault: number;
  try {
    bytesAt = copyIn(module, bytes);
    fault = module._murmur_ask(textAt, bytesAt, bytes.byteLength);
  } catch (error) {
    throw typeof error === "object" && error !== null && "fault" in error ? error : crash(error);
  } finally {
    module._free(bytesAt);
    module._free(textAt);
  }
  const reply: unknown = JSON.parse(module.UTF8ToString(module._murmur_text()));
  if (fault !== 0) throw reply as Fault;
  const arrays: ArrayBuffer[] = [];
  for (let k = 0; k < module._murmur_arrays(); ++k) {
    const from = module._murmur_array(k);
    const size = module._murmur_array_bytes(k);
    const copy = new Uint8Array(size);
    copy.set(module.HEAPU8.subarray(from, from + size));
    arrays.push(copy.buffer);
  }
  return { text: reply, arrays };
}

function array(reply: Reply, index: number): ArrayBuffer {
  const found = reply.arrays[index];
  if (found === undefined) throw crash(words.missingArray(index));
  return found;
}

function assignmentLines(words: Words): string {
  return Object.entries(words)
    .map(([key, value]) => `${key}=${String(value)}`)
    .join("\n");
}

function doubles(module: MurmurModule, request: Request, data?: Numbers): Float64Array {
  return new Float64Array(array(ask(module, request, data), 0));
}

function sized(name: string, ink: Ink): Request {
  return { do: name, height: ink.height, width: ink.width };
}

/** Two pictures of one size, the pixels of the left one first. */
function sideBySide([left, right]: readonly [Ink, Ink]): Ink {
  const pixels = new Uint8Array(left.pixels.length + right.pixels.length);
  pixels.set(left.pixels);
  pixels.set(right.pixels, left.pixels.length);
  return { ...left, pixels };
}

type Made = "flight" | "trained" | "flock" | "flockOfPoints" | "branch";
type Making = Pick<Core, "about" | "centre" | Made | "close" | "release">;

/** What makes flights and swarms, and ends them. */
function creatingCalls(module: MurmurModule): Making {
  const info = (request: Request, data?: Numbers) => ask(module, request, data).text as FlightInfo;
  return {
    async about() {
      return ask(module, { do: "about" }).text as About;
    },
    async flight(words: Words, points?: { rows: Float64Array; n: number; d: number }) {
      const request = { do: "flight", words: assignmentLines(words) };
      return points ? info({ ...request, d: points.d }, points.rows) : info(request);
    },
    async trained(bytes: ArrayBuffer) {
      return ask(module, { do: "trained" }, new Uint8Array(bytes)).text as TrainedInfo;
    },
    async centre(ink: Ink) {
      const reply = ask(module, sized("centre", ink), ink.pixels);
      const size = reply.text as { height: number; width: number };
      return { ...size, pixels: new Uint8Array(array(reply, 0)) };
    },
    async flock(trained: number, ink: Ink | readonly [Ink, Ink], options: FlockOptions = {}) {
      const { height, width, pixels } = "pixels" in ink ? ink : sideBySide(ink);
      return info({ ...sized("flock", { height, width, pixels }), trained, ...options }, pixels);
    },
    async flockOfPoints(trained: number, rows: Float64Array, n: number, options: FlockOptions = {}) {
      const d = n > 0 ? rows.length / n : 0;
      return info({ do: "flockOfPoints", trained, d, ...options }, rows);
    },
    async branch(flight: number, frame: number, edits: Edit[]) {
      return info({ do: "branch", flight, frame, edits });
    },
    async close(flight: number) {
      ask(module, { do: "close", flight });
    },
    async release(trained: number) {
      ask(module, { do: "close", trained });
    },
  };
}

/** What flies, and what looks at frames that were flown. */
function runningCalls(module: MurmurModule): Omit<Core, keyof Making> {
  return {
    async fly(flight: number, count: number) {
      const reply = ask(module, { do: "fly", flight, count, seconds: kRequestSeconds });
      const text = reply.text as { first: number; count: number; ended: Ending | null };
      const frames: Frames = {
        flight,
        ...text,
        times: new Float64Array(array(reply, 0)),
        positions: new Float32Array(array(reply, 1)),
        observables: new Float64Array(array(reply, 2)),
        cosines: new Float64Array(array(reply, 3)),
        scores: new Float64Array(array(reply, 4)),
        verdicts: new Int8Array(array(reply, 5)),
      };
      return frames;
    },
    async frame(flight: number, frame: number) {
      return doubles(module, { do: "frame", flight, frame });
    },
    async gaze(flight: number, frame: number, boid: number) {
      const reply = ask(module, { do: "gaze", flight, frame, boid });
      const text = reply.text as Omit<Gaze, "weights">;
      return { ...text, weights: new Float64Array(array(reply, 0)) };
    },
    async dome(flight: number, frame: number, boid: number) {
      const reply = ask(module, { do: "dome", flight, frame, boid });
      const text = reply.text as Pick<Dome, "heads" | "layers" | "ball" | "diamond" | "dt" | "share" | "feedForwards" | "noise" | "lengths">;
      const [weights, keys, queries, arrows, keyLengths, values, keyGroups, valueGroups] =
        reply.arrays.map((_, k) => new Float64Array(array(reply, k)));
      return { ...text, weights, keys, queries, arrows, keyLengths, values, keyGroups, valueGroups };
    },
    async groups(rows: ArrayLike<number>, d: number, sphere: boolean, by: Grouping) {
      const reply = ask(module, { do: "groups", d, sphere, ...by }, Float64Array.from(rows));
      return { of: new Int32Array(array(reply, 0)), leaders: new Int32Array(array(reply, 1)) };
    },
    async nextWord(place: ArrayLike<number>, points: Float64Array, kappa: number) {
      const reply = ask(module, { do: "nextWord", place: Array.from(place), kappa }, points);
      return { ...(reply.text as Omit<NextWord, "probability">), probability: new Float64Array(array(reply, 0)) };
    },
    async fields(trained: number, block: number, rows: Float64Array) {
      return doubles(module, { do: "fields", trained, block }, rows);
    },
    async velocity(flight: number, frame: number, rows: Float64Array) {
      return doubles(module, { do: "velocity", flight, frame }, rows);
    },
    async carry(flight: number, frame: number, count: number, rows: Float64Array) {
      return doubles(module, { do: "carry", flight, frame, count }, rows);
    },
    async axes(flight: number) {
      return doubles(module, { do: "axes", flight });
    },
  };
}

/** The library as a Core; every call answers at once, as a promise. */
export function coreOf(module: MurmurModule): Core {
  return { ...creatingCalls(module), ...runningCalls(module) };
}
