// click.ts: distinguishes clicks on a stage from drags that turn it.

const kSlack = 6; // CSS pixels a click may wander

/** Calls `visit` with the place of every click, in CSS pixels of the canvas; gives the way to stop. */
export function onClicks(canvas: HTMLCanvasElement, visit: (x: number, y: number) => void): () => void {
  const off = new AbortController();
  let from = { x: 0, y: 0 };
  const down = (event: PointerEvent) => (from = { x: event.clientX, y: event.clientY });
  const click = (event: MouseEvent) => {
    if (Math.hypot(event.clientX - from.x, event.clientY - from.y) > kSlack) return;
    const box = canvas.getBoundingClientRect();
    visit(event.clientX - box.left, event.clientY - box.top);
  };
  canvas.addEventListener("pointerdown", down, { signal: off.signal });
  canvas.addEventListener("click", click, { signal: off.signal });
  return () => off.abort();
}
