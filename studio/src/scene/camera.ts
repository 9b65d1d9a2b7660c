// camera.ts: the camera: its position, its target, and where a position in space appears on the picture.
import { cross, unit, type Vector } from "./arrow";

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
  /** Columns: right, up, towards the viewer, where it stands. */
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

  /** A place along right, up and towards the viewer, from where the camera stands; into `out`. */
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
