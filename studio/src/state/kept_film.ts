// kept_film.ts: the saved frames of a run, read from its npy files, as a film that needs no computing.
import type { FlightInfo } from "../core/protocol";
import { PointsError, readHead } from "../export/read_points";
import { files as words, strings } from "../strings";
import { type Stored, StoredFilm } from "./film";
import { fetchOfRun, type OwnRun, parseObservables } from "./own_runs";

export interface Numbers {
  shape: number[];
  values: Float32Array | Float64Array; // C order
}

/** Little-endian f4 or f8 in C order; with `most`, no more numbers than that, and the rest may be missing. */
export function readNumbers(buffer: ArrayBuffer, where: string, most = Infinity): Numbers {
  const head = readHead(new Uint8Array(buffer), where);
  const size = { f4: 4, f8: 8 }[head.kind];
  if (!size || !head.little || head.fortran) {
    throw new PointsError(words.kind(head.kind), words.kindRemedy, where);
  }
  const count = Math.min(most, head.shape.reduce((product, side) => product * side, 1));
  const has = Math.floor((buffer.byteLength - head.data) / size);
  if (has < count) throw new PointsError(words.numbers(has, count), words.saveAgain, where);
  const bytes = buffer.slice(head.data, head.data + count * size);
  return { shape: head.shape, values: size === 4 ? new Float32Array(bytes) : new Float64Array(bytes) };
}

export const kMostKept = 10_000_000; // numbers of a trajectory

/** A run's film, and what the page cannot compute of it. */
export class KeptFilm extends StoredFilm {
  constructor(
    readonly run: OwnRun,
    kept: Stored,
    readonly about: { habitat: FlightInfo["habitat"]; why: readonly string[] },
  ) {
    super(kept, { n: run.n, d: run.d, habitat: about.habitat });
  }
}

/** Fetches what a run has kept; a run that is still written is taken as far as it goes. */
export async function fetchKept(run: OwnRun): Promise<Stored> {
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
export function keptOf(run: OwnRun, files: { places: ArrayBuffer; times: ArrayBuffer; table: string }): Stored {
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
