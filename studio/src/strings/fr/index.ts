// index.ts : tout ce que la page dit en français, sauf le récit (story.ts), qui vient avec sa vue.
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
  views: { digits: "Chiffres", flock: "Nuée", story: "Récit", fields: "Champs", map: "Carte", words: "Mots" },
  skip: "Aller à la scène",
  play: "Lire",
  pause: "Pause",
  stepBack: "Une image en arrière",
  stepOn: "Une image en avant",
  reset: "Revenir au début",
  speed: "Vitesse",
  time: "Temps",
  frame: (k, last) => `image ${k} sur ${last}`,
  undo: "Annuler",
  redo: "Rétablir",
  share: "Copier le lien",
  shared: "Lien copié",
  shareFailed: "Le lien est dans la barre d’adresse",
  screenshot: "Enregistrer l’image",
  record: "Filmer",
  stopRecording: "Arrêter le film",
  keyList: [
    ["Espace", "lire ou mettre en pause"],
    ["← →", "une image en arrière ou en avant ; dans le Récit, l’étape d’avant ou d’après"],
    ["Début", "revenir au début"],
    ["1 … 6", "Chiffres, Nuée, Récit, Champs, Carte, Mots"],
    ["z", "annuler ; avec Maj, rétablir"],
    ["Maj + flèches", "tourner la vue ; + et − approchent et éloignent, 0 la remet en place"],
    ["[ ]", "le token d’avant ou d’après ; Échap le lâche"],
    [", .", "la partie d’avant ou d’après du mouvement d’un token dont on voit le dôme"],
    ["m", "déplacer des tokens : les flèches déplacent ceux qui sont choisis, avec Maj plus près ou plus loin, Entrée reprend le vol"],
    ["Tab", "à la commande suivante"],
  ],
  exportCsv: "Exporter en CSV",
  exportNpy: "Exporter en npy",
  theme: { auto: "Comme le système", light: "Clair", dark: "Sombre", label: "Couleurs" },
  language: { auto: "Comme le navigateur", label: "Langue" },
  more: "Plus",
  close: "Fermer",
  keys: "Clavier",
  loading: "La nuée s’éveille…",
  coming: (got, all) => `Le transformer arrive : ${got} ko sur ${all}`,
  noWebgl: "Ce navigateur n’affiche pas WebGL : la scène ne peut pas être dessinée.",
  noWebglHint: "Activez l’accélération matérielle, ou ouvrez la page dans un autre navigateur. Courbes et verdicts marchent quand même.",
  otherVersion: "Ce lien vient d’une autre version de la page ; voici ce qu’elle montre d’elle-même.",
  otherVersionStays: "Ce lien vient d’une autre version de la page ; ce qui est en scène y reste.",
  viewFailed: "Cette vue n’a pas pu être affichée.",
  viewFailedHint: "Rechargez la page : il y en a peut-être une plus récente.",
  loadAgain: "Recharger",
  noVideo: "Ce navigateur ne sait pas encoder de vidéo.",
  noUse: "Cette vue n’a que faire de ce fichier.",
  noUseHint: "Chiffres et Nuée prennent des points en .npy ou .csv ; une image faite par cette page, ou par le programme, s’ouvre dans toutes les vues.",
  noSuchView: (name) => `Il n’y a pas de vue « ${name} » ; voici les Chiffres.`,
  noSuchStop: (stop, stops) => `Le Récit n’a pas d’étape ${stop} ; il en a ${stops}, et voici la plus proche.`,
  noSuchPlace: (hash) => `L’adresse ${hash} ne désigne rien que cette page connaisse ; voici les Chiffres.`,
  home: "Recentrer",
  homeHint: "Remet la caméra où elle était (touche 0)",
  toStory: (stop, title) => `Pourquoi ça marche : le Récit, étape ${stop}, « ${title} » →`,
  backTo: (view) => `← Retour : ${view}`,
  scene: "Scène",
  controls: "Réglages",
  plots: "Courbes",
  story: "Ce que vous voyez",
};

