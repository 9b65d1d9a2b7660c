// digits.ts : les mots de la vue Chiffres.
import type * as english from "../digits";
import { chance as chanceOf, thousands } from "../numbers";
import type { Translation } from "../translation";

const percent = (share: number) => chanceOf(share, "plus de");
const called = (name: string) => ({ same: "identiques", different: "différents" })[name] ?? name;
/** Une porte par son nom. */
const gate = (name: string) => (called(name) === name ? name : `« ${called(name)} »`);
/** Si les couches sont une seule et même, on le dit là où on les compte. */
const layers = (count: number, shared: boolean) => {
  if (count === 1) return "1 couche";
  return shared ? `une couche, ${count} fois la même` : `${count} couches, chacune avec ses propres nombres`;
};

export const digits: Translation<typeof english.digits> = {
  title: "Un chiffre en nuée",
  what: (digits, pair) => {
    const one = digits.length <= 3 ? `un ${digits.join(" ou un ")}` : "un chiffre";
    return `Voici un transformer : chaque point est un token. Dessinez ${pair ? `${one} sur chaque moitié` : `${one} ici`}.`;
  },
  lead:
    "Voici un transformer à l’œuvre. Chaque point d’encre est un token, et tous les tokens volent ensemble : c’est une nuée. Chaque pas de " +
    "temps est une couche : chaque token regarde autour de lui, entend les messages de ceux qu’il écoute, et bouge un peu. " +
    "Personne ne mène. La grosse boule cerclée est le vote : elle vole entre les portes, au milieu tant que rien n’est décidé, dans une " +
    "porte quand la réponse est sûre. Ce qui la meut est la moyenne de tous les tokens, la croix : on lit seulement jusqu’où elle va vers " +
    "chaque porte, et un softmax en fait des chances.",
  task: (digits) =>
    digits.length === 2
      ? `Ce transformer a appris à distinguer ${digits[0]} et ${digits[1]} : le vote doit voler dans la porte de gauche pour un ` +
        `${digits[0]}, dans celle de droite pour un ${digits[1]}.`
      : digits.length === 10
        ? "Ce transformer a appris à distinguer les dix chiffres : dix portes entourent la nuée, une par chiffre."
        : `Ce transformer a appris à distinguer ${digits.slice(0, -1).join(", ")} et ${digits.at(-1)} : ` +
          `${digits.length} portes entourent la nuée, une par chiffre.`,
  figures: (accuracy, parameters, blocks, shared) =>
    `${accuracy === null ? "Il travaille" : `Il lit juste ${percent(accuracy)} de chiffres jamais vus,`} ` +
    `avec ${thousands(parameters)} nombres appris et ${layers(blocks, shared)}.`,
  pairTitle: "Identiques ou différents ?",
  pairLead:
    "Deux images décollent côte à côte, en une seule nuée. Montrent-elles le même chiffre ? Aucun token ne peut le savoir par " +
    "lui-même : il lui faut entendre ce qu’il y a de l’autre côté. La grosse boule cerclée est le vote : dans la porte de gauche, " +
    "il dit qu’ils sont identiques. Ce qui la meut est la moyenne de tous les tokens, la croix.",
  pairTask: (digits) =>
    `Chaque image est un ${digits.slice(0, -1).join(", un ")} ou un ${digits.at(-1)} ; ce transformer a appris sur de telles paires.`,
  pairFigures: (accuracy, parameters, blocks, shared) =>
    `${accuracy === null ? "Il travaille" : `Sur 8\u202f192 paires de chiffres jamais vus, il a raison à ${percent(accuracy)},`} ` +
    `avec ${thousands(parameters)} nombres appris et ${layers(blocks, shared)}.`,
  tellAttention: "Une couche, première moitié. Le token i recueille des messages, plus fort ceux des tokens qu’il écoute :",
  tellWhom: "Qui il écoute, sa requête et leurs clés en décident :",
  tellFeed: "Seconde moitié : il bouge de sa propre volonté, qui ne dépend que de l’endroit où il est :",
  tellPick: (touch) =>
    `${touch ? "Touchez" : "Cliquez"} un token pour voir qui il entend. Mettez en pause, déplacez-en un, et voyez si le vote change. ` +
    "Un token a la couleur de la porte dont il est le plus près. " +
    "Un cercle marque un token qui diverge : il est plus près d’une autre porte que le vote. Le vote ne compte pas les têtes, " +
    "c’est une moyenne : quelques tokens très loin peuvent peser plus que beaucoup près du milieu.",
  sources: "C’est un transformer sans normalisation.",

  padLabel:
    "Ardoise. Dessinez à la souris, au stylet ou au doigt ; ou avec les flèches, espace pose et lève le crayon.",
  stageLabel:
    "La scène. Dessinez dessus à la souris, au stylet ou au doigt ; ou avec les flèches, espace pose et lève le crayon.",
  drag: "Glisser sur la scène",
  dragNames: [
    { value: "draw", label: "Dessiner" },
    { value: "turn", label: "Tourner" },
  ],
  tool: "En main",
  toolNames: [
    { value: "pen", label: "Crayon" },
    { value: "eraser", label: "Gomme" },
  ],
  takeBack: "Effacer le dernier trait",
  takeBackHint: "Reprend le dernier trait et fait voler ce qui reste",
  seen: "Ce qu’il voit",
  seenShort: "tel que vu",
  seenLabel: "L’image de 28 sur 28 points que voit le transformer",
  pen: "Crayon",
  brush: "Largeur du trait",
  onTop: "Dessiner par-dessus",
  onTopHint: "Sinon, le premier trait après la fin d’un vol commence une feuille neuve",
  clear: "Effacer",
  random: "Chiffre au hasard",
  randomPair: "Paire au hasard",
  sides: ["Gauche", "Droite"],
  tasks: "Tâche",
  taskNames: [
    { value: "digits", label: "En lire un" },
    { value: "same", label: "En comparer deux" },
  ],
  listens: "Les tokens",
  listenNames: [
    { value: "same", label: "écoutent" },
    { value: "alone", label: "non" },
  ],
  opinions: "Ensemble, ou chacun pour soi",
  opinionsLead:
    "Deux transformers, aussi grands et entraînés de même. Dans l’un, les tokens s’écoutent ; dans l’autre, " +
    "personne n’entend personne (le meilleur de cinq entraînements).",
  opinionNames: { same: "Ils écoutent", alone: "Chacun pour soi" },
  opinion: (name, chance) => `dit ${called(name)}, ${percent(chance)}`,
  opinionWaits: "on l’interroge…",
  askBoth: "Soumettre 100 paires aux deux",
  asking: (done, all) => `${done} paires sur ${all}`,
  tally: (right, all) => `${right} justes sur ${all}`,
  tallyNote:
    "Chaque image de gauche rencontre un cinq et un six : une pièce de monnaie en a 50. Des tokens qui n’entendent personne " +
    "additionnent deux sommes qui ignorent tout l’une de l’autre : quoi qu’ils apprennent, ils ne peuvent en avoir plus de 75.",
  file: "Ouvrir un fichier",
  fileHint: "L’image d’un chiffre, ou des lieux en .npy ou .csv à deux ou trois colonnes",
  swarm: "Transformer",
  swarmName: "Entraîné sur",
  deaf: "À côté : sans attention",
  deafHint: "La même encre, portée par le même transformer sans aucun message, en transparence",
  listenNow: "avec attention",
  deafNow: "sans attention",
  fool: "Tromper la nuée",
  foolLead: "Ajoutez à un chiffre ou gommez-le jusqu’à ce que le vote aille à la mauvaise porte sans être refusé.",
  foolStart: "Essayer",
  foolAgain: "Recommencer",
  foolEnd: "Arrêter de jouer",
  foolInk: "Ce que vous dessinez maintenant, ici ou sur la scène, s’ajoute à ce chiffre ; la gomme enlève de l’encre.",
  foolWaits: "La nuée l’examine…",
  foolNot: (name, chance) => `Le vote est encore ${called(name)}, ${percent(chance)}. Changez un peu plus.`,
  foolNeither: (name) => `Le vote est allé à ${gate(name)}, mais l’encre est refusée : elle ne ressemble à aucun. Changez moins.`,
  foolWon: (truth, name) => `Trompée : un ${truth} est lu comme un ${name}.`,
  foolScore: (flips, fewest) =>
    `${flips === 1 ? "1 bascule" : `${flips} bascules`} jusqu’ici, la plus courte en ${fewest === 1 ? "1 trait" : `${fewest} traits`}.`,
  boids: "Tokens",
  boidCounts: [
    { value: "1", label: "×1" },
    { value: "2", label: "×4" },
    { value: "4", label: "×16" },
  ],
  blocks: "Couches",
  blocksShown: (blocks, trained) =>
    blocks === trained ? `${blocks}, comme à l’entraînement` : `${blocks}, entraîné sur ${trained}`,
  blocksHint: "Combien de couches la nuée traverse ; au-delà de la profondeur entraînée, la dernière continue",
  look: "Aspect",
  trails: "Traces",
  headings: "Directions",
  squeeze: "Rapprocher le lointain",
  squeezeHint: "Au-delà des portes, les distances sont dessinées plus courtes, pour que toute la nuée reste visible",

  moment: (frame, trained) =>
    frame <= trained ? `couche ${frame} sur ${trained}` : `couche ${frame}, ${frame - trained} après l’entraînement`,
  className: called,
  vote: "le vote",
  mean: "moyenne de tous",
  verdictLabel: "Le vote",
  verdict: (name, chance) => `${called(name)}, ${percent(chance)}`,
  says: "Le vote :",
  soFar: "Jusqu’ici :",
  soFarWhy: "Ce que serait le vote si vous leviez le crayon maintenant.",
  neither: "Aucun",
  neitherVote: (name) => `bien que le vote soit allé à ${gate(name)}`,
  neitherWhy: (name) => `Cette encre ressemble moins à un ${name} que 99 sur 100 de ceux dont la page a appris.`,
  whyStart: (n) => `${n} tokens d’encre ; leur moyenne décide du vote.`,
  whyDissent: (against, n) =>
    against === 0
      ? `Les ${n} tokens sont d’accord.`
      : against === 1
        ? `1 token sur ${n} diverge (cerclé).`
        : `${against} tokens sur ${n} divergent (cerclés).`,
  whyParts: (most, n, theirs, vote) =>
    `${most} tokens sur ${n} sont plus près de ${gate(theirs)}, mais une moyenne pèse les distances : le vote est plus près de ${gate(vote)}.`,
  wasBefore: (said) => `Avant ce trait : ${said}.`,
  truth: (name, right, done) => {
    const pair = name === "same" || name === "different";
    const are = pair ? `ils sont ${called(name)}` : `c’est un ${name}`;
    return right ? (pair ? "et c’est vrai" : `et ${are}`) : done ? `mais ${are}` : `jusqu’ici ; ${are}`;
  },
  percent,
  chances: "Chances par couche",
  chancesSummary: (name, chance) => `Chances par couche ; maintenant ${called(name)} mène avec ${percent(chance)}.`,
  dashed: (title) => `${title} ; en tirets : comme avant`,
  dissent: "Part des tokens qui divergent",
  dissentSummary: (share) => `Part des tokens qui divergent, par couche ; maintenant ${percent(share)}.`,

  gaze: "Le regard d’un token",
  gazeNone: (touch) =>
    touch ? "Touchez un token, ou passez de l’un à l’autre par les deux boutons, pour voir qui il écoute." :
    "Cliquez un token, ou pressez [ ou ], pour voir qui il écoute.",
  gazeOf: (boid) => `Token ${boid}`,
  gazeHears: (count) => `Il entend ${count === 1 ? "1 token" : `${count} tokens`} plus que la moyenne. Les plus forts :`,
  gazeVote: (name, dissents) =>
    dissents ? `est plus près de ${gate(name)} : il diverge` : `est plus près de ${gate(name)}`,
  hearsMost: (boid, share) => `Il entend surtout le token ${boid}, ${percent(share)}.`,
  letBoidGo: "Lâcher ce token",
  gazeFull: (share) => `Une barre entière vaut ${percent(share)} de son attention.`,
  gazeAt: "est en",
  gazeVectors: { query: "requête", key: "clé", value: "valeur", feedForward: "volonté" },
  gazeMeaning: {
    query: "où il regarde",
    key: "lieu de son message",
    value: "son message",
    feedForward: "son propre mouvement",
  },
  gazeScale: "Les flèches ont la vraie direction ; les longues sont raccourcies.",
  lessBoid: "Token d’avant",
  moreBoid: "Token suivant",

  sceneLabel: "La nuée du chiffre entre ses portes, en trois dimensions",
  scene: (frame, blocks, name, chance, against, n) =>
    `Couche ${frame} sur ${blocks} : le vote de ${n} tokens penche vers ${gate(name)} avec ${percent(chance)} ; ` +
    `${against === 0 ? "aucun token ne diverge" : against === 1 ? "1 token diverge" : `${against} tokens divergent`}.`,
  sceneSplit: (was, is) =>
    was === is
      ? `Après votre main, il dit encore ${called(is)}.`
      : `Il disait ${called(was)} ; après votre main, il dit ${called(is)}.`,
  empty: "Dessinez un chiffre, et son encre décolle.",
  emptyPair: "Dessinez un chiffre sur chaque ardoise, et les deux décollent.",
  noSwarms: "Cette page est venue sans transformers entraînés.",
  noSwarmsHint: "Faites-les avec scripts/page_models.sh et reconstruisez la page.",
  noDigits: "Cette page est venue sans chiffres de test.",
  noDigitsHint: "Faites-les avec scripts/page_digits.py et reconstruisez la page.",
  noInk: "Il n’y a pas d’encre dans cette image.",
  noInkHint: "Donnez l’image d’un chiffre sombre sur papier clair, ou clair sur papier sombre.",
  emptyFile: (name) => `Il n’y a rien dans ${name}.`,
  programFile: (name) => `${name} est le fichier d’une exécution, qu’une page ne peut pas prendre seule.`,
  programFileHint: "Lancez murmur studio --runs DIR avec le dossier de l’exécution : elle rejoint le choix des transformers.",
  noPicture: (name) => `${name} n’est ni une image ni un tableau de lieux.`,
  badPicture: (name) => `${name} est une image, mais abîmée.`,
  badPictureHint: "Donnez un PNG, JPEG, WebP ou SVG, ou des lieux en .npy ou .csv.",
  fitted: "Les lieux ont été centrés et mis à l’échelle pour tenir entre les portes.",
  missing: (path) => `${path} n’a pas pu être chargé`,
};
