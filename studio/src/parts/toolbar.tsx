// toolbar.tsx: undo, link, picture, video, tables, colours, and the list of keys.
import { signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { captionOf, compose } from "../export/compose";
import { download } from "../export/download";
import { withRecipe } from "../export/png_recipe";
import { csvOf, trajectoryOf } from "../export/tables";
import { keepNow } from "../state/moment";
import { addressNow, canRedo, canUndo, flushAddress, formatRecipe, recipe, redo, undo } from "../state/recipe";
import { notice, onStage, tell, type OnStage } from "../state/session";
import { setTheme, theme, type Theme } from "../state/theme";
import { strings } from "../strings";
import { Button } from "./controls";

const recording = signal<{ done: number; all: number } | null>(null);
let stopped = false;

/** The recipe with the moment shown, in the address as well. */
function recipeNow(): string {
  keepNow();
  flushAddress();
  return formatRecipe(recipe.value);
}

async function share(): Promise<void> {
  const words = strings.common;
  recipeNow();
  try {
    await navigator.clipboard.writeText(addressNow());
    notice.value = { kind: "info", text: words.shared };
  } catch {
    notice.value = { kind: "info", text: words.shareFailed };
  }
}

async function photograph(on: OnStage): Promise<void> {
  const carried = recipeNow();
  const canvas = document.createElement("canvas");
  compose(on, canvas, captionOf(on));
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (!blob) throw new Error(strings.common.noWebgl);
  const png = withRecipe(new Uint8Array(await blob.arrayBuffer()), carried);
  download(new Blob([png], { type: "image/png" }), `murmuration-${on.view}.png`);
}

async function film(on: OnStage): Promise<void> {
  stopped = false;
  recording.value = { done: 0, all: 1 };
  try {
    const { record } = await import("../export/record"); // the encoder is loaded when it is wanted
    const made = await record(on, recipeNow(), (done, all) => {
      recording.value = { done, all };
      return !stopped && onStage.value === on; // a view that was left cannot be drawn
    });
    if (made) download(made.blob, `murmuration-${on.view}.${made.extension}`);
  } finally {
    recording.value = null;
  }
}

function exportTable(on: OnStage, kind: "csv" | "npy"): void {
  const shown = on.player.film.value;
  if (!shown) return;
  const content = kind === "csv" ? csvOf(shown) : trajectoryOf(shown);
  download(new Blob([content]), `murmuration-${on.view}.${kind}`);
}

function Keys() {
  const dialog = useRef<HTMLDialogElement>(null);
  const words = strings.common;
  return (
    <>
      <Button onClick={() => dialog.current?.showModal()}>{words.keys}</Button>
      <dialog ref={dialog} aria-label={words.keys}>
        <h2>{words.keys}</h2>
        <dl class="keys">
          {words.keyList.map(([key, meaning]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
        <Button primary onClick={() => dialog.current?.close()}>{words.close}</Button>
      </dialog>
    </>
  );
}

/** Folds a menu away when something else is touched, and on Escape. */
function useFold(): RefObject<HTMLDetailsElement | null> {
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const off = new AbortController();
    const close = () => {
      if (menu.current) menu.current.open = false;
    };
    const touch = (event: Event) => {
      if (!menu.current?.contains(event.target as Node)) close();
    };
    const key = (event: KeyboardEvent) => {
      const inside = menu.current?.open && menu.current.contains(event.target as Node);
      if (event.key !== "Escape" || !inside || document.querySelector("dialog[open]")) return;
      close();
      menu.current?.querySelector("summary")?.focus();
      event.stopPropagation();
    };
    addEventListener("pointerdown", touch, { capture: true, signal: off.signal });
    addEventListener("keydown", key, { capture: true, signal: off.signal });
    return () => off.abort();
  }, []);
  return menu;
}

export function Toolbar() {
  const words = strings.common;
  const on = onStage.value;
  const menu = useFold();
  const attempt = (work: (on: OnStage) => unknown) => () => {
    if (on) Promise.resolve().then(() => work(on)).catch(tell);
  };
  const busy = recording.value;
  return (
    <div class="toolbar" role="group" aria-label={words.more}>
      <Button label={words.undo} disabled={!canUndo.value} onClick={undo}>↶</Button>
      <Button label={words.redo} disabled={!canRedo.value} onClick={redo}>↷</Button>
      <Button onClick={() => void share()}>{words.share}</Button>
      <details class="menu" ref={menu}>
        <summary class="button">{busy ? words.recording(busy.done, busy.all) : words.more}</summary>
        <div class="menu-body">
          <Button disabled={!on?.stage} onClick={attempt(photograph)}>{words.screenshot}</Button>
          {busy ? (
            <Button onClick={() => (stopped = true)}>{words.stopRecording}</Button>
          ) : (
            <Button disabled={!on?.stage} onClick={attempt(film)}>{words.record}</Button>
          )}
          <Button disabled={!on} onClick={attempt((o) => exportTable(o, "csv"))}>{words.exportCsv}</Button>
          <Button disabled={!on} onClick={attempt((o) => exportTable(o, "npy"))}>{words.exportNpy}</Button>
          <Keys />
          <label class="choice">
            {words.theme.label}
            <select value={theme.value} onChange={(e) => setTheme(e.currentTarget.value as Theme)}>
              <option value="auto">{words.theme.auto}</option>
              <option value="light">{words.theme.light}</option>
              <option value="dark">{words.theme.dark}</option>
            </select>
          </label>
        </div>
      </details>
    </div>
  );
}
