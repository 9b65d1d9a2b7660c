// lens.ts: a second look at a stage, of any size, on a canvas of its own: for pictures and films.
import { Camera } from "./camera";
import { makePainter } from "./make_painter";
import type { Painter } from "./painter";
import type { Stage, Word } from "./stage";

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

  /** Paints the scene as it stands, from where the stage's camera stands. */
  paint(): HTMLCanvasElement {
    const { width, height } = this.canvas;
    this.camera.follow(this.stage.camera);
    this.camera.frame(width, height);
    this.painter.paint(this.stage.scene, this.stage.look(this.camera, width, height, this.ratio));
    return this.canvas;
  }

  /** The words of the scene as they stand on the picture painted last, in its pixels. */
  words(): Word[] {
    const { width, height } = this.canvas;
    return this.stage.words().flatMap(({ text, kind = "axis", place }) => {
      const [x, y, depth] = this.camera.project(place);
      return depth > 1 ? [] : [{ text, kind, x: ((x + 1) / 2) * width, y: ((1 - y) / 2) * height }];
    });
  }

  dispose(): void {
    this.painter.dispose();
  }
}
