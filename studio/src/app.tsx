// app.tsx: the page: header, the view that the recipe names, notices, and keys that work everywhere.
import { lazy, Suspense } from "preact/compat";
import type { ComponentChildren } from "preact";
import { useEffect, useErrorBoundary } from "preact/hooks";
import { Button } from "./parts/controls";
import { isEmbedded } from "./parts/frame";
import { Toolbar } from "./parts/toolbar";
import { NoticeBar } from "./parts/notice";
import { recipeOfFile } from "./export/carried";
import { programRecipeOfFile } from "./export/program_recipe";
import { follow, redo, undo } from "./state/recipe";
import { core, notice, onStage, sceneSentence, tell } from "./state/session";
import { goTo, kViewNames, viewNow, type ViewName } from "./state/views";
import { strings } from "./strings";

const kViews = {
  digits: lazy(() => import("./views/digits/view")),
  flock: lazy(() => import("./views/flock/view")),
  story: lazy(() => import("./views/story/view")),
  fields: lazy(() => import("./views/fields/view")),
  map: lazy(() => import("./views/map/view")),
} satisfies Record<ViewName, unknown>;

/** What has a use of its own for letters and the space bar; a slider and a choice that is made have none. */
const kTyping = "input:not([type=range], [type=radio]:checked), select, textarea, [contenteditable], dialog";
const kSteered = "input, [role=radiogroup], [role=tablist]"; // by arrows

/** Keys: space plays, arrows step, Home resets, 1 to 5 choose the view, z undoes. */
function onKey(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (target.closest(kTyping)) return;
  const player = onStage.value?.player;
  const meta = event.ctrlKey || event.metaKey;
  const key = event.key;
  if (key.toLowerCase() === "z" && (meta || !event.altKey)) (event.shiftKey ? redo : undo)();
  else if (meta || event.altKey) return;
  else if (key === " " && !target.closest("button, summary, a")) player?.toggle();
  else if (/^[1-5]$/.test(key)) goTo(kViewNames[Number(key) - 1]);
  else if (target.closest(kSteered)) return;
  else if (key === "ArrowLeft") void player?.step(-1);
  else if (key === "ArrowRight") void player?.step(1);
  else if (key === "Home") void player?.reset();
  else return;
  event.preventDefault();
}

async function onDrop(event: DragEvent): Promise<void> {
  event.preventDefault();
  const files = [...(event.dataTransfer?.files ?? [])];
  if (files.length === 0) return;
  try {
    const carried = await recipeOfFile(files[0]);
    if (carried && follow(carried)) return; // a picture of ours is a door
    const made = await programRecipeOfFile(files[0]); // and so is one of the program's
    if (made) return await (await import("./views/flock/own_picture")).openPicture(made, files[0].name);
    const told = notice.value;
    const used = await onStage.value?.accept?.(files);
    if (used || notice.value !== told) return; // taken, or refused in the view's own words
    notice.value = { kind: "info", text: strings.common.noUse, hint: strings.common.noUseHint };
  } catch (error) {
    tell(error);
  }
}

/** What a view shows; where one breaks, or its files are gone because the page is a newer one, how to go on. */
function Guard({ children }: { children: ComponentChildren }) {
  const words = strings.common;
  const [error] = useErrorBoundary((thrown) => reportError(thrown));
  if (error === undefined) return <>{children}</>;
  return (
    <main class="waiting" id="scene" tabIndex={-1}>
      <div>
        <p role="alert">
          <strong>{words.viewFailed}</strong> {words.viewFailedHint}
        </p>
        <Button primary onClick={() => location.reload()}>{words.loadAgain}</Button>
      </div>
    </main>
  );
}

export function App() {
  const words = strings.common;
  const view = viewNow();
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
      {!isEmbedded() && <header>
        <h1>
          <img src="./icon.svg" alt="" width="26" height="26" /> {words.title}
        </h1>
        <nav aria-label={words.title}>
          {kViewNames.map((name) => (
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
      </header>}
      <Guard key={view}>
        <Suspense fallback={<p class="waiting">{words.loading}</p>}>
          <View />
        </Suspense>
      </Guard>
      <p class="visually-hidden" aria-live="polite">{sceneSentence.value}</p>
      <NoticeBar />
    </>
  );
}
