// share.ts: texts about the pictures, films, links and embedded frames that the page makes.
export const share = {
  title: "Pictures and films",
  format: "Format",
  formats: { page: "As shown", wide: "1080p, 16:9", square: "Square", portrait: "Portrait" },
  gif: "Make GIF",
  filming: (done: number, all: number) => `Filming ${Math.floor((100 * done) / all)} %`,
  filmed: (name: string, frames: number, seconds: string, plays: string) =>
    `Saved as ${name}: ${frames} pictures in ${seconds} s; the film plays ${plays} s`,
  embed: "Copy HTML to embed",
  embedded: "The HTML is copied",
  embedFailed: "The browser allows no clipboard: add &embed=1 to the address in the address bar",
  embedTitle: (view: string) => `Murmuration: ${view}`,
  openWhole: "Open in Murmuration",
  openWholeHint: "opens the whole page in a new tab",
  flat: "Drawn flat: this browser has no WebGL",
  pageTitle: (view: string, page: string) => `${view} · ${page}`,
};
