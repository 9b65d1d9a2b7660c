// words.ts: die Worte der Ansicht Wörter.
import type * as english from "../words";
import type { Translation } from "../translation";
import { fixed } from "../numbers";

export const words: Translation<typeof english.words> = {
  title: "Wörter eines trainierten Transformers",
  intro:
    "Ein trainierter Transformer hat einen Satz gelesen. Seine Token fliegen, und jede Schicht ist ein Augenblick ihres Flugs. Fahr " +
    "durch die Schichten und wähl ein Token, um zu sehen, wem es zuhört.",
  meaning:
    "Ein Token beginnt als sein Eintrag in einem Wörterbuch, höchstens mit seinem Platz in der Reihe. Von Schicht zu Schicht nimmt es " +
    "auf, was die anderen sagen.",
  pair: (token, first, last) =>
    `„${token}“ steht in beiden Sätzen. Der Kosinus der beiden ist ${first} vor der ersten Schicht und ${last} hinter der ` +
    "letzten: jedes hat andere Gesellschaft gehört.",
  marks:
    "[CLS] und [SEP] beginnen und beenden den Satz und sind keine Wörter. Ein Kopf, der nichts zu hören findet, wendet sich oft ihnen zu.",
  howDrawn: (d, share) =>
    `Jeder Zustand hat ${d} Koordinaten und ist durch seine Norm geteilt. Gezeichnet sind drei Achsen, dieselben für alle Schichten ` +
    `und Sätze: die, längs derer die Wörter aller zusammen am weitesten streuen. Sie zeigen ${share} dieser Streuung.`,
  twinTitle: "Der Zwilling",
  twin:
    "Durchscheinend und an jedes Token gebunden ist sein Zwilling: der Fluss der Arbeiten vom selben Start aus. Schicht für Schicht hat " +
    "er die Schärfe β, die am besten zu den Köpfen passt, und so viel Zeit, wie ihn der wirklichen Bewegung am nächsten bringt.",
  twinSays: (explained, little) =>
    `In dieser Schicht ist der Zwilling den Token näher, als ihr Start es ist, um ${explained} dieses Abstands` +
    (little ? ": der Fluss der Arbeiten sagt fast nichts darüber, wohin diese Token gehen." : "."),
  twinStart: "Vor der ersten Schicht sind beide an einem Ort.",
  source: (model, layers, heads) => `${model}: ${layers} Schichten mit ${heads} Köpfen.`,
  made: "Gemacht mit",
  scene: (text, n) => `Die ${n} Token von „${text}“ im Raum`,
  writtenHere: "vom Modell geschrieben",
  tokens: "Token des Satzes",
  moment: (layer, last) => (layer === 0 ? "das Wörterbuch" : `Schicht ${layer} von ${last}`),
  sentence: (moment, clause) => (clause === "" ? moment : `${moment}: ${clause}`),
  hearsMost: (token, other, share) => `„${token}“ hört am meisten auf „${other}“, ${share}`,
  namesake: (token) => `das andere ${token}`,
  what: "Was gelesen wird",
  trace: "Sätze",
  traces: { bank: "Zwei Bänke: bank", nail: "Zwei Nägel: nail", live: "Hier getippt", own: "Eigene Spur" },
  text: "Satz",
  hearing: "Wem es zuhört",
  none: (touch) => `Wähl ein Token: in der Zeile über der Szene${touch ? " oder in der Szene" : ", in der Szene oder mit [ und ]"}.`,
  hears: (token, layer) => `„${token}“ hört in Schicht ${layer}`,
  hearsHint: (acted) =>
    `Das ist die Schicht, die ${acted ? "zuletzt gewirkt hat" : "als nächste wirkt"}; Linien in der Szene sind so breit wie der Anteil.`,
  isHeard: (token) => `„${token}“ wird gehört von`,
  isHeardHint: "Anteile an dem, was jedes von ihnen hört; sie ergeben zusammen nicht eins.",
  matrix: "Wer wem zuhört, alle auf einmal",
  matrixLabel: (layer, n) => `Aufmerksamkeit der Schicht ${layer}: ${n} Hörer mal ${n} Gehörte. Pfeiltasten gehen von Feld zu Feld.`,
  matrixHint: (touch) =>
    "Eine Zeile ist ein Hörer, eine Spalte ein Gehörtes; je kräftiger die Farbe, desto größer der Anteil. " +
    (touch ? "Tipp auf ein Feld." : "Klick auf ein Feld oder geh mit den Pfeiltasten."),
  cell: (token, other, share) => `„${token}“ hört „${other}“: ${share}`,
  noAttention: "Diese Spur bewahrt keine Aufmerksamkeit auf.",
  itself: "sich selbst",
  percent: (share) => `${fixed(100 * share, share < 0.0995 ? 1 : 0)} %`,
  marksHeard: "Zeichen zählen mit",
  marksHint: "Aus: Anteile unter den Wörtern allein, ohne [CLS], [SEP] und dergleichen",
  head: "Kopf",
  mean: "Mittel aller",
  headOf: (k) => `Kopf ${k}`,
  show: "Neben den Token",
  showTwin: "Zwillingsflug",
  showTrail: "Weg des Hörers",
  next: "Welches Token als nächstes kommt",
  nextAt: (moment, token) => `Was hinter „${token}“, dem letzten Token, käme, wäre ${moment} das Ende (Logit-Linse):`,
  noNext: "Dieses Modell liest ganze Sätze und sagt nichts Nächstes. Tipp unten einen Text, den ein anderes Modell liest.",
  typed: "Einen Text tippen",
  typedHint:
    "stories260K, ein Transformer aus 260 000 Zahlen, der englische Kindergeschichten gelesen hat, liest ihn hier auf deinem Gerät, mit " +
    "denselben Bits wie das Programm. Beim ersten Mal werden 1,3 MB geholt.",
  typedLabel: "Eigener Text",
  more: "Token, die es dahinter schreibt",
  read: "Lesen",
  reading: "Liest…",
  initial: "Once upon a time there was a little girl",
  own: "Eigene Datei",
  ownHint: "Lass eine Datei hier fallen, die das Programm geschrieben hat, oder wähl eine:",
  choose: "Datei wählen",
  notWords: "Diese Datei ist keine Spur für diese Ansicht.",
  notWordsHint: "Schreib eine mit murmur export RUN -o words.json, von einem Lauf von murmur trace.",
  failed: "Die Sätze konnten nicht gelesen werden.",
  failedHint: "Lade die Seite neu; der Ordner words gehört neben sie.",
  readerFailed: "Das Modell konnte nicht geholt werden.",
  readerFailedHint: "Sieh nach dem Netz und versuch es noch einmal.",
  plotCosine: "mittlerer Kosinus der Token",
  plotShared: (token) => `Kosinus beider „${token}“`,
  plotTwin: "Abstand von",
  fromTwin: "Zwilling",
  fromStart: "Start",
  summary: (title, first, last) => `${title} nach Schichten: ${first} am Anfang, ${last} am Ende.`,
  loading: "Schlägt die Sätze auf…",
};
