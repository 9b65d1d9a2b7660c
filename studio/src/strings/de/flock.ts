// flock.ts: die Worte der Ansicht Schwarm.
import type * as english from "../flock";
import type { Translation } from "../translation";
import { writeKnown } from "../known";
import { known } from "./known";
import { fixed, written } from "../numbers";

export const flock: Translation<typeof english.flock> = {
  title: "Ein Schwarm von Token",
  intro: {
    SA: "Jedes Token sieht alle anderen an und bewegt sich nach dem, was es von ihnen hört.",
    USA: "Wie Softmax-Aufmerksamkeit, nur ohne durch die Summe zu teilen: wer viel hört, bewegt sich schnell.",
    causal: "Jedes Token hört nur sich selbst und die vor ihm. Das erste hört keines und bewegt sich nie.",
    hardmax: "Jedes Token hört nur das eine, das ihm am besten antwortet. Ecken des Schwarms führen, die anderen folgen.",
    sinkhorn: "Jedes Token hört alle, und alle werden gleich viel gehört: die Gewichte sind doppelt stochastisch.",
    euclidean: "Softmax-Aufmerksamkeit ohne Layer-Norm: die Orte können unbegrenzt wachsen.",
    rescaled: "Softmax-Aufmerksamkeit im Raum, beim Wachsen mitskaliert gesehen, damit die Form im Bild bleibt.",
    none: "Gar keine Aufmerksamkeit: jedes Token folgt dem eigenen Willen oder dem Rauschen.",
  },
  near: "Es wendet sich denen zu, auf die es hört, und hört nahe am lautesten.",
  lookFor: "Worauf achten",
  hints: {
    flagship: "Bis t ≈ 5 bilden sich Cluster, dann warten sie. Die Stufen der Energie sind Begegnungen von Clustern.",
    one: "Bei β = 1 hält nichts die Cluster auseinander: alle Token treffen sich an einem Ort.",
    metastable: "Logarithmische Zeit: jedes Warten dauert viele Male länger als das letzte. Vier Cluster, dann drei, dann zwei.",
    circle: "Zweiunddreißig Token auf dem Kreis, der Aufbau einer veröffentlichten Abbildung: meist drei Cluster bei t = 30.",
    causal: "Nach der Reihenfolge gefärbt. Frühe Token führen, spätere sammeln sich hinter ihnen; am Ende kommen alle zum ersten.",
    repulsion: "V = −I: die Token fliehen voreinander, und die Energie fällt.",
    noise: "Rauschen gegen Anziehung. Weniger Rauschen: ein Cluster; mehr: ein gleichmäßiger Ring. Zieh den Regler über die Schwelle.",
    hardmax: "Führende bewegen sich nie. Folgende fliegen geradewegs zu ihnen.",
    polytope: "Mitskaliert gesehen kommt jedes Token zum Rand eines Polytops oder zur Mitte.",
    heads:
      "Drei Köpfe mit zufälligen Matrizen, jeder in seiner Farbe: Strahlen vom gewählten Token zeigen, wo die Aufmerksamkeit jedes Kopfs " +
      "liegt, Linien, wen er am lautesten hört. Kein Satz gilt für sie, und doch sammelt sich dieser Schwarm.",
  },
  look_for: {
    ring: (noise, most) =>
      noise < most
        ? `Rauschen ${written(noise)} liegt unter ${fixed(most, 2)}, wo ein gleichmäßiger Ring bei diesem β den Halt verliert: ein Cluster entsteht.`
        : `Rauschen ${written(noise)} liegt über ${fixed(most, 2)}, was ein gleichmäßiger Ring bei diesem β aushält: kein Cluster bleibt.`,
    noise: (noise) => `Rauschen der Stärke ${written(noise)} gegen Anziehung: weniger, bis Cluster halten, mehr, bis sie sich auflösen.`,
    drawn: (heads) =>
      `${heads === 1 ? "Ein Kopf" : `${heads} Köpfe`} mit ausgelosten Matrizen: keine zwei Startzahlen tun dasselbe. Würfle neu.`,
    flee: "V = −I: die Token fliehen voreinander, und die Energie fällt.",
    will: "Jedes Token hat neben dem, was es hört, einen eigenen Willen: Cluster können gemeinsam weitergetragen werden.",
    of: {
      causal: "Frühe Token führen, spätere sammeln sich hinter ihnen. Die Farbe nach Reihenfolge zeigt es.",
      hardmax: "Führende, mit Ring, bewegen sich nie; die anderen fliegen geradewegs zu ihnen, und die Hülle behält ihre Ecken.",
      sinkhorn: "Alle werden gleich viel gehört: keines kann führen.",
      euclidean: "Achte auf die halbe Bildbreite: der Schwarm wächst unbegrenzt, in wenigen Richtungen.",
      rescaled: "Mitskaliert gesehen kommt jedes Token zu Ecken und Seiten der Hülle oder zur Mitte.",
      none: "Keines hört ein anderes: Nachbarn bleiben Nachbarn, und kein Cluster entsteht durch Zuhören.",
    },
    one: (beta) => `Bei β = ${written(beta)} hört jedes Token fast alle: nichts hält Cluster auseinander, alle treffen sich an einem Ort.`,
    wait: (beta) =>
      `Bei β = ${written(beta)} bilden sich bald Cluster und warten dann; jedes Warten dauert viele Male länger als das letzte. Die Stufen der ` +
      "Energie sind ihre Begegnungen.",
    groups: (beta, d) =>
      `Bei β = ${written(beta)} hört ein Token die im Umkreis von etwa ${Math.round((180 / Math.PI) / Math.sqrt(beta))}°: Cluster dieser Weite ` +
      `bilden sich ${d === 2 ? "auf dem Kreis" : "auf der Kugel"} und warten. Schärferer Blick, mehr Cluster.`,
  },
  known: "Was man über diese Einstellung weiß",
  told: (result) => writeKnown(result, known),
  nothingKnown: "Kein Satz, den wir kennen, gilt für diese Einstellung.",
  equation: "Die Gleichung",
  command: "Dasselbe im Terminal",
  scene: (n, where) => `${n} Token ${where}`,
  where: (habitat, d) =>
    habitat === "sphere"
      ? d === 2 ? "auf dem Kreis" : d === 3 ? "auf der Kugel" : `auf der Kugel in ${d} Dimensionen`
      : d === 2 ? "in der Ebene" : `im ${d}-dimensionalen Raum`,
  projected: (d) => `${d} Dimensionen, gezeichnet entlang der drei, in denen der Schwarm am breitesten ist`,
  widened: (half) => `halbe Bildbreite: ${half}`,
  sentence: (n, where, time, clusters) => `${n} Token ${where} zur Zeit ${time}${clusters}.`,
  clusterClause: (k) => (k === 1 ? ", in einem Cluster" : `, in ${k} Clustern`),

  presets: "Einstellungen für den Anfang",
  preset: {
    flagship: "Schwärme", one: "Ein Cluster", metastable: "Metastabil", circle: "Kreis, β = 9", causal: "Kausal geführt",
    repulsion: "Abstoßung", noise: "Rauschen", hardmax: "Hardmax", polytope: "Polytop", heads: "Drei Köpfe",
  },

  swarm: "Der Schwarm",
  dynamics: "Dynamik",
  dynamicsNames: {
    SA: "Softmax (SA)", USA: "unnormiert (USA)", causal: "kausal", hardmax: "Hardmax", sinkhorn: "Sinkhorn",
    euclidean: "Softmax im Raum", rescaled: "mitskaliert im Raum", none: "keine Aufmerksamkeit",
  },
  beta: "β, Schärfe des Blicks",
  n: "Token n",
  d: "Dimensionen d",
  seed: "Startzahl",
  roll: "Neue Startzahl würfeln",
  init: "Anfang",
  initNames: {
    uniform: "gleichverteilt", hemisphere: "halbe Kugel", cap: "eine Kappe", orthonormal: "rechte Winkel",
    equiangular: "gleiche Winkel", clusters: "nahe an Clustern", gaussian: "Gauß", box: "ein Kasten", points: "eigene Punkte",
  },
  initArgument: {
    cap: "Winkel der Kappe", equiangular: "gemeinsamer Kosinus", clusters: "Cluster", box: "halbe Breite",
  },
  habitat: "Lebensraum",
  habitats: { auto: "wie die Dynamik es braucht", sphere: "Kugel", space: "Raum" },

  attention: "Wer hört wen",
  query: "Query Q",
  key: "Key K",
  value: "Value V",
  matrices: {
    identity: "Einheitsmatrix", "minus-identity": "minus Einheitsmatrix", gaussian: "Gauß", goe: "GOE", wigner: "Wigner",
    psd: "positiv", "query-key": "QᵀK", "minus-query-key": "−QᵀK",
  },
  heads: "Köpfe",
  reach: "hört",
  reaches: { all: "alle", past: "die davor" },
  self: "hört sich selbst",
  redraw: "Gewichte neu losen alle",
  never: "nie",

  layer: "Der Rest der Schicht",
  normalisation: "Layer-Norm",
  normalisations: {
    post: "Post", pre: "Pre", peri: "Peri", "mix:2": "Wechsel bei t = 2", ngpt: "nGPT", sqrt: "1/√t",
  },
  perceptron: "Feed-forward",
  perceptrons: { none: "keines", gaussian: "Gauß", gradient: "mit Energie" },
  hidden: "verborgene Einheiten",
  activation: "Aktivierung",
  direction: "Richtung",
  directions: { ascent: "aufwärts", descent: "abwärts" },
  noise: "Rauschen 1/κ",
  none: "keines",
  clock: "Uhr von USA",

  time: "Zeit",
  T: "Endzeit T",
  schedule: "Bilder",
  linear: "gleichmäßig",
  log: "logarithmisch",
  method: "Verfahren",
  methods: {
    dopri5: "exakter Fluss", layers: "Schichten", euler: "Euler", rk4: "Runge-Kutta 4", strang: "Strang (Rauschen)",
    tsit5: "exakter Fluss (Tsitouras)", dop853: "exakter Fluss (Ordnung 8)",
  },
  dt: "Schritt dt",
  merge: "Vereinte als eines fliegen",
  mergeHint: "Hält lange Flüge schnell: Token, die näher als 1e-6 sind, werden eines mit gemeinsamer Masse.",

  faults: {
    tooLarge: (n, d, frames) =>
      `${n} Token in ${d} Dimensionen, aufbewahrt zu ${frames} Zeitpunkten: mehr, als die Seite fassen kann.`,
    tooLargeHint: "Nimm weniger Token n oder Dimensionen d, oder mach den Flug kürzer. Der letzte Flug bleibt auf der Bühne.",
    noValue: (value, label) => `„${value}“ ist kein Wert für ${label}.`,
    noValueHint: (label) => `Stell ${label} bei den Reglern ein; der letzte Flug bleibt auf der Bühne.`,
    refused: (what) => `Diese Einstellungen passen nicht zusammen: ${what}.`,
    refusedHint: "Ändere, was zuletzt gestellt wurde, oder drück Rückgängig; der letzte Flug bleibt auf der Bühne.",
  },

  count: "Cluster zählen",
  countBy: "zwei Token sind eines",
  counts: { touch: "bei Berührung", modes: "am selben Gipfel" },
  tolAngle: "näher als (Grad)",
  tolDistance: "näher als",
  countNow: (k, largest, n) => `Jetzt ${k} Cluster; das größte hat ${largest} von ${n} Token.`,
  countLater: "Gezählt wird, wenn der Schwarm ruht: er ist groß.",
  countTouch: (near) =>
    `Eine Kette von Token, jedes näher als ${near} am nächsten, zählt als ein Cluster, wie lang sie auch ist. So zählt auch das Diagramm.`,
  countModes: (beta) =>
    `Cluster sind die Gipfel der Dichte e^(β⟨x, y⟩), beim eigenen β = ${beta} des Schwarms. So sieht man Cluster, bevor ihre Token sich ` +
    "berühren; das Diagramm unten zählt nach Berührung.",
  masses: "Scheiben: Fläche ist Masse",
  hull: "Hülle des Schwarms",
  leaders: (k) =>
    k === 1 ? "1 führendes Token, mit Ring: es hört sich selbst am besten." : `${k} führende Token, mit Ring: sie hören sich selbst am besten.`,
  after: "am Ende",
  afters: { drift: "treiben", loop: "von vorn", still: "ruhen" },
  afterHint: "Wenn der Flug zu Ende gespielt ist: die Ansicht treibt um ihn, er fliegt noch einmal, oder alles ruht.",

  look: "Aussehen",
  colour: "Farbe nach",
  colours: { end: "Ende", start: "Anfang", now: "Ort", order: "Folge" },
  colourHint: "Wo ein Token endet, wo es begann, wo es ist, oder sein Platz in der Reihe.",
  trail: "Spur, Bilder",
  linger: "verweilen, wo sich etwas tut",
  lingerHint: "Plateaus vergehen schnell, Begegnungen langsam.",

  own: "Eigene Punkte",
  ownHint: "Leg eine .npy- oder .csv-Datei mit n Zeilen und d Spalten auf die Seite.",
  ownChoose: "Datei wählen",
  ownNormalise: "auf die Kugel setzen",
  ownTaken: (n, d) => `${n} Punkte in ${d} Dimensionen beginnen den Flug.`,
  ownTooMany: (letters) => `die Punkte ergeben einen Link von ${letters} Zeichen`,
  ownTooManyRemedy: (most) => `gib weniger Punkte: ein Link trägt höchstens ${most} Zeichen davon`,
  ownDrop: "Eigene Punkte weglassen",

  gaze: (boid, first, share, many) =>
    `Token ${boid} hört ${first === boid ? "sich selbst" : `Token ${first}`} am meisten (${share}); ` +
    (many === 1 ? "das sind neun Zehntel von allem, was es hört." : `${many} Token machen neun Zehntel dessen aus, was es hört.`),
  gazeHint: (touch) => `${touch ? "Tipp ein Token an" : "Klick ein Token an, oder drück ]"}: Linien zeigen, wen es hört.`,

  energy: "Energie",
  energyScaled: "Energie",
  edited: "bearbeitet",
  asItWas: "wie es war",
  order: "Ordnung |Mittel|",
  clusters: "Cluster",
  clustersBy: (near) => `Cluster, näher als ${near}`,
  degrees: (angle) => `${angle < 10 ? fixed(angle, 1) : Math.round(angle)}°`,
  cosines: "Kosinus der Paare",
  largest: "Anteil des größten Clusters",
  radius: "mittlere Norm",
  cosinesSummary: (time, share) => `Histogramm der Kosinus zur Zeit ${time}: ${share} der Paare liegen über 0,95.`,
  plotSummary: (title, now) => `${title} über der Zeit; jetzt ${now}.`,
};
