// index.ts: alles, was die Seite auf Deutsch sagt, außer der Geschichte (story.ts), die erst mit ihrer Ansicht kommt.
import { degrees, figure, percent, percentFine, thousands } from "../numbers";
import type { Translation } from "../translation";
import type * as english from "..";
import { digits } from "./digits";
import { fields } from "./fields";
import { flock } from "./flock";
import { map } from "./map";
import { words as wordsText } from "./words";

export const common: Translation<typeof english.common> = {
  title: "Murmuration",
  views: { digits: "Ziffern", flock: "Schwarm", story: "Geschichte", fields: "Felder", map: "Karte", words: "Wörter" },
  skip: "Zur Szene springen",
  play: "Abspielen",
  pause: "Anhalten",
  stepBack: "Ein Bild zurück",
  stepOn: "Ein Bild weiter",
  reset: "Zurück zum Anfang",
  speed: "Tempo",
  time: "Zeit",
  frame: (k, last) => `Bild ${k} von ${last}`,
  undo: "Rückgängig",
  redo: "Wiederholen",
  share: "Link kopieren",
  shared: "Link kopiert",
  shareFailed: "Der Link steht in der Adresszeile",
  screenshot: "Bild speichern",
  record: "Aufnehmen",
  stopRecording: "Aufnahme beenden",
  keyList: [
    ["Leertaste", "abspielen oder anhalten"],
    ["← →", "ein Bild zurück oder weiter; in der Geschichte die Station davor oder danach"],
    ["Pos1", "zurück zum Anfang"],
    ["1 … 6", "Ziffern, Schwarm, Geschichte, Felder, Karte, Wörter"],
    ["z", "rückgängig; mit Umschalt wiederholen"],
    ["Umschalt + Pfeile", "die Ansicht drehen; + und − gehen näher heran und weiter weg, 0 stellt sie zurück"],
    ["[ ]", "das Token davor oder danach; Esc lässt es los"],
    [", .", "der Teil davor oder danach in der Bewegung eines Tokens, dessen Kuppel zu sehen ist"],
    ["m", "Token bewegen: Pfeile bewegen die gewählten, mit Umschalt näher und ferner, Enter fliegt weiter"],
    ["Tab", "zum nächsten Bedienelement"],
  ],
  exportCsv: "Als CSV ausgeben",
  exportNpy: "Als npy ausgeben",
  theme: { auto: "Wie das System", light: "Hell", dark: "Dunkel", label: "Farben" },
  language: { auto: "Wie der Browser", label: "Sprache" },
  more: "Mehr",
  close: "Schließen",
  keys: "Tastatur",
  loading: "Der Schwarm erwacht …",
  coming: (got, all) => `Der Transformer ist unterwegs: ${got} von ${all} kB`,
  noWebgl: "Dieser Browser zeigt kein WebGL, deshalb lässt sich die Szene nicht zeichnen.",
  noWebglHint: "Schalte die Hardwarebeschleunigung ein oder öffne die Seite in einem anderen Browser. Diagramme und Urteile gehen trotzdem.",
  otherVersion: "Dieser Link stammt von einer anderen Fassung der Seite; gezeigt wird, was sie von selbst zeigt.",
  otherVersionStays: "Dieser Link stammt von einer anderen Fassung der Seite; auf der Bühne bleibt, was dort ist.",
  viewFailed: "Diese Ansicht ließ sich nicht zeigen.",
  viewFailedHint: "Lade die Seite neu: vielleicht gibt es inzwischen eine neuere.",
  loadAgain: "Neu laden",
  noVideo: "Dieser Browser kann kein Video erzeugen.",
  noUse: "Diese Ansicht kann mit der Datei nichts anfangen.",
  noUseHint: "Ziffern und Schwarm nehmen Punkte als .npy oder .csv; ein Bild, das diese Seite oder das Programm gemacht hat, öffnet sich in jeder Ansicht.",
  noSuchView: (name) => `Eine Ansicht „${name}“ gibt es nicht; gezeigt werden die Ziffern.`,
  noSuchStop: (stop, stops) => `Die Geschichte hat keine Station ${stop}; sie hat ${stops}, und die nächstgelegene wird gezeigt.`,
  noSuchPlace: (hash) => `Die Adresse ${hash} nennt nichts, was diese Seite kennt; gezeigt werden die Ziffern.`,
  home: "Ansicht zurück",
  homeHint: "Die Kamera dorthin zurück, wo sie war (Taste 0)",
  toStory: (stop, title) => `Warum das geht: die Geschichte, Station ${stop}, „${title}“ →`,
  backTo: (view) => `← Zurück: ${view}`,
  scene: "Szene",
  controls: "Regler",
  plots: "Diagramme",
  story: "Was du siehst",
};

