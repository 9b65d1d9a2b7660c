// backdrop.ts: what stands behind a flock: circle, sphere, plane or floor.
import * as THREE from "three";

export type Backdrop = "sphere" | "circle" | "plane" | "box" | "none";

/** Circles of radius 1 about the middle, each turned as told. */
function rings(turns: THREE.Euler[], line: THREE.Color): THREE.Line[] {
  const material = new THREE.LineBasicMaterial({ color: line });
  return turns.map((turn) => {
    const points = Array.from({ length: 129 }, (_, k) => {
      const a = (2 * Math.PI * k) / 128;
      return new THREE.Vector3(Math.cos(a), Math.sin(a), 0).applyEuler(turn);
    });
    return new THREE.Line(new THREE.BufferGeometry().setFromPoints(points), material);
  });
}

function globe(line: THREE.Color): THREE.Object3D[] {
  const ball = new THREE.Mesh(
    new THREE.SphereGeometry(0.985, 48, 32),
    new THREE.MeshBasicMaterial({ color: line, transparent: true, opacity: 0.12, depthWrite: false }),
  );
  const meridians = [0, 1, 2, 3].map((k) => new THREE.Euler(0, (Math.PI * k) / 4, 0));
  return [ball, ...rings([...meridians, new THREE.Euler(Math.PI / 2, 0, 0)], line)];
}

/** A grid that faces the viewer, or lies below as a floor. */
function grid(extent: number, floor: boolean, line: THREE.Color): THREE.Object3D {
  const made = new THREE.GridHelper(2 * extent, 10, line, line);
  const faint = made.material as THREE.LineBasicMaterial;
  faint.transparent = true;
  faint.opacity = 0.5;
  if (floor) made.position.y = -extent;
  else made.rotation.x = Math.PI / 2;
  return made;
}

/** Fills `group` with a backdrop; what was in it is thrown away. */
export function drawBackdrop(
  group: THREE.Group, { backdrop, extent }: { backdrop: Backdrop; extent: number }, line: THREE.Color,
): void {
  for (const old of group.children as THREE.Mesh[]) {
    old.geometry.dispose();
    (old.material as THREE.Material).dispose();
  }
  group.clear();
  if (backdrop === "circle") group.add(...rings([new THREE.Euler()], line));
  if (backdrop === "sphere") group.add(...globe(line));
  if (backdrop === "plane" || backdrop === "box") group.add(grid(extent, backdrop === "box", line));
}
