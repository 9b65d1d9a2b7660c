// phase_map.ts: the bundled phase map: its file, the pixel of a pair (beta, t), colours of values.
import type { Words } from "../../core/protocol";
import { decimal } from "../../strings/numbers";

/** public/maps/circle.json, as scripts/page_map.sh writes it. */
export interface PhaseMap {
  title: string;
  source: { paper: string; figure: number; quantity: Quantity };
  command: string;
  replicas: number;
  axes: { name: string; values: number[] }[];
  replay: { words: Words };
  fastest_mode: { switches: number[] };
  last_counts: Record<string, number>[];
  values: Record<Quantity | "clusters_se" | "replica_0", number[][]>; // (betas, times)
}
export type Quantity = "clusters" | "close_pairs";

export interface Pixel {
  row: number; // of beta
  column: number; // of time
}

export function betasOf(atlas: PhaseMap): number[] {
  return atlas.axes[0].values;
}
export function timesOf(atlas: PhaseMap): number[] {
  return atlas.axes[1].values;
}

/** The place of the value nearest to `wanted` in a rising list. */
export function nearest(values: readonly number[], wanted: number): number {
  let best = 0;
  for (let k = 1; k < values.length; ++k) {
    if (Math.abs(values[k] - wanted) < Math.abs(values[best] - wanted)) best = k;
  }
  return best;
}

export function pixelAt(atlas: PhaseMap, beta: number, t: number): Pixel {
  return { row: nearest(betasOf(atlas), beta), column: nearest(timesOf(atlas), t) };
}

/** Another pixel, `rows` up and `columns` on, never off the map. */
export function moved(atlas: PhaseMap, from: Pixel, rows: number, columns: number): Pixel {
  const clamp = (k: number, count: number) => Math.max(0, Math.min(count - 1, k));
  return {
    row: clamp(from.row + rows, betasOf(atlas).length),
    column: clamp(from.column + columns, timesOf(atlas).length),
  };
}

/** The words of the flight behind a row, to the end of the map: every pixel of the row is a frame of it. */
export function replayWords(atlas: PhaseMap, beta: number, replica: number): Words {
  return { ...atlas.replay.words, beta, T: timesOf(atlas).at(-1)!, replica };
}

/** The frame of that flight which a column of the map shows. */
export function frameOf(atlas: PhaseMap, column: number): number {
  const every = Number(/^every:(.+)$/.exec(String(atlas.replay.words.save))?.[1]);
  return Math.round(timesOf(atlas)[column] / every);
}

const kMany = 12; // clusters from here on look alike: what is of interest is below

/** Where a value lies between 0 and 1: clusters by their logarithm, from one to kMany. */
export function share(quantity: Quantity, value: number): number {
  if (quantity === "close_pairs") return value;
  return Math.min(1, Math.log(Math.max(1, value)) / Math.log(kMany));
}

/** Marks of the colour bar: word and place. */
export function ticksOf(quantity: Quantity): { text: string; place: number }[] {
  const values = quantity === "clusters" ? [1, 2, 3, 4, 6, 8, kMany] : [0, 0.25, 0.5, 0.75, 1];
  return values.map((value) => ({
    text: quantity === "clusters" && value === kMany ? `${value}+` : decimal(String(value)),
    place: share(quantity, value),
  }));
}

/** Stops of viridis, evenly spaced; dark blue to yellow, even in lightness. */
const kStops = [
  [68, 1, 84], [72, 36, 117], [65, 68, 135], [53, 95, 141], [42, 120, 142], [33, 145, 140], [34, 168, 132],
  [68, 191, 112], [122, 209, 81], [189, 223, 38], [253, 231, 37],
];

/** The colour of a place between 0 and 1, from 0 to 255. */
export function viridis(place: number): [number, number, number] {
  const at = Math.max(0, Math.min(1, Number.isFinite(place) ? place : 0)) * (kStops.length - 1);
  const k = Math.min(kStops.length - 2, Math.floor(at));
  const mix = (c: number) => Math.round(kStops[k][c] + (at - k) * (kStops[k + 1][c] - kStops[k][c]));
  return [mix(0), mix(1), mix(2)];
}

export interface Painted {
  pixels: Uint8ClampedArray<ArrayBuffer>;
  width: number;
  height: number;
}

/** The map as pixels, RGBA, time to the right and beta upwards. Few clusters and met pairs are bright. */
export function paint(atlas: PhaseMap, quantity: Quantity): Painted {
  const rows = atlas.values[quantity];
  const height = rows.length;
  const width = rows[0].length;
  const pixels = new Uint8ClampedArray(new ArrayBuffer(4 * width * height));
  rows.forEach((row, r) => {
    row.forEach((value, c) => {
      const at = 4 * ((height - 1 - r) * width + c);
      const [red, green, blue] = viridis(tone(quantity, value));
      pixels.set([red, green, blue, 255], at);
    });
  });
  return { pixels, width, height };
}

/** The place on the colour scale: gathered flocks are bright whichever quantity is shown. */
export function tone(quantity: Quantity, value: number): number {
  const place = share(quantity, value);
  return quantity === "clusters" ? 1 - place : place;
}

/** How many flights have how many clusters at a pixel, fewest clusters first; null where that is not kept. */
export function countsAt(lists: readonly string[] | null, { row, column }: Pixel): [clusters: number, flights: number][] | null {
  const cell = lists?.[row]?.split("|")[column];
  if (!cell) return null;
  const pairs = cell.split(";").map((pair) => pair.split(":").map(Number) as [number, number]);
  return pairs.sort(([a], [b]) => a - b);
}

/** public/maps/circle_counts.json: a line a beta, its times between bars, each "clusters:flights;...". */
export async function readCounts(): Promise<string[]> {
  const answer = await fetch("./maps/circle_counts.json");
  if (!answer.ok) throw new Error(`maps/circle_counts.json: ${answer.status}`);
  return (await answer.json()) as string[];
}

export async function readPhaseMap(): Promise<PhaseMap> {
  const answer = await fetch("./maps/circle.json");
  if (!answer.ok) throw new Error(`maps/circle.json: ${answer.status}`);
  return (await answer.json()) as PhaseMap;
}