export const core: Translation<typeof english.core> = {
  stopped: { what: "le moteur de calcul s’est arrêté", remedy: "rechargez la page" },
  crashed: { what: "le moteur de calcul s’est arrêté", remedy: "rechargez la page et essayez d’autres réglages" },
  noMemory: { what: "la mémoire ne suffit pas", remedy: "diminuez n, d ou le nombre d’images, ou rechargez la page" },
  missingArray: (index) => `le tableau ${index} manque`,
  cannotStart: {
    what: "le moteur de calcul ne peut pas démarrer",
    remedy: "prenez un navigateur qui connaît SIMD et les exceptions de WebAssembly",
  },
};

export const branch: Translation<typeof english.branch> = {
  title: "Votre main dans la nuée",
  move: "Déplacer des tokens",
  moveHint: (touch) =>
    touch ? "Ensuite un doigt fait glisser un token, ou en entoure plusieurs et les fait glisser." :
    "Faites glisser un token, ou entourez-en plusieurs et faites-les glisser. Alt-glisser marche à tout moment.",
  moving: (touch) =>
    touch ? "Faites glisser un token du doigt, ou entourez-en d’abord plusieurs." :
    "Faites glisser un token, ou entourez-en d’abord plusieurs. Touches : [ et ] choisissent, les flèches déplacent, Entrée lâche.",
  letGo: "Abandonner la branche",
  apply: "Voler à partir d’ici",
  putBack: "Remettre en place",
  asItWas: "comme avant",
  afterHand: "après votre main",
  chosen: (n) => (n === 1 ? "1 token choisi" : `${n} tokens choisis`),
  held: (n) => (n === 1 ? "1 token est tenu ailleurs" : `${n} tokens sont tenus ailleurs`),
  moved: (n, frame) =>
    `${n === 1 ? "1 token a été déplacé" : `${n} tokens ont été déplacés`}, d’abord à l’image ${frame}. ` +
    "Le fantôme montre le vol tel qu’il était.",
  atEnd: "Le vol est terminé.",
  atEndHint: "Reculez de quelques images, puis déplacez un token.",
};

export const share: Translation<typeof english.share> = {
  title: "Images et films",
  format: "Format",
  formats: { page: "Comme affiché", wide: "1080p, 16:9", square: "Carré", portrait: "Portrait" },
  gif: "Faire un GIF",
  filming: (done, all) => `Film à ${Math.floor((100 * done) / all)} %`,
  filmed: (name, frames, seconds, plays) => `Enregistré sous ${name} : ${frames} images en ${seconds} s ; le film dure ${plays} s`,
  embed: "Copier un cadre pour une page",
  embedded: "Le HTML du cadre est copié",
  embedFailed: "Le navigateur ne donne pas de presse-papiers : ajoutez &embed=1 à l’adresse dans la barre d’adresse",
  embedTitle: (view) => `Murmuration : ${view}`,
  openWhole: "Ouvrir dans Murmuration",
  openWholeHint: "ouvre la page entière dans un nouvel onglet",
  flat: "Dessiné à plat : ce navigateur n’a pas WebGL",
  pageTitle: (view, page) => `${view} · ${page}`,
};

const digitsTitle = (digits: readonly number[]) =>
  digits.length === 10 ? "dix chiffres" : `${digits.slice(0, -1).join(", ")} ou ${digits.at(-1)}`;

