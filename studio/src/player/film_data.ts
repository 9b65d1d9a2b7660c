// film_data.ts: a film stored inside its page: frames as 16-bit integers, as text.
import type { FlightInfo } from "../core/protocol";
import { StoredFilm } from "../state/film";

/** What the program that writes such a page puts into it. */
export interface FilmData {
  n: number;
  d: number;
  habitat: FlightInfo["habitat"];
  times: number[]; // (frames)
  /** (frames, n, d) as little-endian 16-bit numbers in base 64; 32767 is `reach`. */
  positions: string;
  reach: number;
  /** What a frame is called; left out: its time. */
  moments?: string[];
  /** The caption of the film. */
  caption: string;
}

function wordsOf(text: string): Int16Array {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Int16Array.from({ length: bytes.length / 2 }, (_, k) => view.getInt16(2 * k, true));
}

export function filmOf({ n, d, habitat, times, positions, reach }: FilmData): StoredFilm {
  const places = Float32Array.from(wordsOf(positions), (word) => (reach * word) / 32767);
  if (places.length !== times.length * n * d) throw new RangeError(`${places.length} ≠ ${times.length} × ${n} × ${d}`);
  return new StoredFilm({ times: Float64Array.from(times), positions: places, columns: [], rows: [] }, { n, d, habitat });
}
