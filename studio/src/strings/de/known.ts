// known.ts: was der Rechenkern über eine Einstellung weiß, auf Deutsch; ein Satz, der hier fehlt, bleibt Englisch.
import { byPatterns } from "../patterns";

export const told = byPatterns([
  [
    /^For many tokens that start uniform, what the last keeps of the others is U-shaped in their place, so that the middle is lost: certainly up to t = (.+), and until a critical time, t = (.+) for marks of the paper's width; later the end keeps least \((.+)\)\.$/,
    "Bei vielen Token, die gleichverteilt beginnen, ist das, was das letzte von den anderen behält, U-förmig über ihrem Platz, die Mitte geht also verloren: sicher bis t = $1, und bis zu einer kritischen Zeit, t = $2 für Marken der Breite aus der Arbeit; später behält das Ende am wenigsten ($3).",
  ],
  [
    /^For almost every start all tokens come to the first, which never moves \((.+)\)\.$/,
    "Für fast jeden Anfang kommen alle Token zum ersten, das sich nie bewegt ($1).",
  ],
  [/^For almost every start the swarm ends as one cluster \((.+)\)\.$/, "Für fast jeden Anfang endet der Schwarm als ein Cluster ($1)."],
  [/: on the circle for every beta >= -0\.16\)/, ": auf dem Kreis für jedes beta >= -0.16)"],
  [
    /^With d >= n and V = I almost every start ends as one cluster, exponentially fast(, whatever Q and K)? \((.+)\)\.$/,
    "Mit d >= n und V = I endet fast jeder Anfang exponentiell schnell als ein Cluster ($2).",
  ],
  [
    /^Near one cluster 1 - cos decays as (.+?)(, which is e\^\(-2 n\/\(n-1\) t\) without j = i)? \((\d{4}.+|derived.+)\)\.$/,
    "Nahe an einem Cluster fällt 1 - cos wie $1 ($3).",
  ],
  [
    /^Clusters at an angle theta wait for times of order (.+) before they meet(?=[ ;])/,
    "Cluster im Winkel theta warten Zeiten der Größenordnung $1, bevor sie sich treffen",
  ],
  [
    /^Two clusters at an angle theta meet in times of order (.+theta\))(?=[ ;])/,
    "Zwei Cluster im Winkel theta treffen sich nach Zeiten der Größenordnung $1",
  ],
  [
    /; two equal ones at a right angle are 0\.1 apart at t = (\S+)/,
    "; zwei gleiche im rechten Winkel sind bei t = $1 noch 0,1 auseinander",
  ],
  [
    /^Two clusters of n1 and n2 tokens at an angle theta, and no other, meet at t = (.+\)) \((.+)\)\.$/,
    "Zwei Cluster aus n1 und n2 Token im Winkel theta, und sonst keiner, treffen sich bei t = $1 ($2).",
  ],
  [
    /^Two tokens that attend only to each other meet as fast at every beta: (.+) falls as (.+) \((.+)\)\.$/,
    "Zwei Token, die nur einander zuhören, treffen sich bei jedem beta gleich schnell: $1 fällt wie $2 ($3).",
  ],
  [
    /^Each token goes straight to the token v that it attends to, (.+?)( after k steps)? \((\d{4}.+)\)\.$/,
    "Jedes Token geht geradewegs zu dem Token v, dem es zuhört, $1 ($3).",
  ],
  [
    /^(?:The|With z = e\^\(-tV\) x, the) convex hull never grows, and every particle ends at 0 or on the boundary of a limit polytope \((.+)\)\.$/,
    "Für z = e^(-tV) x wächst die konvexe Hülle nie, und jedes Token endet bei 0 oder auf dem Rand eines Grenzpolytops ($1).",
  ],
  [/^Everything comes to 0 and the weights to 1\/n \((.+)\)\.$/, "Alles kommt zu 0, und die Gewichte zu 1/n ($1)."],
  [
    /^The tokens (x = e\^\(-t\) z) come to 0 and the weights to 1\/n; z need not \((.+)\)\.$/,
    "Die Token $1 kommen zu 0, und die Gewichte zu 1/n; z muss das nicht ($2).",
  ],
  [
    /^(?:The|With z = e\^\(-tV\) x, the) particles end on at most three parallel hyperplanes \((.+)\)\.$/,
    "Für z = e^(-tV) x enden die Token auf höchstens drei parallelen Hyperebenen ($1).",
  ],
  [/^All tokens become one point \((.+)\)\.$/, "Alle Token werden ein Punkt ($1)."],
  [
    /^Before that tokens stay near the vertices of their hull, for times of order (\S+ beta\)) \((.+)\)\.$/,
    "Vorher bleiben die Token Zeiten der Größenordnung $1 nahe den Ecken ihrer Hülle ($2).",
  ],
  [
    /^The weights are doubly stochastic, so that the mean m obeys (.+) \((.+)\)\.$/,
    "Die Gewichte sind doppelt stochastisch, der Mittelwert m folgt also $1 ($2).",
  ],
  [
    /^Here V = \+-Q\^T K is symmetric, and the flow is a Wasserstein gradient \((.+)\)\.$/,
    "Hier ist V = +-Q^T K symmetrisch, und der Fluss ist ein Wasserstein-Gradient ($1).",
  ],
  [
    /^The uniform law of infinitely many tokens loses stability at kappa_c = (.+), noise (.+); here kappa = (.+) \((.+)\)\.$/,
    "Die Gleichverteilung unendlich vieler Token verliert ihre Stabilität bei kappa_c = $1, Rauschen $2; hier ist kappa = $3 ($4).",
  ],
  [
    /^V = G G\^T \/ d has mean I: as redraw -> 0 velocities average to those of V = I \((.+)\)\.$/,
    "V = G G^T / d hat den Mittelwert I: für redraw -> 0 mitteln sich die Geschwindigkeiten zu denen von V = I ($1).",
  ],
  [
    /^V has mean 0: as redraw -> 0 the swarm moves in the time s = redraw t, by an Ito equation whose noise is the same for all tokens\. Layers and the flow have different limits \((.+)\)\.$/,
    "V hat den Mittelwert 0: für redraw -> 0 bewegt sich der Schwarm in der Zeit s = redraw t nach einer Itô-Gleichung, deren Rauschen für alle Token dasselbe ist. Schichten und Fluss haben verschiedene Grenzwerte ($1).",
  ],
  [
    /^Where tokens meet, 1 - cos decays as (.+) for almost all draws, (.+), as redraw -> 0 \((.+)\)\.$/,
    "Wo Token sich treffen, fällt 1 - cos wie $1 für fast alle Ziehungen, $2, für redraw -> 0 ($3).",
  ],
  [
    /^As d grows, cosines obey (.+) in s, with the weights p of oneself and q of another(, here 1\/n, since scores have variance beta\^2\/d)?: from orthogonal tokens to 1\/2 at t = (.+?) \((.+)\)\.$/,
    "Wenn d wächst, folgen die Kosinus $1 in s, mit den Gewichten p von einem selbst und q von einem anderen: von rechtwinkligen Token zu 1/2 bei t = $3 ($4).",
  ],
  [
    /^The flow goes up the gradient of the energy, which never falls \((.+)\)\.$/,
    "Der Fluss folgt dem Gradienten der Energie aufwärts, sie fällt nie ($1).",
  ],
  [
    /^The flow goes down the gradient of the energy, which never rises \((.+)\)\.$/,
    "Der Fluss folgt dem Gradienten der Energie abwärts, sie steigt nie ($1).",
  ],
  [
    /^This is known of the exact flow: steps of fixed length, here (.+), need not follow it\.$/,
    "Das gilt vom exakten Fluss: Schritte fester Länge, hier $1, müssen ihm nicht folgen.",
  ],
  [/; the time is derived: /, "; die Zeit ist hergeleitet: "],
  [/; with a perceptron /, "; mit Perzeptron "],
  [/, Theorem 6\.8, for orthogonal tokens/, ", Satz 6.8, für rechtwinklige Token"],
  [/any Q and K: derived, /, "beliebige Q und K: hergeleitet, "],
  [/derived: (\w+\.md); announced in /, "hergeleitet: $1; angekündigt in "],
  [/\(derived: /, "(hergeleitet: "],
]);
