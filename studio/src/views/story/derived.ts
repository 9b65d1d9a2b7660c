// derived.ts: what the Story computes from positions: the next word, how far a guest moves the readout, how far orders end apart.
import type { Core } from "../../core/protocol";
import { Film } from "../../state/film";
import { middle } from "./marks";
import { pointsOf, sceneOf } from "./scenes";
import { kKnobs, stopOf, type Scene, type Signs, type Token } from "./stops";

export interface NextWord {
  probability: number[]; // (words)
  entropy: number; // nats
  outcomes: number; // e^entropy: how many words are possible
}

/** p_v = e^(kappa <u, w_v>) / sum_w e^(kappa <u, w_w>), u = x / |x|; the words w are of length 1. */
export function nextWord(x: ArrayLike<number>, words: readonly ArrayLike<number>[], kappa: number): NextWord {
  const dot = (a: ArrayLike<number>, b: ArrayLike<number>) =>
    Array.from(a).reduce((sum: number, value, c) => sum + value * b[c], 0);
  const length = Math.sqrt(dot(x, x)) || 1;
  const scores = words.map((word) => (kappa * dot(x, word)) / length);
  const most = Math.max(...scores);
  const shares = scores.map((score) => Math.exp(score - most));
  const total = shares.reduce((sum, share) => sum + share, 0);
  const probability = shares.map((share) => share / total);
  const entropy = -probability.reduce((sum, p) => sum + (p > 0 ? p * Math.log(p) : 0), 0);
  return { probability, entropy, outcomes: Math.exp(entropy) };
}

/** How far each word is from the same word of the flock beside, as the two have come to `at`. */
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
