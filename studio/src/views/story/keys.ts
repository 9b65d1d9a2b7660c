// keys.ts: the story's keys: arrows, PageUp, PageDown, n and p go from stop to stop, Enter shows the answer.
import { change } from "../../state/recipe";
import { story as storyWords } from "../../strings/story";

const kBy: Record<string, number> = { ArrowRight: 1, PageDown: 1, n: 1, ArrowLeft: -1, PageUp: -1, p: -1 };

/** A listener for keys that hears them before the page's own ones. */
export function stopKeys(now: () => number, go: (stop: number) => void): (event: KeyboardEvent) => void {
  return (event) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (target.closest("input, select, textarea, [contenteditable], dialog, [role=radiogroup]")) return;
    const by = kBy[event.key];
    if (by !== undefined) go(now() + by);
    else if (event.key === "Enter" && !target.closest("button, a, summary")) {
      const right = storyWords.stops[now() - 1].choices.findIndex((choice) => choice.right);
      change({ answer: right + 1 });
    } else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
}
