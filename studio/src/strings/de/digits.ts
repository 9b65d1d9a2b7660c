// digits.ts: die Worte der Ansicht Ziffern.
import type * as english from "../digits";
import { chance as chanceOf, thousands } from "../numbers";
import type { Translation } from "../translation";

const percent = (share: number) => chanceOf(share, "über");
const called = (name: string) => ({ same: "gleich", different: "verschieden" })[name] ?? name;
/** Ein Tor beim Namen. */
const gate = (name: string) => (called(name) === name ? `der ${name}` : `„${called(name)}“`);
/** Ob die Schichten ein und dieselbe sind, steht dort, wo sie gezählt werden. */
const layers = (count: number, shared: boolean) => {
  if (count === 1) return "1 Schicht";
  return shared ? `einer Schicht, ${count} Mal derselben` : `${count} Schichten, jede mit eigenen Zahlen`;
};

export const digits: Translation<typeof english.digits> = {
  title: "Eine Ziffer als Schwarm",
  what: (digits, pair) => {
    const one = digits.length <= 3 ? `eine ${digits.join(" oder eine ")}` : "eine Ziffer";
    return `Das ist ein Transformer: jeder Punkt ist ein Token. Zeichne ${pair ? `in jede Hälfte ${one}` : `hier ${one}`}.`;
  },
  lead:
    "Hier arbeitet ein Transformer. Jeder Punkt Tinte ist ein Token, und alle Token fliegen zusammen als ein Schwarm. Jeder " +
    "Zeitschritt ist eine Schicht: jedes Token blickt um sich, hört die Botschaften derer, denen es zuhört, und bewegt sich ein " +
    "wenig. Keines führt. Die große Kugel mit dem Ring ist das Votum: sie fliegt zwischen den Toren, in der Mitte, solange nichts " +
    "entschieden ist, in ein Tor, wenn die Antwort sicher ist. Was sie bewegt, ist der Mittelwert aller Token, das Kreuz: gelesen wird " +
    "nur, wie weit er zu jedem Tor hin liegt, und ein Softmax macht daraus Chancen.",
  task: (digits) =>
    digits.length === 2
      ? `Dieser Transformer hat gelernt, ${digits[0]} und ${digits[1]} zu unterscheiden: bei einer ${digits[0]} soll das Votum ins ` +
        `linke Tor fliegen, bei einer ${digits[1]} ins rechte.`
      : digits.length === 10
        ? "Dieser Transformer hat gelernt, alle zehn Ziffern zu unterscheiden: zehn Tore stehen um den Schwarm, für jede Ziffer eines."
        : `Dieser Transformer hat gelernt, ${digits.slice(0, -1).join(", ")} und ${digits.at(-1)} zu unterscheiden: ` +
          `${digits.length} Tore stehen um den Schwarm, für jede Ziffer eines.`,
  figures: (accuracy, parameters, blocks, shared) =>
    `${accuracy === null ? "Er arbeitet" : `Er liest ${percent(accuracy)} nie gesehener Testziffern richtig,`} ` +
    `mit ${thousands(parameters)} gelernten Zahlen und ${layers(blocks, shared)}.`,
  pairTitle: "Gleich oder verschieden?",
  pairLead:
    "Zwei Bilder heben nebeneinander ab, als ein Schwarm. Zeigen sie dieselbe Ziffer? Kein Token kann das aus sich selbst " +
    "wissen: es muss hören, was auf der anderen Seite steht. Die große Kugel mit dem Ring ist das Votum: im linken Tor sagt es, " +
    "dass sie gleich sind. Was sie bewegt, ist der Mittelwert aller Token, das Kreuz.",
  pairTask: (digits) =>
    `Jedes Bild ist eine ${digits.slice(0, -1).join(", eine ")} oder eine ${digits.at(-1)}; dieser Transformer hat mit Paaren davon gelernt.`,
  pairFigures: (accuracy, parameters, blocks, shared) =>
    `${accuracy === null ? "Er arbeitet" : `Bei 8\u202f192 Paaren nie gesehener Ziffern hat er zu ${percent(accuracy)} recht,`} ` +
    `mit ${thousands(parameters)} gelernten Zahlen und ${layers(blocks, shared)}.`,
  tellAttention: "Eine Schicht, erste Hälfte. Token i sammelt Botschaften; wem es mehr zuhört, den hört es lauter:",
  tellWhom: "Wem es zuhört, entscheiden seine Query und die Keys der anderen:",
  tellFeed: "Zweite Hälfte: es bewegt sich nach eigenem Willen, der nur davon abhängt, wo es ist:",
  tellPick: (touch) =>
    `${touch ? "Tipp" : "Klick"} ein Token an, um zu sehen, wen es hört. Halte an und bewege eines: ändert sich das Votum? ` +
    "Ein Token hat die Farbe des Tors, dem es am nächsten ist. " +
    "Ein Ring markiert ein Token, das abweicht: es ist einem anderen Tor näher als das Votum. Das Votum zählt keine Köpfe, " +
    "es ist ein Mittelwert: wenige Token weit draußen können viele nahe der Mitte überwiegen.",
  sources: "Es ist ein Transformer ohne Normierung.",

  padLabel:
    "Zeichenfeld. Zeichne mit Maus, Stift oder Finger; oder mit den Pfeiltasten, die Leertaste setzt den Stift auf und hebt ihn ab.",
  stageLabel:
    "Die Bühne. Zeichne darauf mit Maus, Stift oder Finger; oder mit den Pfeiltasten, die Leertaste setzt den Stift auf und hebt ihn ab.",
  drag: "Ziehen auf der Bühne",
  dragNames: [
    { value: "draw", label: "Zeichnen" },
    { value: "turn", label: "Drehen" },
  ],
  tool: "In der Hand",
  toolNames: [
    { value: "pen", label: "Stift" },
    { value: "eraser", label: "Radierer" },
  ],
  takeBack: "Letzten Strich weg",
  takeBackHint: "Nimmt den letzten Strich zurück und fliegt, was übrig ist",
  seen: "Was er sieht",
  seenShort: "so gesehen",
  seenLabel: "Das Bild von 28 mal 28 Punkten, das der Transformer sieht",
  pen: "Stift",
  brush: "Strichbreite",
  onTop: "Auf Vorhandenes zeichnen",
  onTopHint: "Sonst beginnt der erste Strich nach dem Ende eines Flugs ein neues Blatt",
  clear: "Leeren",
  random: "Zufällige Ziffer",
  randomPair: "Zufälliges Paar",
  sides: ["Links", "Rechts"],
  tasks: "Aufgabe",
  taskNames: [
    { value: "digits", label: "Eine lesen" },
    { value: "same", label: "Zwei vergleichen" },
  ],
  listens: "Die Token",
  listenNames: [
    { value: "same", label: "hören zu" },
    { value: "alone", label: "nicht" },
  ],
  opinions: "Gemeinsam, oder jedes für sich",
  opinionsLead:
    "Zwei Transformer, gleich groß und gleich trainiert. Im einen hören die Token einander zu; im anderen hört keines " +
    "das andere (der beste aus fünf solchen Trainings).",
  opinionNames: { same: "Sie hören zu", alone: "Jedes für sich" },
  opinion: (name, chance) => `sagt ${called(name)}, ${percent(chance)}`,
  opinionWaits: "wird gefragt …",
  askBoth: "Beide nach 100 Paaren fragen",
  asking: (done, all) => `${done} von ${all} Paaren`,
  tally: (right, all) => `${right} von ${all} richtig`,
  tallyNote:
    "Jedes linke Bild trifft auf eine Fünf und eine Sechs, eine Münze hat also 50. Token, die keines hören, zählen zwei Summen " +
    "zusammen, die nichts voneinander wissen: was sie auch lernen, mehr als 75 können sie nicht haben.",
  file: "Datei öffnen",
  fileHint: "Ein Bild einer Ziffer, oder Orte als .npy oder .csv mit zwei oder drei Spalten",
  swarm: "Transformer",
  swarmName: "Trainiert für",
  deaf: "Daneben: ohne Aufmerksamkeit",
  deafHint: "Dieselbe Tinte, vom selben Transformer geflogen, aber ohne jede Botschaft; durchscheinend",
  listenNow: "mit Aufmerksamkeit",
  deafNow: "ohne Aufmerksamkeit",
  fool: "Den Schwarm täuschen",
  foolLead: "Zeichne an einer Ziffer weiter oder radiere, bis das Votum zum falschen Tor geht und nicht abgelehnt wird.",
  foolStart: "Versuch es",
  foolAgain: "Von vorn",
  foolEnd: "Spiel beenden",
  foolInk: "Was du jetzt zeichnest, hier oder auf der Bühne, kommt zu dieser Ziffer hinzu; der Radierer nimmt Tinte weg.",
  foolWaits: "Der Schwarm sieht es sich an …",
  foolNot: (name, chance) => `Das Votum ist immer noch ${called(name)}, ${percent(chance)}. Ändere etwas mehr.`,
  foolNeither: (name) => `Das Votum ging an ${called(name)}, aber die Tinte wird abgelehnt: sie gleicht keiner. Ändere weniger.`,
  foolWon: (truth, name) => `Getäuscht: eine ${truth} wird als ${name} gelesen.`,
  foolScore: (flips, fewest) =>
    `Bisher ${flips === 1 ? "1-mal" : `${flips}-mal`} gekippt, am kürzesten mit ${fewest === 1 ? "1 Strich" : `${fewest} Strichen`}.`,
  boids: "Token",
  boidCounts: [
    { value: "1", label: "×1" },
    { value: "2", label: "×4" },
    { value: "4", label: "×16" },
  ],
  blocks: "Schichten",
  blocksShown: (blocks, trained) =>
    blocks === trained ? `${blocks}, wie trainiert` : `${blocks}, trainiert mit ${trained}`,
  blocksHint: "Durch wie viele Schichten der Schwarm fliegt; jenseits der trainierten Tiefe gilt die letzte weiter",
  look: "Aussehen",
  trails: "Spuren",
  headings: "Richtungen",
  squeeze: "Fernes näher zeichnen",
  squeezeHint: "Jenseits der Tore sind Abstände kürzer gezeichnet, damit der ganze Schwarm zu sehen bleibt",

  moment: (frame, trained) =>
    frame <= trained ? `Schicht ${frame} von ${trained}` : `Schicht ${frame}, ${frame - trained} über die trainierten hinaus`,
  className: called,
  vote: "das Votum",
  mean: "Mittelwert aller",
  verdictLabel: "Das Votum",
  verdict: (name, chance) => `${called(name)}, ${percent(chance)}`,
  says: "Das Votum:",
  soFar: "Bisher:",
  soFarWhy: "So wäre das Votum, wenn du den Stift jetzt absetztest.",
  neither: "Keine davon",
  neitherVote: (name) => `obwohl das Votum an ${called(name) === name ? `die ${name}` : gate(name)} ging`,
  neitherWhy: (name) => `Diese Tinte gleicht einer ${name} weniger als 99 von 100, mit denen die Seite gelernt hat.`,
  whyStart: (n) => `${n} Token aus Tinte; ihr Mittelwert entscheidet das Votum.`,
  whyDissent: (against, n) =>
    against === 0
      ? `Alle ${n} Token sind einig.`
      : against === 1
        ? `1 von ${n} Token weicht ab (mit Ring).`
        : `${against} von ${n} Token weichen ab (mit Ring).`,
  whyParts: (most, n, theirs, vote) =>
    `${most} von ${n} Token sind ${gate(theirs)} am nächsten, aber ein Mittelwert wiegt Abstände: das Votum ist ${gate(vote)} am nächsten.`,
  wasBefore: (said) => `Vor diesem Strich: ${said}.`,
  truth: (name, right, done) => {
    const are = called(name) === name ? `es ist eine ${name}` : `sie sind ${called(name)}`;
    return right ? "(richtig)" : done ? `(${are})` : `bisher; ${are}`;
  },
  percent,
  chances: "Chancen nach Schicht",
  chancesSummary: (name, chance) => `Chancen nach Schicht; jetzt führt ${called(name)} mit ${percent(chance)}.`,
  dashed: (title) => `${title}; gestrichelt: wie es war`,
  dissent: "Anteil abweichender Token",
  dissentSummary: (share) => `Anteil abweichender Token nach Schicht; jetzt ${percent(share)}.`,

  gaze: "Der Blick eines Tokens",
  gazeNone: (touch) =>
    touch ? "Tipp ein Token an, oder geh mit den zwei Knöpfen weiter, um zu sehen, wem es zuhört." :
    "Klick ein Token an, oder drück [ oder ], um zu sehen, wem es zuhört.",
  gazeOf: (boid) => `Token ${boid}`,
  gazeHears: (count) => `Es hört ${count} Token überdurchschnittlich laut. Am lautesten:`,
  gazeVote: (name, dissents) =>
    dissents ? `ist ${gate(name)} näher: es weicht ab` : `ist ${gate(name)} näher`,
  hearsMost: (boid, share) => `Am meisten hört es Token ${boid}, ${percent(share)}.`,
  letBoidGo: "Dieses Token loslassen",
  gazeFull: (share) => `Ein ganzer Balken sind ${percent(share)} seiner Aufmerksamkeit.`,
  gazeAt: "ist bei",
  gazeVectors: { query: "Query", key: "Key", value: "Value", feedForward: "eigener Wille" },
  gazeMeaning: {
    query: "wohin es blickt",
    key: "Ort seiner Botschaft",
    value: "seine Botschaft",
    feedForward: "seine eigene Bewegung",
  },
  gazeScale: "Pfeile zeigen die wahre Richtung; lange sind kürzer gezeichnet.",
  lessBoid: "Token davor",
  moreBoid: "Nächstes Token",

  sceneLabel: "Der Schwarm der Ziffer zwischen seinen Toren, in drei Dimensionen",
  scene: (frame, blocks, name, chance, against, n) =>
    `Schicht ${frame} von ${blocks}: das Votum von ${n} Token neigt zu ${called(name) === name ? `einer ${name}` : gate(name)} mit ${percent(chance)}; ` +
    `${against === 0 ? "kein Token weicht ab" : against === 1 ? "1 Token weicht ab" : `${against} Token weichen ab`}.`,
  sceneSplit: (was, is) =>
    was === is
      ? `Nach deiner Hand sagt es weiterhin ${called(is)}.`
      : `Es sagte ${called(was)}; nach deiner Hand sagt es ${called(is)}.`,
  empty: "Zeichne eine Ziffer, und ihre Tinte hebt ab.",
  emptyPair: "Zeichne auf jedes Feld eine Ziffer, und beide heben ab.",
  noSwarms: "Diese Seite kam ohne trainierte Transformer.",
  noSwarmsHint: "Mach sie mit scripts/page_models.sh und bau die Seite neu.",
  noDigits: "Diese Seite kam ohne Testziffern.",
  noDigitsHint: "Mach sie mit scripts/page_digits.py und bau die Seite neu.",
  noInk: "In diesem Bild ist keine Tinte.",
  noInkHint: "Nimm ein Bild mit einer dunklen Ziffer auf hellem Papier oder einer hellen auf dunklem.",
  emptyFile: (name) => `In ${name} steht nichts.`,
  programFile: (name) => `${name} ist die Datei eines Laufs, die eine Seite nicht von selbst nehmen kann.`,
  programFileHint: "Starte murmur studio --runs DIR mit dem Ordner des Laufs: er kommt zur Auswahl der Transformer hinzu.",
  noPicture: (name) => `${name} ist weder ein Bild noch eine Tabelle von Orten.`,
  badPicture: (name) => `${name} ist ein Bild, aber ein beschädigtes.`,
  badPictureHint: "Nimm PNG, JPEG, WebP oder SVG, oder Orte als .npy oder .csv.",
  fitted: "Die Orte wurden zentriert und so skaliert, dass sie zwischen die Tore passen.",
  missing: (path) => `${path} ließ sich nicht laden`,
};
