// app.tsx: the page: header, the view named by the recipe, notices, and keys that work everywhere.
import { lazy, Suspense } from "preact/compat";
import type { ComponentChildren } from "preact";
import { useEffect, useErrorBoundary } from "preact/hooks";
import { LoadingBar, NoticeBar } from "./parts/notice";
import { Button } from "./parts/controls";
import { isEmbedded } from "./parts/frame";
import { Toolbar } from "./parts/toolbar";
import { language } from "./state/language";
import { follow, parseRecipe, redo, undo } from "./state/recipe";
import { core, notice, onStage, sceneSentence, showError } from "./state/session";
import { goTo, kViewNames, viewNow, type ViewName } from "./state/views";
import { strings } from "./strings";

/** A view whose words are here in the language of the page; if they cannot be had, in English. */
async function withTexts<T extends { worded: Promise<void> }>(coming: Promise<T>): Promise<T> {
  const view = await coming;
  await view.worded.catch(showError);
  return view;
}

const kViews = {
  digits: lazy(() => import("./views/digits/view")),
  flock: lazy(() => withTexts(import("./views/flock/view"))),
  story: lazy(() => withTexts(import("./views/story/view"))),
  fields: lazy(() => withTexts(import("./views/fields/view"))),
  map: lazy(() => withTexts(import("./views/map/view"))),
  words: lazy(() => withTexts(import("./views/words/view"))),
} satisfies Record<ViewName, unknown>;

/** What has a use of its own for letters and the space bar; a slider and a choice that is made have none. */
const kTyping = "input:not([type=range], [type=radio]:checked), select, textarea, [contenteditable], dialog";
const kSteered = "input, [role=radiogroup], [role=tablist]"; // by arrows
const kTurn = Math.PI / 24;
const kNearer = 1.15;

/** What keys do to the camera: with Shift arrows turn it, + and - go nearer and farther, 0 brings it back. */
function openLinkOf(event: KeyboardEvent): boolean {
  const stage = onStage.value?.stage;
  const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (!stage) return false;
  if (by && event.shiftKey) stage.turn(kTurn * by[0], kTurn * by[1]);
  else if (event.key === "+" || event.key === "=") stage.turn(0, 0, kNearer);
  else if (event.key === "-") stage.turn(0, 0, 1 / kNearer);
  else if (event.key === "0") stage.home();
  else return false;
  return true;
}

/** Keys: space plays, arrows step, Home resets, 1 to 6 choose the view, z undoes. */
function onKey(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (target.closest(kTyping)) return;
  const player = onStage.value?.player;
  const meta = event.ctrlKey || event.metaKey;
  const key = event.key;
  if (key.toLowerCase() === "z" && (meta || !event.altKey)) (event.shiftKey ? redo : undo)();
  else if (meta || event.altKey) return;
  else if (key === " " && !target.closest("button, summary, a")) player?.toggle();
  else if (/^[1-6]$/.test(key)) goTo(kViewNames[Number(key) - 1]);
  else if (target.closest(kSteered)) return;
  else if (openLinkOf(event)) event.stopPropagation();
  else if (key === "ArrowLeft") void player?.step(-1);
  else if (key === "ArrowRight") void player?.step(1);
  else if (key === "Home") void player?.reset();
  else return;
  event.preventDefault();
}

/** A link to a view without further words goes to that view as it was left; Back comes from it. */
function onLink(event: MouseEvent): void {
  const link = (event.target as Element).closest<HTMLAnchorElement>("a[href^='#v=']:not([target])");
  if (!link || event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const { view, ...words } = parseRecipe(link.hash) ?? {};
  const name = kViewNames.find((one) => one === view);
  if (!name) return;
  event.preventDefault();
  goTo(name, words);
}

async function onDrop(event: DragEvent): Promise<void> {
  event.preventDefault();
  const files = [...(event.dataTransfer?.files ?? [])];
  if (files.length === 0) return;
  try {
    // What reads files comes when there is one to be read.
    const [{ recipeOfFile }, { programRecipeOfFile }] = await Promise.all([import("./export/file_recipe"), import("./export/file_recipe")]);
    const carried = await recipeOfFile(files[0]);
    if (carried && follow(carried.replace(/&lang=[^&]*/, ""))) return; // a picture of the page opens its recipe; the language stays
    const made = await programRecipeOfFile(files[0]); // and so is one of the program's
    if (made) return await (await import("./views/flock/run_settings")).openPicture(made, files[0].name);
    const told = notice.value;
    const used = await onStage.value?.accept?.(files);
    if (used || notice.value !== told) return; // taken, or refused in the view's own words
    notice.value = { kind: "info", text: strings.common.noUse, hint: strings.common.noUseHint };
  } catch (error) {
    showError(error);
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
    core.catch(showError);
    const drop = (event: DragEvent) => void onDrop(event);
    const over = (event: DragEvent) => event.preventDefault();
    addEventListener("keydown", onKey);
    addEventListener("click", onLink);
    addEventListener("dragover", over);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("keydown", onKey);
      removeEventListener("click", onLink);
      removeEventListener("dragover", over);
      removeEventListener("drop", drop);
    };
  }, []);

  useEffect(() => { // where the names of the views are wider than the window
    document.querySelector("header nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [view, language.value]);

  return (
    <>
      <a class="skip" href="#scene" onClick={(e) => { e.preventDefault(); document.getElementById("scene")?.focus(); }}>
        {words.skip}
      </a>
      {!isEmbedded() && <header>
        <h1>
          <img src="./icon.svg" alt="" width="26" height="26" /> <span>{words.title}</span>
        </h1>
        <nav aria-label={words.title}>
          {kViewNames.map((name) => (
            <a
              key={name}
              href={`#v=1&view=${name}`}
              aria-current={name === view ? "page" : undefined}
            >
              {words.views[name]}
            </a>
          ))}
        </nav>
        <Toolbar />
      </header>}
      <Guard key={`${view} ${language.value}`}>
        <Suspense fallback={<p class="waiting">{words.loading}</p>}>
          <View />
        </Suspense>
      </Guard>
      <p class="visually-hidden" aria-live="polite">{sceneSentence.value}</p>
      <LoadingBar />
      <NoticeBar />
    </>
  );
}
