// png_recipe.ts: writes the recipe into a text chunk of a PNG and reads it back.
import { files } from "../strings";

const kKeyword = "murmuration";
const kSignature = [137, 80, 78, 71, 13, 10, 26, 10];

const kTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let c = byte;
  for (let bit = 0; bit < 8; ++bit) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});

/** The checksum of PNG's chunks. */
export function crc32(bytes: Uint8Array): number {
  let c = 0xffffffff;
  for (const byte of bytes) c = kTable[(c ^ byte) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

export function isPng(bytes: Uint8Array): boolean {
  return bytes.length > 33 && kSignature.every((byte, k) => bytes[k] === byte);
}

/** A copy of the PNG with the recipe (an address's "#v=1&...") in a tEXt chunk after its header. */
export function withRecipe(png: Uint8Array, recipe: string): Uint8Array<ArrayBuffer> {
  if (!isPng(png)) throw new Error(files.notPng);
  const body = new TextEncoder().encode(`tEXt${kKeyword}\0${recipe}`);
  const chunk = new Uint8Array(body.length + 8);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, body.length - 4);
  chunk.set(body, 4);
  view.setUint32(4 + body.length, crc32(body));
  const at = 33; // signature and IHDR
  const out = new Uint8Array(png.length + chunk.length);
  out.set(png.subarray(0, at));
  out.set(chunk, at);
  out.set(png.subarray(at), at + chunk.length);
  return out;
}

/** The recipe a whole PNG carries, or null. */
export function recipeOf(png: Uint8Array): string | null {
  if (!isPng(png)) return null;
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  for (let at = 8; at + 12 <= png.length; ) {
    const size = view.getUint32(at);
    if (at + 12 + size > png.length) return null;
    const kind = String.fromCharCode(...png.subarray(at + 4, at + 8));
    if (kind === "tEXt") {
      const text = new TextDecoder("latin1").decode(png.subarray(at + 8, at + 8 + size));
      if (text.startsWith(`${kKeyword}\0#`)) return text.slice(kKeyword.length + 1);
    }
    at += 12 + size;
  }
  return null;
}
