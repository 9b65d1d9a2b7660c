// views.ts: the views of the page by name, and the way from one to another.
import { change, recipe } from "./recipe";

export const kViewNames = ["digits", "flock", "story", "fields", "map"] as const;
export type ViewName = (typeof kViewNames)[number];

/** The view the recipe names; the landing view where it names none that there is. */
export function viewNow(): ViewName {
  return kViewNames.find((name) => name === recipe.value.view) ?? "digits";
}

/** Going to another view leaves the words of the old one behind, and its own defaults begin; here one stays. */
export function goTo(view: ViewName): void {
  if (view === viewNow()) return;
  const gone = Object.fromEntries(Object.keys(recipe.value).map((key) => [key, ""]));
  change({ ...gone, view });
}
