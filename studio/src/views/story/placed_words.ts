// placed_words.ts: positions to which the visitor has dragged words, as one value of the recipe: "2:0.31,-0.4;5:0,0.6".
import type { Scene, Token } from "./stops";

const kMost = 1.05; // no word is put off the page

/** Places by the number of the word; what cannot be read is left out. */
export function parsePut(text: string): Map<number, number[]> {
  const put = new Map<number, number[]>();
  for (const part of text.split(";")) {
    const found = /^(\d{1,2}):(-?\d*\.?\d+(?:,-?\d*\.?\d+){1,2})$/.exec(part);
    if (found) put.set(Number(found[1]), found[2].split(",").map(Number));
  }
  return put;
}

export function formatPut(put: ReadonlyMap<number, readonly number[]>): string {
  const places = [...put].sort(([a], [b]) => a - b);
  return places.map(([i, place]) => `${i}:${place.map((x) => String(Number(x.toFixed(3)))).join()}`).join(";");
}

/** The place nearest to the one wished at which a word may be: on the page, or on the sphere. */
export function allowed(scene: Scene, wish: readonly number[]): number[] {
  if (scene.flat) return wish.slice(0, 2).map((x) => Math.max(-kMost, Math.min(kMost, x)));
  const length = Math.hypot(...wish.slice(0, 3));
  return length > 1e-9 ? wish.slice(0, 3).map((x) => x / length) : [0, 0, 1];
}

/** The scene with the words where the hand has put them; coordinates that no hand reaches stay. */
export function putOn(scene: Scene, text: string): Scene {
  const put = parsePut(text);
  if (put.size === 0) return scene;
  const moved = (tokens: Token[]) => tokens.map((token, i) => {
    const wish = put.get(i);
    if (!wish || wish.length !== (scene.flat ? 2 : 3)) return token;
    const place = allowed(scene, wish);
    return { ...token, place: [...place, ...token.place.slice(place.length)] };
  });
  return { ...scene, tokens: moved(scene.tokens), beside: scene.beside && moved(scene.beside) };
}
