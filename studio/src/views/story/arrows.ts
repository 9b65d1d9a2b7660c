// arrows.ts: how long a listener's arrows are drawn, so that they can be seen, and where they start.
import { sumOf, type Message } from "./messages";

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

/** How far beside its listener each arrow starts, so that arrows of one direction lie side by side. */
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
