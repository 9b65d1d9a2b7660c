// sight.test.ts: a ball comes whole into sight by the least move, and the move is undone.
import * as THREE from "three";
import { describe, expect, it } from "vitest";
import { Sight } from "../src/scene/sight";

function made() {
  const camera = new THREE.PerspectiveCamera(40, 1.5, 0.1, 100);
  camera.position.set(3, 2, 8);
  camera.lookAt(0, 0, 0);
  const target = new THREE.Vector3();
  return { camera, target, sight: new Sight(camera, target) };
}

/** Where the middle of a ball is seen, from -1 to 1 along both sides, and how large its radius is upwards. */
function seen(camera: THREE.PerspectiveCamera, place: number[], radius: number) {
  camera.updateMatrixWorld();
  const middle = new THREE.Vector3(...place).project(camera);
  const up = new THREE.Vector3(0, radius, 0).applyQuaternion(camera.quaternion);
  const edge = new THREE.Vector3(...place).add(up).project(camera);
  return { x: middle.x, y: middle.y, r: Math.hypot(edge.x - middle.x, edge.y - middle.y) };
}

describe("sight", () => {
  it("stays where the ball is whole already", () => {
    const { camera, target, sight } = made();
    const before = camera.position.clone();
    expect(sight.reveal([0, 0, 0], 1, 0)).toBe(false);
    expect(camera.position.equals(before) && target.lengthSq() === 0).toBe(true);
    expect(sight.undo()).toBe(false);
  });
  it.each([[[6, 0, 0]], [[0, -5, 1]], [[-4, 4, -2]]])("brings %j to an edge, whole, and goes back", (place) => {
    const { camera, target, sight } = made();
    const before = camera.position.clone();
    const foot = 0.2; // the lowest fifth of the picture is not free
    expect(sight.reveal(place, 0.8, foot)).toBe(true);
    const { x, y, r } = seen(camera, place, 0.8);
    expect(Math.abs(x) + r / camera.aspect).toBeLessThanOrEqual(1 + 1e-9);
    expect(y + r).toBeLessThanOrEqual(1 + 1e-9);
    expect(y - r).toBeGreaterThanOrEqual(-1 + 2 * foot - 1e-9);
    const moved = camera.position.clone().sub(before);
    expect(target.distanceTo(moved)).toBeLessThan(1e-12); // both by the same
    expect(sight.undo()).toBe(true);
    expect(camera.position.distanceTo(before)).toBeLessThan(1e-12);
  });
});