export const core: Translation<typeof english.core> = {
  stopped: { what: "der Rechenkern ist stehen geblieben", remedy: "lade die Seite neu" },
  crashed: { what: "der Rechenkern ist stehen geblieben", remedy: "lade die Seite neu und versuche andere Einstellungen" },
  noMemory: { what: "der Speicher reicht nicht", remedy: "nimm weniger n, d oder Bilder, oder lade die Seite neu" },
  missingArray: (index) => `das Feld ${index} fehlt`,
  cannotStart: {
    what: "der Rechenkern lässt sich nicht starten",
    remedy: "nimm einen Browser mit SIMD und Ausnahmen in WebAssembly",
  },
};

export const branch: Translation<typeof english.branch> = {
  title: "Deine Hand im Schwarm",
  move: "Token bewegen",
  moveHint: (touch) =>
    touch ? "Dann zieht ein Finger ein Token, oder er umfährt mehrere und zieht sie zusammen." :
    "Zieh ein Token, oder umfahre mehrere und zieh sie zusammen. Alt-Ziehen geht jederzeit.",
  moving: (touch) =>
    touch ? "Zieh ein Token mit einem Finger, oder umfahre erst mehrere." :
    "Zieh ein Token, oder umfahre erst mehrere. Tasten: [ und ] wählen, Pfeile bewegen, Enter lässt los.",
  letGo: "Zweig loslassen",
  apply: "Von hier weiterfliegen",
  putBack: "Zurücklegen",
  asItWas: "wie es war",
  afterHand: "nach deiner Hand",
  chosen: (n) => `${n} Token gewählt`,
  held: (n) => (n === 1 ? "1 Token liegt anderswo" : `${n} Token liegen anderswo`),
  moved: (n, frame) =>
    `${n === 1 ? "1 Token wurde" : `${n} Token wurden`} bewegt, zuerst bei Bild ${frame}. ` +
    "Blass siehst du den Flug, wie er war.",
  atEnd: "Der Flug ist zu Ende.",
  atEndHint: "Geh ein paar Bilder zurück, dann bewege ein Token.",
};

