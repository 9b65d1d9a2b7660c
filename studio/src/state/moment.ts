// moment.ts: the frame at which a film is paused, as a value of the recipe: a link and a reload return to it.
import { effect, untracked } from "@preact/signals";
import type { Player } from "./player";
import { parseMoves } from "./moves";
import { change, followed, word } from "./recipe";
import { reducedMotion } from "./theme";
import { viewNow } from "./views";

const kWait = 300; // ms a film must rest
let keep: (() => void) | null = null;

/** Says the moment in the recipe at once: before a link is copied. */
export function keepNow(): void {
  keep?.();
}

function momentAsked(): number {
  const at = Number(word("at", ""));
  return at > 0 && Number.isFinite(at) ? at : 0;
}

/**
 * How a new flight begins: at rest where the recipe says, or where a hand was in it, from where two flights part; else
 * from its start, unless less motion is wished.
 */
export function opening(): { at: number; play: boolean } {
  const edits = parseMoves(word("edit", "")).map((move) => move.frame);
  const at = momentAsked() || (edits.length > 0 ? Math.min(...edits) : 0);
  return { at, play: at === 0 && edits.length === 0 && !reducedMotion.value };
}

/** The moment of a film that rests on its way; at its ends, and while it plays, a link begins at the start. */
export function momentOf(player: Player): string {
  const film = player.film.value;
  if (!film || player.playing.value) return "";
  const at = player.at.value;
  return at <= film.first || at >= film.end ? "" : String(Number(at.toFixed(2)));
}

/** Keeps the player's moment in the recipe, and goes where a followed link says, until the function is called. */
export function keepMoment(player: Player): () => void {
  const view = viewNow();
  const write = () => {
    const at = momentOf(player);
    if (player.film.value && viewNow() === view && word("at", "") !== at) change({ at }, true);
  };
  keep = write;
  const stopKeeping = effect(() => {
    if (momentOf(player) === word("at", "")) return;
    const timer = setTimeout(write, kWait);
    return () => clearTimeout(timer);
  });
  let links = followed.peek();
  const stopFollowing = effect(() => {
    if (followed.value === links) return;
    links = followed.value;
    const at = untracked(momentAsked);
    if (at > 0) void untracked(() => player.seek(at));
  });
  return () => {
    stopKeeping();
    stopFollowing();
    if (keep === write) keep = null;
  };
}
