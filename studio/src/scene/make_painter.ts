// make_painter.ts: the painter that a browser can have: with WebGL 2, else a plain one.
import { FlatPainter } from "./flat_painter";
import { GlPainter } from "./gl_painter";
import type { Painter } from "./painter";

/** Throws where a canvas has no context of any kind. `onRestored`: what was painted is gone. */
export function makePainter(canvas: HTMLCanvasElement, onRestored?: () => void): Painter {
  try {
    return new GlPainter(canvas, onRestored);
  } catch {
    return new FlatPainter(canvas);
  }
}
