// film.ts: the layers of a traced text as a film that needs no run.
import type { Frames } from "../../core/protocol";
import { Film } from "../../state/film";
import type { TracedText } from "./file";

const kColumns = ["mean_cos", "twin_distance", "start_distance"];

export class WordsFilm extends Film {
  override readonly cosines = new Float64Array(0);
  /** What places are multiplied by: the farthest state of any layer, or of the twin, is at distance 1. */
  readonly scale: number;

  constructor(readonly text: TracedText, farthest: number) {
    const { frames, tokens } = text;
    const scale = farthest > 0 ? 1 / farthest : 1;
    const observables = new Float64Array(frames * kColumns.length);
    for (let k = 0; k < frames; ++k) {
      observables.set([text.cosine[k], text.twin.distance[k], text.twin.still[k]], k * kColumns.length);
    }
    const all: Frames = {
      flight: -1, first: 0, count: frames, times: Float64Array.from({ length: frames }, (_, k) => k),
      positions: text.places.map((x) => scale * x), observables, cosines: new Float64Array(0),
      scores: new Float64Array(0), verdicts: new Int8Array(0), ended: { ok: true, what: "", remedy: "" },
    };
    super(
      { fly: async () => all, close: async () => undefined },
      {
        id: -1, n: tokens.length, d: 3, habitat: "space", frames, first: 0, T: frames - 1, columns: kColumns,
        digits: [], classes: [], known: [], config: "",
      },
    );
    this.scale = scale;
  }
}

/** How far from the middle anything of these texts ever is. */
export function farthestOf(texts: readonly TracedText[]): number {
  let most = 0;
  for (const { places, twin } of texts) {
    for (const rows of [places, twin.places]) {
      for (let e = 0; e < rows.length; e += 3) most = Math.max(most, Math.hypot(rows[e], rows[e + 1], rows[e + 2]));
    }
  }
  return most;
}

/** Where token `i` is in rows (frames, n, 3) at a fractional frame, times `scale`. */
export function placeAt(rows: Float32Array, n: number, i: number, at: number, scale: number): [number, number, number] {
  const last = rows.length / (3 * n) - 1;
  const k = Math.max(0, Math.min(Math.floor(at), last));
  const share = Math.max(0, Math.min(1, at - k));
  const next = Math.min(k + 1, last);
  const entry = (c: number) => {
    const [a, b] = [rows[(k * n + i) * 3 + c], rows[(next * n + i) * 3 + c]];
    return scale * (a + share * (b - a));
  };
  return [entry(0), entry(1), entry(2)];
}
