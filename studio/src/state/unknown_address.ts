// unknown_address.ts: the message about an address that names no view or stop.
import { strings } from "../strings";
import { recipe } from "./recipe";
import { strangeView, viewNow } from "./views";

/** A sentence about the address just followed, where it names a view or a stop that there is not; null: it is known. */
export function unknownAddress(hash: string): string | null {
  const words = strings.common;
  const view = strangeView();
  if (view !== null) return words.noSuchView(view);
  const { stop } = recipe.value;
  const stops = strings.storyTitles.length;
  const known = stop === undefined || (Number.isInteger(Number(stop)) && Number(stop) >= 1 && Number(stop) <= stops);
  if (viewNow() === "story" && !known) return words.noSuchStop(stop, stops);
  const named = recipe.value.view !== undefined || /(^#?|&)v=/.test(hash);
  return /^#?$/.test(hash) || named ? null : words.noSuchPlace(decodeURIComponentSafely(hash));
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
