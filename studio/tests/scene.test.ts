// scene.test.ts: what scenes share: thick lines that are filled again, arrows, and pictures drawn only when new.
import { afterEach, describe, expect, it, vi } from "vitest";
import { addArrow, Strokes } from "../src/scene/strokes";
import { Camera } from "../src/scene/camera";
import { inkOf, linear, parseInk, Pieces, type Rgb } from "../src/scene/ink";
import { Scene, type LineLayer } from "../src/scene/layers";
import { wordAt } from "../src/scene/lens";
import type { Stage } from "../src/scene/stage";
import type { Film } from "../src/state/film";
import { story as storyWords } from "../src/strings/story";
import { Painter } from "../src/views/story/draw";
import { sceneOf } from "../src/views/story/scenes";
import { kKnobs } from "../src/views/story/stops";

afterEach(() => vi.unstubAllGlobals());

/** A page whose style has one colour for everything; tells how often it was asked. */
function page(colour: string) {
  const asked = vi.fn(() => ({ getPropertyValue: () => colour }));
  const documentElement = { dataset: { theme: `test-${colour}` } };
  vi.stubGlobal("document", { documentElement });
  vi.stubGlobal("getComputedStyle", asked);
  return { asked, documentElement };
}

describe("strokes", () => {
  const piece = (x: number) => [x, 0, 0, x, 1, 0];
  const lines = (scene: Scene) => scene.inOrder() as readonly LineLayer[];

  it("keep one layer a name and fill it again", () => {
    const scene = new Scene();
    const strokes = new Strokes(scene);
    strokes.set("a", { points: [...piece(1), ...piece(2)], colours: new Array(12).fill(0.5), width: 2 });
    const [first] = lines(scene);
    const { points, version } = first;
    strokes.set("a", { points: piece(3), colours: new Array(6).fill(0.25), width: 4, opacity: 0.5 });
    expect(lines(scene)).toEqual([first]);
    expect(first.points).toBe(points); // room that was there
    expect(first.version).toBeGreaterThan(version);
    expect([first.count, first.points[0], first.width, first.opacity]).toEqual([1, 3, 4, 0.5]);
  });

  it("grow, hide and go, and leave those of others alone", () => {
    const scene = new Scene();
    const [strokes, others] = [new Strokes(scene), new Strokes(scene)];
    const many = Array.from({ length: 500 }, (_, k) => piece(k)).flat();
    others.set("a", { points: piece(9), colours: piece(9), width: 1, order: 1 });
    strokes.set("a", { points: piece(0), colours: piece(0), width: 1 });
    strokes.set("a", { points: many, colours: many, width: 1 });
    expect([lines(scene)[0].count, lines(scene)[0].points[6 * 499]]).toEqual([500, 499]);
    strokes.set("a", null);
    expect(lines(scene).length).toBe(1);
    strokes.set("a", { points: piece(7), colours: piece(7), width: 1 });
    expect(lines(scene).map((layer) => layer.points[0])).toEqual([7, 9]);
    strokes.clear();
    expect(lines(scene).map((layer) => layer.points[0])).toEqual([9]);
  });
});

describe("arrows", () => {
  it.each([[[0, 0, 2]], [[0, -3, 0]], [[1, 2, 2]]])("along %j end at their tip, with four barbs behind it", (way) => {
    const pieces = new Pieces();
    addArrow(pieces, [1, 1, 1], way, { colour: [1, 0, 0], barb: 0.5 });
    const { points } = pieces.lines;
    expect(points.length).toBe(5 * 6);
    expect([...points.subarray(3, 6)]).toEqual(way.map((x) => 1 + x));
    const length = Math.hypot(...way);
    for (let barb = 1; barb <= 4; ++barb) {
      const end = [...points.subarray(6 * barb + 3, 6 * barb + 6)];
      const behind = way.reduce((sum, x, c) => sum + (end[c] - 1 - x) * x, 0) / length;
      expect(behind).toBeCloseTo(-0.5, 5);
    }
  });
});

