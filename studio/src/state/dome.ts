// dome.ts: the parts of one token's move: asked of the core as the film plays, stepped through by hand.
import { signal } from "@preact/signals";
import type { Dome } from "../core/protocol";
import type { Player } from "./player";
import { amount, change, flag, word } from "./recipe";
import { core } from "./session";

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

/** Asks one question at a time; the last wish is answered. */
export class Domes {
  readonly seen = signal<Seen | null>(null);
  private wanted: Wish | null = null;
  private asking = false;

  want(wish: Wish | null): void {
    const now = this.wanted;
    if (!wish) {
      this.wanted = null;
      this.seen.value = null;
      return;
    }
    if (now && now.flight === wish.flight && now.frame === wish.frame && now.boid === wish.boid) return;
    this.wanted = wish;
    if (!this.asking) void this.ask();
  }

  private async ask(): Promise<void> {
    this.asking = true;
    while (this.wanted) {
      const wish = this.wanted;
      const { flight, frame, boid } = wish;
      const dome = await core.then((awake) => awake.dome(flight, frame, boid)).catch(() => null); // it may be gone
      if (this.wanted !== wish) continue;
      this.seen.value = dome && dome.heads.length > 0 ? { flight, frame, boid, dome } : null;
      break;
    }
    this.asking = false;
  }
}
