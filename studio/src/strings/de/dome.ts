// dome.ts: die Worte der Kuppel aus Blick und Botschaft.
import type { dome as english } from "../dome";
import { degrees, figure, percent } from "../figures";
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
    (_, n) => `Die Keys aller ${n} Token: die Orte, an denen ihre Botschaften zu finden sind. Eine Zahl: so viele liegen beisammen.`,
    (_, __, attended, loudest, share) =>
      `Je näher ein Ort am Blick liegt, desto mehr wird er gehört: dieses Token achtet auf etwa ${figure(attended)}, ` +
      `am meisten auf Token ${loudest}, mit ${percent(share)}.`,
    (length) =>
      "Die Rauten sind, was sie sagen, ihre Values, größer, wo mehr von der Botschaft von ihnen kommt. Gewogen und summiert " +
      `kommen sie als eine Botschaft der Länge ${figure(length)} an.`,
    (length) => `Sein eigener Wille, das Feed-forward, gibt einen Stoß der Länge ${figure(length)} dazu.`,
    (length, layers) =>
      layers
        ? `Zusammen tragen sie es ${figure(length)} weit.`
        : `Zusammen geben sie ihm die Geschwindigkeit ${figure(length)}.`,
  ],
  vision: (angle) =>
    `Der Schatten ist sein Blickfeld: an der Linie, ${degrees(angle)} vom Blick, wird ein Key halb so sehr gehört wie am Blick.`,
  allVision: "Sein Blickfeld ist die ganze Kuppel: nirgends wird ein Key weniger als halb so sehr gehört wie am Blick.",
  far: (angle, factor) =>
    `Dessen Key liegt ${degrees(angle)} vom Blick, außerhalb des Blickfelds, ist aber ${figure(factor)}-mal so lang wie das ` +
    "Mittel: darum wird er gehört.",
  noWill: "Dieser Schwarm hat keinen eigenen Willen: es gibt kein Feed-forward.",
  sameForAll: "Alle werden gleich gehört: der Blick spielt keine Rolle.",
  corrected: (length, layers) =>
    layers
      ? `Gestrichelt: zurück auf die Kugel, ${figure(length)}.`
      : `Gestrichelt: was die Kugel wegnimmt, ${figure(length)}.`,
  exact: "Exakt: die Aufmerksamkeit und der Winkel zwischen Blick und Orten.",
  lengths: (longest) => `Stiele: wie lang die Keys sind, was auch zählt; der längste misst ${figure(longest)}.`,
  around: (k, share) =>
    `Blick und Orte haben ${k} Koordinaten: wie die Orte um den Blick liegen, sieht man entlang zweier Achsen, ` +
    `${percent(share)} davon.`,
  values: (d) => `Values mit ${d} Koordinaten sieht man entlang der Achsen der Pfeile.`,
  arrows: (d, share) => `Pfeile mit ${d} Koordinaten sieht man entlang dreier, ${percent(share)} davon.`,
  ownAxes: "Kuppel und Pfeile haben eigene Achsen.",
  noise: "Rauschen ist weggelassen.",
  scale: (radius) => `Der Radius der Kuppel steht für ${figure(radius)} der Pfeile.`,
  percent,
};
