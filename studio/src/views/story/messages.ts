// messages.ts: the messages that reach a listener, each multiplied by its share, their sum, and how long their arrows are drawn.
//   a_ij V (x_j - x_i), or a_ij V x_j; on the sphere a_ij times the part of x_j that is tangent at x_i
import { seenAt, spaceAt } from "./levels";
import { type Scene, times } from "./stops";

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
    const way = seen(scene, valueOf(scene, here, row(j), at), at).map((x) => x * shares[j]) as Message["way"];
    if (Math.hypot(...way) > 1e-6) found.push({ from: j, share: shares[j], way });
  }
  return found.sort((a, b) => b.share - a.share);
}

/** The whole message of one speaker, (d). */
function valueOf(scene: Scene, here: number[], there: number[], at: number): number[] {
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

const kFarthest = 0.5; // of all of them together: longer, it would point past everyone
const kMost = 100; // times
/** An arrow shorter than this is drawn as a point. */
export const kPoint = 0.03;

const length = (way: readonly number[]) => Math.hypot(...way);

const kPage = 1.14; // where a flat scene ends, either way

/** How many times as long arrows from a place of a flat scene may be drawn and stay on it. */
export function roomOf(messages: readonly Message[], from: readonly number[]): number {
  const ways = [...messages.map(({ way }) => way), sumOf(messages)];
  const times = ways.flatMap((way) => [0, 1].map((c) => (way[c] === 0 ? Infinity : (Math.sign(way[c]) * kPage - from[c]) / way[c])));
  return Math.min(...times);
}

/**
 * By what arrows are multiplied so that the longest of `messages` is `longest` in the scene's units, by at most `room`;
 * what is longer by itself stays as it is, or becomes `least` times as long.
 */
export function sightScale(
  messages: readonly Message[], { least, longest: wish, room }: { least: number; longest: number; room: number },
): number {
  const longest = Math.max(0, ...messages.map(({ way }) => length(way)));
  if (longest === 0) return 1;
  const together = length(sumOf(messages));
  const fits = Math.min(room, wish / longest, together > 0 ? kFarthest / together : Infinity);
  return Math.max(least, Math.min(kMost, fits));
}

const kParallel = 0.3; // radians: arrows whose directions differ by less lie side by side

/** How far from its listener each arrow starts, so that arrows of one direction are drawn side by side. */
export function offsets(messages: readonly Message[], gap: number): [number, number][] {
  const angles = messages.map(({ way }) => {
    const angle = (Math.atan2(way[1], way[0]) + 2 * Math.PI) % (2 * Math.PI);
    return angle > 2 * Math.PI - kParallel / 2 ? angle - 2 * Math.PI : angle;
  });
  const order = [...messages.keys()].sort((a, b) => angles[a] - angles[b] || a - b);
  const runs: number[][] = [];
  order.forEach((m, rank) => {
    if (rank > 0 && angles[m] - angles[order[rank - 1]] < kParallel) runs[runs.length - 1].push(m);
    else runs.push([m]);
  });
  const out: [number, number][] = messages.map(() => [0, 0]);
  for (const run of runs) {
    run.forEach((m, rank) => {
      const turn = angles[m] + Math.PI / 2;
      const off = (rank - (run.length - 1) / 2) * gap;
      out[m] = [off * Math.cos(turn), off * Math.sin(turn)];
    });
  }
  return out;
}
