// embedded_recipe.ts: reads the recipe from a file of the page: PNG, GIF or MP4.
import { gifComment } from "./gif";
import { isPng, recipeOf } from "./png_recipe";
import { recipeTextOf } from "./program_recipe";

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
