// known.ts : ce que le moteur de calcul sait d’un réglage, en français.
import type { KnownTexts } from "../known";

const kDerived = "démontré : theory.md";
const kDrawn = "démontré : laboratory.md";
const kEnergy = "2312.10794, Section 3; 2501.03096 ; avec un perceptron 2601.21366";
const kLateRate = "démontré : theory.md; 2312.10794, théorème 6.8, pour des tokens orthogonaux";
const kWaits = "Des amas à un angle theta attendent des temps de l’ordre de {0} avant de se rejoindre";
const kMeets = "Deux amas à un angle theta se rejoignent après des temps de l’ordre de {0}";
const kRightAngle = " ; deux amas égaux à angle droit sont à 0,1 l’un de l’autre en t = {1}";
const kWaitSource = "2410.06833, Section 2 ; le temps est démontré : theory.md";
const kCosines =
  "Quand d grandit, les cosinus obéissent à rho' = (1 - rho) ((n-1) rho + 1) q (2p + (n-2) q) en s, avec les poids p de soi-même et " +
  "q d’un autre";

export const known: KnownTexts = {
  "exact-flow": "Cela vaut du flot exact : des pas de longueur fixe, ici {0}, ne le suivent pas forcément",
  "causal-first": "Pour presque tout départ, tous les tokens viennent au premier, qui ne bouge jamais",
  "sphere-one-cluster": "Pour presque tout départ, la nuée finit en un seul amas",
  "circle-one-cluster": ["Pour presque tout départ, la nuée finit en un seul amas", "2507.22857 : sur le cercle pour tout beta >= -0,16"],
  exponential: "Avec d >= n et V = I, presque tout départ finit exponentiellement vite en un seul amas",
  "exponential-any-scores": "Avec d >= n et V = I, presque tout départ finit exponentiellement vite en un seul amas, quels que soient Q et K",
  "late-rate": ["Près d’un seul amas, 1 - cos décroît comme {0}", kLateRate],
  "late-rate-without-self": ["Près d’un seul amas, 1 - cos décroît comme {0}, soit e^(-2 n/(n-1) t) sans j = i", kLateRate],
  "normalised-late-rate": "Près d’un seul amas, 1 - cos décroît comme {0}",
  metastable: [kWaits + kRightAngle, kWaitSource],
  "metastable-untimed": [kWaits, kWaitSource],
  "pair-usa": [kMeets + kRightAngle, kDerived],
  "pair-usa-untimed": [kMeets, kDerived],
  "pair-arc": [
    "Deux amas de n1 et n2 tokens à un angle theta, et aucun autre, se rejoignent en t = theta sqrt(n1 n2 / (n1 + n2)) / ln(beta)",
    kDerived,
  ],
  "pair-without-self": [
    "Deux tokens qui n’écoutent que l’autre se rejoignent aussi vite à tout beta : tan(theta/2) décroît comme e^(-2 t)",
    kDerived,
  ],
  straight: "Chaque token va tout droit au token v qu’il écoute, x(t) = e^(-t) x(0) + (1 - e^(-t)) v",
  "straight-steps": "Chaque token va tout droit au token v qu’il écoute, x(t) = (1 - dt)^k x(0) + (1 - (1 - dt)^k) v après k pas",
  polytope: "Pour z = e^(-tV) x, l’enveloppe convexe ne grandit jamais, et chaque token finit en 0 ou au bord d’un polytope limite",
  "polytope-rescaled": "L’enveloppe convexe ne grandit jamais, et chaque token finit en 0 ou au bord d’un polytope limite",
  "to-zero": "Tout vient à 0, et les poids à 1/n",
  "to-zero-rescaled": "Les tokens x = e^(-t) z viennent à 0, et les poids à 1/n ; z, pas forcément",
  hyperplanes: "Pour z = e^(-tV) x, les tokens finissent sur au plus trois hyperplans parallèles",
  "hyperplanes-rescaled": "Les tokens finissent sur au plus trois hyperplans parallèles",
  "one-point": ["Tous les tokens deviennent un point", kDerived],
  vertices: "Avant cela, les tokens restent près des sommets de leur enveloppe pendant des temps de l’ordre de e^(c beta)",
  "sinkhorn-mean": "Les poids sont doublement stochastiques, donc la moyenne m obéit à {0}",
  "sinkhorn-gradient": "Ici V = +-Q^T K est symétrique, et le flot est un gradient de Wasserstein",
  "noise-threshold": "La loi uniforme d’une infinité de tokens perd sa stabilité à kappa_c = {0}, bruit {1} ; ici kappa = {2}",
  "redraw-mean": ["V = G G^T / d a pour moyenne I : quand redraw -> 0, les vitesses se moyennent en celles de V = I", kDrawn],
  "redraw-diffusion": [
    "V a pour moyenne 0 : quand redraw -> 0, la nuée se meut dans le temps s = redraw t, par une équation d’Itô dont le bruit est le " +
      "même pour tous les tokens. Les couches et le flot ont des limites différentes",
    "démontré : laboratory.md ; annoncé dans 2604.01978, 2601.21942",
  ],
  "redraw-late": [
    "Là où des tokens se rejoignent, 1 - cos décroît comme {0} pour presque tous les tirages, e^(-(d-1)/d s), quand redraw -> 0", kDrawn,
  ],
  "redraw-cosines": [`${kCosines} : de tokens orthogonaux à 1/2 en t = {0}`, kDrawn],
  "redraw-cosines-drawn-scores": [
    `${kCosines}, ici 1/n, car les scores ont la variance beta^2/d : de tokens orthogonaux à 1/2 en t = {0}`, kDrawn,
  ],
  "energy-rises": ["Le flot remonte le gradient de l’énergie, qui ne baisse jamais", kEnergy],
  "energy-falls": ["Le flot descend le gradient de l’énergie, qui ne monte jamais", kEnergy],
  "lost-middle":
    "Pour beaucoup de tokens de départ uniforme, ce que le dernier garde des autres forme un U selon leur place, si bien que le " +
    "milieu se perd : sûrement jusqu’à t = {0}, et jusqu’à un temps critique, t = {1} pour des marques de la largeur de l’article ; " +
    "plus tard, c’est la fin qui garde le moins",
};
