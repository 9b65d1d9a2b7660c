// known.ts: was der Rechenkern über eine Einstellung weiß, auf Deutsch; ein Satz, der hier fehlt, bleibt Englisch.
import { byPatterns } from "../patterns";

export const told = byPatterns([
  [
    /^For many tokens, what the last keeps of the others is U-shaped in their place, so that the middle is lost: certainly up to t = (.+), and until a critical time, t = (.+) for marks of the paper's width; later the end keeps least \((.+)\)\.$/,
    "Bei vielen Token ist, was das letzte von den anderen behält, U-förmig über ihrem Platz, die Mitte geht also verloren: sicher bis t = $1, und bis zu einer kritischen Zeit, t = $2 für Marken der Breite aus der Arbeit; später behält das Ende am wenigsten ($3).",
  ],
  [
    /^For almost every start all tokens come to the first, which never moves \((.+)\)\.$/,
    "Für fast jeden Anfang kommen alle Token zum ersten, das sich nie bewegt ($1).",
  ],
  [/^For almost every start the swarm ends as one cluster \((.*)$/, "Für fast jeden Anfang endet der Schwarm als ein Cluster ($1"],
  [/: on the circle for every beta >= -0\.16\)/, ": auf dem Kreis für jedes beta >= -0.16)"],
  [/, exponentially fast: 1 - cos decays as (.+?) in the end/, ", exponentiell schnell: 1 - cos fällt am Ende wie $1"],
  [/, which is (e\^\(-2 n\/\(n-1\) t\)) without j = i/, ", das ist $1 ohne j = i"],
  [/, exponentially fast/, ", exponentiell schnell"],
  [/; the energy never falls\.$/, "; die Energie fällt nie."],
  [
    /^Before that expect metastable clusters, which live for times of order (.+) of the angle between them \((.+)\)\.$/,
    "Vorher sind metastabile Cluster zu erwarten; sie leben Zeiten der Größenordnung $1 des Winkels zwischen ihnen ($2).",
  ],
  [
    /^With d >= n and V = I the swarm ends as one cluster exponentially fast, whatever Q and K \((.+)\)\.$/,
    "Mit d >= n und V = I endet der Schwarm exponentiell schnell als ein Cluster, gleich welches Q und K ($1).",
  ],
  [
    /^Where every vertex of the convex hull attends to itself, each particle goes straight to the vertex it attends to, (.+); with method=layers (.+) in place of (.+) \((\d.+)\)\.$/,
    "Wo jede Ecke der konvexen Hülle sich selbst zuhört, geht jedes Token geradewegs zu der Ecke, der es zuhört, $1; mit method=layers steht $2 anstelle von $3 ($4).",
  ],
  [
    /^If Q\^T K > 0 the convex hull never grows, and every particle ends at 0 or on the boundary of a limit polytope \((.+)\)\.$/,
    "Wenn Q^T K > 0, wächst die konvexe Hülle nie, und jedes Token endet bei 0 oder auf dem Rand eines Grenzpolytops ($1).",
  ],
  [/^Everything comes to 0 and the weights to 1\/n \((.+)\)\.$/, "Alles kommt zu 0, und die Gewichte zu 1/n ($1)."],
  [
    /^If the leading eigenvalue of V is real, positive and simple and (.+) for its eigenvector f, the particles end on at most three parallel hyperplanes \((.+)\)\.$/,
    "Wenn der führende Eigenwert von V reell, positiv und einfach ist und $1 für seinen Eigenvektor f gilt, enden die Token auf höchstens drei parallelen Hyperebenen ($2).",
  ],
  [
    /^Particles stay near the vertices of their hull for times of order (.+), then become one point \((.+)\)\.$/,
    "Die Token bleiben Zeiten der Größenordnung $1 nahe den Ecken ihrer Hülle, dann werden sie ein Punkt ($2).",
  ],
  [
    /^Positions grow like e\^\(tV\); dynamics=rescaled follows (.+) instead \((.+)\)\.$/,
    "Die Orte wachsen wie e^(tV); dynamics=rescaled verfolgt stattdessen $1 ($2).",
  ],
  [/^Near one cluster 1 - cos decays as (.+) \((\d.+)\)\.$/, "Nahe an einem Cluster fällt 1 - cos wie $1 ($2)."],
  [
    /^The weights are doubly stochastic, so that the mean m obeys (.+) \((.+)\)\.$/,
    "Die Gewichte sind doppelt stochastisch, der Mittelwert m folgt also $1 ($2).",
  ],
  [
    /^Here V = \+-Q\^T K is symmetric, and the flow is a Wasserstein gradient \((.+)\)\.$/,
    "Hier ist V = +-Q^T K symmetrisch, und der Fluss ist ein Wasserstein-Gradient ($1).",
  ],
  [
    /^The uniform law loses stability at kappa_c = (.+), noise (.+); here kappa = (.+) \((.+)\)\.$/,
    "Die Gleichverteilung verliert ihre Stabilität bei kappa_c = $1, Rauschen $2; hier ist kappa = $3 ($4).",
  ],
  [
    /^V = G G\^T \/ d has mean I: as redraw -> 0 velocities average to those of V = I\.$/,
    "V = G G^T / d hat den Mittelwert I: für redraw -> 0 mitteln sich die Geschwindigkeiten zu denen von V = I.",
  ],
  [
    /^V has mean 0: as redraw -> 0 the swarm moves in the time s = redraw t, by an Ito equation whose noise is the same for all tokens \(derived; announced in (.+)\)\. Layers and the flow have different limits\.$/,
    "V hat den Mittelwert 0: für redraw -> 0 bewegt sich der Schwarm in der Zeit s = redraw t nach einer Itô-Gleichung, deren Rauschen für alle Token dasselbe ist (hergeleitet; angekündigt in $1). Schichten und Fluss haben verschiedene Grenzwerte.",
  ],
  [
    /^Where tokens meet, 1 - cos decays as (.+) for almost all draws, (.+)\.$/,
    "Wo Token sich treffen, fällt 1 - cos wie $1 für fast alle Ziehungen, $2.",
  ],
  [
    /^As d grows, cosines obey (.+) in s, with the weights p of oneself and q of another(, here 1\/n, since scores have variance beta\^2\/d)?: from orthogonal tokens to 1\/2 at t = (.+)\.$/,
    "Wenn d wächst, folgen die Kosinus $1 in s, mit den Gewichten p von einem selbst und q von einem anderen: von rechtwinkligen Token zu 1/2 bei t = $3.",
  ],
  [
    /^The flow is a gradient: the energy never falls where V = Q\^T K, never rises where V = -Q\^T K \((.+); with a perceptron (.+)\)\.$/,
    "Der Fluss ist ein Gradient: die Energie fällt nie, wo V = Q^T K, und steigt nie, wo V = -Q^T K ($1; mit Perzeptron $2).",
  ],
]);
