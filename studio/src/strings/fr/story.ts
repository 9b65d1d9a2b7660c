// story.ts : les mots de la vue Récit : douze étapes, du mot seul à des lecteurs mis à l’épreuve.
import { fixed, percentFine } from "../numbers";
import type * as english from "../story";
import type { Translation } from "../translation";
import { lesson } from "./lesson";
import { firstStops, laterStops } from "./story_stops";

export const lexicon: Translation<typeof english.lexicon> = {
  water:
    "rivière rivières fleuve eau eaux lac lacs mer mers océan ruisseau ruisseaux étang pluie pleut crue crues inonde inondation boue " +
    "boueux boueuse mouillé mouillée nager nage nagent poisson poissons pêche pêcher pêcheur bateau bateaux navire voile voiles rive " +
    "rives sable plage vague vagues marée marées canoë roseau roseaux loutre loutres canard canards grenouille bac pont île port delta " +
    "brume écume marais pierre pierres coule coulent coulait source cascade verse bu boire boit buvait gouttes goutte bouteille verre",
  money:
    "argent monnaie pièce pièces prêt prêts prête prêter emprunte emprunter dette dettes crédit chèque compte comptes épargne taux intérêt " +
    "intérêts paie payer paye payé prix coût coûte riche pauvre or dollar dollars euro euros livre livres coffre guichet caisse caissier " +
    "voleur voleurs marché magasin boutique achète acheter vend vendre facture billet billets budget impôt impôts salaire bureau banque " +
    "banquier bourse retire retrait",
  little:
    "le la les l un une des de du d à au aux en dans sur sous par pour avec sans et ou mais donc car si comme est sont était étaient être suis " +
    "il elle ils elles je tu nous vous on me te se m t s mon ma mes ton ta tes son sa ses notre votre leur leurs ce cet cette ces qui que qu " +
    "quoi dont où ne n pas plus très aussi puis alors ici là y encore tout toute tous toutes chaque quand avant après près entre vers chez " +
    "peut doit va fait a ai as ont avait",
};

const kSaid: Readonly<Record<string, string>> = {
  bank: "liquide", river: "rivière", money: "argent", muddy: "boueux", lent: "prête", the: "le", was: "était", me: "du", boat: "bateau",
  nail: "clou", ocean: "océan", leaks: "fuite", emergency: "urgence",
  small: "petit", brown: "brun", puppy: "chiot", sleeps: "dort",
  dog: "chien", bites: "mord", man: "homme",
  mud: "boue", shore: "rive", loan: "prêt", coin: "pièce", vault: "coffre", rate: "taux", hammer: "marteau", plank: "planche",
  cold: "froides", feet: "sueurs", before: "avant", wedding: "mariage",
  fish: "poisson", reeds: "roseaux", CLS: "CLS",
  sea: "mer", lake: "lagune", shop: "boutique", till: "caisse", moon: "lune",
  rivers: "rivières", run: "coulent", down: "toujours", to: "vers", "the…": "la…",
  coins: "pièces", lie: "dorment", safe: "bien", in: "dans",
};

/** Là où un mot s’écrit autrement à une étape. */
const kAt: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  messages: { nail: "coque" },
  listening: { river: "rive", was: "la", muddy: "inonde", money: "banquier" },
  next: { shore: "plage", vault: "banque", nail: "planche" },
};

export const said = (stop: string, word: string): string => kAt[stop]?.[word] ?? kSaid[word] ?? word;
export const row = ["Rivière", "brume", "silence", "à", "deux", "nous", "buvions", "ce", "doux", "liquide"] as const;

const kChannels = ["taille", "couleur", "qui"];
const channels = (which: number[], mark: string) => which.map((k) => kChannels[k] + mark).join(" ");

type Story = Omit<Translation<typeof english.story>, "stops">;

