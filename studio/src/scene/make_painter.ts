// make_painter.ts: makes the best painter the browser allows: with WebGL 2, else on a plain canvas.
import { FlatPainter } from "./flat_painter";
import { GlPainter } from "./gl_painter";
import type { Painter } from "./layers";

/** Throws where a canvas has no context of any kind. `onRestored`: what was painted is gone. */
export function makePainter(canvas: HTMLCanvasElement, onRestored?: () => void): Painter {
  try {
    return new GlPainter(canvas, onRestored);
  } catch {
    return new FlatPainter(canvas);
  }
}
