// dome.ts : les mots du dôme du regard et du message.
import type { dome as english } from "../dome";
import { degrees, figure, percent } from "../figures";
import type { Translation } from "../translation";

export const dome: Translation<typeof english> = {
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
