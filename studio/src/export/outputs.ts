// outputs.ts: the toolbar's outputs: a picture, a film, a GIF, the HTML of a frame, and tables for other programs.
import { signal } from "@preact/signals";
import type { Film } from "../state/film";
import { keepNow } from "../state/moment";
import { addressNow, flushAddress, formatRecipe, recipe } from "../state/recipe";
import { notice, onStage, type OnStage } from "../state/session";
import { strings } from "../strings";
import { fixed } from "../strings/numbers";
import { type Format, frameOf, sizeOf } from "./layout";
import { withRecipe } from "./png_recipe";
import type { Recording, Report, Wish } from "./record_film";

export function download(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** One row a frame: t, then the observables the flight has; empty where one does not exist. */
export function csvOf(film: Film): string {
  const { columns, classes } = film.info;
  const head = ["t", ...columns, ...classes.map((name) => `chance_${name}`)];
  const rows = [head.join(",")];
  const cell = (value: number) => (Number.isFinite(value) ? String(value) : "");
  for (let k = film.first; k < film.flown.value; ++k) {
    const numbers = film.observables.subarray(k * columns.length, (k + 1) * columns.length);
    const chances = film.scores.subarray(k * classes.length, (k + 1) * classes.length);
    rows.push([film.times[k], ...numbers, ...chances].map(cell).join(","));
  }
  return `${rows.join("\n")}\n`;
}

/** NumPy's format 1.0 of a little-endian float32 array in C order. */
export function npyOf(values: Float32Array, shape: number[]): Uint8Array<ArrayBuffer> {
  const dims = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${dims}), }`;
  const room = Math.ceil((10 + text.length + 1) / 64) * 64;
  const out = new Uint8Array(room + values.byteLength);
  out.set([0x93, ...new TextEncoder().encode("NUMPY"), 1, 0]);
  new DataView(out.buffer).setUint16(8, room - 10, true);
  out.set(new TextEncoder().encode(`${text.padEnd(room - 11)}\n`), 10);
  const data = new DataView(out.buffer, room);
  values.forEach((value, k) => data.setFloat32(4 * k, value, true));
  return out;
}

/** (frames, n, d) of the frames that are flown. */
export function trajectoryOf(film: Film): Uint8Array<ArrayBuffer> {
  const { n, d } = film.info;
  const count = film.flown.value - film.first;
  const values = film.positions.slice(film.first * n * d, film.flown.value * n * d);
  return npyOf(values, [count, n, d]);
}

/** The format in which pictures and films are made. */
export const format = signal<Format>("page");
/** How far a film is; null while none is made. */
export const filming = signal<{ done: number; all: number } | null>(null);
let stopped = false;

export function stopFilming(): void {
  stopped = true;
}

/** The recipe with the moment shown, in the address as well. */
export function recipeNow(): string {
  keepNow();
  flushAddress();
  return formatRecipe(recipe.value);
}

function wishFor(on: OnStage): Wish {
  const { width = 2, height = 2 } = on.stage?.canvas ?? {};
  return { size: sizeOf(format.value, [width, height]), recipe: recipeNow(), address: addressNow() };
}

/** A picture that carries its recipe. */
export async function photograph(on: OnStage): Promise<void> {
  const { size, recipe: carried, address } = wishFor(on);
  const { Composer } = await import("./compose"); // loaded when it is wanted, as encoders are
  const composer = new Composer(on, size, address);
  try {
    const canvas = composer.draw();
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
    if (!blob) throw new Error(strings.common.noWebgl);
    const png = withRecipe(new Uint8Array(await blob.arrayBuffer()), carried);
    download(new Blob([png], { type: "image/png" }), `murmuration-${on.view}.png`);
  } finally {
    composer.dispose();
  }
}

type Maker = (on: OnStage, wish: Wish, report: Report) => Promise<Recording | null>;

async function makeFilm(on: OnStage, maker: Promise<Maker>): Promise<void> {
  if (filming.value) return;
  stopped = false;
  filming.value = { done: 0, all: 1 };
  try {
    const make = await maker;
    const began = performance.now();
    const made = await make(on, wishFor(on), (done, all) => {
      const share = Math.floor((100 * done) / all);
      const shown = Math.floor((100 * (filming.value?.done ?? 0)) / (filming.value?.all ?? 1));
      if (share !== shown) filming.value = { done, all };
      return !stopped && onStage.value === on; // a view that was left cannot be drawn
    });
    if (!made) return;
    const seconds = (performance.now() - began) / 1000;
    const name = `murmuration-${on.view}.${made.extension}`;
    download(made.blob, name);
    const text = strings.share.filmed(name, made.frames, fixed(seconds, 1), fixed(made.plays, 1));
    notice.value = { kind: "info", text };
  } finally {
    filming.value = null;
  }
}

export function filmVideo(on: OnStage): Promise<void> {
  return makeFilm(on, import("./record").then(({ record }) => record));
}
export function filmGif(on: OnStage): Promise<void> {
  return makeFilm(on, import("./record_film").then(({ recordGif }) => recordGif));
}

/** The address of what is shown, as a frame shows it. */
function embedAddress(): string {
  const words = formatRecipe({ ...recipe.value, embed: "1" });
  return new URL(words, location.href).href;
}

export async function copyFrame(on: OnStage): Promise<void> {
  const words = strings.share;
  recipeNow();
  try {
    const title = words.embedTitle(strings.common.views[on.view]);
    await navigator.clipboard.writeText(frameOf(embedAddress(), title));
    notice.value = { kind: "info", text: words.embedded };
  } catch {
    notice.value = { kind: "info", text: words.embedFailed };
  }
}
