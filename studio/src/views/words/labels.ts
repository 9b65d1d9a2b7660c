// labels.ts: where the labels of tokens are placed, so that none covers another.

export interface Dot {
  x: number; // CSS pixels
  y: number;
  r: number;
  text: string;
  rank: number; // the lowest is placed first
}

export interface Spot {
  x: number; // the middle of the label
  y: number;
}

interface Box extends Spot {
  wide: number;
  high: number;
}

const kHigh = 16; // CSS pixels of a line
const kEdge = 4;
/** Directions in which a label may stand, the best first; further out where there is no room near by. */
const kWays = [[0, -1], [0, 1], [1, 0], [-1, 0], [1, -1], [-1, -1], [1, 1], [-1, 1]] as const;
const kOut = [0, 9];

/** About eight pixels a letter; signs of Chinese and the like are twice as wide. */
export function widthOfLabel(text: string): number {
  return [...text].reduce((sum, letter) => sum + (letter.codePointAt(0)! > 0x2e80 ? 15 : 8), 4);
}

function overlap(a: Box, b: Box): boolean {
  return Math.abs(a.x - b.x) < (a.wide + b.wide) / 2 && Math.abs(a.y - b.y) < (a.high + b.high) / 2;
}

/** Where each label stands, on a canvas of that size; null for one that finds no room. */
export function placeLabels(dots: readonly Dot[], width: number, height: number): (Spot | null)[] {
  const placed: Box[] = [];
  const spots: (Spot | null)[] = dots.map(() => null);
  const balls = dots.map(({ x, y, r }): Box => ({ x, y, wide: 2 * r, high: 2 * r }));
  const order = [...dots.keys()].sort((a, b) => dots[a].rank - dots[b].rank || a - b);
  for (const i of order) {
    const dot = dots[i];
    let best: Box | null = null;
    let least = Infinity;
    for (const out of kOut) {
      for (const [across, down] of kWays) {
        const wide = widthOfLabel(dot.text);
        const box = {
          x: dot.x + across * (dot.r + out + wide / 2),
          y: dot.y + down * (dot.r + out + kHigh / 2) * (across === 0 ? 1 : 0.8),
          wide, high: kHigh,
        };
        const inside = box.x - wide / 2 >= kEdge && box.x + wide / 2 <= width - kEdge &&
          box.y - kHigh / 2 >= kEdge && box.y + kHigh / 2 <= height - kEdge;
        if (!inside || placed.some((other) => overlap(box, other))) continue;
        const covers = balls.filter((ball, j) => j !== i && overlap(box, ball)).length + out / 40;
        if (covers < least) [best, least] = [box, covers];
      }
      if (least < 1) break;
    }
    if (!best) continue;
    placed.push(best);
    spots[i] = { x: best.x, y: best.y };
  }
  return spots;
}
