// compose.ts: one flat picture of the scene as it stands: boids, words, and a line that says what it is.
import type { OnStage } from "../state/session";
import { strings } from "../strings";

/** Draws scene and caption into `canvas`, which takes the scene's size, made even for video. */
export function compose(on: OnStage, canvas: HTMLCanvasElement, caption: string): void {
  const stage = on.stage;
  if (!stage) throw new Error(strings.common.noWebgl);
  on.draw();
  stage.render(true);
  const source = stage.canvas;
  const ratio = source.width / source.clientWidth;
  const width = source.width & ~1;
  const height = source.height & ~1;
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const style = getComputedStyle(document.documentElement);
  const ink = style.getPropertyValue("--ink").trim();
  const soft = style.getPropertyValue("--ink-soft").trim();
  const ctx = canvas.getContext("2d")!;
  ctx.drawImage(source, 0, 0);
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  for (const word of stage.wordsOnScreen()) {
    ctx.font = `${word.kind === "gate" ? "700 26" : "600 13"}px system-ui, sans-serif`.replace(
      /(\d+)px/,
      (_, size: string) => `${Number(size) * ratio}px`,
    );
    ctx.fillStyle = word.kind === "axis" ? soft : ink;
    ctx.fillText(word.text, word.x * ratio, word.y * ratio);
  }
  ctx.font = `${12 * ratio}px system-ui, sans-serif`;
  ctx.fillStyle = soft;
  ctx.textAlign = "left";
  ctx.textBaseline = "bottom";
  ctx.fillText(caption, 12 * ratio, height - 8 * ratio, width - 24 * ratio);
}

/** "Murmuration · Flock · t = 3.2" */
export function captionOf(on: OnStage): string {
  const time = on.player.time.value;
  const { title, views } = strings.common;
  return `${title} · ${views[on.view]} · t = ${Number(time.toPrecision(4))}`;
}
