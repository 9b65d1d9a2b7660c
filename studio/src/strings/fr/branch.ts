// branch.ts : les mots de la main qui déplace des tokens.
import type { branch as english } from "../branch";
import type { Translation } from "../translation";

export const branch: Translation<typeof english> = {
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
