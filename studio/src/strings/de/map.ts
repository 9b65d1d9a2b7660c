// map.ts: die Worte der Ansicht Karte.
import type * as english from "../map";
import type { Translation } from "../translation";

export const map: Translation<typeof english.map> = {
  title: "Eine Karte aller Flüge",
  intro:
    "Jeder Bildpunkt sind 256 Flüge: 32 Token auf dem Kreis, bei einer Schärfe β, zu einer Zeit gesehen. Die Farbe sagt, in wie vielen " +
    "Clustern sie sind.",
  read:
    "Von links nach rechts vergeht die Zeit; nach oben wird der Blick schärfer. Im dunklen Streifen sind die Token noch getrennt. Unter " +
    "β ≈ 1 treffen sich bis t = 15 alle in einem Cluster. Darüber bleiben immer mehr Flüge auf halbem Weg stehen, in zwei oder drei " +
    "Clustern, die lange warten.",
  theory: "Die gestrichelten Linien",
  theoryText:
    "Wie es beginnt: solange die Token noch getrennt sind, zerfällt ein gleichmäßiger Ring in eine Welle. An jeder Linie bekommt die " +
    "Welle, die am schnellsten wächst, einen Berg mehr. Berge sind noch keine Cluster: manche treffen sich unterwegs. Bei t = 30 sind es " +
    "im Mittel nicht mehr Cluster, als am Anfang Berge waren.",
  real: "Wo trainierte Transformer wohnen",
  realText:
    "MiniLM, dessen Token in Wörter fliegen, wohnt außerhalb dieser Karte, jenseits ihrer Ecke unten links. Das β, das am besten zu seinen " +
    "Schichten passt, fällt von 0,3 auf −1,7: unter 0 hört ein Token am meisten, was ihm unähnlich ist. Und seine sechs Schichten zusammen " +
    "durchlaufen etwa 0,3 der Zeit t. Darum sind seine Token noch getrennt, wenn es einen Satz gelesen hat.",
  source: (paper, figure, quantity) => `Quelle: der Aufbau von ${paper}, Abb. ${figure}, dort: ${quantity}.`,
  how: (touch) =>
    (touch ? "Tipp einen Bildpunkt an" : "Klick einen Bildpunkt an, oder beweg den Zeiger mit den Pfeiltasten und drück Enter") +
    ": genau dieser Flug wird neben der Karte " +
    "noch einmal geflogen.",
  chart:
    "Karte der Cluster über Zeit und β. Pfeiltasten bewegen den Zeiger, mit Umschalt um zehn Bildpunkte; Enter fliegt " +
    "den Bildpunkt.",
  beta: "β, Schärfe des Blicks",
  time: "Zeit t",
  axisTime: "Zeit t des Flusses →",
  axisBeta: "Schärfe des Blicks β →",
  axisTimeShort: "Zeit t →",
  axisBetaShort: "Schärfe β →",
  barTitles: { clusters: "Cluster", close_pairs: "vereint" },
  regions: { apart: "noch getrennt", one: "alle in einem Cluster", two: "zwei Cluster warten", three: "drei Cluster warten" },
  colour: "Farbe",
  quantities: { clusters: "Cluster", close_pairs: "nahe Paare" },
  mode: (k) => (k === 1 ? "1 Berg" : `${k} Berge`),
  replica: "Flug von 256",
  cursor: (beta, t, value) => `β = ${beta}, t = ${t}: ${value}`,
  clusters: (mean) => `${mean} Cluster im Mittel`,
  pairs: (share) => `${share} der Paare haben sich getroffen`,
  replay: "Noch einmal fliegen",
  open: "Im Schwarm öffnen",
  stage: (beta) => `32 Token auf dem Kreis bei β = ${beta}`,
  run: "dieser Flug, jetzt",
  pixel: "dieser Flug auf der Karte",
  mean: "Mittel von 256 Flügen",
  meanOf: (mean, error) => `${mean} ± ${error}`,
  waiting: "…",
  same: "wie auf der Karte",
  different: "anders als auf der Karte",
  plotClusters: "Cluster",
  plotPairs: "nahe Paare",
  counts: (t) => `Flüge nach Clustern bei t = ${t}, wie der Bildpunkt`,
  noCounts: (t) => `Bei t = ${t} stehen alle Flüge, wo der Zufall sie hingesetzt hat.`,
  countOf: (flights, clusters) => `${flights} mit ${clusters}`,
  countsSummary: (text) => `Flüge nach der Zahl ihrer Cluster: ${text}.`,
  thisFlight: "dieser Flug",
  allFlights: "Mittel",
  summary: (title) => `${title}: dieser Flug und das Mittel von 256.`,
  loading: "Die Karte wird entrollt …",
  failed: "Die Karte ließ sich nicht lesen.",
  failedHint: "Lade die Seite neu; daneben gehört die Datei maps/circle.json.",
  sentence: (beta, t, clusters, mean) =>
    `Der Flug bei β = ${beta} ist bei der Zeit ${t}, in ${clusters} Clustern; an seinem Bildpunkt haben 256 Flüge im Mittel ${mean}.`,
};
