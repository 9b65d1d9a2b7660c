// drag.ts: pointer actions on the stage: a clicked word becomes the listener, a dragged word starts elsewhere.
import type { Stage } from "../../scene/stage";

const kReach = 26; // CSS pixels
const kSlack = 6; // CSS pixels a click may wander

export interface Hand {
  /** Whether words can be put elsewhere now. */
  may(): boolean;
  click(word: number): void;
  hold(word: number, place: [number, number, number] | null): void; // null: it is let go of where it was
  drop(word: number, place: [number, number, number]): void;
}

interface Grip {
  word: number;
  from: { x: number; y: number };
  through: readonly number[];
  moved: boolean;
}

/** Follows the pointer until the stage is taken down. */
export function onHand(stage: Stage, hand: Hand): void {
  const { canvas } = stage;
  let grip: Grip | null = null;
  const at = (event: PointerEvent) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const down = (event: PointerEvent) => {
    const from = at(event);
    const word = stage.pick("words", from.x, from.y, kReach);
    const through = word === null ? null : stage.placeOf("words", word);
    if (word === null || !through || !event.isPrimary) return;
    grip = { word, from, through, moved: false };
    if (!hand.may()) return;
    stage.hold(true);
    canvas.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent) => {
    const { x, y } = at(event);
    if (!grip) {
      canvas.style.cursor = hand.may() && stage.pick("words", x, y, kReach) !== null ? "grab" : "";
      return;
    }
    grip.moved ||= Math.hypot(x - grip.from.x, y - grip.from.y) > kSlack;
    if (grip.moved && hand.may()) hand.hold(grip.word, stage.underPointer(x, y, grip.through));
  };
  const up = (event: PointerEvent) => {
    if (!grip) return;
    const { word, moved, through } = grip;
    grip = null;
    stage.hold(false);
    const { x, y } = at(event);
    if (!moved) hand.click(word);
    else if (hand.may()) hand.drop(word, stage.underPointer(x, y, through));
  };
  const cancel = () => {
    if (grip) hand.hold(grip.word, null);
    grip = null;
    stage.hold(false);
  };
  const capture = { capture: true };
  canvas.addEventListener("pointerdown", down, capture);
  canvas.addEventListener("pointermove", move, capture);
  canvas.addEventListener("pointerup", up, capture);
  canvas.addEventListener("pointercancel", cancel, capture);
  // A finger on a word drags it; elsewhere it scrolls the page.
  canvas.addEventListener("touchstart", (event) => {
    if (grip && hand.may() && event.cancelable) event.preventDefault();
  }, { passive: false });
}
