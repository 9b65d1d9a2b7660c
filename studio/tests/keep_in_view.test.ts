// keep_in_view.test.ts: a ball comes whole into sight by the least move, and the move is undone.
import { describe, expect, it } from "vitest";
import { Camera, ViewShift } from "../src/scene/camera";

function made() {
  const camera = new Camera();
  camera.fov = 40;
  camera.aspect = 1.5;
  camera.position.splice(0, 3, 3, 2, 8);
  camera.update();
  return { camera, sight: new ViewShift(camera) };
}

const gap = (a: readonly number[], b: readonly number[]) => Math.hypot(...a.map((x, c) => x - b[c]));

/** Where the middle of a ball is seen, from -1 to 1 along both sides, and how large its radius is upwards. */
function seen(camera: Camera, place: number[], radius: number) {
  const middle = camera.project(place);
  const up = camera.along(0, radius);
  const edge = camera.project(place.map((x, c) => x + up[c]));
  return { x: middle[0], y: middle[1], r: Math.hypot(edge[0] - middle[0], edge[1] - middle[1]) };
}

describe("sight", () => {
  it("stays where the ball is whole already", () => {
    const { camera, sight } = made();
    const before = [...camera.position];
    expect(sight.reveal([0, 0, 0], 1, 0)).toBe(false);
    expect([[...camera.position], [...camera.target]]).toEqual([before, [0, 0, 0]]);
    expect(sight.undo()).toBe(false);
  });
  it.each([[[6, 0, 0]], [[0, -5, 1]], [[-4, 4, -2]]])("brings %j to an edge, whole, and goes back", (place) => {
    const { camera, sight } = made();
    const before = [...camera.position];
    const foot = 0.2; // the lowest fifth of the picture is not free
    expect(sight.reveal(place, 0.8, foot)).toBe(true);
    const { x, y, r } = seen(camera, place, 0.8);
    expect(Math.abs(x) + r / camera.aspect).toBeLessThanOrEqual(1 + 1e-9);
    expect(y + r).toBeLessThanOrEqual(1 + 1e-9);
    expect(y - r).toBeGreaterThanOrEqual(-1 + 2 * foot - 1e-9);
    const moved = camera.position.map((x, c) => x - before[c]);
    expect(gap(camera.target, moved)).toBeLessThan(1e-12); // both by the same
    expect(sight.undo()).toBe(true);
    expect(gap(camera.position, before)).toBeLessThan(1e-12);
  });
});
