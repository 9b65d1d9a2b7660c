// fields.ts : les mots de la vue Champs.
import type * as english from "../fields";
import { coordinate as figure, times, vector } from "../numbers";
import type { Translation } from "../translation";

export const fields: Translation<typeof english.fields> = {
  title: "Quatre champs, un à la fois",
  lead:
    "Une couche entraînée, ce sont quatre applications de l’espace dans lui-même. Où que soit un token, elles lui disent où il regarde " +
    "(requête), où se trouve son message (clé), ce qu’il dit (valeur), et ce qu’il ferait seul " +
    "(feed-forward).",
  tellSlice:
    "Les flèches sont posées sur une coupe de l’espace : d’abord celles de la valeur, ce qu’un token y dirait. Ajoutez les autres champs " +
    "à droite, déplacez la coupe, tournez la scène. " +
    "Chaque champ a sa propre échelle, pour que la plupart de ses flèches tiennent.",
  tellLinear:
    "Requête, clé et valeur sont des applications affines : leurs flèches changent régulièrement d’un lieu à l’autre. Seul le feed-forward " +
    "se courbe, et c’est là que loge le jugement d’un token.",
  tellDrop: (touch) =>
    `${touch ? "Touchez" : "Cliquez sur"} la coupe pour y poser un token d’essai. Il ne pèse rien : il entend la nuée, la nuée ne l’entend pas. ` +
    `${touch ? "Touchez" : "Cliquez"} un token pour voir ses quatre vecteurs et qui il écoute.`,
  tellSource: "Tous les vecteurs viennent des nombres du transformer entraîné ; les lignes les suivent à petits pas.",

  swarm: "Transformer",
  block: "Couche",
  blockFollows: "comme vole la nuée",
  blockOf: (k, blocks) => `${k + 1} sur ${blocks}`,
  blockShared: (blocks) => `Les ${blocks} couches partagent les mêmes champs.`,
  shown: "Champs",
  allFour: "Montrer les quatre",
  names: {
    query: "Requête : où il regarde",
    key: "Clé : où est son message",
    value: "Valeur : ce qu’il dit",
    will: "Feed-forward : sa volonté",
  },
  short: {
    query: "requête", key: "clé", value: "valeur", will: "feed-forward", velocity: "vitesse", none: "aucun",
  },
  times,
  slice: "Coupe",
  axis: "En travers de",
  axes: { x: "x", y: "y", z: "z" },
  sides: { x: "x : droite", y: "y : haut", z: "z" },
  offset: "Décalage",
  half: "Demi-largeur",
  grid: "Flèches par côté",
  scale: "Longueur des flèches",
  lines: "Lignes de courant",
  drop: "Tokens d’essai",
  dropMiddle: "En poser un au milieu",
  dropNone: "Les enlever",
  dropped: (count) => (count === 1 ? "Un token d’essai vole avec la nuée." : `${count} tokens d’essai volent avec la nuée.`),
  dropHint: (touch) => `Ou ${touch ? "touchez" : "cliquez sur"} la coupe.`,
  flock: "Nuée",
  flockShown: "Montrer la nuée",
  digit: "Un autre chiffre",
  boid: "Token",
  noBoid: "aucun",
  boidHint: (touch) => `Ou ${touch ? "touchez" : "cliquez"}-en un dans la scène.`,
  vectors: "Ses quatre vecteurs",
  vector,
  length: figure,
  moment: (frame, last) => `couche ${frame} sur ${last}`,
  canvas: "Une coupe de l’espace avec les flèches des quatre champs du transformer, et une nuée",
  waiting: "Le transformer arrive.",
  strength: "Longueur des flèches sur la coupe",
  meanLongest: (mean, longest) => `moyenne ${figure(mean)}, max. ${figure(longest)}`,
  scene: (fields, axis, offset, frame, n) =>
    `${fields || "aucun champ"} sur la coupe ${axis} = ${figure(offset)} ; une nuée de ${n} tokens à la couche ${frame}.`,
  sceneBoid: (boid, value) => ` Le token ${boid} dit ${value}.`,
};
