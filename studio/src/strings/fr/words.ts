// words.ts : les mots de la vue Mots.
import type * as english from "../words";
import type { Translation } from "../translation";
import { fixed } from "../numbers";

export const words: Translation<typeof english.words> = {
  title: "Les mots d’un transformer entraîné",
  intro:
    "Un transformer entraîné a lu une phrase. Ses tokens volent, et chaque couche est un moment de leur vol. Parcourez les couches, et " +
    "choisissez un token pour voir qui il écoute.",
  meaning:
    "Un token commence comme son entrée dans un dictionnaire, tout au plus avec sa place dans la ligne. De couche en couche il recueille " +
    "ce que disent les autres.",
  pair: (token, first, last) =>
    `« ${token} » se trouve dans les deux phrases. Le cosinus des deux est de ${first} avant la première couche et de ${last} derrière la ` +
    "dernière : chacun a entendu une autre compagnie.",
  marks:
    "[CLS] et [SEP] ouvrent et ferment la phrase et ne sont pas des mots. Une tête qui ne trouve rien à entendre se tourne souvent vers eux.",
  howDrawn: (d, share) =>
    `Chaque état a ${d} coordonnées et est divisé par sa norme. On dessine trois axes, les mêmes pour toutes les couches et les ` +
    `phrases : ceux le long desquels les mots de toutes ensemble s’étendent le plus. Ils montrent ${share} de cette étendue.`,
  twinTitle: "Le jumeau",
  twin:
    "En transparence, et relié à chaque token, son jumeau : le flot des articles depuis le même départ. De couche en couche il a " +
    "l’acuité β qui convient le mieux aux têtes, et autant de temps qu’il en faut pour l’approcher au mieux du vrai mouvement.",
  twinSays: (explained, little) =>
    `À cette couche le jumeau est plus près des tokens que leur départ, de ${explained} de cette distance` +
    (little ? " : le flot des articles ne dit presque rien de là où vont ces tokens." : "."),
  twinStart: "Avant la première couche les deux sont au même endroit.",
  source: (model, layers, heads) => `${model} : ${layers} couches de ${heads} têtes.`,
  made: "Fait par",
  scene: (text, n) => `Les ${n} tokens de « ${text} » dans l’espace`,
  writtenHere: "écrit par le modèle",
  tokens: "Tokens de la phrase",
  moment: (layer, last) => (layer === 0 ? "le dictionnaire" : `couche ${layer} sur ${last}`),
  sentence: (moment, clause) => (clause === "" ? moment : `${moment} : ${clause}`),
  hearsMost: (token, other, share) => `« ${token} » écoute surtout « ${other} », ${share}`,
  namesake: (token) => `l’autre ${token}`,
  what: "Ce qui est lu",
  trace: "Phrases",
  traces: { bank: "Deux rives : bank", nail: "Deux clous : nail", live: "Tapé ici", own: "Votre trace" },
  text: "Phrase",
  hearing: "Qui il écoute",
  none: (touch) => `Choisissez un token : dans la ligne au-dessus de la scène${touch ? " ou dans la scène" : ", dans la scène, ou avec [ et ]"}.`,
  hears: (token, layer) => `« ${token} » à la couche ${layer} écoute`,
  hearsHint: (acted) =>
    `C’est la couche qui ${acted ? "a agi en dernier" : "agit ensuite"} ; les lignes de la scène sont aussi larges que la part.`,
  isHeard: (token) => `« ${token} » est écouté par`,
  isHeardHint: "Parts de ce que chacun d’eux entend ; leur somme n’est pas un.",
  matrix: "Qui écoute qui, tous à la fois",
  matrixLabel: (layer, n) => `Attention de la couche ${layer} : ${n} auditeurs par ${n} écoutés. Les flèches vont de case en case.`,
  matrixHint: (touch) =>
    "Une ligne est un auditeur, une colonne un écouté ; plus la couleur est forte, plus la part est grande. " +
    (touch ? "Touchez une case." : "Cliquez une case, ou allez avec les flèches."),
  cell: (token, other, share) => `« ${token} » écoute « ${other} » : ${share}`,
  noAttention: "Cette trace ne garde pas d’attention.",
  itself: "lui-même",
  percent: (share) => `${fixed(100 * share, share < 0.0995 ? 1 : 0)} %`,
  marksHeard: "Compter aussi les marques",
  marksHint: "Sans : les parts entre les mots seuls, sans [CLS], [SEP] et semblables",
  head: "Tête",
  mean: "moyenne de toutes",
  headOf: (k) => `tête ${k}`,
  show: "À côté des tokens",
  showTwin: "Vol du jumeau",
  showTrail: "Chemin de celui qui écoute",
  next: "Quel token vient ensuite",
  nextAt: (moment, token) =>
    `Ce qui suivrait « ${token} », le dernier token, si ${moment} était la fin (lentille des logits) :`,
  noNext: "Ce modèle lit des phrases entières et ne dit rien ensuite. Tapez plus bas un texte, qu’un autre modèle lira.",
  typed: "Taper un texte",
  typedHint:
    "stories260K, un transformer de 260 000 nombres qui a lu des contes pour enfants en anglais, le lit ici sur votre appareil, avec " +
    "les mêmes bits que le programme. La première fois, 1,3 Mo sont chargés.",
  typedLabel: "Votre texte",
  more: "Tokens qu’il écrit à la suite",
  read: "Le lire",
  reading: "Lecture…",
  initial: "One day, a little boy",
  own: "Votre fichier",
  ownHint: "Déposez ici un fichier que le programme a écrit, ou choisissez-en un :",
  choose: "Choisir un fichier",
  notWords: "Ce fichier n’est pas une trace pour cette vue.",
  notWordsHint: "Écrivez-en un par murmur export RUN -o words.json, d’un calcul de murmur trace.",
  failed: "Les phrases n’ont pas pu être lues.",
  failedHint: "Rechargez la page ; le dossier words doit se trouver à côté d’elle.",
  readerFailed: "Le modèle n’a pas pu être chargé.",
  readerFailedHint: "Vérifiez le réseau, puis essayez encore.",
  plotCosine: "cosinus moyen des tokens",
  plotShared: (token) => `cosinus des deux « ${token} »`,
  plotTwin: "distance du",
  fromTwin: "jumeau",
  fromStart: "départ",
  summary: (title, first, last) => `${title} par couche : ${first} au début, ${last} à la fin.`,
  loading: "On ouvre les phrases…",
};
