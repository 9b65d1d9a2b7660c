// notice.tsx: what the page says by itself: short messages at its foot, the scene in one sentence, how much of a transformer is loaded.
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { type LoadProgress, onLoadProgress } from "../core/stream";
import { notice, onStage, sceneSentence } from "../state/session";
import { strings } from "../strings";

const kSeconds = 8;

export function NoticeBar() {
  const shown = notice.value;
  useEffect(() => {
    if (!shown || shown.kind === "fault") return;
    const timer = setTimeout(() => (notice.value = null), 1000 * kSeconds);
    return () => clearTimeout(timer);
  }, [shown]);
  const said = shown && (
    <div class={`notice ${shown.kind}`}>
      <p>
        <strong>{shown.text}</strong> {shown.hint}
      </p>
      <button type="button" aria-label={strings.common.close} onClick={() => (notice.value = null)}>
        ×
      </button>
    </div>
  );
  const fault = shown?.kind === "fault";
  return (
    <div class="notices">
      {fault && <div role="alert">{said}</div>}
      <div role="status">{!fault && said}</div>
    </div>
  );
}

/** `sentence` gives "" while there is nothing to tell. A view that leaves takes its sentence and itself along. */
export function useNarrator(sentence: () => string): void {
  useEffect(() => {
    const timer = setInterval(() => {
      const said = sentence();
      if (said !== "" && said !== sceneSentence.value) sceneSentence.value = said;
    }, 1000);
    return () => {
      clearInterval(timer);
      sceneSentence.value = "";
      onStage.value = null;
    };
  }, []);
}

const kBlink = 300; // ms
const coming = signal<LoadProgress | null>(null);
onLoadProgress((now) => (coming.value = now));

export function LoadingBar() {
  const now = coming.value;
  const [late, setLate] = useState(false);
  const here = now === null;
  useEffect(() => {
    if (here) return setLate(false);
    const timer = setTimeout(() => setLate(true), kBlink);
    return () => clearTimeout(timer);
  }, [here]);
  if (!now || !late) return null;
  const kilobytes = (bytes: number) => Math.round(bytes / 1000);
  return (
    <div class="film-bar coming" role="status" data-got={now.got} data-all={now.all}>
      <span>{strings.common.coming(kilobytes(now.got), kilobytes(now.all))}</span>
      <progress value={now.got} max={Math.max(1, now.all)} aria-hidden="true" />
    </div>
  );
}
