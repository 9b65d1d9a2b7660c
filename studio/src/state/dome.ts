// dome.ts: the parts of one token's move: asked of the core as the film plays, stepped through by hand.
import type { Dome } from "../core/protocol";
import type { Player } from "./player";
import { amount, change, flag, word } from "./recipe";
import { Question } from "./question";

export const kParts = 6; // gaze, places, attention, message, own will, move

export interface Seen {
  flight: number;
  frame: number;
  boid: number;
  dome: Dome;
}

/** The part shown, from 0; all of them when the recipe says nothing. */
export function partNow(): number {
  return Math.round(amount("part", kParts - 1, 0, kParts - 1));
}

export function showPart(part: number): void {
  change({ part: part === kParts - 1 ? "" : part }, true);
}

/** The head that the visitor picked; null: none, all are shown. */
export function headPicked(heads: number): number | null {
  return heads > 1 && word("head", "") !== "" ? headNow(heads) : null;
}

/** The head shown, of those that there are. */
export function headNow(heads: number): number {
  return Math.round(amount("head", 0, 0, Math.max(0, heads - 1)));
}

/** Whether domes are drawn; `initial`: what the view does when the recipe says nothing. */
export function domeShown(initial: boolean): boolean {
  return flag("dome", initial);
}

/** One part on or back; past the last part comes the first of the next block, if there is one. */
export async function stepPart(player: Player, by: 1 | -1): Promise<void> {
  const next = partNow() + by;
  if (next >= 0 && next < kParts) return showPart(next);
  const before = player.frame.value;
  await player.step(by);
  if (player.frame.value !== before) showPart(by > 0 ? 0 : kParts - 1);
}

/** Where the boid wanted is; null: none. */
export interface Wish {
  flight: number;
  frame: number;
  boid: number;
}

/** The parts of the move of the boid wanted. */
export class Domes {
  private readonly question = new Question<Seen>();
  readonly seen = this.question.answer;

  want(wish: Wish | null): void {
    if (!wish) return this.question.drop();
    const { flight, frame, boid } = wish;
    this.question.want(`${flight}/${frame}/${boid}`, async (awake) => {
      const dome = await awake.dome(flight, frame, boid);
      return dome.heads.length > 0 ? { ...wish, dome } : null;
    });
  }
}
