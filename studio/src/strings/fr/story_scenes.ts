// story_scenes.ts : les mots des scènes, choisis pour qu’en français aussi un mot ait deux sens : liquide et coque.
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
