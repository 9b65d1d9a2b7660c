// keep_in_view.ts: moves camera and target together, sideways, until a ball of the scene is wholly in view.
import type { Vector } from "./arrow";
import type { Camera } from "./camera";

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
