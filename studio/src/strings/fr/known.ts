// known.ts : ce que le moteur de calcul sait d’un réglage, en français ; une phrase qui manque ici reste en anglais.
import { byPatterns } from "../patterns";

export const told = byPatterns([
  [
    /^For many tokens that start uniform, what the last keeps of the others is U-shaped in their place, so that the middle is lost: certainly up to t = (.+), and until a critical time, t = (.+) for marks of the paper's width; later the end keeps least \((.+)\)\.$/,
    "Pour beaucoup de tokens de départ uniforme, ce que le dernier garde des autres forme un U selon leur place, si bien que le milieu se perd : sûrement jusqu’à t = $1, et jusqu’à un temps critique, t = $2 pour des marques de la largeur de l’article ; plus tard, c’est la fin qui garde le moins ($3).",
  ],
  [
    /^For almost every start all tokens come to the first, which never moves \((.+)\)\.$/,
    "Pour presque tout départ, tous les tokens viennent au premier, qui ne bouge jamais ($1).",
  ],
  [/^For almost every start the swarm ends as one cluster \((.+)\)\.$/, "Pour presque tout départ, la nuée finit en un seul amas ($1)."],
  [/: on the circle for every beta >= -0\.16\)/, " : sur le cercle pour tout beta >= -0.16)"],
  [
    /^With d >= n and V = I almost every start ends as one cluster, exponentially fast(, whatever Q and K)? \((.+)\)\.$/,
    "Avec d >= n et V = I, presque tout départ finit exponentiellement vite en un seul amas ($2).",
  ],
  [
    /^Near one cluster 1 - cos decays as (.+?)(, which is e\^\(-2 n\/\(n-1\) t\) without j = i)? \((\d{4}.+|derived.+)\)\.$/,
    "Près d’un seul amas, 1 - cos décroît comme $1 ($3).",
  ],
  [
    /^Clusters at an angle theta wait for times of order (.+) before they meet(?=[ ;])/,
    "Des amas à un angle theta attendent des temps de l’ordre de $1 avant de se rejoindre",
  ],
  [
    /^Two clusters at an angle theta meet in times of order (.+theta\))(?=[ ;])/,
    "Deux amas à un angle theta se rejoignent après des temps de l’ordre de $1",
  ],
  [
    /; two equal ones at a right angle are 0\.1 apart at t = (\S+)/,
    " ; deux amas égaux à angle droit sont à 0,1 l’un de l’autre en t = $1",
  ],
  [
    /^Two clusters of n1 and n2 tokens at an angle theta, and no other, meet at t = (.+\)) \((.+)\)\.$/,
    "Deux amas de n1 et n2 tokens à un angle theta, et aucun autre, se rejoignent en t = $1 ($2).",
  ],
  [
    /^Two tokens that attend only to each other meet as fast at every beta: (.+) falls as (.+) \((.+)\)\.$/,
    "Deux tokens qui n’écoutent que l’autre se rejoignent aussi vite à tout beta : $1 décroît comme $2 ($3).",
  ],
  [
    /^Each token goes straight to the token v that it attends to, (.+?)( after k steps)? \((\d{4}.+)\)\.$/,
    "Chaque token va tout droit au token v qu’il écoute, $1 ($3).",
  ],
  [
    /^(?:The|With z = e\^\(-tV\) x, the) convex hull never grows, and every particle ends at 0 or on the boundary of a limit polytope \((.+)\)\.$/,
    "Pour z = e^(-tV) x, l’enveloppe convexe ne grandit jamais, et chaque token finit en 0 ou au bord d’un polytope limite ($1).",
  ],
  [/^Everything comes to 0 and the weights to 1\/n \((.+)\)\.$/, "Tout vient à 0, et les poids à 1/n ($1)."],
  [
    /^The tokens (x = e\^\(-t\) z) come to 0 and the weights to 1\/n; z need not \((.+)\)\.$/,
    "Les tokens $1 viennent à 0, et les poids à 1/n ; z, pas forcément ($2).",
  ],
  [
    /^(?:The|With z = e\^\(-tV\) x, the) particles end on at most three parallel hyperplanes \((.+)\)\.$/,
    "Pour z = e^(-tV) x, les tokens finissent sur au plus trois hyperplans parallèles ($1).",
  ],
  [/^All tokens become one point \((.+)\)\.$/, "Tous les tokens deviennent un point ($1)."],
  [
    /^Before that tokens stay near the vertices of their hull, for times of order (\S+ beta\)) \((.+)\)\.$/,
    "Avant cela, les tokens restent près des sommets de leur enveloppe pendant des temps de l’ordre de $1 ($2).",
  ],
  [
    /^The weights are doubly stochastic, so that the mean m obeys (.+) \((.+)\)\.$/,
    "Les poids sont doublement stochastiques, donc la moyenne m obéit à $1 ($2).",
  ],
  [
    /^Here V = \+-Q\^T K is symmetric, and the flow is a Wasserstein gradient \((.+)\)\.$/,
    "Ici V = +-Q^T K est symétrique, et le flot est un gradient de Wasserstein ($1).",
  ],
  [
    /^The uniform law of infinitely many tokens loses stability at kappa_c = (.+), noise (.+); here kappa = (.+) \((.+)\)\.$/,
    "La loi uniforme d’une infinité de tokens perd sa stabilité à kappa_c = $1, bruit $2 ; ici kappa = $3 ($4).",
  ],
  [
    /^V = G G\^T \/ d has mean I: as redraw -> 0 velocities average to those of V = I \((.+)\)\.$/,
    "V = G G^T / d a pour moyenne I : quand redraw -> 0, les vitesses se moyennent en celles de V = I ($1).",
  ],
  [
    /^V has mean 0: as redraw -> 0 the swarm moves in the time s = redraw t, by an Ito equation whose noise is the same for all tokens\. Layers and the flow have different limits \((.+)\)\.$/,
    "V a pour moyenne 0 : quand redraw -> 0, la nuée se meut dans le temps s = redraw t, par une équation d’Itô dont le bruit est le même pour tous les tokens. Les couches et le flot ont des limites différentes ($1).",
  ],
  [
    /^Where tokens meet, 1 - cos decays as (.+) for almost all draws, (.+), as redraw -> 0 \((.+)\)\.$/,
    "Là où des tokens se rejoignent, 1 - cos décroît comme $1 pour presque tous les tirages, $2, quand redraw -> 0 ($3).",
  ],
  [
    /^As d grows, cosines obey (.+) in s, with the weights p of oneself and q of another(, here 1\/n, since scores have variance beta\^2\/d)?: from orthogonal tokens to 1\/2 at t = (.+?) \((.+)\)\.$/,
    "Quand d grandit, les cosinus obéissent à $1 en s, avec les poids p de soi-même et q d’un autre : de tokens orthogonaux à 1/2 en t = $3 ($4).",
  ],
  [
    /^The flow goes up the gradient of the energy, which never falls \((.+)\)\.$/,
    "Le flot remonte le gradient de l’énergie, qui ne baisse jamais ($1).",
  ],
  [
    /^The flow goes down the gradient of the energy, which never rises \((.+)\)\.$/,
    "Le flot descend le gradient de l’énergie, qui ne monte jamais ($1).",
  ],
  [
    /^This is known of the exact flow: steps of fixed length, here (.+), need not follow it\.$/,
    "Cela vaut du flot exact : des pas de longueur fixe, ici $1, ne le suivent pas forcément.",
  ],
  [/; the time is derived: /, " ; le temps est démontré : "],
  [/; with a perceptron /, " ; avec un perceptron "],
  [/, Theorem 6\.8, for orthogonal tokens/, ", théorème 6.8, pour des tokens orthogonaux"],
  [/any Q and K: derived, /, "Q et K quelconques : démontré, "],
  [/derived: (\w+\.md); announced in /, "démontré : $1 ; annoncé dans "],
  [/\(derived: /, "(démontré : "],
]);
