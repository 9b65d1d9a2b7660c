// library.ts: trained transformers and test digits that come with the page, fetched when needed.
import type { Fault, Ink, TrainedInfo } from "../../core/protocol";
import { readBytes } from "../../core/stream";
import { shownAs, type OwnRun } from "../../state/own_runs";
import { core } from "../../state/session";
import { strings } from "../../strings";
import { withoutAttention } from "./pairs";

/** One line of models/index.json, or an own run. */
export interface SwarmEntry {
  /** Below models/; of an own run its address. */
  file: string;
  /** Of a visitor's run it is known once its model is loaded. */
  task?: TrainedInfo["task"];
  name: string;
  title: string;
  digits: number[];
  blocks: number;
  shared: boolean;
  d: number;
  parameters: number;
  validation_accuracy: number;
  test_accuracy: number | null;
  epochs: number;
  seed: number;
  command: string;
  bytes: number;
  own?: boolean;
  /** Where an own run sums up its training. */
  summary?: string | null;
}

export const kOwn = "run:";

/** Test digits of the page, fifty a class. */
export interface TestDigits {
  count: number;
  labels: number[];
  ink(k: number): Ink;
}

async function fetched(path: string, signal?: AbortSignal): Promise<Response> {
  const answer = await fetch(new URL(path, document.baseURI), { signal });
  if (!answer.ok) throw new Error(strings.digits.missing(path));
  return answer;
}

/** Calls once and remembers; a failure is forgotten, so that the next call tries again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    }));
}

export const swarms = once(async () => (await (await fetched("models/index.json")).json()) as SwarmEntry[]);

/** What the verdict "neither" measures ink by: the laws of the ten digits (neither.ts). */
export const digitLaws = once(
  async () => new Float32Array(await (await fetched("models/digit_laws.bin")).arrayBuffer()),
);

const kMostLoaded = 3; // swarms in the core: two that are compared, and the one before
interface Loaded {
  load(): Promise<TrainedInfo>;
  off: AbortController;
}
const loaded = new Map<string, Loaded>(); // the one asked for last is the last

function loading(entry: SwarmEntry, deaf: boolean): Loaded {
  const off = new AbortController();
  const load = once(async () => {
    const answer = await fetched(entry.own ? entry.file : `models/${entry.file}`, off.signal);
    const bytes = await readBytes(answer, entry.bytes);
    return (await core).trained(deaf ? withoutAttention(bytes) : bytes);
  });
  return { load, off };
}

/** A swarm in the core, by its line of the list; `deaf`: the same one without attention. */
export function swarm(entry: SwarmEntry, deaf = false): Promise<TrainedInfo> {
  const key = `${deaf ? "deaf " : ""}${entry.file}`;
  const one = loaded.get(key) ?? loading(entry, deaf);
  loaded.delete(key);
  loaded.set(key, one);
  const info = one.load(); // first: a swarm that is let go is one that was loaded
  keepSwarms(kMostLoaded);
  return info;
}

/** Lets go of all swarms but the last so many that were asked for; flights of them go on. Of none, streams end as well. */
export function keepSwarms(count: number): void {
  for (const [key, { load, off }] of [...loaded].slice(0, Math.max(0, loaded.size - count))) {
    loaded.delete(key);
    if (count === 0) off.abort();
    const letGo = async () => (await core).release((await load()).id);
    void letGo().catch(() => undefined); // one that never came has nothing to let go
  }
}

export const testDigits = once(async (): Promise<TestDigits> => {
  const [about, bytes] = await Promise.all([
    fetched("digits.json").then((a) => a.json() as Promise<{ height: number; width: number; labels: number[] }>),
    fetched("digits.bin").then((a) => a.arrayBuffer()),
  ]);
  const { height, width, labels } = about;
  const size = height * width;
  const count = Math.min(labels.length, Math.floor(bytes.byteLength / size));
  return { count, labels, ink: (k) => ({ height, width, pixels: new Uint8Array(bytes, k * size, size).slice() }) };
});

/** Trained runs as swarms to choose; what only their model contains stays 0. */
export function ownSwarms(runs: readonly OwnRun[]): SwarmEntry[] {
  return shownAs(runs, "model").flatMap(({ name, digits, d, model, accuracy, summary }) => {
    if (!model || !digits || d < 2) return [];
    return {
      file: model, name: `${kOwn}${name}`, title: strings.runs.digitsTitle(digits), digits, blocks: 0, shared: false, d,
      parameters: 0, validation_accuracy: 0, test_accuracy: accuracy, epochs: 0, seed: 0, command: "", bytes: 0,
      own: true, summary,
    };
  });
}

/** The pictures an own swarm learned from, where they are no digits of MNIST; null otherwise. */
export async function strangeData(entry: SwarmEntry): Promise<string | null> {
  if (!entry.summary) return null;
  const { data } = (await (await fetched(entry.summary)).json()) as { data?: unknown };
  return typeof data === "string" && data !== "mnist" ? data : null;
}

/** What a swarm of the page was trained on, in the language of the page. */
function titleOf({ task, name, title, digits }: SwarmEntry): string {
  const words = strings.runs;
  return task === "digits" ? words.digitsTitle(digits) : (words.pairTitles[name] ?? title);
}

/** Swarms as options of a choice: groups only where there are own ones. */
export function swarmOptions(list: readonly SwarmEntry[]): { value: string; label: string; group?: string }[] {
  const words = strings.runs;
  const grouped = list.some((entry) => entry.own);
  return list.map((entry) => ({
    value: entry.name,
    label: entry.own ? words.swarm(entry.name.slice(kOwn.length), entry.digits, entry.test_accuracy) : titleOf(entry),
    group: grouped ? (entry.own ? words.title : words.shipped) : undefined,
  }));
}

/** What a swarm was trained for: its line says, or its model. */
export async function taskOf(entry: SwarmEntry): Promise<TrainedInfo["task"]> {
  return entry.task ?? (await swarm(entry)).task;
}

/** A digit of one of the classes, drawn by chance, other than `last`. */
export function randomDigit(labels: readonly number[], classes: readonly number[], last: number): number | null {
  const fitting = labels.flatMap((label, k) => (classes.includes(label) && k !== last ? [k] : []));
  return fitting.length > 0 ? fitting[Math.floor(Math.random() * fitting.length)] : null;
}

/** The test digits; a page without them is a Fault. */
export function digitsHere(): Promise<TestDigits> {
  return testDigits().catch((): never => {
    const { noDigits, noDigitsHint } = strings.digits;
    const fault: Fault = { fault: 1, what: noDigits, where: "digits.json", remedy: noDigitsHint };
    throw fault;
  });
}

/** A test digit for a swarm, other than `last`; null where no class fits. */
export async function anotherDigit(entry: SwarmEntry, last: number): Promise<number | null> {
  return randomDigit((await digitsHere()).labels, entry.digits, last);
}

/** Two different test digits for a swarm that compares: of one class as often as of two. */
export async function anotherPair(entry: SwarmEntry, last: number): Promise<[number, number] | null> {
  const { labels } = await digitsHere();
  const left = randomDigit(labels, entry.digits, last);
  if (left === null) return null;
  const same = Math.random() < 0.5;
  const classes = entry.digits.filter((digit) => (digit === labels[left]) === same);
  const right = randomDigit(labels, classes, left);
  return right === null ? null : [left, right];
}
