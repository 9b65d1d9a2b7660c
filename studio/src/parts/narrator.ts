// narrator.ts: describes the scene in one sentence, once a second, as long as its view is shown.
import { useEffect } from "preact/hooks";
import { onStage, sceneSentence } from "../state/session";

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
