// map.ts : les mots de la vue Carte.
import type * as english from "../map";
import type { Translation } from "../translation";

export const map: Translation<typeof english.map> = {
  title: "Une carte de tous les vols",
  intro:
    "Chaque pixel, c’est 256 vols : 32 tokens sur le cercle, à une acuité β, vus à un instant. La couleur dit en combien d’amas ils sont.",
  read:
    "De gauche à droite le temps passe ; vers le haut le regard s’aiguise. Sur la bande sombre, les tokens sont encore séparés. Sous β ≈ 1, " +
    "tous se retrouvent en un amas avant t = 15. Au-dessus, de plus en plus de vols s’arrêtent à mi-chemin, en deux ou trois amas qui " +
    "attendent longtemps.",
  theory: "Les lignes en tirets",
  theoryText:
    "Comment cela commence : tant que les tokens sont encore séparés, un anneau régulier se défait en une onde. À chaque ligne, l’onde qui " +
    "croît le plus vite gagne une crête. Les crêtes ne sont pas encore des amas : certaines se rencontrent en chemin. À t = 30 il n’y a en " +
    "moyenne pas plus d’amas qu’il n’y avait de crêtes au début.",
  real: "Où vivent les transformers entraînés",
  realText:
    "MiniLM, dont les tokens volent dans Mots, vit hors de cette carte, au-delà de son coin en bas à gauche. Le β qui convient le mieux à " +
    "ses couches tombe de 0,3 à −1,7 : sous 0, un token entend surtout ce qui ne lui ressemble pas. Et ses six couches ensemble " +
    "parcourent environ 0,3 du temps t. Ses tokens sont donc encore séparés quand il a lu une phrase.",
  source: (paper, figure, quantity) => `Source : le cadre de ${paper}, fig. ${figure}, qui montre ${quantity}.`,
  how: (touch) =>
    (touch ? "Touchez un pixel" : "Cliquez un pixel, ou déplacez le curseur avec les flèches et pressez Entrée") +
    " : ce vol précis est refait à côté de la carte.",
  chart:
    "Carte des amas selon le temps et β. Les flèches déplacent le curseur, avec Maj de dix pixels ; Entrée fait voler " +
    "le pixel.",
  beta: "β, acuité du regard",
  time: "temps t",
  axisTime: "temps t du flot →",
  axisBeta: "acuité du regard β →",
  axisTimeShort: "temps t →",
  axisBetaShort: "acuité β →",
  barTitles: { clusters: "amas", close_pairs: "réunies" },
  regions: { apart: "encore séparés", one: "tous en un amas", two: "deux amas attendent", three: "trois amas attendent" },
  colour: "couleur",
  quantities: { clusters: "amas", close_pairs: "paires proches" },
  mode: (k) => (k === 1 ? "1 crête" : `${k} crêtes`),
  replica: "vol sur 256",
  cursor: (beta, t, value) => `β = ${beta}, t = ${t} : ${value}`,
  clusters: (mean) => `${mean} amas en moyenne`,
  pairs: (share) => `${share} des paires se sont rejointes`,
  replay: "Le refaire voler",
  open: "Ouvrir dans Nuée",
  stage: (beta) => `32 tokens sur le cercle à β = ${beta}`,
  run: "ce vol, maintenant",
  pixel: "ce vol sur la carte",
  mean: "moyenne de 256 vols",
  meanOf: (mean, error) => `${mean} ± ${error}`,
  waiting: "…",
  same: "comme sur la carte",
  different: "autrement que sur la carte",
  plotClusters: "amas",
  plotPairs: "paires proches",
  counts: (t) => `vols par nombre d’amas à t = ${t}, comme le pixel`,
  noCounts: (t) => `À t = ${t}, tous les vols sont là où le hasard les a mis.`,
  countOf: (flights, clusters) => `${flights} avec ${clusters}`,
  countsSummary: (text) => `Vols par nombre d’amas : ${text}.`,
  thisFlight: "ce vol",
  allFlights: "moyenne",
  summary: (title) => `${title} : ce vol et la moyenne de 256.`,
  loading: "On déroule la carte…",
  failed: "La carte n’a pas pu être lue.",
  failedHint: "Rechargez la page ; le fichier maps/circle.json doit être à côté.",
  sentence: (beta, t, clusters, mean) =>
    `Le vol à β = ${beta} est au temps ${t}, en ${clusters} amas ; à son pixel, 256 vols en ont ${mean} en moyenne.`,
};
