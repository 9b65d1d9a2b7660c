// kept_film.ts: the frames that a run has kept, as a film that nothing has to fly.
import type { FlightInfo, Frames } from "../core/protocol";
import { readNumbers } from "../export/read_array";
import { Film } from "./film";
import { fetchOfRun, parseObservables, type OwnRun } from "./own_runs";
import { strings } from "../strings";

export const kMostKept = 10_000_000; // numbers of a trajectory

export interface Kept {
  times: Float64Array; // (frames)
  positions: Float32Array; // (frames, n, d)
  columns: string[];
  rows: number[][]; // (frames, columns)
}

/** As a film of the core in all but this: no core knows it, so nothing can be asked or branched. */
export class KeptFilm extends Film {
  override readonly cosines = new Float64Array(0);

  constructor(
    readonly run: OwnRun,
    kept: Kept,
    readonly about: { habitat: FlightInfo["habitat"]; why: readonly string[] },
  ) {
    const { times, positions, columns, rows } = kept;
    const { n, d } = run;
    const observables = new Float64Array(times.length * columns.length).fill(NaN);
    rows.slice(0, times.length).forEach((row, k) => observables.set(row, k * columns.length));
    const frames: Frames = {
      flight: -1, first: 0, count: times.length, times, positions, observables, cosines: new Float64Array(0),
      scores: new Float64Array(0), verdicts: new Int8Array(0), ended: { ok: true, what: "", remedy: "" },
    };
    super(
      { fly: async () => frames, close: async () => undefined },
      {
        id: -1, n, d, habitat: about.habitat, frames: times.length, first: 0, T: times.at(-1) ?? 0,
        columns, digits: [], classes: [], known: [], config: "",
      },
    );
  }
}

/** Fetches what a run has kept; a run that is still written is taken as far as it goes. */
export async function fetchKept(run: OwnRun): Promise<Kept> {
  const numbers = run.frames * run.n * run.d;
  if (numbers > kMostKept) {
    const { tooLarge, tooLargeRemedy } = strings.runs;
    throw { fault: 2, what: tooLarge(numbers), where: run.name, remedy: tooLargeRemedy(kMostKept) };
  }
  const [places, times, table] = await Promise.all([
    fetchOfRun(run.trajectory, "trajectory.npy").then((answer) => answer.arrayBuffer()),
    fetchOfRun(run.times, "times.npy").then((answer) => answer.arrayBuffer()),
    run.observables === null ? "" : fetchOfRun(run.observables, "observables.csv").then((answer) => answer.text()),
  ]);
  return keptOf(run, { places, times, table });
}

/** The files of a run as frames: as many as all of them have. */
export function keptOf(run: OwnRun, files: { places: ArrayBuffer; times: ArrayBuffer; table: string }): Kept {
  const { shape, values } = readNumbers(files.places, "trajectory.npy");
  const moments = readNumbers(files.times, "times.npy");
  const size = run.n * run.d;
  const count = Math.min(shape[0] ?? 0, moments.values.length);
  if (shape.length !== 3 || shape[1] !== run.n || shape[2] !== run.d || count === 0) {
    const { noFile, noFileRemedy } = strings.runs;
    throw { fault: 2, what: noFile("trajectory.npy"), where: `(${shape.join(", ")})`, remedy: noFileRemedy };
  }
  return {
    times: Float64Array.from(moments.values.subarray(0, count)),
    positions: new Float32Array(values.subarray(0, count * size)),
    ...parseObservables(files.table),
  };
}
