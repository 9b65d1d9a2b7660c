// touch.ts: whether the visitor has a touch screen and no mouse: hints then speak of fingers.
import { signal } from "@preact/signals";

const fingers = typeof matchMedia === "undefined" ? null : matchMedia("(hover: none) and (pointer: coarse)");
export const isTouch = signal(fingers?.matches ?? false);
fingers?.addEventListener("change", (event) => (isTouch.value = event.matches));
