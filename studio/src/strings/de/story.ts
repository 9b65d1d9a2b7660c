// story.ts: die Worte der Ansicht Geschichte: zwölf Stationen vom einzelnen Wort bis zu Lesern auf dem Prüfstand.
import { fixed, percentFine } from "../numbers";
import type * as english from "../story";
import type { Translation } from "../translation";
import { lesson } from "./lesson";
import { firstStops, laterStops } from "./story_stops";

export const lexicon: Translation<typeof english.lexicon> = {
  water:
    "fluss flüsse wasser see seen meer meere ozean bach bäche strom teich regen regnet regnete flut fluten hochwasser schlamm " +
    "schlammig nass schwimmen schwimmt schwamm fisch fische fischen fischte fischer angler angeln angelt boot boote schiff schiffe " +
    "segel segeln segelt ufer küste sand sandig strand welle wellen ebbe gezeiten kanu schilf otter ente enten frosch frösche fähre " +
    "brücke insel hafen delta nebel gischt sumpf stein steine kies wiese picknick untiefe versandet strömung",
  money:
    "geld bargeld münze münzen kredit kredite leihen leiht lieh verleiht borgen borgt borgte schulden schuld konto konten sparen spart " +
    "sparte zins zinsen rate raten zahlen zahlt zahlte bezahlt preis preise kosten kostet reich arm gold silber dollar euro euros pfund " +
    "tresor schalter kasse kassierer räuber markt laden läden kaufen kauft kaufte verkaufen verkauft rechnung schein scheine steuer " +
    "steuern lohn löhne büro filiale aktie aktien überweisung überweist",
  little:
    "der die das den dem des ein eine einen einem einer eines und oder aber denn so als wie ist sind war waren sein bin bist bei mit von " +
    "vom zu zum zur in im ins an am auf aus für über unter neben vor nach hinter zwischen durch um gegen ohne es er sie ich wir ihr du " +
    "mich mir dich dir uns euch ihn ihm ihnen mein meine dein deine seine ihre unser nicht kein keine sehr auch dann dort hier da noch nur " +
    "schon wieder wird werden wurde kann können will muss soll alle einige jeder jede beide man wenn weil dass ob sich hat haben hatte",
};

const kSaid: Readonly<Record<string, string>> = {
  bank: "Bank", river: "Fluss", money: "Geld", muddy: "schlammig", lent: "lieh", the: "die", was: "war", me: "mir", boat: "Boot",
  nail: "Nagel", ocean: "Ozean", leaks: "leckt", emergency: "Notfall",
  small: "kleine", brown: "braune", puppy: "Welpe", sleeps: "schläft",
  dog: "Hund", bites: "beißt", man: "Mann",
  mud: "Schlamm", shore: "Ufer", loan: "Kredit", coin: "Münze", vault: "Tresor", rate: "Zins", hammer: "Hammer", plank: "Brett",
  cold: "kalte", feet: "Füße", before: "vor", wedding: "Hochzeit",
  fish: "Fisch", reeds: "Schilf", CLS: "CLS",
  sea: "Ozean", lake: "See", shop: "Laden", till: "Beutel", moon: "Mond",
  rivers: "Flüsse", run: "fließen", down: "hinab", to: "in", "the…": "den…",
  coins: "Münzen", lie: "wandern", safe: "sicher", in: "in",
};

/** Wo ein Wort an einer Station anders heißt. */
const kAt: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  listening: { was: "im", muddy: "versandet" },
  asking: { the: "der" },
  levels: { the: "der" },
  next: { shore: "Strand" },
};

export const said = (stop: string, word: string): string => kAt[stop]?.[word] ?? kSaid[word] ?? word;
export const row = ["Fluss", "Nebel", "Stille", "so", "lagen", "wir", "zwei", "auf", "der", "Bank"] as const;

const kChannels = ["Größe", "Farbe", "wer"];
const channels = (which: number[], mark: string) => which.map((k) => kChannels[k] + mark).join(" ");

type Story = Omit<Translation<typeof english.story>, "stops">;

