// film.ts: the frames of one run, as far as they are computed, and requests for more.
import { signal } from "@preact/signals";
import { kCosineBins, type Core, type Ending, type Fault, type FlightInfo, type Frames } from "../core/protocol";

/** A flight that a fault ended: what was flown stays. */
function endedBy(error: unknown): Ending {
  const { what, remedy } = (error ?? {}) as Partial<Fault>;
  return { ok: false, what: what ?? (error instanceof Error ? error.message : String(error)), remedy: remedy ?? "" };
}

/** Frames are numbered as in the flight's schedule: a branch begins at info.first. */
export class Film {
  /** One more than the last frame that is here. */
  readonly flown = signal(0);
  readonly ended = signal<Ending | null>(null);
  readonly times: Float64Array; // (frames)
  readonly positions: Float32Array; // (frames, n, d)
  readonly observables: Float64Array; // (frames, columns)
  readonly cosines: Float64Array; // (frames, bins)
  readonly scores: Float64Array; // (frames, classes)
  readonly verdicts: Int8Array; // (frames, n)
  private wanted = 0;
  private flying: Promise<void> | null = null;
  private closed = false;

  constructor(
    private readonly core: Pick<Core, "fly" | "close">,
    readonly info: FlightInfo,
  ) {
    const { frames, n, d, columns, classes } = info;
    this.flown.value = info.first;
    this.times = new Float64Array(frames);
    this.positions = new Float32Array(frames * n * d);
    this.observables = new Float64Array(frames * columns.length).fill(NaN);
    this.cosines = new Float64Array(info.habitat === "sphere" ? frames * kCosineBins : 0);
    this.scores = new Float64Array(frames * classes.length);
    this.verdicts = new Int8Array(classes.length > 0 ? frames * n : 0);
  }

  get first(): number {
    return this.info.first;
  }
  get last(): number {
    return this.info.frames - 1;
  }
  /** The last frame there will ever be: a flight may end before its schedule does. */
  get end(): number {
    return this.ended.value ? Math.max(this.first, this.flown.value - 1) : this.last;
  }

  /**
   * Flies on until `frame` is here, in the background; a few frames at a time, so that it can be closed. Tells
   * whether it is here: a film that is closed or has ended gets no further. A fault is the film's end.
   */
  async need(frame: number): Promise<boolean> {
    const goal = Math.min(frame, this.last);
    this.wanted = Math.max(this.wanted, goal);
    while (this.flown.value <= goal && this.fliesOn()) await (this.flying ??= this.fly());
    return this.flown.value > goal;
  }

  private fliesOn(): boolean {
    return !this.closed && !this.ended.value;
  }

  private async fly(): Promise<void> {
    let chunk = 1;
    try {
      while (this.fliesOn() && this.flown.value <= this.wanted) {
        const began = performance.now();
        const frames = await this.core.fly(this.info.id, chunk);
        if (this.closed) return;
        this.add(frames);
        const took = performance.now() - began; // about 50 ms a request
        if (took < 25) chunk = Math.min(64, chunk * 2);
        if (took > 100) chunk = Math.max(1, chunk >> 1);
      }
    } catch (error) {
      if (!this.closed) this.ended.value = endedBy(error);
    } finally {
      this.flying = null;
    }
  }

  private add(f: Frames): void {
    const { n, d, columns, classes } = this.info;
    this.times.set(f.times, f.first);
    this.positions.set(f.positions, f.first * n * d);
    this.observables.set(f.observables, f.first * columns.length);
    if (this.cosines.length > 0) this.cosines.set(f.cosines, f.first * kCosineBins);
    if (classes.length > 0) {
      this.scores.set(f.scores, f.first * classes.length);
      this.verdicts.set(f.verdicts, f.first * n);
    }
    this.flown.value = f.first + f.count;
    if (f.ended) this.ended.value = f.ended;
  }

  /** (n, d) of one frame. */
  frame(k: number): Float32Array {
    const size = this.info.n * this.info.d;
    return this.positions.subarray(k * size, (k + 1) * size);
  }

  /** Where the boids are at a fractional frame: on straight lines between frames. (n, d), into `out`. */
  between(at: number, out: Float32Array): Float32Array {
    const k = Math.max(this.first, Math.min(Math.floor(at), this.flown.value - 1));
    const from = this.frame(k);
    const share = at - k;
    if (share <= 0 || k + 1 >= this.flown.value) out.set(from);
    else {
      const to = this.frame(k + 1);
      for (let e = 0; e < from.length; ++e) out[e] = from[e] + share * (to[e] - from[e]);
    }
    return out;
  }

  /** One observable over the frames that are here. */
  column(name: string): Float64Array {
    const columns = this.info.columns;
    const c = columns.indexOf(name);
    const out = new Float64Array(this.flown.value - this.first).fill(NaN);
    if (c >= 0) {
      for (let k = 0; k < out.length; ++k) out[k] = this.observables[(this.first + k) * columns.length + c];
    }
    return out;
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    void this.core.close(this.info.id).catch(() => undefined);
  }
}

/** What a flight has left behind: its frames, and a row of observables for each. */
export interface Stored {
  times: Float64Array; // (frames)
  positions: Float32Array; // (frames, n, d)
  columns: string[];
  rows: number[][]; // (frames, columns)
}

/** As a film of the core in all but this: no core knows it, so nothing can be asked or branched. */
export class StoredFilm extends Film {
  override readonly cosines = new Float64Array(0);

  constructor({ times, positions, columns, rows }: Stored, { n, d, habitat }: Pick<FlightInfo, "n" | "d" | "habitat">) {
    const observables = new Float64Array(times.length * columns.length).fill(NaN);
    rows.slice(0, times.length).forEach((row, k) => observables.set(row, k * columns.length));
    const frames: Frames = {
      flight: -1, first: 0, count: times.length, times, positions, observables, cosines: new Float64Array(0),
      scores: new Float64Array(0), verdicts: new Int8Array(0), ended: { ok: true, what: "", remedy: "" },
    };
    super(
      { fly: async () => frames, close: async () => undefined },
      {
        id: -1, n, d, habitat, frames: times.length, first: 0, T: times.at(-1) ?? 0,
        columns, digits: [], classes: [], known: [], config: "",
      },
    );
  }
}
