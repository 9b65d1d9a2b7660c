// branch.tsx: pointer and keys that pick and move boids of a scene, and the controls of the branch.
import { useEffect } from "preact/hooks";
import type { Stage } from "../scene/stage";
import type { Branch } from "../state/branch";
import { parseMoves } from "../state/moves";
import { word } from "../state/recipe";
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

/** One gesture on the canvas: a click picks; with Alt or in moving mode a drag moves boids or draws a lasso. */
function listen(stage: Stage, branch: Branch, layer: string): () => void {
  const { canvas } = stage;
  const off = new AbortController();
  let start: { x: number; y: number; id: number } | null = null;
  let doing: "watch" | "drag" | "lasso" = "watch";
  let grip: [number, number, number] = [0, 0, 0];
  const at = (event: PointerEvent) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const down = (event: PointerEvent) => {
    if (event.button !== 0 || !event.isPrimary) return;
    const p = at(event);
    start = { ...p, id: event.pointerId };
    doing = "watch";
    if (!event.altKey && !branch.moving.value) return;
    stage.hold(true);
    canvas.setPointerCapture(event.pointerId);
    const hit = stage.pick(layer, p.x, p.y, event.pointerType === "mouse" ? 14 : 24);
    if (hit === null) {
      doing = "lasso";
      branch.lasso.value = [p];
      return;
    }
    doing = "drag";
    branch.grab(branch.chosen.value.includes(hit) ? branch.chosen.value : [hit]);
    grip = stage.underPointer(p.x, p.y, stage.placeOf(layer, hit) ?? [0, 0, 0]);
  };
  const move = (event: PointerEvent) => {
    if (!start || event.pointerId !== start.id || doing === "watch") return;
    const p = at(event);
    if (doing === "lasso") branch.lasso.value = [...branch.lasso.value, p];
    else if (Math.hypot(p.x - start.x, p.y - start.y) > kSlack || branch.held.value.size > 0) {
      const to = stage.underPointer(p.x, p.y, grip);
      branch.drag([to[0] - grip[0], to[1] - grip[1], to[2] - grip[2]]);
    }
  };
  const up = (event: PointerEvent) => {
    if (!start || event.pointerId !== start.id) return;
    const p = at(event);
    const still = Math.hypot(p.x - start.x, p.y - start.y) <= kSlack;
    start = null;
    if (doing === "drag" && !still) branch.apply();
    else if (doing === "lasso" && !still) branch.chosen.value = stage.lasso(layer, branch.lasso.value);
    else if (still) {
      const hit = stage.pick(layer, p.x, p.y, event.pointerType === "mouse" ? 14 : 24);
      branch.chosen.value = hit === null ? [] : [hit];
    }
    branch.lasso.value = [];
    stage.hold(false);
  };
  const cancel = () => {
    start = null;
    branch.forget();
    stage.hold(false);
  };
  const options = { capture: true, signal: off.signal };
  canvas.addEventListener("pointerdown", down, options);
  canvas.addEventListener("pointermove", move, options);
  canvas.addEventListener("pointerup", up, options);
  canvas.addEventListener("pointercancel", cancel, options);
  return () => {
    off.abort();
    stage.hold(false);
  };
}

/** Keys: [ and ] choose; m the moving mode; in it arrows move (with Shift: nearer and farther), Enter lets go. */
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
          hint={words.moveHint}
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
                ? `${words.chosen(chosen)}. ${words.moving}`
                : words.moving
              : words.moveHint}
      </p>
    </div>
  );
}
