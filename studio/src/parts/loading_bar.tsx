// loading_bar.tsx: how much of a transformer is loaded, shown when it takes noticeable time.
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { onComing, type Coming } from "../core/stream";
import { strings } from "../strings";

const kBlink = 300; // ms
const coming = signal<Coming | null>(null);
onComing((now) => (coming.value = now));

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
