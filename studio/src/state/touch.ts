// touch.ts: whether the visitor has fingers and neither mouse nor hover: hints then say what a finger does.
import { signal } from "@preact/signals";

const fingers = typeof matchMedia === "undefined" ? null : matchMedia("(hover: none) and (pointer: coarse)");
export const isTouch = signal(fingers?.matches ?? false);
fingers?.addEventListener("change", (event) => (isTouch.value = event.matches));
