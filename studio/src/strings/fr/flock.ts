// flock.ts : les mots de la vue Nuée.
import type * as english from "../flock";
import type { Translation } from "../translation";
import { writeKnown } from "../known";
import { known } from "./known";
import { fixed, written } from "../numbers";

export const flock: Translation<typeof english.flock> = {
  title: "Une nuée de tokens",
  intro: {
    SA: "Chaque token regarde tous les autres et bouge selon ce qu’il entend d’eux.",
    USA: "Comme l’attention softmax, mais sans diviser par la somme : qui entend beaucoup va vite.",
    causal: "Chaque token n’entend que lui-même et ceux d’avant. Le premier n’entend personne et ne bouge jamais.",
    hardmax: "Chaque token n’entend que celui qui lui répond le mieux. Les coins de la nuée mènent, les autres suivent.",
    sinkhorn: "Chaque token entend tous les autres, et tous sont entendus autant : les poids sont doublement stochastiques.",
    euclidean: "Attention softmax sans normalisation : les positions peuvent croître sans borne.",
    rescaled: "Attention softmax dans l’espace, vue à l’échelle à mesure qu’elle grandit, pour que sa forme reste visible.",
    none: "Aucune attention : chaque token suit sa propre volonté, ou le bruit.",
  },
  near: "Il se tourne vers ceux qu’il écoute, et entend les proches le plus fort.",
  lookFor: "À observer",
  hints: {
    flagship: "Des amas se forment vers t ≈ 5, puis attendent. Les marches de l’énergie sont des rencontres d’amas.",
    one: "À β = 1, rien ne sépare les amas : tous les tokens se rejoignent en un lieu.",
    metastable: "Temps logarithmique : chaque attente est bien plus longue que la précédente. Quatre amas, puis trois, puis deux.",
    circle: "Trente-deux tokens sur le cercle, le cadre d’une figure publiée : le plus souvent trois amas à t = 30.",
    causal: "Couleur selon l’ordre. Les premiers tokens mènent, les suivants se rassemblent derrière ; à la fin tous viennent au premier.",
    repulsion: "V = −I : les tokens se fuient, et l’énergie baisse.",
    noise: "Du bruit contre l’attraction. Moins de bruit : un amas ; plus de bruit : un anneau régulier. Poussez le curseur au-delà du seuil.",
    hardmax: "Les meneurs ne bougent jamais. Les autres volent droit vers eux.",
    polytope: "Vu à l’échelle, chaque token vient au bord d’un polytope, ou au centre.",
    heads:
      "Trois têtes aux matrices aléatoires, chacune d’une couleur : des faisceaux partant du token choisi montrent où se porte l’attention de " +
      "chaque tête, des lignes qui elle entend le plus fort. Aucun théorème ne les couvre, et pourtant cette nuée se rassemble.",
  },
  look_for: {
    ring: (noise, most) =>
      noise < most
        ? `Le bruit ${written(noise)} est sous ${fixed(most, 2)}, où un anneau régulier lâche à ce β : un amas se forme.`
        : `Le bruit ${written(noise)} est au-dessus de ${fixed(most, 2)}, ce que supporte un anneau régulier à ce β : aucun amas ne dure.`,
    noise: (noise) => `Un bruit de ${written(noise)} contre l’attraction : baissez-le jusqu’à ce que des amas tiennent, montez jusqu’à ce qu’ils se défassent.`,
    drawn: (heads) =>
      `${heads === 1 ? "Une tête" : `${heads} têtes`} aux matrices tirées au sort : deux graines ne font jamais pareil. Tirez-en une autre.`,
    flee: "V = −I : les tokens se fuient, et l’énergie baisse.",
    will: "Chaque token a une volonté propre en plus de ce qu’il entend : des amas peuvent être emportés ensemble.",
    of: {
      causal: "Les premiers tokens mènent, les suivants se rassemblent derrière. La couleur selon l’ordre le montre.",
      hardmax: "Les meneurs cerclés ne bougent jamais ; les autres volent droit vers eux, et l’enveloppe garde ses coins.",
      sinkhorn: "Tous sont entendus autant : personne ne peut mener.",
      euclidean: "Surveillez la demi-largeur de la vue : la nuée croît sans borne selon quelques directions.",
      rescaled: "Vu à l’échelle, chaque token vient aux coins et aux côtés de l’enveloppe, ou au centre.",
      none: "Personne n’entend personne : les voisins restent voisins, et aucun amas ne naît de l’écoute.",
    },
    one: (beta) => `À β = ${written(beta)}, chaque token entend presque tous les autres : rien ne sépare les amas, tous se rejoignent en un lieu.`,
    wait: (beta) =>
      `À β = ${written(beta)}, des amas se forment vite puis attendent ; chaque attente est bien plus longue que la précédente. Les marches de ` +
      "l’énergie sont leurs rencontres.",
    groups: (beta, d) =>
      `À β = ${written(beta)}, un token entend ceux qui sont à moins de ${Math.round((180 / Math.PI) / Math.sqrt(beta))}° environ : des amas de cette ` +
      `portée se forment ${d === 2 ? "sur le cercle" : "sur la sphère"} et attendent. Regard plus aigu, plus d’amas.`,
  },
  known: "Ce qu’on sait de ce réglage",
  told: (result) => writeKnown(result, known),
  nothingKnown: "Aucun théorème connu de nous ne couvre ce réglage.",
  equation: "L’équation",
  command: "La même chose dans un terminal",
  scene: (n, where) => `${n} tokens ${where}`,
  where: (habitat, d) =>
    habitat === "sphere"
      ? d === 2 ? "sur le cercle" : d === 3 ? "sur la sphère" : `sur la sphère en ${d} dimensions`
      : d === 2 ? "dans le plan" : `dans l’espace à ${d} dimensions`,
  projected: (d) => `${d} dimensions, dessinées selon les trois où la nuée s’étend le plus`,
  widened: (half) => `demi-largeur de la vue : ${half}`,
  sentence: (n, where, time, clusters) => `${n} tokens ${where} au temps ${time}${clusters}.`,
  clusterClause: (k) => (k === 1 ? ", en un amas" : `, en ${k} amas`),

  presets: "Réglages pour commencer",
  preset: {
    flagship: "Nuées", one: "Un amas", metastable: "Métastable", circle: "Cercle, β = 9", causal: "Meneurs causaux",
    repulsion: "Répulsion", noise: "Bruit", hardmax: "Hardmax", polytope: "Polytope", heads: "Trois têtes",
  },

  swarm: "La nuée",
  dynamics: "Dynamique",
  dynamicsNames: {
    SA: "softmax (SA)", USA: "non normée (USA)", causal: "causale", hardmax: "hardmax", sinkhorn: "Sinkhorn",
    euclidean: "softmax dans l’espace", rescaled: "à l’échelle, dans l’espace", none: "sans attention",
  },
  beta: "β, acuité du regard",
  n: "tokens n",
  d: "dimensions d",
  seed: "graine",
  roll: "Tirer une autre graine",
  init: "départ",
  initNames: {
    uniform: "uniforme", hemisphere: "demi-sphère", cap: "une calotte", orthonormal: "angles droits",
    equiangular: "angles égaux", clusters: "près d’amas", gaussian: "gaussien", box: "une boîte", points: "vos points",
  },
  initArgument: {
    cap: "angle de la calotte", equiangular: "cosinus commun", clusters: "amas", box: "demi-largeur",
  },
  habitat: "habitat",
  habitats: { auto: "selon la dynamique", sphere: "sphère", space: "espace" },

  attention: "Qui entend qui",
  query: "requête Q",
  key: "clé K",
  value: "valeur V",
  matrices: {
    identity: "identité", "minus-identity": "moins l’identité", gaussian: "gaussienne", goe: "GOE", wigner: "Wigner",
    psd: "positive", "query-key": "QᵀK", "minus-query-key": "−QᵀK",
  },
  heads: "têtes",
  reach: "entend",
  reaches: { all: "tous", past: "ceux d’avant" },
  self: "s’entend soi-même",
  redraw: "retirer les poids tous les",
  never: "jamais",

  layer: "Le reste de la couche",
  normalisation: "layer norm",
  normalisations: {
    post: "post", pre: "pre", peri: "peri", "mix:2": "mixte à t = 2", ngpt: "nGPT", sqrt: "1/√t",
  },
  perceptron: "feed-forward",
  perceptrons: { none: "aucun", gaussian: "gaussien", gradient: "avec énergie" },
  hidden: "unités cachées",
  activation: "activation",
  direction: "direction",
  directions: { ascent: "montée", descent: "descente" },
  noise: "bruit 1/κ",
  none: "aucun",
  clock: "horloge de USA",

  time: "Temps",
  T: "temps final T",
  schedule: "images",
  linear: "régulières",
  log: "logarithmiques",
  method: "méthode",
  methods: {
    dopri5: "flot exact", layers: "couches", euler: "Euler", rk4: "Runge-Kutta 4", strang: "Strang (bruit)",
    tsit5: "flot exact (Tsitouras)", dop853: "flot exact (ordre 8)",
  },
  dt: "pas dt",
  merge: "voler en un seul une fois réunis",
  mergeHint: "Garde rapides les longs vols : des tokens à moins de 1e-6 n’en font plus qu’un, de leur masse commune.",

  faults: {
    tooLarge: (n, d, frames) =>
      `${n} tokens en ${d} dimensions, gardés à ${frames} instants : plus que la page ne peut contenir.`,
    tooLargeHint: "Baissez tokens n ou dimensions d, ou raccourcissez le vol. Le dernier vol reste en scène.",
    noValue: (value, label) => `« ${value} » n’est pas une valeur pour ${label}.`,
    noValueHint: (label) => `Réglez ${label} dans le panneau ; le dernier vol reste en scène.`,
    refused: (what) => `Ces réglages ne vont pas ensemble : ${what}.`,
    refusedHint: "Changez le dernier réglage, ou pressez Annuler ; le dernier vol reste en scène.",
  },

  count: "Compter les amas",
  countBy: "deux tokens n’en font qu’un",
  counts: { touch: "s’ils se touchent", modes: "au même sommet" },
  tolAngle: "à moins de (degrés)",
  tolDistance: "à moins de",
  countNow: (k, largest, n) => `${k} amas maintenant ; le plus grand a ${largest} tokens sur ${n}.`,
  countLater: "Comptés quand la nuée se repose : elle est grande.",
  countTouch: (near) =>
    `Une chaîne de tokens, chacun à moins de ${near} du suivant, compte pour un amas, si longue soit-elle. Comme sur la courbe.`,
  countModes: (beta) =>
    `Les amas sont les sommets de la densité e^(β⟨x, y⟩), au β = ${beta} de la nuée. On voit ainsi les amas avant que leurs tokens se touchent ; ` +
    "la courbe du bas compte par contact.",
  masses: "disques : l’aire est la masse",
  hull: "enveloppe de la nuée",
  leaders: (k) => (k === 1 ? "1 meneur, cerclé : il s’entend le mieux lui-même." : `${k} meneurs, cerclés : ils s’entendent le mieux eux-mêmes.`),
  after: "à la fin",
  afters: { drift: "dériver", loop: "reprendre", still: "repos" },
  afterHint: "Quand le vol a été joué jusqu’au bout : la vue dérive autour, il recommence, ou tout se repose.",

  look: "Aspect",
  colour: "couleur selon",
  colours: { end: "fin", start: "départ", now: "lieu", order: "ordre" },
  colourHint: "Où un token finit, d’où il est parti, où il est, ou son rang dans la file.",
  trail: "trace, images",
  linger: "s’attarder où ça bouge",
  lingerHint: "Les paliers passent vite, les rencontres lentement.",

  own: "Vos points",
  ownHint: "Déposez sur la page un fichier .npy ou .csv de n lignes et d colonnes.",
  ownChoose: "Choisir un fichier",
  ownNormalise: "les mettre sur la sphère",
  ownTaken: (n, d) => `${n} points en ${d} dimensions ouvrent le vol.`,
  ownTooMany: (letters) => `les points font un lien de ${letters} caractères`,
  ownTooManyRemedy: (most) => `donnez moins de points : un lien en porte ${most} caractères au plus`,
  ownDrop: "Laisser vos points",

  gaze: (boid, first, share, many) =>
    `Le token ${boid} entend surtout ${first === boid ? "lui-même" : `le token ${first}`} (${share}) ; ` +
    (many === 1 ? "c’est neuf dixièmes de tout ce qu’il entend." : `${many} tokens font neuf dixièmes de ce qu’il entend.`),
  gazeHint: (touch) => `${touch ? "Touchez un token" : "Cliquez un token, ou pressez ]"} : des lignes montrent qui il entend.`,

  energy: "énergie",
  energyScaled: "énergie",
  edited: "modifié",
  asItWas: "comme avant",
  order: "ordre |moyenne|",
  clusters: "amas",
  clustersBy: (near) => `amas, à moins de ${near}`,
  degrees: (angle) => `${angle < 10 ? fixed(angle, 1) : Math.round(angle)}°`,
  cosines: "cosinus des paires",
  largest: "part du plus grand amas",
  radius: "norme moyenne",
  cosinesSummary: (time, share) => `Histogramme des cosinus au temps ${time} : ${share} des paires dépassent 0,95.`,
  plotSummary: (title, now) => `${title} au fil du temps ; maintenant ${now}.`,
};
