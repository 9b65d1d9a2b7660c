// app.tsx: the page: header, the view that the recipe names, notices, and keys that work everywhere.
import { lazy, Suspense } from "preact/compat";
import { useEffect } from "preact/hooks";
import { Toolbar } from "./parts/toolbar";
import { NoticeBar } from "./parts/notice";
import { recipeOf } from "./export/png_recipe";
import { change, follow, recipe, redo, undo } from "./state/recipe";
import { core, onStage, sceneSentence, tell } from "./state/session";
import { strings } from "./strings";

const kViews = {
  digits: lazy(() => import("./views/digits/view")),
  flock: lazy(() => import("./views/flock/view")),
  story: lazy(() => import("./views/story/view")),
  fields: lazy(() => import("./views/fields/view")),
  map: lazy(() => import("./views/map/view")),
};
export type ViewName = keyof typeof kViews;
const kNames = Object.keys(kViews) as ViewName[];

/** Going to another view leaves the words of the old one behind; its own defaults begin. */
export function goTo(view: ViewName, words: Record<string, string | number> = {}): void {
  const gone = Object.fromEntries(Object.keys(recipe.value).map((key) => [key, ""]));
  change({ ...gone, view, ...words });
}

/** Keys: space plays, arrows step, Home resets, 1 to 5 choose the view, z undoes. */
function onKey(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (target.closest("input, select, textarea, [contenteditable], dialog")) return;
  const player = onStage.value?.player;
  const meta = event.ctrlKey || event.metaKey;
  const key = event.key;
  if (key.toLowerCase() === "z" && (meta || !event.altKey)) (event.shiftKey ? redo : undo)();
  else if (meta || event.altKey) return;
  else if (key === " " && !target.closest("button, summary, a")) player?.toggle();
  else if (key === "ArrowLeft" && !target.closest("[role=radiogroup], [role=tablist]")) void player?.step(-1);
  else if (key === "ArrowRight" && !target.closest("[role=radiogroup], [role=tablist]")) void player?.step(1);
  else if (key === "Home") void player?.reset();
  else if (/^[1-5]$/.test(key)) goTo(kNames[Number(key) - 1]);
  else return;
  event.preventDefault();
}

async function onDrop(event: DragEvent): Promise<void> {
  event.preventDefault();
  const files = [...(event.dataTransfer?.files ?? [])];
  if (files.length === 0) return;
  try {
    const carried = recipeOf(new Uint8Array(await files[0].slice(0, 65_536).arrayBuffer()));
    if (carried && follow(carried)) return; // a picture of ours is a door
    await onStage.value?.accept?.(files);
  } catch (error) {
    tell(error);
  }
}

export function App() {
  const words = strings.common;
  const asked = recipe.value.view as ViewName | undefined;
  const view: ViewName = asked && asked in kViews ? asked : "digits";
  const View = kViews[view];

  useEffect(() => {
    core.catch(tell);
    const drop = (event: DragEvent) => void onDrop(event);
    const over = (event: DragEvent) => event.preventDefault();
    addEventListener("keydown", onKey);
    addEventListener("dragover", over);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("keydown", onKey);
      removeEventListener("dragover", over);
      removeEventListener("drop", drop);
    };
  }, []);

  return (
    <>
      <a class="skip" href="#scene" onClick={(e) => { e.preventDefault(); document.getElementById("scene")?.focus(); }}>
        {words.skip}
      </a>
      <header>
        <h1>
          <img src="./icon.svg" alt="" width="26" height="26" /> {words.title}
        </h1>
        <nav aria-label={words.title}>
          {kNames.map((name) => (
            <a
              key={name}
              href={`#v=1&view=${name}`}
              aria-current={name === view ? "page" : undefined}
              onClick={(event) => { event.preventDefault(); goTo(name); }}
            >
              {words.views[name]}
            </a>
          ))}
        </nav>
        <Toolbar />
      </header>
      <Suspense fallback={<p class="waiting">{words.loading}</p>}>
        <View key={view} />
      </Suspense>
      <p class="visually-hidden" aria-live="polite">{sceneSentence.value}</p>
      <NoticeBar />
    </>
  );
}