const words: Story = {
  lesson,
  lexicon,
  progress: "Stationen der Geschichte",
  stopOf: (k, all) => `Station ${k} von ${all}`,
  dot: (k, title) => `Station ${k}: ${title}`,
  back: "Zurück",
  next: "Weiter",
  toQuestion: "Frage",
  toDigits: "Selbst zeichnen",
  reveal: "Antwort zeigen",
  right: "Richtig.",
  wrong: "Nicht ganz.",
  hide: "Frag mich noch einmal",
  breaks: "Wo das Bild nicht stimmt",
  keys: "← → oder n, p: Stationen · Enter: Antwort · Leertaste: abspielen",
  sheet: "Für Lehrende: Ziele, Fragen, ein Blatt zum Drucken",
  scene: "Probier es",
  ear: "Wessen Ohr",
  listener: (touch) =>
    `Oder ${touch ? "tipp" : "klick"} ein Wort in der Szene an. Seine Pfeile sind die Botschaften, die es bekommt, jede mal ihren Anteil; der ` +
    "breite graue ist alle zusammen: dorthin geht es. Einer, der zum Sehen zu kurz ist, ist ein Punkt.",
  arrows: (times) => `Pfeile: ${times} × ihre Länge`,
  shares: "Anteile der Aufmerksamkeit",
  itself: "es selbst",
  percent: percentFine,
  canvas: (title) => `${title}: ein kleiner Schwarm von Wörtern`,
  drag: "Zieh ein Wort in der Szene, damit es anderswo beginnt, oder verschieb es hier:",
  dragWord: "Wort",
  dragTo: { left: "Nach links", right: "Nach rechts", up: "Nach oben", down: "Nach unten" },
  dragBack: "Alle Wörter zurücklegen",
  badges: {
    asks: (which) => (which.length > 0 ? `fragt ${channels(which, "?")}` : "fragt nichts"),
    shows: (which) => (which.length > 0 ? `zeigt ${channels(which, "")}` : "zeigt nichts"),
  },
  asked: {
    caption: "Drei Dinge, die ein Wort hat",
    word: "Wort", asks: "fragt (Q)", shows: "zeigt (K)", says: "sagt (V)",
    nothing: "nichts",
    channels: (which) => channels(which, ""),
    messages: ["", "klein, etwas süß", "braun", "süß", ""],
  },
  knobs: {
    apart: "Wie weit die Bänke getrennt beginnen",
    apartHint: "So wenig du auch drehst: nur was am Anfang verschieden ist, kann später verschieden sein.",
    pull: "Zug zur Mitte, s",
    order: "Folge der Reihe",
    reading: "Wie geschrieben",
    shuffled: "Gemischt",
    barsStay: "Die Balken gehören zu Plätzen in der Reihe, nicht zu Wörtern: gehört wird, wer zuletzt kommt.",
    value: "Was V sagt",
    draw: "Komm näher",
    push: "Komm her, und schnell",
    sentence: "Satz",
    river: "Die Bank im Fluss versandet",
    money: "Die Bank lieh mir Geld",
    own: "Dein eigener Satz",
    ownLabel: "Tipp ihn ein, dann Enter",
    ownFirst: "Der Fischer zählte Münzen neben der Bank",
    ownHint:
      "Die Seite kennt einige Wörter vom Wasser und vom Geld und kleine Wörter wie „der“. Alle anderen beginnen in der Mitte: zieh sie " +
      "dorthin, wo du sie hinsetzen würdest.",
    beta: "Schärfe des Ohrs, β",
    key: "Was Wörter zeigen (K)",
    keyOwn: "Was sie sind",
    keySame: "Was sie fragen (K = Q)",
    think: "Nach dem Zuhören denken (MLP)",
    skip: "Den zweiten Raum weglassen",
    guest: "Ein Gast kommt dazu: Kredit",
    width: "Der Schwarm ist",
    tight: "eng",
    wide: "weit",
    codes: "Plätze in der Reihe",
    codesOff: "Nicht notiert",
    codesOn: "Notiert",
    reader: "Die Token des Lesers",
    readers: { same: "hören zu", alone: "bleiben allein" },
    pair: "Ziffernpaar",
    pairs: ["5 5", "5 6", "6 5", "6 6"],
    four: "Welche vier von 25",
    rungs: "Unten gezeigte Leser",
    rungsOf: (k, all) => `${k} von ${all}`,
  },
  four: {
    caption: "Nach allen vier Paaren gefragt (jetzt geflogen)",
    ask: "Beide Leser fragen",
    hint:
      "Wer niemanden hört, irrt bei je vieren mindestens einmal. Wer zuhört, irrt auch, aber selten: bei den ersten vier " +
      "zum Beispiel.",
    pair: "Paar", right: "richtig", wrong: "falsch",
    sum: "richtig",
  },
  signs: {
    water: "← Wasser", money: "Geld →", hand: "← Hand", ship: "Schiff →", urgent: "eilig", calm: "ruhig",
    content: "sagt viel", filler: "sagt wenig",
    influence: "was jeder Platz am Ende zählt (gemessen)",
    first: "vorn in der Reihe", last: "hinten in der Reihe",
    notCute: "← schlicht", cute: "süß →", knownLooks: "Aussehen bekannt", plainLooks: "Aussehen unbekannt",
    said,
    row,
    phrases: ["← eine Wendung", "eine andere →"], senses: ["← Körper", "Gefühl →"], outlook: ["← sicher", "im Zweifel →"],
  },
  step: (k) => `Schritt ${k}`,
  round: (k) => `Schicht ${k}`,
  block: (k, all) => `Schicht ${k} von ${all}`,
  visit: (k, word) => `Wort ${k}: ${word}`,
  legend: { cross: "Mittel aller", ring: "CLS", faint: "ohne den Gast" },
  levels: {
    title: "Die Räume, einer nach dem anderen",
    names: ["wer zusammengehört", "was die Wendung heißt", "was der Satz sagt"],
    go: (k, name) => `Zu Raum ${k}: ${name}`,
    moment: (k, all) => `Raum ${k} von ${all}`,
    end: (word, side) =>
      `${word} endet ${Math.abs(side) < 0.15 ? "zwischen sicher und Zweifel" : side < 0 ? "auf der sicheren Seite" : "im Zweifel"} ` +
      `(${fixed(side, 2).replace("-", "−")}).`,
  },
  moved: {
    caption: "Wie weit der Gast sie am Ende verschiebt (jetzt geflogen)",
    who: "liest", tight: "eng", wide: "weit", mean: "Mittel", cls: "CLS",
  },
  order: {
    first: "Hund beißt Mann", second: "Mann beißt Hund",
    apart: "Wie weit dasselbe Wort auseinander ist",
  },
  nextWord: {
    river: "Flüsse fließen hinab in den …",
    money: "Münzen wandern sicher in den …",
    kappa: "Schärfe der Wahl, κ",
    bars: "Chancen des nächsten Worts",
    entropy: (entropy, outcomes) =>
      `Entropie ${fixed(entropy, 2)} nat: etwa ${fixed(outcomes, 1)} Wörter sind möglich.`,
  },
  ladder: {
    tasks: {
      same: {
        name: "zwei Ziffern",
        title:
          "Gemessen: Leser jeder Art haben gelernt zu sagen, ob zwei handgeschriebene Ziffern gleich sind. " +
          "Richtige Antworten von 100:",
        tests: "8\u202f192 Paaren",
      },
      sense: {
        name: "Wortsinn",
        title:
          "Gemessen: Leser jeder Art haben gelernt zu sagen, welchen Sinn ein Wort wie Bank in einem Satz hat. " +
          "Richtige Antworten von 100:",
        tests: "4\u202f096 Sätzen mit Wortpaaren, die sich im Training nie trafen",
      },
    },
    task: "Aufgabe der Leser",
    seeOne: "Vergleiche eigene",
    readersLabel: "Leser nach der Station, deren Mittel sie haben",
    readers: {
      isolated: "allein", messenger: "Bote", attraction: "Anziehung", uniform: "Botschaft an alle",
      selected: "Zuhören", selected_bare: "Zuhören ohne MLP",
    },
    stop: (k) => `Station ${k}`,
    row: (reader, mean, sd) => `${reader}: ${mean} ± ${sd} richtige Antworten von 100`,
    noMessenger: "Bote, ein rekurrentes Netz ihrer Größe: blieb beim Zufall, 50,7 ± 0,3 (zwei Trainings)",
    more: "Erst raten, dann den nächsten Leser zeigen",
    depths: "Nach der Zahl der Schichten",
    chance: (chance) => `Eine Münze: ${chance}.`,
    bound: (bound) => `Das Höchste für Token, die niemanden hören: ${bound}.`,
    boundWords: (bound) => `Alles, was ein Wort haben kann, das niemanden hört: ${bound}.`,
    note: (layers, seeds, tests) =>
      `${layers} Schichten; Mittel ± Streuung aus ${seeds} Trainings${tests ? `, geprüft an ${tests}` : ""}.`,
  },
};

export const story = { ...words, stops: [...firstStops, ...laterStops] };
