// layout.ts: the sizes of pictures and films, and where scene, card and texts are placed in them.

/** As the scene is on the page, or for a screen, a feed and a phone. */
export const kFormats = ["page", "wide", "square", "portrait"] as const;
export type Format = (typeof kFormats)[number];

const kSizes: Record<Exclude<Format, "page">, [number, number]> = {
  wide: [1920, 1080],
  square: [1080, 1080],
  portrait: [1080, 1920],
};

/** Width and height of a format, even as video wants them; `page` is the scene's size in device pixels. */
export function sizeOf(format: Format, page: readonly [number, number]): [number, number] {
  const [width, height] = format === "page" ? page : kSizes[format];
  return [Math.max(2, width & ~1), Math.max(2, height & ~1)];
}

/** A smaller size of the same shape: its longer side has no more pixels than `most`. */
export function within([width, height]: readonly [number, number], most: number): [number, number] {
  const share = Math.min(1, most / Math.max(width, height));
  return [Math.max(2, Math.round(width * share) & ~1), Math.max(2, Math.round(height * share) & ~1)];
}

export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

export interface Layout {
  unit: number; // by which words scale: 1 where the shorter side has 1080 pixels
  margin: number;
  head: number; // middle of the first line
  scene: Box;
  card: Box | null;
  foot: number; // middle of the last line
}

/** Head line, scene, card or a line of words where there is one, foot line; nothing lies over the scene. */
export function layoutOf(width: number, height: number, has: "card" | "line" | null): Layout {
  const unit = Math.max(Math.min(width, height) / 1080, Math.min(0.62, height / 700));
  const margin = Math.round(44 * unit);
  const top = Math.round(92 * unit);
  const foot = Math.round(height - 40 * unit);
  const cardHeight = Math.round((has === "card" ? 148 : has === "line" ? 64 : 0) * unit);
  const end = foot - Math.round(36 * unit) - cardHeight;
  const scene = { x: 0, y: top, w: width, h: Math.max(2, end - top) };
  const card = has ? { x: margin, y: end, w: width - 2 * margin, h: cardHeight } : null;
  return { unit, margin, head: Math.round(50 * unit), scene, card, foot };
}

/** An address as it is written in a picture: without its scheme, the page before its words, cut to `most` signs. */
export function writtenAddress(address: string, most: number): string {
  const text = address.replace(/^[a-z]+:\/\//i, "").replace(/\/#/, "#").replace(/\/$/, "");
  return text.length <= most ? text : `${text.slice(0, Math.max(1, most - 1))}…`;
}

/** The HTML that shows an address in a frame of another page. */
export function frameOf(address: string, title: string): string {
  const quoted = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const size = 'width="720" height="480" style="border: 0"';
  return `<iframe src="${quoted(address)}" title="${quoted(title)}" ${size} loading="lazy"></iframe>`;
}
