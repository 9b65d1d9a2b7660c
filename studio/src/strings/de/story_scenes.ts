// story_scenes.ts: die Worte der Szenen, so geschrieben, dass auch auf Deutsch ein Wort zwei Bedeutungen hat: Bank und Nagel.
const kSaid: Readonly<Record<string, string>> = {
  bank: "Bank", river: "Fluss", money: "Geld", muddy: "schlammig", lent: "lieh", the: "die", was: "war", me: "mir", boat: "Boot",
  nail: "Nagel", ocean: "Ozean", leaks: "leckt", emergency: "Notfall",
  small: "kleine", brown: "braune", puppy: "Welpe", sleeps: "schläft",
  dog: "Hund", bites: "beißt", man: "Mann",
  mud: "Schlamm", shore: "Ufer", loan: "Kredit", coin: "Münze", vault: "Tresor", rate: "Zins", hammer: "Hammer", plank: "Brett",
  cold: "kalte", feet: "Füße", before: "vor", wedding: "Hochzeit",
  fish: "Fisch", reeds: "Schilf", CLS: "CLS",
  sea: "Ozean", lake: "See", shop: "Laden", till: "Beutel", moon: "Mond",
  rivers: "Flüsse", run: "fließen", down: "hinab", to: "in", "the…": "den…",
  coins: "Münzen", lie: "wandern", safe: "sicher", in: "in",
};

/** Wo ein Wort an einer Station anders heißt. */
const kAt: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  listening: { was: "im", muddy: "versandet" },
  asking: { the: "der" },
  levels: { the: "der" },
  next: { shore: "Strand" },
};

export const said = (stop: string, word: string): string => kAt[stop]?.[word] ?? kSaid[word] ?? word;
export const row = ["Fluss", "Nebel", "Stille", "so", "lagen", "wir", "zwei", "auf", "der", "Bank"] as const;
