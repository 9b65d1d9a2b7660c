// file_recipe.ts: the recipe in a picture or film of the page, and the settings that the program wrote into its own.
import { gifComment } from "./gif";
import { isPng, recipeOf } from "./png_recipe";

/** The recipe in a file's bytes ("#v=1&..."), or null. */
export function carriedBy(bytes: Uint8Array): string | null {
  if (isPng(bytes)) return recipeOf(bytes);
  const latin = (from: number, to: number) => String.fromCharCode(...bytes.subarray(from, to));
  const text = latin(0, 3) === "GIF" ? gifComment(bytes) : latin(4, 8) === "ftyp" ? recipeTextOf(bytes) : null;
  return text?.startsWith("#v=") ? text : null;
}

/** The same of a file; only pictures and films are read to their end. */
export async function recipeOfFile(file: Blob): Promise<string | null> {
  const opening = new Uint8Array(await file.slice(0, 64).arrayBuffer());
  const latin = String.fromCharCode(...opening.subarray(0, 8));
  const known = isPng(opening) || latin.startsWith("GIF8") || latin.slice(4) === "ftyp";
  return known ? carriedBy(new Uint8Array(await file.arrayBuffer())) : null;
}

/** The recipe inside a file of the program; `murmur open` reads the same. */
export interface ProgramRecipe {
  /** The command that made the run: simulate, train, ...; "" where there is none. */
  kind: string;
  /** Text of its config.toml. */
  config: string;
  /** As it was typed. */
  command: string;
}

const kPng = [137, 80, 78, 71, 13, 10, 26, 10];
const kPngKeyword = "murmur\0\0\0\0\0"; // keyword, no compression, no language, no translation
const kSvg = /<metadata id="murmur"><!\[CDATA\[(.*?)\]\]><\/metadata>/s;
const kComment = ["moov", "udta", "meta", "ilst", "\u00a9cmt", "data"];

function latin(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes);
}

function inPng(png: Uint8Array): string | null {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  for (let at = 8; at + 12 <= png.length; ) {
    const size = view.getUint32(at);
    if (at + 12 + size > png.length) return null;
    if (latin(png.subarray(at + 4, at + 8)) === "iTXt") {
      const text = new TextDecoder().decode(png.subarray(at + 8, at + 8 + size));
      if (text.startsWith(kPngKeyword)) return text.slice(kPngKeyword.length);
    }
    at += 12 + size;
  }
  return null;
}

/** The inside of the first box of a name; null where there is none. */
function boxIn(bytes: Uint8Array, name: string): Uint8Array | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + 8 <= bytes.length; ) {
    const size = view.getUint32(at);
    const long = size === 1 && at + 16 <= bytes.length;
    const whole = long ? Number(view.getBigUint64(at + 8)) : size;
    const head = long ? 16 : 8;
    if (whole < head || whole > bytes.length - at) return null;
    if (latin(bytes.subarray(at + 4, at + 8)) === name) return bytes.subarray(at + head, at + whole);
    at += whole;
  }
  return null;
}

function inMp4(bytes: Uint8Array): string | null {
  let box: Uint8Array | null = bytes;
  for (const name of kComment) {
    box = boxIn(box, name);
    const skipped = name === "meta" ? 4 : name === "data" ? 8 : 0; // version; type and language
    if (!box || box.length < skipped) return null;
    box = box.subarray(skipped);
  }
  return new TextDecoder().decode(box);
}

/** The text of the recipe in a file's bytes, or null. */
export function recipeTextOf(bytes: Uint8Array): string | null {
  if (kPng.every((byte, k) => bytes[k] === byte)) return inPng(bytes);
  if (latin(bytes.subarray(4, 8)) === "ftyp") return inMp4(bytes);
  return kSvg.exec(new TextDecoder().decode(bytes))?.[1] ?? null;
}

/** Checked; null for text that is not a recipe of the program. */
export function parseProgramRecipe(text: string): ProgramRecipe | null {
  try {
    const { murmur, command, config = "", make } = JSON.parse(text);
    if (typeof murmur !== "string" || typeof command !== "string" || typeof config !== "string") return null;
    const kind = config !== "" && Array.isArray(make) ? make[0]?.[0] : "";
    return typeof kind === "string" ? { kind, config, command } : null;
  } catch {
    return null;
  }
}

/** The program's recipe in a file, or null; only pictures and films are read to their end. */
export async function programRecipeOfFile(file: Blob): Promise<ProgramRecipe | null> {
  const opening = new Uint8Array(await file.slice(0, 64).arrayBuffer());
  const head = latin(opening);
  if (!kPng.every((byte, k) => opening[k] === byte) && head.slice(4, 8) !== "ftyp" && !/^(<\?xml|<svg)/.test(head)) {
    return null;
  }
  const text = recipeTextOf(new Uint8Array(await file.arrayBuffer()));
  return text === null ? null : parseProgramRecipe(text);
}
