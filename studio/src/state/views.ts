// views.ts: the views of the page by name, switching between them, what each remembers, and addresses that name none.
import { effect, signal } from "@preact/signals";
import { strings } from "../strings";
import { language } from "./language";
import { change, recipe, type Recipe } from "./recipe";

export const kViewNames = ["digits", "flock", "story", "fields", "map", "words"] as const;
export type ViewName = (typeof kViewNames)[number];

/** The view the recipe names; the landing view where it names none that there is. */
export function viewNow(): ViewName {
  return kViewNames.find((name) => name === recipe.value.view) ?? "digits";
}

/** The name in the recipe that no view has; null: there is none such. */
function unknownView(): string | null {
  const { view } = recipe.value;
  return view === undefined || kViewNames.some((name) => name === view) ? null : view;
}

/** The recipe each view had when it was last on screen, with its drawing. */
const remembered = new Map<ViewName, Recipe>();
/** The view that was on screen before the Story: the way back from there. */
export const beforeStory = signal<ViewName>("digits");

effect(() => {
  const view = viewNow();
  remembered.set(view, recipe.value);
  if (view !== "story") beforeStory.value = view;
});

/** Goes to another view as it was left, or to what `words` say; without words one stays where one is. */
export function goTo(view: ViewName, words: Recipe = {}): void {
  const told = Object.keys(words).length > 0;
  if (view === viewNow() && !told) return;
  const gone = Object.fromEntries(Object.keys(recipe.value).map((key) => [key, ""]));
  const lang = words.lang ?? recipe.value.lang ?? ""; // the language stays
  change({ ...gone, at: "", ...(told ? words : remembered.get(view)), view, lang });
}

export function followTitle(): () => void {
  return effect(() => {
    void language.value; // another language, another title
    const { views, title } = strings.common;
    document.title = strings.share.pageTitle(views[viewNow()], title);
  });
}

/** A sentence about the address just followed, where it names a view or a stop that there is not; null: it is known. */
export function unknownAddress(hash: string): string | null {
  const words = strings.common;
  const view = unknownView();
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
