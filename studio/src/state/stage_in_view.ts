// stage_in_view.ts: scrolls the scene into view, as on a phone.
import { reducedMotion } from "./theme";

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