const words: Story = {
  lesson,
  lexicon,
  progress: "Étapes du récit",
  stopOf: (k, all) => `Étape ${k} sur ${all}`,
  dot: (k, title) => `Étape ${k} : ${title}`,
  back: "Retour",
  next: "Suite",
  toQuestion: "La question",
  toDigits: "À vous de dessiner",
  reveal: "Montrer la réponse",
  right: "Juste.",
  wrong: "Pas tout à fait.",
  hide: "Posez-la encore",
  breaks: "Là où l’image casse",
  keys: "← → ou n, p : étapes · Entrée : réponse · espace : lire",
  sheet: "Pour les enseignants : buts, questions, une fiche à imprimer",
  scene: "Essayez",
  ear: "L’oreille de",
  listener: (touch) =>
    `Ou ${touch ? "touchez" : "cliquez"} un mot dans la scène. Ses flèches sont les messages qu’il reçoit, chacune multipliée par sa part ; la large ` +
    "flèche grise, c’est toutes ensemble : là où il va. Une flèche trop courte pour être vue est un point.",
  arrows: (times) => `flèches : ${times} × leur longueur`,
  shares: "Parts d’attention",
  itself: "lui-même",
  percent: percentFine,
  canvas: (title) => `${title} : une petite nuée de mots`,
  drag: "Faites glisser un mot dans la scène pour qu’il parte d’ailleurs, ou déplacez-le d’ici :",
  dragWord: "Mot",
  dragTo: { left: "Vers la gauche", right: "Vers la droite", up: "Vers le haut", down: "Vers le bas" },
  dragBack: "Remettre tous les mots",
  badges: {
    asks: (which) => (which.length > 0 ? `demande ${channels(which, " ?")}` : "ne demande rien"),
    shows: (which) => (which.length > 0 ? `montre ${channels(which, "")}` : "ne montre rien"),
  },
  asked: {
    caption: "Trois choses qu’a un mot",
    word: "mot", asks: "demande (Q)", shows: "montre (K)", says: "dit (V)",
    nothing: "rien",
    channels: (which) => channels(which, ""),
    messages: ["", "petit, un peu mignon", "brun", "mignon", ""],
  },
  knobs: {
    apart: "Écart de départ des deux liquides",
    apartHint: "Si peu que vous tourniez : seul ce qui diffère au départ peut différer ensuite.",
    pull: "Attrait du milieu, s",
    order: "Ordre de la file",
    reading: "Comme écrit",
    shuffled: "Mêlé",
    barsStay: "Les barres tiennent aux places de la file, pas aux mots : on entend qui vient en dernier.",
    value: "Ce que dit V",
    draw: "Approche",
    push: "Viens, et vite",
    sentence: "Phrase",
    river: "Le liquide inonde la rive",
    money: "Le banquier prête du liquide",
    own: "Votre phrase",
    ownLabel: "Tapez-la, puis Entrée",
    ownFirst: "Le pêcheur comptait ses pièces près du liquide",
    ownHint:
      "La page connaît des mots de l’eau et de l’argent, et de petits mots comme « le ». Tous les autres partent du milieu : faites-les " +
      "glisser là où vous les mettriez.",
    beta: "Finesse de l’oreille, β",
    key: "Ce que montrent les mots (K)",
    keyOwn: "Ce qu’ils sont",
    keySame: "Leur demande (K = Q)",
    think: "Penser après avoir écouté (MLP)",
    skip: "Sauter le deuxième espace",
    guest: "Un invité arrive : prêt",
    width: "La nuée est",
    tight: "serrée",
    wide: "large",
    codes: "Places dans la file",
    codesOff: "Non écrites",
    codesOn: "Écrites",
    reader: "Les tokens du lecteur",
    readers: { same: "écoutent", alone: "restent seuls" },
    pair: "Paire de chiffres",
    pairs: ["5 5", "5 6", "6 5", "6 6"],
    four: "Quels quatre sur 25",
    rungs: "Lecteurs montrés en bas",
    rungsOf: (k, all) => `${k} sur ${all}`,
  },
  four: {
    caption: "Interrogés sur les quatre paires (calculé maintenant)",
    ask: "Interroger les deux",
    hint:
      "Qui n’entend personne se trompe au moins une fois sur quatre. Qui écoute se trompe aussi, mais rarement : dans les quatre " +
      "premières, par exemple.",
    pair: "paire", right: "juste", wrong: "faux",
    sum: "justes",
  },
  signs: {
    water: "← eau", money: "argent →", hand: "← noix", ship: "bateau →", urgent: "urgent", calm: "calme",
    content: "dit beaucoup", filler: "dit peu",
    influence: "ce que chaque place compte à la fin (mesuré)",
    first: "premier de la file", last: "dernier de la file",
    notCute: "← quelconque", cute: "mignon →", knownLooks: "allure connue", plainLooks: "allure inconnue",
    said,
    row,
    phrases: ["← un syntagme", "un autre →"], senses: ["← corps", "sentiment →"], outlook: ["← sûr", "en doute →"],
  },
  step: (k) => `pas ${k}`,
  round: (k) => `couche ${k}`,
  block: (k, all) => `couche ${k} sur ${all}`,
  visit: (k, word) => `mot ${k} : ${word}`,
  legend: { cross: "moyenne de tous", ring: "CLS", faint: "sans l’invité" },
  levels: {
    title: "Les espaces, l’un après l’autre",
    names: ["qui va avec qui", "le sens du syntagme", "ce que dit la phrase"],
    go: (k, name) => `Aller à l’espace ${k} : ${name}`,
    moment: (k, all) => `espace ${k} sur ${all}`,
    end: (word, side) =>
      `${word} finit ${Math.abs(side) < 0.15 ? "entre sûr et en doute" : side < 0 ? "du côté sûr" : "en doute"} ` +
      `(${fixed(side, 2).replace("-", "−")}).`,
  },
  moved: {
    caption: "De combien l’invité les déplace à la fin (calculé maintenant)",
    who: "lu par", tight: "serrée", wide: "large", mean: "moyenne", cls: "CLS",
  },
  order: {
    first: "chien mord homme", second: "homme mord chien",
    apart: "À quelle distance est le même mot",
  },
  nextWord: {
    river: "Rivières coulent toujours vers la …",
    money: "Pièces dorment bien dans la …",
    kappa: "Netteté du choix, κ",
    bars: "Chances du mot suivant",
    entropy: (entropy, outcomes) =>
      `Entropie ${fixed(entropy, 2)} nats : environ ${fixed(outcomes, 1)} mots possibles.`,
  },
  ladder: {
    tasks: {
      same: {
        name: "deux chiffres",
        title:
          "Mesuré : des lecteurs de chaque sorte ont appris à dire si deux chiffres manuscrits sont identiques. " +
          "Réponses justes sur 100 :",
        tests: "8\u202f192 paires",
      },
      sense: {
        name: "sens d’un mot",
        title:
          "Mesuré : des lecteurs de chaque sorte ont appris à dire quel sens d’un mot, tel que bank en anglais, une phrase veut dire. " +
          "Réponses justes sur 100 :",
        tests: "4\u202f096 phrases dont les paires de mots ne s’étaient jamais vues à l’entraînement",
      },
    },
    task: "Tâche des lecteurs",
    seeOne: "Comparez les vôtres",
    readersLabel: "Lecteurs, selon l’étape dont ils ont les moyens",
    readers: {
      isolated: "seul", messenger: "messager", attraction: "attraction", uniform: "messages à tous",
      selected: "écoute", selected_bare: "écoute, sans MLP",
    },
    stop: (k) => `étape ${k}`,
    row: (reader, mean, sd) => `${reader} : ${mean} ± ${sd} réponses justes sur 100`,
    noMessenger: "messager, un réseau récurrent de leur taille : resté au hasard, 50,7 ± 0,3 (deux entraînements)",
    more: "Devinez, puis montrez le lecteur suivant",
    depths: "Selon le nombre de couches",
    chance: (chance) => `Pile ou face : ${chance}.`,
    bound: (bound) => `Le plus que puissent avoir des tokens qui n’entendent personne : ${bound}.`,
    boundWords: (bound) => `Tout ce que peut avoir un mot qui n’entend personne : ${bound}.`,
    note: (layers, seeds, tests) =>
      `${layers} couches ; moyenne ± écart de ${seeds} entraînements${tests ? `, testés sur ${tests}` : ""}.`,
  },
};

export const story = { ...words, stops: [...firstStops, ...laterStops] };
