// messages.ts: the messages that reach a listener, each multiplied by its share, and their sum.
//   a_ij V (x_j - x_i), or a_ij V x_j; on the sphere a_ij times the part of x_j that is tangent at x_i
import { seenAt, spaceAt } from "./levels";
import { times } from "./matrix";
import type { Scene } from "./stops";

export interface Message {
  from: number; // the speaker
  share: number;
  way: [number, number, number]; // as it is seen on the stage
}

/** Speakers first by share; those who say nothing that is seen are left out. `rows` (n, d). */
export function messagesTo(
  scene: Scene, rows: ArrayLike<number>, listener: number, shares: ArrayLike<number>, at = 0,
): Message[] {
  const n = scene.tokens.length;
  const d = rows.length / n;
  const row = (i: number) => Array.from({ length: d }, (_, c) => rows[i * d + c]);
  const here = row(listener);
  const found: Message[] = [];
  for (let j = 0; j < n; ++j) {
    const way = seen(scene, said(scene, here, row(j), at), at).map((x) => x * shares[j]) as Message["way"];
    if (Math.hypot(...way) > 1e-6) found.push({ from: j, share: shares[j], way });
  }
  return found.sort((a, b) => b.share - a.share);
}

/** The whole message of one speaker, (d). */
function said(scene: Scene, here: number[], there: number[], at: number): number[] {
  if (!scene.flat) {
    const cosine = there.reduce((sum, x, c) => sum + x * here[c], 0);
    return there.map((x, c) => x - cosine * here[c]);
  }
  const { space } = spaceAt(at, scene.levels?.length ?? 1);
  const { value, plain } = scene.levels?.[space] ?? scene;
  if (!value) return there.map(() => 0);
  return times(value, plain ? there : there.map((x, c) => x - here[c]));
}

/** A vector as the stage shows it. */
export function seen(scene: Scene, vector: ArrayLike<number>, at: number): [number, number, number] {
  if (scene.levels) return [...seenAt(vector, at, scene.levels.length), 0];
  return [vector[0], vector[1], scene.flat ? 0 : vector[2]];
}

export function sumOf(messages: readonly Message[]): [number, number, number] {
  const sum: [number, number, number] = [0, 0, 0];
  for (const { way } of messages) way.forEach((x, c) => (sum[c] += x));
  return sum;
}
