// labels.ts: which words share a label, how it is written, and where there is room for it.

const kTogether = 60; // CSS pixels: boids further apart never share a label

export interface Named {
  x: number;
  y: number;
  text: string;
  r?: number; // radius of its boid
  first?: boolean; // who names those that share its label
}
const kRadius = 11;
export const kAbove = 2; // CSS pixels between a boid and its label

/** Groups of boids (CSS pixels) whose words would cover each other if each had its own label. */
export function gather(places: readonly Named[], perLine = 3): number[][] {
  let groups = places.map((_, i) => [i]);
  for (let merged = true; merged; ) {
    merged = false;
    const boxes = groups.map((group) => boxOf(group.map((i) => places[i]), perLine));
    search: for (let a = 0; a < groups.length; ++a) {
      for (let b = a + 1; b < groups.length; ++b) {
        const [dx, dy] = [Math.abs(boxes[a].x - boxes[b].x), Math.abs(boxes[a].y - boxes[b].y)];
        const apart = dx >= (boxes[a].wide + boxes[b].wide) / 2 || dy >= (boxes[a].high + boxes[b].high) / 2;
        if (apart || dx > kTogether) continue;
        groups[a] = [...groups[a], ...groups[b]].sort((i, j) => i - j);
        groups = groups.filter((_, g) => g !== b);
        merged = true;
        break search;
      }
    }
  }
  return groups;
}

const kLines = 2; // of a label

/** What the label of a group says: all of its words, or where these need more than two lines one of them and how many more. */
export function shared(group: readonly Named[], perLine: number): string {
  if (group.length <= kLines * perLine) return joined(group.map(({ text }) => text), perLine);
  const { text } = group.find(({ first }) => first) ?? group[0];
  return `${text} + ${group.length - 1}`;
}

/** The boids of a group with their label above them, about eight pixels a letter and fifteen a line. */
function boxOf(group: Named[], perLine: number): { x: number; y: number; wide: number; high: number } {
  const { wide, high } = sizeOf(shared(group, perLine));
  const top = Math.min(...group.map(({ y, r = kRadius }) => y - r)) - kAbove - high;
  const foot = Math.max(...group.map(({ y, r = kRadius }) => y + r));
  const x = group.reduce((sum, p) => sum + p.x, 0) / group.length;
  return { x, y: (top + foot) / 2, wide, high: foot - top };
}

function sizeOf(text: string): { wide: number; high: number } {
  const lines = text.split("\n");
  return { wide: 8 * Math.max(...lines.map((line) => line.length)), high: 15 * lines.length };
}

/** At most so many words a line, lines as even as can be; a word is never broken. */
export function joined(words: string[], perLine: number): string {
  const count = Math.ceil(words.length / perLine);
  const each = Math.ceil(words.length / count);
  return Array.from({ length: count }, (_, k) => words.slice(k * each, (k + 1) * each).join(" · ")).join("\n");
}

/** The foot of a label, nearest to (x, y), at which it is whole on a canvas. */
export function within(text: string, x: number, y: number, width: number, height: number): { x: number; y: number } {
  const { wide, high } = sizeOf(text);
  const clamp = (value: number, least: number, most: number) => Math.max(least, Math.min(most, value));
  return { x: clamp(x, wide / 2 + 4, width - wide / 2 - 4), y: clamp(y, high + kAbove, height) };
}
