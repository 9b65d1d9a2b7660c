// dome.ts: die Worte der Kuppel aus Blick und Botschaft.
import type { dome as english } from "../dome";
import { figure, percent } from "../figures";
import type { Translation } from "../translation";

export const dome: Translation<typeof english> = {
  title: "Kuppel aus Blick und Botschaft",
  shown: "Kuppel um das Token zeichnen",
  none: (touch) => `${touch ? "Tipp" : "Klick"} in der Szene ein Token an, um zu sehen, was es bewegt.`,
  kept: "Ein aufbewahrter Lauf zeigt keine Kuppel: flieg ihn neu.",
  waiting: "Die Teile sind unterwegs.",
  centre: "In die Mitte holen",
  part: "Teil der Bewegung",
  parts: ["Blick", "Orte", "Aufmerksamkeit", "Botschaft", "Eigener Wille", "Bewegung"],
  back: "Teil davor",
  on: "Nächster Teil",
  head: "Kopf",
  headOf: (h) => String(h + 1),
  allHeads: "alle",
  tell: [
    (boid) => `Token ${boid} blickt seine Query entlang: der Ring auf der Kuppel.`,
    (_, n) => `Die Keys aller ${n} Token: die Orte, an denen ihre Botschaften zu finden sind.`,
    (_, __, attended, loudest, share) =>
      `Je näher ein Ort am Blick liegt, desto mehr wird er gehört: dieses Token achtet auf etwa ${figure(attended)}, ` +
      `am meisten auf Token ${loudest}, mit ${percent(share)}.`,
    (length) => `Was sie sagen, gewogen und summiert, kommt als eine Botschaft der Länge ${figure(length)} an.`,
    (length) => `Sein eigener Wille, das Feed-forward, gibt einen Stoß der Länge ${figure(length)} dazu.`,
    (length, layers) =>
      layers
        ? `Zusammen tragen sie es ${figure(length)} weit.`
        : `Zusammen geben sie ihm die Geschwindigkeit ${figure(length)}.`,
  ],
  noWill: "Dieser Schwarm hat keinen eigenen Willen: es gibt kein Feed-forward.",
  sameForAll: "Alle werden gleich gehört: der Blick spielt keine Rolle.",
  corrected: (length, layers) =>
    layers
      ? `Gestrichelt: zurück auf die Kugel, ${figure(length)}.`
      : `Gestrichelt: was die Kugel wegnimmt, ${figure(length)}.`,
  exact: "Exakt: die Aufmerksamkeit und der Winkel zwischen Blick und Orten.",
  lengths: "Nicht gezeichnet: wie lang die Keys sind, was auch zählt.",
  around: (k, share) =>
    `Blick und Orte haben ${k} Koordinaten: wie die Orte um den Blick liegen, sieht man entlang zweier Achsen, ` +
    `${percent(share)} davon.`,
  arrows: (d, share) => `Pfeile mit ${d} Koordinaten sieht man entlang dreier, ${percent(share)} davon.`,
  ownAxes: "Kuppel und Pfeile haben eigene Achsen.",
  noise: "Böen sind weggelassen.",
  scale: (radius) => `Der Radius der Kuppel steht für ${figure(radius)} der Pfeile.`,
  percent,
};
