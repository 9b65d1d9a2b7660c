// fields.ts: die Worte der Ansicht Felder.
import type * as english from "../fields";
import { coordinate as figure, times, vector } from "../numbers";
import type { Translation } from "../translation";

export const fields: Translation<typeof english.fields> = {
  title: "Vier Felder, eines nach dem anderen",
  lead:
    "Eine trainierte Schicht besteht aus vier Abbildungen des Raums in sich selbst. Wo ein Token auch gerade ist, sagen sie ihm, " +
    "wohin es blickt (Query), wo seine Botschaft zu finden ist (Key), was es sagt (Value) und was es allein täte " +
    "(Feed-forward).",
  tellSlice:
    "Die Pfeile stehen auf einem Schnitt durch den Raum: zuerst die des Value, also was ein Token dort sagen würde. Nimm rechts die " +
    "anderen Felder dazu, verschiebe den Schnitt, dreh die Szene. " +
    "Jedes Feld hat seinen eigenen Maßstab, damit die meisten Pfeile hineinpassen.",
  tellLinear:
    "Query, Key und Value sind gerade Abbildungen: ihre Pfeile ändern sich gleichmäßig von Ort zu Ort. Nur das Feed-forward " +
    "biegt sich, und dort liegt das Urteil eines Tokens.",
  tellDrop: (touch) =>
    `${touch ? "Tipp" : "Klick"} auf den Schnitt, um ein Test-Token abzusetzen. Es hat kein Gewicht: es hört den Schwarm, der Schwarm hört es nicht. ` +
    `${touch ? "Tipp" : "Klick"} ein Token an, um seine vier Vektoren zu sehen und wem es zuhört.`,
  tellSource: "Alle Vektoren kommen aus den Zahlen des trainierten Transformers; Linien sind in kleinen Schritten daran entlang gezeichnet.",

  swarm: "Transformer",
  block: "Schicht",
  blockFollows: "wie der Schwarm fliegt",
  blockOf: (k, blocks) => `${k + 1} von ${blocks}`,
  blockShared: (blocks) => `Alle ${blocks} Schichten teilen sich dieselben Felder.`,
  shown: "Felder",
  allFour: "Alle vier zeigen",
  names: {
    query: "Query: wohin es blickt",
    key: "Key: wo seine Botschaft ist",
    value: "Value: was es sagt",
    will: "Feed-forward: sein eigener Wille",
  },
  short: {
    query: "Query", key: "Key", value: "Value", will: "Feed-forward", velocity: "Geschwindigkeit", none: "keines",
  },
  times,
  slice: "Schnitt",
  axis: "Quer zu",
  axes: { x: "x", y: "y", z: "z" },
  sides: { x: "x: rechts", y: "y: oben", z: "z" },
  offset: "Versatz",
  half: "Halbe Breite",
  grid: "Pfeile je Seite",
  scale: "Länge der Pfeile",
  lines: "Stromlinien",
  drop: "Test-Token",
  dropMiddle: "Eines in die Mitte setzen",
  dropNone: "Wegnehmen",
  dropped: (count) => (count === 1 ? "Ein Test-Token fliegt mit." : `${count} Test-Token fliegen mit.`),
  dropHint: (touch) => `Oder ${touch ? "tipp" : "klick"} auf den Schnitt.`,
  flock: "Schwarm",
  flockShown: "Schwarm zeigen",
  digit: "Andere Ziffer",
  boid: "Token",
  noBoid: "keines",
  boidHint: (touch) => `Oder ${touch ? "tipp" : "klick"} eines in der Szene an.`,
  vectors: "Seine vier Vektoren",
  vector,
  length: figure,
  moment: (frame, last) => `Schicht ${frame} von ${last}`,
  canvas: "Ein Schnitt durch den Raum mit Pfeilen der vier Felder des Transformers, und ein Schwarm",
  waiting: "Der Transformer ist unterwegs.",
  strength: "Länge der Pfeile auf dem Schnitt",
  meanLongest: (mean, longest) => `Mittel ${figure(mean)}, längster ${figure(longest)}`,
  scene: (fields, axis, offset, frame, n) =>
    `${fields || "kein Feld"} auf dem Schnitt ${axis} = ${figure(offset)}; ein Schwarm von ${n} Token in Schicht ${frame}.`,
  sceneBoid: (boid, value) => ` Token ${boid} sagt ${value}.`,
};
