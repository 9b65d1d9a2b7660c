// branch.tsx: pointer and keys that pick and move tokens of a scene, and the controls of the edit.
import { useEffect } from "preact/hooks";
import type { Stage } from "../scene/stage";
import type { Branch } from "../state/branch";
import { parseMoves } from "../state/moves";
import { word } from "../state/recipe";
import { isTouch } from "../state/theme";
import { strings } from "../strings";
import { Button } from "./controls";
import "./branch.css";

const kSlack = 4; // CSS pixels a click may wander

/** Where a scene's coordinates are along the camera: right, up, towards the viewer. */
function alongCamera(stage: Stage, right: number, up: number, nearer: number): [number, number, number] {
  const e = stage.camera.matrixWorld.elements;
  const along = (c: number) => right * e[c] + up * e[4 + c] + nearer * e[8 + c];
  return [along(0), along(1), along(2)];
}

type Spot = { x: number; y: number };
type Deed = "watch" | "drag" | "lasso";

/** One gesture on the canvas: a click picks; with Alt or in moving mode a drag moves boids or draws a lasso. */
class Gesture {
  private start: (Spot & { id: number }) | null = null;
  private doing: Deed = "watch";
  private grip: [number, number, number] = [0, 0, 0];
  private wandered = 0; // the farthest from the start: a lasso may end where it began

  constructor(private readonly stage: Stage, private readonly branch: Branch, private readonly layer: string) {}

