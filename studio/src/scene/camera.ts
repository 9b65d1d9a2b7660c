// camera.ts: the camera: its position and target, where a position in space appears on the picture, and turning, zooming and moving by hand.
import { cross, unit, type Vector } from "./strokes";

/** Sixteen numbers, column by column. */
interface Matrix {
  readonly elements: Float64Array;
}

const matrix = (): Matrix => ({ elements: new Float64Array(16) });
const kUp: Vector = [0, 1, 0];

/** A camera in perspective that looks at its target, upright. `update` follows every change. */
export class Camera {
  readonly position: Vector = [0, 0, 1];
  readonly target: Vector = [0, 0, 0];
  fov = 38; // degrees, from the lower to the upper edge
  aspect = 1; // width over height
  near = 0.01;
  far = 1000;
  /** Columns: right, up, towards the viewer, its position. */
  readonly matrixWorld = matrix();
  readonly view = matrix(); // its inverse
  readonly projectionMatrix = matrix();

  /** Of a picture of w by h; a narrow one sees as much across as a square one. */
  frame(w: number, h: number, fov = 38): void {
    this.aspect = w / h;
    const half = Math.tan((fov * Math.PI) / 360);
    this.fov = w < h ? (360 / Math.PI) * Math.atan((half * h) / w) : fov;
    this.update();
  }

  /** Stands and looks as another one does; the picture's sides stay. */
  follow(other: Camera): void {
    for (let c = 0; c < 3; ++c) {
      this.position[c] = other.position[c];
      this.target[c] = other.target[c];
    }
    this.near = other.near;
    this.far = other.far;
    this.update();
  }

  distance(): number {
    return Math.hypot(...this.back());
  }

  private back(): Vector {
    const [p, t] = [this.position, this.target];
    return [p[0] - t[0], p[1] - t[1], p[2] - t[2]];
  }

  /** Moves camera and target together. */
  shift(by: ArrayLike<number>): void {
    for (let c = 0; c < 3; ++c) {
      this.position[c] += by[c];
      this.target[c] += by[c];
    }
    this.update();
  }

  update(): void {
    const back = unit(this.back());
    const side = cross(kUp, back);
    const right = Math.hypot(...side) > 1e-9 ? unit(side) : ([1, 0, 0] as Vector);
    const up = cross(back, right);
    const w = this.matrixWorld.elements;
    const v = this.view.elements;
    [right, up, back].forEach((axis, k) => {
      let along = 0;
      for (let c = 0; c < 3; ++c) {
        w[4 * k + c] = axis[c];
        v[4 * c + k] = axis[c];
        along += axis[c] * this.position[c];
      }
      w[12 + k] = this.position[k];
      v[12 + k] = -along;
    });
    w[15] = v[15] = 1;
    const p = this.projectionMatrix.elements;
    const scale = 1 / Math.tan((this.fov * Math.PI) / 360);
    const deep = this.near - this.far;
    p[0] = scale / this.aspect;
    p[5] = scale;
    p[10] = (this.far + this.near) / deep;
    p[11] = -1;
    p[14] = (2 * this.far * this.near) / deep;
  }

  /** A place along right, up and towards the viewer, from the position of the camera; into `out`. */
  seen(place: ArrayLike<number>, out: Vector = [0, 0, 0]): Vector {
    const v = this.view.elements;
    for (let k = 0; k < 3; ++k) out[k] = v[k] * place[0] + v[4 + k] * place[1] + v[8 + k] * place[2] + v[12 + k];
    return out;
  }

  /** Where it is on the picture, from -1 to 1 rightwards and upwards, and its depth: past 1 behind the camera. */
  project(place: ArrayLike<number>, out: Vector = [0, 0, 0]): Vector {
    const p = this.projectionMatrix.elements;
    this.seen(place, out);
    const w = -out[2] || 1e-12;
    out[0] = (p[0] * out[0]) / w;
    out[1] = (p[5] * out[1]) / w;
    out[2] = (p[10] * out[2] + p[14]) / w;
    return out;
  }

