// orbit.ts: camera controls: dragging turns, wheel and two fingers zoom, Shift or the right button moves.
import type { Camera } from "./camera";

type Spot = { x: number; y: number };
type Deed = "turn" | "move" | "none";

const kWheel = 0.95; // the distance shrinks to this a notch

export class Orbit {
  enabled = true;
  turns = true; // flat scenes do not
  /** Whether one finger and the left button belong to a pen: then two fingers and the right button turn. */
  draws = false;
  nearest = 0;
  farthest = Infinity;
  private readonly down = new Map<number, Spot>();
  private deed: Deed = "turn";
  private readonly off = new AbortController();

  constructor(
    private readonly camera: Camera,
    private readonly canvas: HTMLCanvasElement,
    private readonly changed: () => void,
  ) {
    const { signal } = this.off;
    canvas.addEventListener("pointerdown", (event) => this.press(event), { signal });
    canvas.addEventListener("pointermove", (event) => this.drag(event), { signal });
    for (const end of ["pointerup", "pointercancel"] as const) {
      canvas.addEventListener(end, (event) => this.down.delete(event.pointerId), { signal });
    }
    canvas.addEventListener("contextmenu", (event) => event.preventDefault(), { signal });
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false, signal });
  }

  private press(event: PointerEvent): void {
    if (!this.enabled) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const moves = (event.button !== 0 && !this.draws) || event.shiftKey || event.ctrlKey || event.metaKey;
    this.deed = moves ? "move" : this.draws && event.button === 0 ? "none" : "turn";
  }

  private drag(event: PointerEvent): void {
    const before = this.down.get(event.pointerId);
    if (!this.enabled || !before) return;
    const now = { x: event.clientX, y: event.clientY };
    const other = [...this.down].find(([id]) => id !== event.pointerId)?.[1];
    this.down.set(event.pointerId, now);
    const [dx, dy] = [now.x - before.x, now.y - before.y];
    if (other) this.pinch(before, now, other);
    else if (this.deed === "move") this.move(dx, dy);
    else if (this.deed === "turn") this.turn(dx, dy);
  }

  private turn(dx: number, dy: number): void {
    if (!this.turns) return;
    const whole = (2 * Math.PI) / this.canvas.clientHeight;
    this.camera.orbit(-whole * dx, -whole * dy);
    this.changed();
  }

  /** One of two fingers went on: what lies between them stays between them. */
  private pinch(before: Spot, now: Spot, other: Spot): void {
    const gap = (at: Spot) => Math.max(1, Math.hypot(at.x - other.x, at.y - other.y));
    this.near(gap(now) / gap(before));
    const by = [(now.x - before.x) / 2, (now.y - before.y) / 2] as const;
    if (this.draws) this.turn(...by);
    else this.move(...by);
  }

  /** What is seen follows the pointer by (dx, dy) CSS pixels. */
  private move(dx: number, dy: number): void {
    const { camera, canvas } = this;
    const unit = (2 * camera.distance() * Math.tan((camera.fov * Math.PI) / 360)) / canvas.clientHeight;
    camera.shift(camera.along(-dx * unit, dy * unit));
    this.changed();
  }

  private near(factor: number): void {
    const now = this.camera.distance();
    const to = Math.min(this.farthest, Math.max(this.nearest, now / factor));
    this.camera.orbit(0, 0, now / to);
    this.changed();
  }

  private wheel(event: WheelEvent): void {
    if (!this.enabled) return;
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 100 : 1;
    this.near(kWheel ** ((event.deltaY * lines) / 100));
  }

  dispose(): void {
    this.off.abort();
  }
}