  private at(event: PointerEvent): Spot {
    const box = this.stage.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private hit(event: PointerEvent, p: Spot): number | null {
    return this.stage.pick(this.layer, p.x, p.y, event.pointerType === "mouse" ? 14 : 24);
  }

  private wander(p: Spot): void {
    if (this.start) this.wandered = Math.max(this.wandered, Math.hypot(p.x - this.start.x, p.y - this.start.y));
  }

  down(event: PointerEvent): void {
    if (event.button !== 0 || !event.isPrimary) return;
    const { stage, branch, layer } = this;
    const p = this.at(event);
    this.start = { ...p, id: event.pointerId };
    this.wandered = 0;
    this.doing = "watch";
    if (!event.altKey && !branch.moving.value) return;
    stage.hold(true);
    stage.canvas.setPointerCapture(event.pointerId);
    const hit = this.hit(event, p);
    if (hit === null) {
      this.doing = "lasso";
      branch.lasso.value = [p];
      return;
    }
    this.doing = "drag";
    branch.grab(branch.chosen.value.includes(hit) ? branch.chosen.value : [hit], hit);
    this.grip = stage.underPointer(p.x, p.y, stage.placeOf(layer, hit) ?? [0, 0, 0]);
  }

  move(event: PointerEvent): void {
    if (event.pointerId !== this.start?.id) return;
    const { branch, grip } = this;
    const p = this.at(event);
    this.wander(p);
    if (this.doing === "lasso") branch.lasso.value = [...branch.lasso.value, p];
    else if (this.doing === "drag" && (this.wandered > kSlack || branch.held.value.size > 0)) {
      const to = this.stage.underPointer(p.x, p.y, grip);
      branch.drag([to[0] - grip[0], to[1] - grip[1], to[2] - grip[2]]);
    }
  }

  up(event: PointerEvent): void {
    if (event.pointerId !== this.start?.id) return;
    const { stage, branch, layer } = this;
    const p = this.at(event);
    this.wander(p);
    const still = this.wandered <= kSlack;
    this.start = null;
    if (this.doing === "drag" && !still) branch.apply();
    else if (this.doing === "lasso" && !still) branch.chosen.value = stage.lasso(layer, branch.lasso.value);
    else if (still) {
      const hit = this.hit(event, p);
      branch.chosen.value = hit === null ? [] : [hit];
    }
    branch.lasso.value = [];
    stage.hold(false);
  }

  cancel(): void {
    this.start = null;
    this.branch.forget();
    this.stage.hold(false);
  }
}

/** Puts the gesture on the stage's canvas; gives the way to take it off. */
function listen(stage: Stage, branch: Branch, layer: string): () => void {
  const { canvas } = stage;
  const off = new AbortController();
  const gesture = new Gesture(stage, branch, layer);
  const options = { capture: true, signal: off.signal };
  canvas.addEventListener("pointerdown", (event) => gesture.down(event), options);
  canvas.addEventListener("pointermove", (event) => gesture.move(event), options);
  canvas.addEventListener("pointerup", (event) => gesture.up(event), options);
  canvas.addEventListener("pointercancel", () => gesture.cancel(), options);
  return () => {
    off.abort();
    stage.hold(false);
  };
}

/** Keys: [ and ] choose; m the moving mode; in it arrows move (with Shift: nearer and farther), Enter ends it. */
function onKey(event: KeyboardEvent, stage: Stage, branch: Branch): void {
  const target = event.target as HTMLElement;
  const bracket = event.key === "[" || event.key === "]"; // AltGr on many keyboards
  if ((event.ctrlKey || event.metaKey || event.altKey) && !bracket) return;
  if (target.closest("input:not([type=range]), textarea, [contenteditable], dialog")) return;
  const step = stage.span() / (event.shiftKey ? 30 : 60);
  const arrows: Record<string, [number, number, number]> = {
    ArrowLeft: [-step, 0, 0],
    ArrowRight: [step, 0, 0],
    ArrowUp: event.shiftKey ? [0, 0, -step] : [0, step, 0],
    ArrowDown: event.shiftKey ? [0, 0, step] : [0, -step, 0],
  };
  const holds = branch.held.value.size > 0;
  const steers = branch.moving.value && branch.chosen.value.length > 0;
  const elsewhere = target.closest("select, input, [role=radiogroup], [role=tablist]");
  if (event.key === "]") branch.choose(1);
  else if (event.key === "[") branch.choose(-1);
  else if (event.key === "m") branch.moving.value = !branch.moving.value;
  else if (event.key === "Escape" && holds) branch.forget();
  else if (event.key === "Escape" && branch.chosen.value.length > 0) branch.chosen.value = [];
  else if (steers && event.key in arrows && !elsewhere) branch.nudge(alongCamera(stage, ...arrows[event.key]));
  else if (event.key === "Enter" && holds && !target.closest("button, a, summary")) branch.apply();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** Puts the hand into a scene: listens on the stage's canvas, and draws the lasso above it. */
export function Hand({ branch, stage, layer }: { branch: Branch; stage: Stage | null; layer: string }) {
  useEffect(() => {
    if (!stage) return;
    const stop = listen(stage, branch, layer);
    const key = (event: KeyboardEvent) => onKey(event, stage, branch);
    document.addEventListener("keydown", key);
    return () => {
      stop();
      document.removeEventListener("keydown", key);
    };
  }, [stage, branch, layer]);
  const line = branch.lasso.value;
  if (line.length < 2) return null;
  return (
    <svg class="lasso" aria-hidden="true">
      <polygon points={line.map((p) => `${p.x},${p.y}`).join(" ")} />
    </svg>
  );
}

/** The mode, what is held, and the way back. */
export function BranchControls({ branch }: { branch: Branch }) {
  const words = strings.branch;
  const held = branch.held.value.size;
  const chosen = branch.chosen.value.length;
  const moves = branch.branched.value ? parseMoves(word("edit", "")) : [];
  return (
    <div
      class="branch"
      data-branched={branch.branched.value}
      data-held={held}
      data-chosen={branch.chosen.value.join()}
    >
      <div class="branch-buttons">
        <Button
          pressed={branch.moving.value}
          hint={words.moveHint(isTouch.value)}
          onClick={() => (branch.moving.value = !branch.moving.value)}
        >
          {words.move}
        </Button>
        {held > 0 && <Button primary onClick={() => branch.apply()}>{words.apply}</Button>}
        {held > 0 && <Button onClick={() => branch.forget()}>{words.putBack}</Button>}
        {moves.length > 0 && <Button onClick={() => branch.letGo()}>{words.letGo}</Button>}
      </div>
      <p class="hint" role="status">
        {held > 0
          ? words.held(held)
          : moves.length > 0
            ? words.moved(moves.length, Math.min(...moves.map((m) => m.frame)))
            : branch.moving.value
              ? chosen > 0
                ? `${words.chosen(chosen)}. ${words.moving(isTouch.value)}`
                : words.moving(isTouch.value)
              : words.moveHint(isTouch.value)}
      </p>
    </div>
  );
}
