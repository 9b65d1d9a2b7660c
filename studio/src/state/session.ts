// session.ts: state shared by the whole page: the core, the player on stage, messages to the visitor.
import { effect, signal } from "@preact/signals";
import { startCore } from "../core/client";
import type { Core, Ending, Fault, Ink } from "../core/protocol";
import { isCancelled } from "../core/stream";
import type { Stage } from "../scene/stage";
import type { Player } from "./player";
import { reducedMotion } from "./theme";
import type { ViewName } from "./views";

/** The core, once it has started. */
export const core: Promise<Core> = startCore();

/** What a picture or a film of a view shows next to its scene. */
export interface Card {
  headline: string;
  colour: string; // of the headline: a CSS variable's name
  inks?: readonly Ink[]; // the drawings that fly
  chances?: readonly { name: string; share: number; colour: string }[]; // of the classes
  moment?: string; // t where it is left out
}

/** The view on screen, for the toolbar: what to record, to export and to photograph. */
export interface OnStage {
  view: ViewName;
  player: Player;
  stage: Stage | null;
  /** Draws the frame the player is at, at once. */
  draw(): void;
  card?(): Card | null;
  /** Whether what is drawn follows the frames by asking the core: then a film shows every one to the whole page. */
  asks?(): boolean;
  /** Asks the core for what the drawing of a moment needs, so that a film can draw it. */
  settle?(at: number): Promise<void>;
  /** Takes dropped files; true when they were of use. */
  accept?(files: File[]): Promise<boolean>;
}
export const onStage = signal<OnStage | null>(null);

/** A short message to the visitor: announced, shown for a while. */
interface Notice {
  kind: "info" | "fault";
  text: string;
  hint?: string;
}
export const notice = signal<Notice | null>(null);

/** The sentence that describes the scene to those who do not see it; aria-live. */
export const sceneSentence = signal("");

export function isFault(error: unknown): error is Fault {
  return typeof error === "object" && error !== null && "fault" in error && "what" in error;
}

/** Says of every flight on stage that could not go on why, once; what was flown stays. */
export function reportEnds(): () => void {
  const told = new WeakSet<Ending>();
  return effect(() => {
    const player = onStage.value?.player;
    for (const film of [player?.film.value, player?.ghost.value]) {
      const end = film?.ended.value;
      if (!end || end.ok || told.has(end)) continue;
      told.add(end);
      notice.value = { kind: "fault", text: end.what, hint: end.remedy };
    }
  });
}

/** Shows what went wrong: a Fault in the core's words, anything else in the browser's; what was cancelled is not a fault. */
export function showError(error: unknown): void {
  if (isCancelled(error)) return;
  if (isFault(error)) notice.value = { kind: "fault", text: error.what, hint: error.remedy };
  else notice.value = { kind: "fault", text: error instanceof Error ? error.message : String(error) };
}

/**
 * Scrolls to the scene if less than half of it is in sight, or its `head`, where that has something to say; at once where
 * motion is not wished for.
 */
export function showStage(head = false): void {
  const scene = document.getElementById("scene");
  if (!scene) return;
  const { top, bottom, height } = scene.getBoundingClientRect();
  const seen = Math.min(bottom, innerHeight) - Math.max(top, 0);
  if (seen < height / 2 || (head && top < 0)) scene.scrollIntoView({ block: "start", behavior: reducedMotion.value ? "auto" : "smooth" });
}