export const runs: Translation<typeof english.runs> = {
  title: "Vos exécutions",
  digitsTitle,
  pairTitles: { same: "identiques ou non", alone: "identiques ou non, seuls" },
  shipped: "Avec la page",
  hint: "Exécutions du dossier donné à murmur studio.",
  swarm: (name, digits, accuracy) =>
    `${name} : ${digitsTitle(digits)}${accuracy === null ? "" : `, ${percentFine(accuracy)}`}`,
  about: (n, d, frames) => `${n} tokens, ${d} dimensions, ${frames === 1 ? "1 image" : `${frames} images`}`,
  status: { running: "encore en cours", interrupted: "interrompue", failed: "échouée" },
  damaged: (name, note) => `${name} est illisible : ${note}`,
  odd: "sa ligne dans la liste est incompréhensible",
  firstThree: (d) => `Ce transformer vit en ${d} dimensions ; les trois premières sont dessinées.`,
  otherData: (data) => `Ce transformer a appris de ${data}, pas des chiffres de MNIST.`,
  otherDataHint: "Ses classes portent leurs numéros de là-bas ; les chiffres de cette page lui sont étrangers.",
  missing: (name) => `Il n’y a pas d’exécution ${name} ici.`,
  missingSwarm: "Servez son dossier par murmur studio --runs DIR. À sa place, voici le transformer de la page.",
  missingFlight: "Servez son dossier par murmur studio --runs DIR. À sa place vole ce que le lien dit d’autre.",
  pictureOther: (command) => `Cette image a été faite par ${command}, que la page ne fait pas voler.`,
  pictureUnflown: (what) => `La page ne peut pas faire voler ce que montre cette image : ${what}.`,
  pictureHint: (name) => `murmur open ${name} dit comment elle a été faite, et la refait.`,
  noFile: (what) => `l’exécution n’a pas de ${what} lisible`,
  noFileRemedy: "voyez-la par murmur runs show, ou refaites-la",
  badLine: (line) => `la ligne ${line} du config.toml de l’exécution est incompréhensible`,
  badLineRemedy: "une ligne s’écrit key = value, comme murmur l’écrit ; refaites l’exécution",
  tooLarge: (numbers) => `les images conservées contiennent ${thousands(numbers)} nombres`,
  tooLargeRemedy: (most) =>
    `la page en montre jusqu’à ${thousands(most)} ; conservez moins d’images par save, ou prenez murmur render`,
  kept: (name) => `${name}, telle que conservée`,
  keptWhy: (words) => `La page montre les images conservées, car elle ne peut pas faire voler ${words.join(", ")} elle-même.`,
  keptHint: "Dans des images conservées, aucun token ne se déplace. Touchez un réglage, et la page revole avec ce qu’elle a.",
  keptAxes: (d) => `${d} dimensions, les trois premières sont dessinées`,
};

export const files: Translation<typeof english.files> = {
  npySave: "enregistrez-le par numpy.save(fichier, tableau)",
  notNpy: "pas un fichier npy : ses premiers octets ne sont pas ceux de NumPy",
  npyCut: "le fichier npy finit au milieu de son en-tête",
  npyHeader: "l’en-tête npy est illisible",
  kind: (kind) => `les nombres du fichier npy sont de type ${kind}`,
  kindRemedy: "enregistrez-le en float64",
  shape: (shape) => `le fichier npy a la forme (${shape.join(", ")})`,
  shapeRemedy: "donnez un tableau (n, 2) ou (n, 3)",
  bytes: (needs, has) => `le fichier npy devrait avoir ${needs} octets de nombres et en a ${has}`,
  numbers: (has, needs) => `le fichier npy a ${has} nombres sur ${needs}`,
  saveAgain: "enregistrez-le de nouveau",
  notNumber: (line, text) => `la ligne ${line} a '${text}' là où il faut un nombre`,
  notNumberRemedy: "donnez deux ou trois nombres par ligne",
  ragged: (line, has, others) => `la ligne ${line} a ${has} nombres, celles d’avant en ont ${others}`,
  raggedRemedy: "donnez autant de nombres à chaque ligne",
  none: "le fichier n’a aucun lieu",
  noneRemedy: "donnez un lieu par ligne",
  coordinates: (d) => `les lieux ont ${d} coordonnées`,
  coordinatesRemedy: (dimensions) => `donnez un tableau ${dimensions.map((d) => `(n, ${d})`).join(" ou ")}`,
  tooMany: (n) => `le fichier a ${n} lieux`,
  tooManyRemedy: (most) => `donnez-en ${most} au plus`,
  notFinite: (place) => `le lieu ${place} n’est pas fini`,
  notFiniteRemedy: "enlevez-le ou corrigez-le",
  notPng: "pas un PNG",
};

