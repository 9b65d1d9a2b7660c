// toolbar.tsx: undo, link, pictures and films, tables, colours, and the list of keys.
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { copyFrame, download, filmGif, filming, filmVideo, format, savePicture, recipeNow, stopFilming } from "../export/outputs";
import { csvOf, trajectoryOf } from "../export/tables";
import { type Format, kFormats } from "../export/layout";
import { chooseLanguage, chosenLanguage, kLanguageNames, kLanguages, type Language } from "../state/language";
import { addressNow, canRedo, canUndo, recipe, redo, undo } from "../state/recipe";
import { notice, type OnStage, onStage, showError } from "../state/session";
import { setTheme, theme, type Theme } from "../state/theme";
import { strings } from "../strings";
import { Button } from "./controls";
import "./share_menu.css";

/** The part of the menu that makes pictures and films of what is on stage; `done` when one is asked for. */
function ShareMenu({ on, done }: { on: OnStage | null; done(): void }) {
  const words = strings.share;
  const busy = filming.value !== null;
  const attempt = (work: (on: OnStage) => unknown) => () => {
    if (on) Promise.resolve().then(() => work(on)).catch(showError);
    done();
  };
  return (
    <fieldset class="share">
      <legend>{words.title}</legend>
      <label class="choice">
        {words.format}
        <select
          value={format.value}
          disabled={busy}
          onChange={(event) => (format.value = event.currentTarget.value as Format)}
        >
          {kFormats.map((name) => (
            <option key={name} value={name}>{words.formats[name]}</option>
          ))}
        </select>
      </label>
      <Button disabled={!on?.stage || busy} onClick={attempt(savePicture)}>{strings.common.screenshot}</Button>
      <Button disabled={!on?.stage || busy} onClick={attempt(filmVideo)}>{strings.common.record}</Button>
      <Button disabled={!on?.stage || busy} onClick={attempt(filmGif)}>{words.gif}</Button>
      <Button disabled={!on} onClick={attempt(copyFrame)}>{words.embed}</Button>
    </fieldset>
  );
}

/** How far the film is that is made, and the way to stop it. */
function FilmBar() {
  const at = filming.value;
  if (!at) return null;
  const words = strings.share;
  return (
    <div class="film-bar" role="status">
      <span>{words.filming(at.done, at.all)}</span>
      <progress value={at.done} max={at.all} aria-label={strings.common.record} />
      <Button onClick={stopFilming}>{strings.common.stopRecording}</Button>
    </div>
  );
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

function LanguageChoice() {
  const words = strings.common.language;
  const chosen = kLanguages.find((one) => one === recipe.value.lang) ?? chosenLanguage() ?? "";
  return (
    <label class="choice language">
      {words.label}
      <select value={chosen} onChange={(e) => chooseLanguage((e.currentTarget.value || null) as Language | null)}>
        <option value="">{words.auto}</option>
        {kLanguages.map((one) => <option key={one} value={one} lang={one}>{kLanguageNames[one]}</option>)}
      </select>
    </label>
  );
}

export function Toolbar() {
  const words = strings.common;
  const on = onStage.value;
  const menu = useFold();
  const fold = () => { // what was asked for is under way
    if (!menu.current) return;
    menu.current.open = false;
    menu.current.querySelector("summary")?.focus();
  };
  const attempt = (work: (on: OnStage) => unknown) => () => {
    if (on) Promise.resolve().then(() => work(on)).catch(showError);
    fold();
  };
  return (
    <div class="toolbar" role="group" aria-label={words.more}>
      <Button label={words.undo} disabled={!canUndo.value} onClick={undo}>↶</Button>
      <Button label={words.redo} disabled={!canRedo.value} onClick={redo}>↷</Button>
      <Button onClick={() => void share()}>{words.share}</Button>
      <details class="menu" ref={menu}>
        <summary class="button">{words.more}</summary>
        <div class="menu-body">
          <ShareMenu on={on} done={fold} />
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
          <LanguageChoice />
        </div>
      </details>
      <FilmBar />
    </div>
  );
}
