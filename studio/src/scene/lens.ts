// lens.ts: a second rendering of a stage, of any size, on its own canvas: for pictures and films.
import { Camera } from "./camera";
import { makePainter } from "./make_painter";
import type { Painter } from "./layers";
import type { Stage, Word } from "./stage";

const kLine = 15; // CSS pixels of a line of words
const kAbove = 2; // and between what it names and its foot

/**
 * The middle of a word whose place is at `at`, in pixels of a picture where the scene is `scale` and words are `grown`
 * times as large as on the page. Beside something it keeps off it by as much as it has grown more; of one that stands
 * on its foot (`lines` > 0) the foot is at `at`.
 */
export function wordAt(
  at: { x: number; y: number }, by: { x: number; y: number } | null, lines: number, { scale, grown }: { scale: number; grown: number },
): { x: number; y: number } {
  const more = by ? Math.max(1, grown / scale) : 1;
  const [x, y] = by ? [by.x + more * (at.x - by.x), by.y + more * (at.y - by.y)] : [at.x, at.y];
  return { x, y: lines > 0 ? y - grown * ((kLine * lines) / 2 + kAbove) : y };
}

export class Lens {
  readonly canvas = document.createElement("canvas");
  private readonly camera = new Camera();
  private readonly painter: Painter;

  /** `ratio`: device pixels a CSS pixel, by which lines and words grow. */
  constructor(private readonly stage: Stage, width: number, height: number, readonly ratio: number) {
    this.canvas.width = width;
    this.canvas.height = height;
    this.painter = makePainter(this.canvas);
  }

  /** Paints the scene as it is, from the position of the stage's camera. */
  paint(): HTMLCanvasElement {
    const { width, height } = this.canvas;
    this.camera.follow(this.stage.camera);
    this.camera.frame(width, height);
    this.painter.paint(this.stage.scene, this.stage.look(this.camera, width, height, this.ratio));
    return this.canvas;
  }

  /** How many pixels the picture has where the page has one CSS pixel: by this all but words has grown. */
  get scale(): number {
    const { clientWidth, clientHeight } = this.stage.canvas;
    return Math.min(this.canvas.width, this.canvas.height) / Math.max(1, Math.min(clientWidth, clientHeight));
  }

  /** The words of the scene at their positions on the picture painted last, written `grown` times as large as on the page. */
  words(grown: number): Word[] {
    return this.stage.words().flatMap(({ text, kind = "axis", place, by, foot }) => {
      const at = this.onPicture(place);
      const lines = foot ? text.split("\n").length : 0;
      return at ? [{ text, kind, ...wordAt(at, by ? this.onPicture(by) : null, lines, { scale: this.scale, grown }) }] : [];
    });
  }

  private onPicture(place: readonly number[]): { x: number; y: number } | null {
    const [x, y, depth] = this.camera.project([place[0], place[1], place[2]]);
    return depth > 1 ? null : { x: ((x + 1) / 2) * this.canvas.width, y: ((1 - y) / 2) * this.canvas.height };
  }

  dispose(): void {
    this.painter.dispose();
  }
}
