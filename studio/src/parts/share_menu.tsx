// share_menu.tsx: the menu for pictures, films and embedding, with the progress of a film.
import {
  copyFrame, filmGif, filming, filmVideo, format, photograph, stopFilming,
} from "../export/outputs";
import { kFormats, type Format } from "../export/layout";
import { tell, type OnStage } from "../state/session";
import { strings } from "../strings";
import { Button } from "./controls";
import "./share_menu.css";

/** The part of the menu that makes pictures and films of what is on stage; `done` when one is asked for. */
export function ShareMenu({ on, done }: { on: OnStage | null; done(): void }) {
  const words = strings.share;
  const busy = filming.value !== null;
  const attempt = (work: (on: OnStage) => unknown) => () => {
    if (on) Promise.resolve().then(() => work(on)).catch(tell);
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
      <Button disabled={!on?.stage || busy} onClick={attempt(photograph)}>{strings.common.screenshot}</Button>
      <Button disabled={!on?.stage || busy} onClick={attempt(filmVideo)}>{strings.common.record}</Button>
      <Button disabled={!on?.stage || busy} onClick={attempt(filmGif)}>{words.gif}</Button>
      <Button disabled={!on} onClick={attempt(copyFrame)}>{words.embed}</Button>
    </fieldset>
  );
}

/** How far the film is that is made, and the way to stop it. */
export function FilmBar() {
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
