// theme.ts: what the visitor's device says: light or dark, unless the visitor chooses, and touch or mouse.
import { computed, effect, signal } from "@preact/signals";

export type Theme = "auto" | "light" | "dark";

/** Where storage is blocked, the choice lasts as long as the page. */
export function withStorage<T>(use: (storage: Storage) => T): T | null {
  try {
    return use(localStorage);
  } catch {
    return null;
  }
}

const kept = withStorage((storage) => storage.getItem("theme"));
export const theme = signal<Theme>(kept === "light" || kept === "dark" ? kept : "auto");

const darkWish = typeof matchMedia === "undefined" ? null : matchMedia("(prefers-color-scheme: dark)");
const machineDark = signal(darkWish?.matches ?? false);
darkWish?.addEventListener("change", (event) => (machineDark.value = event.matches));

export const isDark = computed(() => (theme.value === "auto" ? machineDark.value : theme.value === "dark"));

/** Whether the visitor asked for less motion: then nothing plays by itself. */
const stillWish = typeof matchMedia === "undefined" ? null : matchMedia("(prefers-reduced-motion: reduce)");
export const reducedMotion = signal(stillWish?.matches ?? false);
stillWish?.addEventListener("change", (event) => (reducedMotion.value = event.matches));

export function applyTheme(): void {
  effect(() => {
    document.documentElement.dataset.theme = isDark.value ? "dark" : "light";
  });
}

export function setTheme(next: Theme): void {
  theme.value = next;
  withStorage((storage) => (next === "auto" ? storage.removeItem("theme") : storage.setItem("theme", next)));
}

const fingers = typeof matchMedia === "undefined" ? null : matchMedia("(hover: none) and (pointer: coarse)");
export const isTouch = signal(fingers?.matches ?? false);
fingers?.addEventListener("change", (event) => (isTouch.value = event.matches));
