// derived.ts: what the Story computes from positions: how far a guest moves the readout, how far orders end apart.
import type { Core } from "../../core/protocol";
import { Film } from "../../state/film";
import { middle } from "./draw";
import { pointsOf, sceneOf } from "./scenes";
import { kKnobs, stopOf, type Scene, type Signs, type Token } from "./stops";

/** The distance of each word to the same word of the other flock at the frame `at`. */
export function apart(scene: Scene, film: Film, beside: Film, at: number): { token: Token; gap: number }[] {
  const rows = [film, beside].map((one) => one.between(at, new Float32Array(one.info.n * one.info.d)));
  const { d } = film.info;
  return scene.tokens.map((token, i) => {
    const j = scene.beside!.findIndex(({ text }) => text === token.text);
    const gap = Math.hypot(...Array.from({ length: d }, (_, c) => rows[0][i * d + c] - rows[1][j * d + c]));
    return { token, gap };
  });
}

/** How far one guest moves the mean of the words and CLS, in the end. */
export interface Moved {
  mean: number;
  cls: number;
}

async function endOf(core: Core, scene: Scene, tokens: Token[]): Promise<Float32Array> {
  const film = new Film(core, await core.flight(scene.words, pointsOf(tokens)));
  try {
    await film.need(film.last);
    return film.frame(film.end).slice();
  } finally {
    film.close();
  }
}

/** Flies the flock of the stop with a guest, with the guest and without. */
export async function movedByGuest(core: Core, wide: boolean, signs: Signs): Promise<Moved> {
  const scene = sceneOf(stopOf("speaker"), { ...kKnobs, guest: true, wide }, signs);
  const [without, flock] = [scene.beside!, scene.tokens];
  const [before, after] = [await endOf(core, scene, without), await endOf(core, scene, flock)];
  const cls = without.findIndex((token) => token.topic === "reader"); // the guest comes last
  const gap = (a: ArrayLike<number>, b: ArrayLike<number>) => Math.hypot(a[0] - b[0], a[1] - b[1]);
  const at = (places: Float32Array) => places.subarray(2 * cls, 2 * cls + 2);
  return { mean: gap(middle(before, without), middle(after, flock)), cls: gap(at(before), at(after)) };
}
