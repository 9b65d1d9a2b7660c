// known.ts: was der Rechenkern über eine Einstellung weiß, auf Deutsch.
import type { KnownTexts } from "../known";

const kDerived = "hergeleitet: theory.md";
const kDrawn = "hergeleitet: laboratory.md";
const kEnergy = "2312.10794, Section 3; 2501.03096; mit Perzeptron 2601.21366";
const kLateRate = "hergeleitet: theory.md; 2312.10794, Satz 6.8, für rechtwinklige Token";
const kWaits = "Cluster im Winkel theta warten Zeiten der Größenordnung {0}, bevor sie sich treffen";
const kMeets = "Zwei Cluster im Winkel theta treffen sich nach Zeiten der Größenordnung {0}";
const kRightAngle = "; zwei gleiche im rechten Winkel sind bei t = {1} noch 0,1 auseinander";
const kWaitSource = "2410.06833, Section 2; die Zeit ist hergeleitet: theory.md";
const kCosines =
  "Wenn d wächst, folgen die Kosinus rho' = (1 - rho) ((n-1) rho + 1) q (2p + (n-2) q) in s, mit den Gewichten p von einem selbst " +
  "und q von einem anderen";

export const known: KnownTexts = {
  "exact-flow": "Das gilt vom exakten Fluss: Schritte fester Länge, hier {0}, müssen ihm nicht folgen",
  "causal-first": "Für fast jeden Anfang kommen alle Token zum ersten, das sich nie bewegt",
  "sphere-one-cluster": "Für fast jeden Anfang endet der Schwarm als ein Cluster",
  "circle-one-cluster": ["Für fast jeden Anfang endet der Schwarm als ein Cluster", "2507.22857: auf dem Kreis für jedes beta >= -0,16"],
  exponential: "Mit d >= n und V = I endet fast jeder Anfang exponentiell schnell als ein Cluster",
  "exponential-any-scores": "Mit d >= n und V = I endet fast jeder Anfang exponentiell schnell als ein Cluster, bei jedem Q und K",
  "late-rate": ["Nahe an einem Cluster fällt 1 - cos wie {0}", kLateRate],
  "late-rate-without-self": ["Nahe an einem Cluster fällt 1 - cos wie {0}, das ist e^(-2 n/(n-1) t) ohne j = i", kLateRate],
  "normalised-late-rate": "Nahe an einem Cluster fällt 1 - cos wie {0}",
  metastable: [kWaits + kRightAngle, kWaitSource],
  "metastable-untimed": [kWaits, kWaitSource],
  "pair-usa": [kMeets + kRightAngle, kDerived],
  "pair-usa-untimed": [kMeets, kDerived],
  "pair-arc": [
    "Zwei Cluster aus n1 und n2 Token im Winkel theta, und sonst keiner, treffen sich bei t = theta sqrt(n1 n2 / (n1 + n2)) / ln(beta)",
    kDerived,
  ],
  "pair-without-self": [
    "Zwei Token, die nur einander zuhören, treffen sich bei jedem beta gleich schnell: tan(theta/2) fällt wie e^(-2 t)",
    kDerived,
  ],
  straight: "Jedes Token geht geradewegs zu dem Token v, dem es zuhört, x(t) = e^(-t) x(0) + (1 - e^(-t)) v",
  "straight-steps":
    "Jedes Token geht geradewegs zu dem Token v, dem es zuhört, x(t) = (1 - dt)^k x(0) + (1 - (1 - dt)^k) v nach k Schritten",
  polytope:
    "Für z = e^(-tV) x wächst die konvexe Hülle nie, und jedes Token endet bei 0 oder auf dem Rand eines Grenzpolytops",
  "polytope-rescaled": "Die konvexe Hülle wächst nie, und jedes Token endet bei 0 oder auf dem Rand eines Grenzpolytops",
  "to-zero": "Alles kommt zu 0, und die Gewichte zu 1/n",
  "to-zero-rescaled": "Die Token x = e^(-t) z kommen zu 0, und die Gewichte zu 1/n; z muss das nicht",
  hyperplanes: "Für z = e^(-tV) x enden die Token auf höchstens drei parallelen Hyperebenen",
  "hyperplanes-rescaled": "Die Token enden auf höchstens drei parallelen Hyperebenen",
  "one-point": ["Alle Token werden ein Punkt", kDerived],
  vertices: "Vorher bleiben die Token Zeiten der Größenordnung e^(c beta) nahe den Ecken ihrer Hülle",
  "sinkhorn-mean": "Die Gewichte sind doppelt stochastisch, der Mittelwert m folgt also {0}",
  "sinkhorn-gradient": "Hier ist V = +-Q^T K symmetrisch, und der Fluss ist ein Wasserstein-Gradient",
  "noise-threshold":
    "Die Gleichverteilung unendlich vieler Token verliert ihre Stabilität bei kappa_c = {0}, Rauschen {1}; hier ist kappa = {2}",
  "redraw-mean": ["V = G G^T / d hat den Mittelwert I: für redraw -> 0 mitteln sich die Geschwindigkeiten zu denen von V = I", kDrawn],
  "redraw-diffusion": [
    "V hat den Mittelwert 0: für redraw -> 0 bewegt sich der Schwarm in der Zeit s = redraw t nach einer Itô-Gleichung, deren " +
      "Rauschen für alle Token dasselbe ist. Schichten und Fluss haben verschiedene Grenzwerte",
    "hergeleitet: laboratory.md; angekündigt in 2604.01978, 2601.21942",
  ],
  "redraw-late": ["Wo Token sich treffen, fällt 1 - cos wie {0} für fast alle Ziehungen, e^(-(d-1)/d s), für redraw -> 0", kDrawn],
  "redraw-cosines": [`${kCosines}: von rechtwinkligen Token zu 1/2 bei t = {0}`, kDrawn],
  "redraw-cosines-drawn-scores": [
    `${kCosines}, hier 1/n, da Bewertungen die Varianz beta^2/d haben: von rechtwinkligen Token zu 1/2 bei t = {0}`, kDrawn,
  ],
  "energy-rises": ["Der Fluss folgt dem Gradienten der Energie aufwärts, sie fällt nie", kEnergy],
  "energy-falls": ["Der Fluss folgt dem Gradienten der Energie abwärts, sie steigt nie", kEnergy],
  "lost-middle":
    "Bei vielen Token, die gleichverteilt beginnen, ist das, was das letzte von den anderen behält, U-förmig über ihrem Platz, die " +
    "Mitte geht also verloren: sicher bis t = {0}, und bis zu einer kritischen Zeit, t = {1} für Marken der Breite aus der Arbeit; " +
    "später behält das Ende am wenigsten",
};
