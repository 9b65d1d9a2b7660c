// listener.tsx: chooses the listener, lists its shares in numbers, and moves words by pointer or keys.
import { useSignal } from "@preact/signals";
import { Button, Choice } from "../../parts/controls";
import type { Stage } from "../../scene/stage";
import { change, word } from "../../state/recipe";
import { isTouch } from "../../state/theme";
import { story as storyWords } from "../../strings/story";
import { kInks } from "./draw";
import { putWord } from "./screen";
import type { Scene, Token } from "./stops";

const kReach = 26; // CSS pixels
const kSlack = 6; // CSS pixels a click may wander

export interface Hand {
  /** Whether words can be put elsewhere now. */
  may(): boolean;
  click(word: number): void;
  hold(word: number, place: [number, number, number] | null): void; // null: it is let go of where it was
  drop(word: number, place: [number, number, number]): void;
}

interface DragHandlers {
  word: number;
  from: { x: number; y: number };
  through: readonly number[];
  moved: boolean;
}

/** Follows the pointer until the stage is taken down. */
export function onHand(stage: Stage, hand: Hand): void {
  const { canvas } = stage;
  let grip: DragHandlers | null = null;
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

/** Names by which words are chosen: a word that is there twice has its number. */
function namesOf(tokens: readonly Token[]): string[] {
  return tokens.map(({ text }, i) => {
    const alike = tokens.flatMap((token, j) => (token.text === text ? [j] : []));
    return alike.length > 1 ? `${text} ${alike.indexOf(i) + 1}` : text;
  });
}

interface ListenerProps {
  scene: Scene;
  listener: number;
  weights: ArrayLike<number> | null;
}

/** Chooses the listener, and shows the lengths of the arrows as numbers: the share of every word. */
export function Listener({ scene, listener, weights }: ListenerProps) {
  const words = storyWords;
  const { tokens } = scene;
  const names = namesOf(tokens);
  const known = weights !== null && weights.length === tokens.length;
  const shares = known
    ? tokens.map((token, j) => ({ name: j === listener ? words.itself : names[j], token, share: weights[j] }))
    : [];
  return (
    <div class="listener">
      <Choice
        label={words.ear}
        value={String(listener)}
        options={names.map((label, i) => ({ value: String(i), label }))}
        onChange={(value) => change({ boid: Number(value) === scene.listener ? "" : value })}
      />
      <p class="hint">{words.listener(isTouch.value)}</p>
      <ul class="shares" aria-label={words.shares}>
        {shares.sort((a, b) => b.share - a.share).map(({ name, token, share }) => (
          <li key={name} style={{ "--share": `${100 * share}%`, "--ink-of": `var(${kInks[token.topic]})` }}>
            <span class="swatch">{name}</span> <output>{words.percent(share)}</output>
          </li>
        ))}
      </ul>
    </div>
  );
}

const kStep = 0.1;
const kWays = { left: [-kStep, 0], right: [kStep, 0], up: [0, kStep], down: [0, -kStep] } as const;
const kSigns = { left: "←", right: "→", up: "↑", down: "↓" } as const;

/** Words moved without a pointer: the same as dragging them. */
export function Movers({ scene }: { scene: Scene }) {
  const words = storyWords;
  const names = namesOf(scene.tokens);
  const chosen = useSignal(0);
  const at = Math.min(chosen.value, names.length - 1);
  const move = (way: readonly number[]) => {
    const { place } = scene.tokens[at];
    putWord(scene, at, [place[0] + way[0], place[1] + way[1], ...place.slice(2)]);
  };
  return (
    <div class="movers">
      <p class="hint">{words.drag}</p>
      <Choice
        label={words.dragWord} value={String(at)} options={names.map((label, i) => ({ value: String(i), label }))}
        onChange={(value) => (chosen.value = Number(value))}
      />
      <div class="button-row">
        {(["left", "right", "up", "down"] as const).map((name) => (
          <Button key={name} label={words.dragTo[name]} onClick={() => move(kWays[name])}>{kSigns[name]}</Button>
        ))}
        {word("put", "") !== "" && <Button onClick={() => change({ at: "", put: "" })}>{words.dragBack}</Button>}
      </div>
    </div>
  );
}
