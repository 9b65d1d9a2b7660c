// outputs.ts: the toolbar's outputs: a picture, a film, a GIF, the HTML of a frame.
import { signal } from "@preact/signals";
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
export async function savePicture(on: OnStage): Promise<void> {
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