export const dome: Translation<typeof english.dome> = {
  title: "Dôme du regard et du message",
  shown: "Dessiner le dôme autour du token",
  none: (touch) => `${touch ? "Touchez" : "Cliquez"} un token dans la scène pour voir ce qui le meut.`,
  kept: "Une exécution conservée ne montre pas de dôme : refaites-la voler.",
  waiting: "Les parties arrivent.",
  centre: "Amener au centre",
  part: "Partie du mouvement",
  parts: ["Regard", "Lieux", "Attention", "Message", "Volonté", "Mouvement"],
  back: "Partie d’avant",
  on: "Partie suivante",
  head: "Tête",
  headOf: (h) => String(h + 1),
  allHeads: "toutes",
  tell: [
    (boid) => `Le token ${boid} regarde le long de sa requête : le cercle sur le dôme.`,
    (_, n) => `Les clés des ${n} tokens : les lieux où se trouvent leurs messages. Un nombre : autant sont ensemble.`,
    (_, __, attended, loudest, share) =>
      `Plus un lieu est près du regard, plus on l’entend : ce token fait attention à ${figure(attended)} environ, ` +
      `surtout au token ${loudest}, pour ${percent(share)}.`,
    (length) =>
      "Les losanges sont ce qu’ils disent, leurs valeurs, plus grands là d’où vient plus du message. Pesées et additionnées, " +
      `elles arrivent comme un seul message de longueur ${figure(length)}.`,
    (length) => `Sa propre volonté, le feed-forward, ajoute une poussée de longueur ${figure(length)}.`,
    (length, layers) =>
      layers
        ? `Ensemble, ils le portent à ${figure(length)} de là.`
        : `Ensemble, ils lui donnent la vitesse ${figure(length)}.`,
  ],
  vision: (angle) =>
    `L’ombre est son champ de vision : à la ligne, à ${degrees(angle)} du regard, une clé est entendue deux fois moins qu’au regard.`,
  allVision: "Son champ de vision est le dôme entier : nulle part une clé n’est entendue deux fois moins qu’au regard.",
  far: (angle, factor) =>
    `Sa clé est à ${degrees(angle)} du regard, hors du champ de vision, mais ${figure(factor)} fois plus longue que la moyenne : ` +
    "c’est pourquoi on l’entend.",
  noWill: "Cette nuée n’a pas de volonté propre : il n’y a pas de feed-forward.",
  sameForAll: "Tous sont entendus de même : le regard ne joue aucun rôle.",
  corrected: (length, layers) =>
    layers
      ? `Tirets : retour sur la sphère, ${figure(length)}.`
      : `Tirets : ce que la sphère retire, ${figure(length)}.`,
  exact: "Exacts : l’attention, et l’angle entre regard et lieux.",
  lengths: (longest) => `Tiges : la longueur des clés, qui compte aussi ; la plus longue fait ${figure(longest)}.`,
  around: (k, share) =>
    `Regard et lieux ont ${k} coordonnées : la place des lieux autour du regard se voit selon deux axes, ` +
    `${percent(share)} du tout.`,
  values: (d) => `Des valeurs à ${d} coordonnées se voient selon les axes des flèches.`,
  arrows: (d, share) => `Des flèches à ${d} coordonnées se voient selon trois, ${percent(share)} d’elles.`,
  ownAxes: "Dôme et flèches ont leurs propres axes.",
  noise: "Le bruit est omis.",
  scale: (radius) => `Le rayon du dôme vaut ${figure(radius)} pour les flèches.`,
  percent,
};

export const storyTitles: Translation<typeof english.storyTitles> = [
  "Chaque mot seul",
  "Un messager",
  "Tous vers le milieu",
  "Dire plus que « je suis là »",
  "Qui écouter ?",
  "Demander, montrer, dire",
  "Qui mord qui ?",
  "Écouter, penser, recommencer",
  "Un espace après l’autre",
  "Qui parle pour la nuée ?",
  "Quel mot vient ensuite ?",
  "Est-ce que ça tient ?",
];

export const words = {
  page: { common, branch, core, files, digits, dome, runs, share, storyTitles },
  flock, fields, map, words: wordsText,
};
