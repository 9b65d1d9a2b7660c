// share.ts: die Worte dessen, was die Seite verlässt: Bilder, Filme, Links und Rahmen.
import type { share as english } from "../share";
import type { Translation } from "../translation";

export const share: Translation<typeof english> = {
  title: "Bilder und Filme",
  format: "Format",
  formats: { page: "Wie gezeigt", wide: "1080p, 16:9", square: "Quadrat", portrait: "Hochformat" },
  gif: "GIF machen",
  filming: (done, all) => `Film zu ${Math.floor((100 * done) / all)} %`,
  filmed: (name, frames, seconds, plays) => `Gespeichert als ${name}: ${frames} Bilder in ${seconds} s; der Film dauert ${plays} s`,
  embed: "Rahmen für eine Seite kopieren",
  embedded: "Das HTML des Rahmens ist kopiert",
  embedFailed: "Der Browser gibt keine Zwischenablage: häng &embed=1 an die Adresse in der Adresszeile",
  embedTitle: (view) => `Murmuration: ${view}`,
  openWhole: "In Murmuration öffnen",
  openWholeHint: "öffnet die ganze Seite in einem neuen Tab",
  flat: "Flach gezeichnet: dieser Browser hat kein WebGL",
  pageTitle: (view, page) => `${view} · ${page}`,
};