export const share: Translation<typeof english.share> = {
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

const digitsTitle = (digits: readonly number[]) =>
  digits.length === 10 ? "zehn Ziffern" : `${digits.slice(0, -1).join(", ")} oder ${digits.at(-1)}`;

export const runs: Translation<typeof english.runs> = {
  title: "Deine Läufe",
  digitsTitle,
  pairTitles: { same: "gleich oder nicht", alone: "gleich oder nicht, allein" },
  shipped: "Mit der Seite",
  hint: "Läufe des Ordners, den murmur studio bekommen hat.",
  swarm: (name, digits, accuracy) =>
    `${name}: ${digitsTitle(digits)}${accuracy === null ? "" : `, ${percentFine(accuracy)}`}`,
  about: (n, d, frames) => `${n} Token, ${d} Dimensionen, ${frames === 1 ? "1 Bild" : `${frames} Bilder`}`,
  status: { running: "läuft noch", interrupted: "unterbrochen", failed: "gescheitert" },
  damaged: (name, note) => `${name} ist nicht lesbar: ${note}`,
  odd: "seine Zeile in der Liste ist nicht zu verstehen",
  firstThree: (d) => `Dieser Transformer lebt in ${d} Dimensionen; die ersten drei sind gezeichnet.`,
  otherData: (data) => `Dieser Transformer hat aus ${data} gelernt, nicht aus den Ziffern von MNIST.`,
  otherDataHint: "Seine Klassen heißen nach ihren Nummern dort; die Ziffern dieser Seite sind ihm fremd.",
  missing: (name) => `Einen Lauf ${name} gibt es hier nicht.`,
  missingSwarm: "Stell seinen Ordner mit murmur studio --runs DIR bereit. Gezeigt wird der eigene Transformer der Seite.",
  missingFlight: "Stell seinen Ordner mit murmur studio --runs DIR bereit. Geflogen wird, was der Link sonst sagt.",
  pictureOther: (command) => `Dieses Bild hat ${command} gemacht, was die Seite nicht fliegt.`,
  pictureUnflown: (what) => `Die Seite kann nicht fliegen, was dieses Bild zeigt: ${what}.`,
  pictureHint: (name) => `murmur open ${name} sagt, wie es entstand, und macht es noch einmal.`,
  noFile: (what) => `der Lauf hat kein lesbares ${what}`,
  noFileRemedy: "sieh ihn mit murmur runs show an, oder flieg ihn noch einmal",
  badLine: (line) => `Zeile ${line} der config.toml des Laufs ist nicht zu verstehen`,
  badLineRemedy: "eine Zeile lautet key = value, wie murmur sie schreibt; flieg den Lauf noch einmal",
  tooLarge: (numbers) => `die aufbewahrten Bilder enthalten ${thousands(numbers)} Zahlen`,
  tooLargeRemedy: (most) =>
    `die Seite zeigt bis zu ${thousands(most)}; bewahre mit save weniger Bilder auf, oder nimm murmur render`,
  kept: (name) => `${name}, wie er aufbewahrt wurde`,
  keptWhy: (words) => `Die Seite zeigt die aufbewahrten Bilder, denn ${words.join(", ")} kann sie selbst nicht fliegen.`,
  keptHint: "In aufbewahrten Bildern lässt sich kein Token bewegen. Dreh an einem Regler, und die Seite fliegt neu mit dem, was sie kann.",
  keptAxes: (d) => `${d} Dimensionen, die ersten drei sind gezeichnet`,
};

export const files: Translation<typeof english.files> = {
  npySave: "speichere sie mit numpy.save(datei, array)",
  notNpy: "keine npy-Datei: ihre ersten Bytes sind nicht die von NumPy",
  npyCut: "die npy-Datei endet mitten in ihrem Kopf",
  npyHeader: "der Kopf der npy-Datei ist nicht lesbar",
  kind: (kind) => `die Zahlen der npy-Datei sind von der Art ${kind}`,
  kindRemedy: "speichere sie als float64",
  shape: (shape) => `die npy-Datei hat die Form (${shape.join(", ")})`,
  shapeRemedy: "gib ein Feld (n, 2) oder (n, 3)",
  bytes: (needs, has) => `die npy-Datei sollte ${needs} Bytes an Zahlen haben und hat ${has}`,
  numbers: (has, needs) => `die npy-Datei hat ${has} von ${needs} Zahlen`,
  saveAgain: "speichere sie noch einmal",
  notNumber: (line, text) => `in Zeile ${line} steht '${text}', wo eine Zahl hingehört`,
  notNumberRemedy: "gib zwei oder drei Zahlen je Zeile",
  ragged: (line, has, others) => `Zeile ${line} hat ${has} Zahlen, die davor haben ${others}`,
  raggedRemedy: "gib in jeder Zeile gleich viele Zahlen",
  none: "in der Datei stehen keine Orte",
  noneRemedy: "gib einen Ort je Zeile",
  coordinates: (d) => `die Orte haben ${d} Koordinaten`,
  coordinatesRemedy: (dimensions) => `gib ein Feld ${dimensions.map((d) => `(n, ${d})`).join(" oder ")}`,
  tooMany: (n) => `in der Datei stehen ${n} Orte`,
  tooManyRemedy: (most) => `gib höchstens ${most}`,
  notFinite: (place) => `der Ort ${place} ist nicht endlich`,
  notFiniteRemedy: "entferne oder berichtige ihn",
  notPng: "kein PNG",
};

export const dome: Translation<typeof english.dome> = {
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

export const storyTitles: Translation<typeof english.storyTitles> = [
  "Jedes Wort für sich",
  "Ein Bote",
  "Alle zur Mitte",
  "Mehr sagen als „hier bin ich“",
  "Wem zuhören?",
  "Fragen, zeigen, sagen",
  "Wer beißt wen?",
  "Zuhören, denken, von vorn",
  "Ein Raum nach dem anderen",
  "Wer spricht für den Schwarm?",
  "Welches Wort kommt jetzt?",
  "Hält es stand?",
];

export const words = {
  page: { common, branch, core, files, digits, dome, runs, share, storyTitles },
  flock, fields, map, words: wordsText,
};
