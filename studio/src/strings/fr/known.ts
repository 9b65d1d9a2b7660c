// known.ts : ce que le moteur de calcul sait d’un réglage, en français ; une phrase qui manque ici reste en anglais.
import { byPatterns } from "../patterns";

export const told = byPatterns([
  [
    /^For many tokens, what the last keeps of the others is U-shaped in their place, so that the middle is lost: certainly up to t = (.+), and until a critical time, t = (.+) for marks of the paper's width; later the end keeps least \((.+)\)\.$/,
    "Pour beaucoup de tokens, ce que le dernier garde des autres forme un U selon leur place, si bien que le milieu se perd : sûrement jusqu’à t = $1, et jusqu’à un temps critique, t = $2 pour des marques de la largeur de l’article ; plus tard, c’est la fin qui garde le moins ($3).",
  ],
  [
    /^For almost every start all tokens come to the first, which never moves \((.+)\)\.$/,
    "Pour presque tout départ, tous les tokens viennent au premier, qui ne bouge jamais ($1).",
  ],
  [/^For almost every start the swarm ends as one cluster \((.*)$/, "Pour presque tout départ, la nuée finit en un seul amas ($1"],
  [/: on the circle for every beta >= -0\.16\)/, " : sur le cercle pour tout beta >= -0.16)"],
  [/, exponentially fast: 1 - cos decays as (.+?) in the end/, ", exponentiellement vite : 1 - cos décroît à la fin comme $1"],
  [/, which is (e\^\(-2 n\/\(n-1\) t\)) without j = i/, ", soit $1 sans j = i"],
  [/, exponentially fast/, ", exponentiellement vite"],
  [/; the energy never falls\.$/, " ; l’énergie ne baisse jamais."],
  [
    /^Before that expect metastable clusters, which live for times of order (.+) of the angle between them \((.+)\)\.$/,
    "Avant cela, attendez-vous à des amas métastables, qui vivent des temps de l’ordre de $1 de l’angle entre eux ($2).",
  ],
  [
    /^With d >= n and V = I the swarm ends as one cluster exponentially fast, whatever Q and K \((.+)\)\.$/,
    "Avec d >= n et V = I, la nuée finit exponentiellement vite en un seul amas, quels que soient Q et K ($1).",
  ],
  [
    /^Where every vertex of the convex hull attends to itself, each particle goes straight to the vertex it attends to, (.+); with method=layers (.+) in place of (.+) \((\d.+)\)\.$/,
    "Là où chaque sommet de l’enveloppe convexe s’écoute lui-même, chaque token va tout droit au sommet qu’il écoute, $1 ; avec method=layers, $2 au lieu de $3 ($4).",
  ],
  [
    /^If Q\^T K > 0 the convex hull never grows, and every particle ends at 0 or on the boundary of a limit polytope \((.+)\)\.$/,
    "Si Q^T K > 0, l’enveloppe convexe ne grandit jamais, et chaque token finit en 0 ou au bord d’un polytope limite ($1).",
  ],
  [/^Everything comes to 0 and the weights to 1\/n \((.+)\)\.$/, "Tout vient à 0, et les poids à 1/n ($1)."],
  [
    /^If the leading eigenvalue of V is real, positive and simple and (.+) for its eigenvector f, the particles end on at most three parallel hyperplanes \((.+)\)\.$/,
    "Si la valeur propre dominante de V est réelle, positive et simple et que $1 pour son vecteur propre f, les tokens finissent sur au plus trois hyperplans parallèles ($2).",
  ],
  [
    /^Particles stay near the vertices of their hull for times of order (.+), then become one point \((.+)\)\.$/,
    "Les tokens restent près des sommets de leur enveloppe pendant des temps de l’ordre de $1, puis ne font plus qu’un point ($2).",
  ],
  [
    /^Positions grow like e\^\(tV\); dynamics=rescaled follows (.+) instead \((.+)\)\.$/,
    "Les positions croissent comme e^(tV) ; dynamics=rescaled suit plutôt $1 ($2).",
  ],
  [/^Near one cluster 1 - cos decays as (.+) \((\d.+)\)\.$/, "Près d’un seul amas, 1 - cos décroît comme $1 ($2)."],
  [
    /^The weights are doubly stochastic, so that the mean m obeys (.+) \((.+)\)\.$/,
    "Les poids sont doublement stochastiques, donc la moyenne m obéit à $1 ($2).",
  ],
  [
    /^Here V = \+-Q\^T K is symmetric, and the flow is a Wasserstein gradient \((.+)\)\.$/,
    "Ici V = +-Q^T K est symétrique, et le flot est un gradient de Wasserstein ($1).",
  ],
  [
    /^The uniform law loses stability at kappa_c = (.+), noise (.+); here kappa = (.+) \((.+)\)\.$/,
    "La loi uniforme perd sa stabilité à kappa_c = $1, bruit $2 ; ici kappa = $3 ($4).",
  ],
  [
    /^V = G G\^T \/ d has mean I: as redraw -> 0 velocities average to those of V = I\.$/,
    "V = G G^T / d a pour moyenne I : quand redraw -> 0, les vitesses se moyennent en celles de V = I.",
  ],
  [
    /^V has mean 0: as redraw -> 0 the swarm moves in the time s = redraw t, by an Ito equation whose noise is the same for all tokens \(derived; announced in (.+)\)\. Layers and the flow have different limits\.$/,
    "V a pour moyenne 0 : quand redraw -> 0, la nuée se meut dans le temps s = redraw t, par une équation d’Itô dont le bruit est le même pour tous les tokens (démontré ; annoncé dans $1). Les couches et le flot ont des limites différentes.",
  ],
  [
    /^Where tokens meet, 1 - cos decays as (.+) for almost all draws, (.+)\.$/,
    "Là où des tokens se rejoignent, 1 - cos décroît comme $1 pour presque tous les tirages, $2.",
  ],
  [
    /^As d grows, cosines obey (.+) in s, with the weights p of oneself and q of another(, here 1\/n, since scores have variance beta\^2\/d)?: from orthogonal tokens to 1\/2 at t = (.+)\.$/,
    "Quand d grandit, les cosinus obéissent à $1 en s, avec les poids p de soi-même et q d’un autre : de tokens orthogonaux à 1/2 en t = $3.",
  ],
  [
    /^The flow is a gradient: the energy never falls where V = Q\^T K, never rises where V = -Q\^T K \((.+); with a perceptron (.+)\)\.$/,
    "Le flot est un gradient : l’énergie ne baisse jamais où V = Q^T K, ne monte jamais où V = -Q^T K ($1 ; avec un perceptron $2).",
  ],
]);
