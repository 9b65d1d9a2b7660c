// views.ts: the views of the page by name, switching between them, and what each remembers.
import { effect, signal } from "@preact/signals";
import { change, recipe, type Recipe } from "./recipe";

export const kViewNames = ["digits", "flock", "story", "fields", "map", "words"] as const;
export type ViewName = (typeof kViewNames)[number];

/** The view the recipe names; the landing view where it names none that there is. */
export function viewNow(): ViewName {
  return kViewNames.find((name) => name === recipe.value.view) ?? "digits";
}

/** The name in the recipe that no view has; null: there is none such. */
export function strangeView(): string | null {
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