  /** The scene's vector that is so long rightwards, upwards and towards the viewer. */
  along(right: number, up: number, nearer = 0): Vector {
    const e = this.matrixWorld.elements;
    return [0, 1, 2].map((c) => right * e[c] + up * e[4 + c] + nearer * e[8 + c]) as Vector;
  }

  /** The direction in which (x, y) of the picture, from -1 to 1, is seen. */
  ray(x: number, y: number): Vector {
    const p = this.projectionMatrix.elements;
    return unit(this.along(x / p[0], y / p[5], -1));
  }

  /** Where that ray meets the plane through `through` across `normal`; null where it does not. */
  meet(x: number, y: number, through: ArrayLike<number>, normal: ArrayLike<number>): Vector | null {
    const way = this.ray(x, y);
    const dot = (a: ArrayLike<number>, b: ArrayLike<number>) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    const gap = [0, 1, 2].map((c) => through[c] - this.position[c]);
    const far = dot(gap, normal) / dot(way, normal);
    return far >= 0 && Number.isFinite(far) ? (way.map((c, k) => this.position[k] + far * c) as Vector) : null;
  }

  /** Turns about the target, and nears it by a factor; the poles are not passed. */
  orbit(azimuth: number, polar: number, nearer = 1): void {
    const [x, y, z] = this.back();
    const radius = Math.hypot(x, y, z) / nearer;
    const theta = Math.atan2(x, z) + azimuth;
    const phi = Math.max(0.01, Math.min(Math.PI - 0.01, Math.acos(y / (radius * nearer)) + polar));
    const out = Math.sin(phi) * radius;
    const way = [out * Math.sin(theta), radius * Math.cos(phi), out * Math.cos(theta)];
    for (let c = 0; c < 3; ++c) this.position[c] = this.target[c] + way[c];
    this.update();
  }
}

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

/** How far x is past [-room, room]. */
function past(x: number, room: number): number {
  return x - Math.min(room, Math.max(-room, x));
}

export class ViewShift {
  private moved: Vector = [0, 0, 0];

  constructor(private readonly camera: Camera) {}

  /** Moves no further than is needed; `foot`: the share of the height, at the foot, that is not free. */
  reveal(place: ArrayLike<number>, radius: number, foot: number): boolean {
    const { camera } = this;
    const at = camera.seen(place);
    if (at[2] >= 0) return false;
    const high = -at[2] * Math.tan((camera.fov * Math.PI) / 360);
    const under = Math.min(1, foot) * high; // half of what is not free, in the scene's units
    const across = past(at[0], Math.max(0, high * camera.aspect - radius));
    const up = past(at[1] - under, Math.max(0, high - under - radius));
    if (across === 0 && up === 0) return false;
    this.shift(camera.along(across, up));
    return true;
  }

  /** Goes back by all that it moved. */
  undo(): boolean {
    if (this.moved.every((c) => c === 0)) return false;
    this.shift(this.moved.map((c) => -c) as Vector);
    this.forget();
    return true;
  }

  /** Where it is now is where it would go back to. */
  forget(): void {
    this.moved = [0, 0, 0];
  }

  private shift(by: Vector): void {
    for (let c = 0; c < 3; ++c) this.moved[c] += by[c];
    this.camera.shift(by);
  }
}

const kSlack = 6; // CSS pixels a click may wander

/** Calls `visit` with the place of every click, in CSS pixels of the canvas; gives the way to stop. */
export function onClicks(canvas: HTMLCanvasElement, visit: (x: number, y: number) => void): () => void {
  const off = new AbortController();
  let from = { x: 0, y: 0 };
  const down = (event: PointerEvent) => (from = { x: event.clientX, y: event.clientY });
  const click = (event: MouseEvent) => {
    if (Math.hypot(event.clientX - from.x, event.clientY - from.y) > kSlack) return;
    const box = canvas.getBoundingClientRect();
    visit(event.clientX - box.left, event.clientY - box.top);
  };
  canvas.addEventListener("pointerdown", down, { signal: off.signal });
  canvas.addEventListener("click", click, { signal: off.signal });
  return () => off.abort();
}
