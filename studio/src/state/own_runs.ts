// own_runs.ts: the visitor's own runs, as the server of `murmur studio --runs DIR` lists them.
import { signal } from "@preact/signals";
import type { Fault } from "../core/protocol";
import { strings } from "../strings";

/** The kinds of runs that the page can show, and what as: the words of manifest.json. */
export const kRunKinds = { simulate: "trajectory", train: "model" } as const;
export type RunKind = keyof typeof kRunKinds;

export function isRunKind(word: unknown): word is RunKind {
  return typeof word === "string" && Object.hasOwn(kRunKinds, word);
}

/** The runs that are shown as trajectories, or as models to ask. */
export function shownAs(runs: readonly OwnRun[], what: (typeof kRunKinds)[RunKind]): OwnRun[] {
  return runs.filter((run) => kRunKinds[run.kind] === what);
}

/** A run that can be read; addresses are of its files, null where a file is missing. */
export interface OwnRun {
  name: string;
  kind: RunKind;
  status: string;
  n: number;
  d: number;
  frames: number;
  digits: number[] | null;
  accuracy: number | null;
  model: string | null;
  trajectory: string | null;
  times: string | null;
  observables: string | null;
  summary: string | null;
  config: string | null;
}

export interface DamagedRun {
  name: string;
  kind: "damaged";
  note: string;
}

export interface RunList {
  runs: readonly OwnRun[];
  damaged: readonly DamagedRun[];
}

export const kNoRuns: RunList = { runs: [], damaged: [] };

type Row = Record<string, unknown>;

function wholeOf(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** An address of the server's own runs; anything else is none. */
function addressOf(value: unknown): string | null {
  return typeof value === "string" && /^\/runs\/[^./\\?#][^/\\?#]*\/[^./\\?#][^/\\?#]*$/.test(value) ? value : null;
}

function digitsOf(value: unknown): number[] | null {
  if (!Array.isArray(value) || value.length < 2) return null;
  const digits = value.map(wholeOf);
  return digits.every((digit) => digit !== null && digit <= 9) ? (digits as number[]) : null;
}

function runOf(row: Row): OwnRun | null {
  const [n, d, frames] = [row.n, row.d, row.frames].map(wholeOf);
  if (n === null || d === null || frames === null) return null;
  if (!isRunKind(row.kind)) return null;
  return {
    name: String(row.name), kind: row.kind, status: typeof row.status === "string" ? row.status : "", n, d, frames,
    digits: digitsOf(row.digits), accuracy: typeof row.accuracy === "number" ? row.accuracy : null,
    model: addressOf(row.model), trajectory: addressOf(row.trajectory), times: addressOf(row.times),
    observables: addressOf(row.observables), summary: addressOf(row.summary), config: addressOf(row.config),
  };
}

/** The text of runs/index.json; a text of another kind (a host's page for what is missing) holds no runs. */
export function parseIndex(text: string): RunList {
  let rows: unknown;
  try {
    rows = JSON.parse(text);
  } catch {
    return kNoRuns;
  }
  if (!Array.isArray(rows)) return kNoRuns;
  const runs: OwnRun[] = [];
  const damaged: DamagedRun[] = [];
  for (const row of rows as (Row | null)[]) {
    if (typeof row !== "object" || row === null || typeof row.name !== "string" || row.name === "") continue;
    const { name } = row;
    const run = row.kind === "damaged" ? null : runOf(row);
    if (run) runs.push(run);
    else damaged.push({ name, kind: "damaged", note: typeof row.note === "string" ? row.note : strings.runs.odd });
  }
  return { runs, damaged };
}

/** The names the server answers to; no other host is asked for runs. */
export function mayHaveRuns(hostname: string): boolean {
  return ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}

/** The list, once it was asked for. */
export const ownRuns = signal<RunList>(kNoRuns);

let asked: Promise<RunList> | null = null;

/** Asks for the list, once a visit; a host without runs has none, which is not a fault. */
export function askRuns(): Promise<RunList> {
  asked ??= (async () => {
    if (!mayHaveRuns(location.hostname)) return kNoRuns;
    try {
      const answer = await fetch(new URL("runs/index.json", document.baseURI));
      if (answer.ok) ownRuns.value = parseIndex(await answer.text());
    } catch {
      // the server is gone: the page goes on without it
    }
    return ownRuns.value;
  })();
  return asked;
}

/** The run of a name, out of a list. */
export function runNamed(list: RunList, name: string): OwnRun | null {
  return list.runs.find((run) => run.name === name) ?? null;
}

/** A file of a run. */
export async function fetchOfRun(address: string | null, what: string, headers?: HeadersInit): Promise<Response> {
  const answer = address === null ? null : await fetch(new URL(address, document.baseURI), { headers });
  if (!answer?.ok) throw configFault(strings.runs.noFile(what), address ?? what, strings.runs.noFileRemedy);
  return answer;
}

function configFault(what: string, where: string, remedy: string): Fault {
  return { fault: 2, what, where, remedy };
}

/** A TOML basic string without its quotes; null where it is none. */
function unquoted(text: string): string | null {
  if (!/^"(?:[^"\\\u0000-\u001f]|\\(?:["\\bfnrt]|u[0-9a-fA-F]{4}))*"$/.test(text)) return null;
  return JSON.parse(text) as string;
}

/** One value as key=value carries it: words as they are, numbers in their shortest form. */
function valueOf(text: string): string | null {
  if (text.startsWith('"')) return unquoted(text);
  if (text === "true" || text === "false") return text;
  if (!/^[+-]?\d+(?:_\d+)*(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return null;
  const value = Number(text.replaceAll("_", ""));
  return Number.isFinite(value) ? String(value) : null;
}

/** The flat `key = value` lines of a run's config.toml; throws a Fault that names the line. */
export function parseConfig(text: string, where = "config.toml"): Record<string, string> {
  const words: Record<string, string> = {};
  text.split(/\r?\n/).forEach((line, k) => {
    if (/^\s*(#.*)?$/.test(line)) return;
    const parts = /^\s*([A-Za-z_][A-Za-z0-9_]*)\s*=\s*("(?:[^"\\]|\\.)*"|[^\s"#]+)\s*(?:#.*)?$/.exec(line);
    const value = parts && valueOf(parts[2]);
    if (!parts || value === null || Object.hasOwn(words, parts[1])) {
      throw configFault(strings.runs.badLine(k + 1), `${where}:${k + 1}`, strings.runs.badLineRemedy);
    }
    words[parts[1]] = value;
  });
  return words;
}

/** "t,energy,..." and a row a frame, without the times; NaN for empty cells, odd rows are none. */
export function parseObservables(text: string): { columns: string[]; rows: number[][] } {
  const lines = text.split(/\r?\n/).filter((line) => line !== "");
  const names = (lines.shift() ?? "").split(",");
  if (names[0] !== "t") return { columns: [], rows: [] };
  const cells = lines.map((line) => line.split(",").map((cell) => (cell === "" ? NaN : Number(cell))));
  return {
    columns: names.slice(1),
    rows: cells.map((row) => (row.length === names.length ? row.slice(1) : names.slice(1).map(() => NaN))),
  };
}
