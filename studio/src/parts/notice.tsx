// notice.tsx: short messages at the foot of the page; errors are announced at once, others in turn.
import { useEffect } from "preact/hooks";
import { notice } from "../state/session";
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
