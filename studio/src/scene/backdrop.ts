// backdrop.ts: the backdrop of a flock: circle, sphere, plane or floor.
import type { Vector } from "./strokes";
import { linear, Pieces, type Rgb } from "./ink";
import type { Scene } from "./layers";

export type Backdrop = "sphere" | "circle" | "plane" | "box" | "none";

const kOrder = -10; // before everything else
const kSides = 128; // of a circle
const kCells = 10; // of a grid

/** A circle of radius 1 about the middle, in the plane of two unit vectors. */
function addRing(pieces: Pieces, u: Vector, v: Vector, line: Rgb): void {
  const point = (k: number) => {
    const a = (2 * Math.PI * k) / kSides;
    return u.map((c, i) => Math.cos(a) * c + Math.sin(a) * v[i]);
  };
  for (let k = 0; k < kSides; ++k) pieces.add(point(k), point(k + 1), line);
}

/** Four meridians and the equator. */
function addGlobe(pieces: Pieces, line: Rgb): void {
  for (let k = 0; k < 4; ++k) {
    const a = (Math.PI * k) / 4;
    addRing(pieces, [Math.cos(a), 0, -Math.sin(a)], [0, 1, 0], line);
  }
  addRing(pieces, [1, 0, 0], [0, 0, 1], line);
}

/** A grid that faces the viewer, or lies below as a floor. */
function addGrid(pieces: Pieces, extent: number, floor: boolean, line: Rgb): void {
  const place = (x: number, y: number): Vector => (floor ? [x, -extent, y] : [x, y, 0]);
  for (let k = 0; k <= kCells; ++k) {
    const c = extent * ((2 * k) / kCells - 1);
    pieces.add(place(c, -extent), place(c, extent), line);
    pieces.add(place(-extent, c), place(extent, c), line);
  }
}

/** Puts a backdrop into a scene in place of the one that was there; `line` is sRGB. */
export function drawBackdrop(
  scene: Scene, { backdrop, extent }: { backdrop: Backdrop; extent: number }, line: Rgb,
): void {
  const pieces = new Pieces();
  const light = linear(line);
  if (backdrop === "circle") addRing(pieces, [1, 0, 0], [0, 1, 0], light);
  if (backdrop === "sphere") addGlobe(pieces, light);
  const grid = backdrop === "plane" || backdrop === "box";
  if (grid) addGrid(pieces, extent, backdrop === "box", light);
  scene.take("ball", "backdrop");
  if (backdrop === "sphere") {
    const globe = { place: [0, 0, 0], radius: 0.985, colour: line, opacity: 0.12, above: false };
    scene.put("backdrop", { kind: "ball", order: kOrder, ...globe });
  }
  const { points, colours } = pieces.lines;
  const look = { opacity: grid ? 0.5 : 1, width: 0, order: kOrder };
  scene.put("backdrop", { kind: "lines", points, colours, count: points.length / 6, ...look });
}