describe("inks", () => {
  it("are read in all the ways a style writes them", () => {
    expect(parseInk("#ff0033")).toEqual([1, 0, 0.2]);
    expect(parseInk(" #f03 ")).toEqual([1, 0, 0.2]);
    expect(parseInk("rgb(255, 0, 51)")).toEqual([1, 0, 0.2]);
    expect(parseInk("wrong")).toEqual([0.5, 0.5, 0.5]);
    expect(linear([0, 0.5, 1] as Rgb).map((x) => Number(x.toFixed(3)))).toEqual([0, 0.214, 1]);
  });

  it("are asked once a theme, and again while the style is not there", () => {
    const { asked, documentElement } = page("#336699");
    expect(inkOf("--some")).toEqual([0.2, 0.4, 0.6]);
    expect(inkOf("--some")).toEqual([0.2, 0.4, 0.6]);
    expect(asked).toHaveBeenCalledTimes(1);
    documentElement.dataset.theme = "test-other";
    inkOf("--some");
    expect(asked).toHaveBeenCalledTimes(2);
    const { asked: empty } = page("");
    inkOf("--late");
    inkOf("--late");
    expect(empty).toHaveBeenCalledTimes(2);
  });
});

describe("the story's painter", () => {
  it("draws again only when film, moment, listening or camera are others", () => {
    page("#336699");
    const scene = sceneOf(3, kKnobs, storyWords.signs);
    const n = scene.tokens.length;
    const places = new Float32Array(2 * n);
    const film = {
      info: { id: 1, n, d: 2 }, first: 0, last: 9, flown: { value: 10 },
      frame: () => places, between: (_: number, out: Float32Array) => out,
    } as unknown as Film;
    const boids = vi.fn();
    const camera = new Camera();
    const stage = {
      camera, canvas: { clientWidth: 800, clientHeight: 600 }, boids, lines: () => undefined, scene: new Scene(),
      setLabels: () => undefined, disc: () => ({ x: 400, y: 300, r: 10 }), underPointer: () => [0, 0, 0],
      boidRadius: () => 0.05, touch: () => undefined,
    } as unknown as Stage;
    const painter = new Painter(stage, { ...storyWords.badges, arrows: storyWords.arrows });
    painter.open(scene, (token) => token.text);
    const shown = {
      scene, stop: "attraction" as const, film, beside: null, at: 2, listener: 1, weights: null, held: null,
    };
    const draws = (change: object = {}) => {
      boids.mockClear();
      painter.draw({ ...shown, ...change });
      return boids.mock.calls.length > 0;
    };
    expect(draws()).toBe(true);
    expect(draws()).toBe(false);
    expect(draws({ at: 2.5 })).toBe(true);
    expect(draws({ at: 2.5, weights: new Float64Array(n) })).toBe(true);
    expect(draws()).toBe(true);
    expect(draws({ held: { word: 0, place: [0.2, 0.3] } })).toBe(true);
    expect(draws()).toBe(true);
    camera.position[0] = 3;
    camera.update();
    expect(draws()).toBe(true);
    expect(draws()).toBe(false);
    painter.retheme(scene);
    expect(draws()).toBe(true);
  });
});

describe("words on a picture", () => {
  const at = { x: 100, y: 80 };
  it("stand where they do on the page, by their middle", () => {
    expect(wordAt(at, null, 0, { scale: 0.5, grown: 2 })).toEqual(at);
  });
  it("stand on their foot as high as they are written", () => {
    const one = wordAt(at, null, 1, { scale: 1, grown: 1 }).y;
    expect(at.y - one).toBeCloseTo(9.5, 9); // half a line and the gap below it
    expect(at.y - wordAt(at, null, 2, { scale: 1, grown: 2 }).y).toBeCloseTo(34, 9);
  });
  it("keep off what they stand beside where they have grown more than it", () => {
    const by = { x: 100, y: 90 };
    expect(wordAt(at, by, 0, { scale: 2, grown: 1 })).toEqual(at);
    expect(wordAt(at, by, 0, { scale: 0.5, grown: 1 })).toEqual({ x: 100, y: 70 });
  });
});
