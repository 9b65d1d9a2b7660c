// recipe.ts: the whole state of the page as one flat recipe, kept in the address, with undo.
import { batch, computed, signal } from "@preact/signals";

/**
 * Everything that can be seen follows from these words; they are the parameters of the command line
 * where it has them (beta, n, seed, ...) and the page's own elsewhere (view, stop, at, ink, edit).
 */
export type Recipe = Readonly<Record<string, string>>;

export const kVersion = "1";

/** "#v=1&view=flock&beta=4" -> { view: "flock", beta: "4" }; null for another version. */
export function parseRecipe(hash: string): Recipe | null {
  const recipe: Record<string, string> = {};
  for (const [key, value] of new URLSearchParams(hash.replace(/^#/, ""))) {
    if (/^[a-zA-Z_][a-zA-Z0-9_]{0,31}$/.test(key)) recipe[key] = value;
  }
  const { v = kVersion, ...words } = recipe;
  return v === kVersion ? words : null;
}

/** The inverse; keys in the order of the recipe, `view` first. */
export function formatRecipe(recipe: Recipe): string {
  const { view, ...rest } = recipe;
  const words = Object.entries(rest).filter(([, value]) => value !== "");
  const text = new URLSearchParams([["v", kVersion], ...(view ? [["view", view]] : []), ...words]);
  return `#${text.toString().replaceAll("%2C", ",").replaceAll("%3A", ":").replaceAll("%3B", ";")}`;
}

const now = signal<Recipe>({});
const past = signal<Recipe[]>([]);
const future = signal<Recipe[]>([]);
const kMostUndo = 200;

export const recipe = computed(() => now.value);
export const canUndo = computed(() => past.value.length > 0);
export const canRedo = computed(() => future.value.length > 0);

function same(a: Recipe, b: Recipe): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => (a[key] ?? "") === (b[key] ?? ""));
}

const kBetween = 400; // ms between two writings of the address: browsers allow about 100 in 30 s
let written = -Infinity;
let writing: ReturnType<typeof setTimeout> | undefined;

/** Writes the address now; one that the browser refuses is written later. */
export function flushAddress(): void {
  clearTimeout(writing);
  writing = undefined;
  if (typeof history === "undefined") return;
  written = Date.now();
  try {
    history.replaceState(null, "", formatRecipe(now.value));
  } catch {
    writing = setTimeout(flushAddress, 10 * kBetween);
  }
}

/** The address of what is shown. */
export function addressNow(): string {
  return new URL(formatRecipe(now.value), location.href).href;
}

/** What Back and Forward walk through: the view, and in the Story its stop. */
function placeOf({ view = "digits", stop = "1" }: Recipe): string {
  return view === "story" ? `${view} ${stop}` : view;
}

/** A new entry of the browser's history; one that it refuses takes the place of the last. */
function pushAddress(): void {
  if (typeof history === "undefined") return;
  try {
    history.pushState(null, "", formatRecipe(now.value));
  } catch {
    // as many as the browser allows: flushAddress writes the address later
  }
  flushAddress();
}

/**
 * The recipe is here at once; the address follows, not more often than it may be written. Going elsewhere makes an
 * entry of the browser's history, unless the browser itself went there.
 */
function show(next: Recipe, atOnce = false, byBrowser = false): void {
  if (placeOf(next) !== placeOf(now.value) && !byBrowser) {
    if (writing !== undefined) flushAddress(); // the place that is left keeps its last words
    now.value = next;
    return pushAddress();
  }
  now.value = next;
  const wait = written + kBetween - Date.now();
  if (atOnce || wait <= 0) flushAddress();
  else writing ??= setTimeout(flushAddress, wait);
}

let lastKeys = "";
let lastChanged: string[] = [];
let lastTime = 0;

/**
 * Changes words; "" removes one. `quiet` changes are not steps of undo (the time shown). Changes of
 * the same words within half a second, as a slider makes them, are one step; one that changes yet
 * another word (a digit by chance after a drawing) is a step of its own. A step may begin another
 * flight, so it leaves the moment (`at`) behind; a film that goes on resting says it again (moment.ts).
 */
export function change(words: Record<string, string | number | boolean>, quiet = false): void {
  const next: Record<string, string> = { ...now.value };
  for (const [key, value] of Object.entries(words)) {
    if (value === "") delete next[key];
    else next[key] = String(value);
  }
  if (same(next, now.value)) return;
  if (!quiet && !Object.hasOwn(words, "at")) delete next.at;
  batch(() => {
    if (!quiet) {
      const keys = Object.keys(words).sort().join();
      const changed = Object.keys(words).filter((key) => next[key] !== now.value[key]);
      const time = Date.now();
      const goesOn = keys === lastKeys && changed.every((key) => lastChanged.includes(key));
      if (!goesOn || time - lastTime > 500) {
        past.value = [...past.value.slice(-kMostUndo + 1), now.value];
        lastChanged = changed;
      }
      lastKeys = keys;
      lastTime = time;
      future.value = [];
    }
    show(next);
  });
}

export function undo(): void {
  const before = past.value.at(-1);
  if (!before) return;
  batch(() => {
    future.value = [...future.value, now.value];
    past.value = past.value.slice(0, -1);
    lastKeys = "";
    show(before, true);
  });
}

export function redo(): void {
  const after = future.value.at(-1);
  if (!after) return;
  batch(() => {
    past.value = [...past.value, now.value];
    future.value = future.value.slice(0, -1);
    lastKeys = "";
    show(after, true);
  });
}

/** How many addresses were followed: one may say a moment of the flight that is on stage already. */
export const followed = signal(0);

/** Takes the recipe of an address: at the start, when a link is followed, when a picture is dropped. */
export function follow(hash: string, byBrowser = false): boolean {
  const next = parseRecipe(hash);
  if (!next) return false;
  batch(() => {
    if (!same(next, now.value)) {
      if (Object.keys(now.value).length > 0) past.value = [...past.value, now.value];
      future.value = [];
      show(next, true, byBrowser);
    }
    ++followed.value;
  });
  return true;
}

/** One word with its default, as text, number or flag; numbers outside [least, most] are clamped. */
export function word(key: string, initial: string): string {
  return now.value[key] ?? initial;
}
export function amount(key: string, initial: number, least = -Infinity, most = Infinity): number {
  const value = Number(now.value[key] ?? initial);
  return Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : initial;
}
export function flag(key: string, initial: boolean): boolean {
  const text = now.value[key];
  return text === undefined ? initial : text === "true" || text === "1";
}
