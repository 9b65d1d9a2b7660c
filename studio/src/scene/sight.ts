// sight.ts: camera and target moved together, sideways, until a ball of the scene is whole in sight.
import * as THREE from "three";

/** How far x is past [-room, room]. */
function past(x: number, room: number): number {
  return x - Math.min(room, Math.max(-room, x));
}

export class Sight {
  private readonly moved = new THREE.Vector3();

  constructor(
    private readonly camera: THREE.PerspectiveCamera,
    private readonly target: THREE.Vector3,
  ) {}

  /** Moves no further than is needed; `foot`: the share of the height, at the foot, that is not free. */
  reveal(place: ArrayLike<number>, radius: number, foot: number): boolean {
    this.camera.updateMatrixWorld();
    const at = new THREE.Vector3(place[0], place[1], place[2]).applyMatrix4(this.camera.matrixWorldInverse);
    if (at.z >= 0) return false;
    const high = -at.z * Math.tan((this.camera.fov * Math.PI) / 360);
    const under = Math.min(1, foot) * high; // half of what is not free, in the scene's units
    const across = past(at.x, Math.max(0, high * this.camera.aspect - radius));
    const up = past(at.y - under, Math.max(0, high - under - radius));
    if (across === 0 && up === 0) return false;
    this.shift(new THREE.Vector3(across, up, 0).applyQuaternion(this.camera.quaternion));
    return true;
  }

  /** Goes back by all that it moved. */
  undo(): boolean {
    if (this.moved.lengthSq() === 0) return false;
    this.shift(this.moved.clone().negate());
    this.forget();
    return true;
  }

  /** Where it is now is where it would go back to. */
  forget(): void {
    this.moved.set(0, 0, 0);
  }

  private shift(by: THREE.Vector3): void {
    this.moved.add(by);
    this.camera.position.add(by);
    this.target.add(by);
  }
}
