// presets.ts: settings worth a look, most of them published, as parameters of the recipe.

export interface Preset {
  name: string;
  words: Record<string, string>;
}

/** The first is what the view shows by itself: no words at all. */
export const kPresets: Preset[] = [
  { name: "flagship", words: {} },
  { name: "one", words: { beta: "1", n: "200", T: "12", save: "every:T/240", seed: "1" } },
  { name: "metastable", words: { T: "10000", save: "log:300" } },
  { name: "circle", words: { n: "32", d: "2", beta: "9", T: "30", save: "log:240", seed: "0" } },
  {
    name: "causal",
    words: {
      dynamics: "causal", n: "200", d: "2", beta: "64", T: "150", save: "log:240", seed: "0", colour: "order",
    },
  },
  {
    name: "repulsion",
    words: {
      dynamics: "USA", value: "minus-identity", init: "cap:0.4", beta: "2", n: "200", T: "40", save: "log:240",
      seed: "0",
    },
  },
  {
    name: "noise",
    words: {
      dynamics: "USA", d: "2", beta: "1", noise: "0.2", method: "strang", dt: "0.05", T: "24", n: "200",
      save: "every:0.1", seed: "1", colour: "start",
    },
  },
  {
    name: "hardmax",
    words: { dynamics: "hardmax", d: "2", init: "box:1", n: "150", T: "8", save: "every:T/240", seed: "3" },
  },
  {
    name: "polytope",
    words: {
      dynamics: "rescaled", d: "3", beta: "1", init: "box:5", n: "80", T: "10", save: "every:T/240", seed: "0",
    },
  },
  {
    name: "heads",
    words: {
      heads: "3", query: "gaussian", key: "gaussian", value: "gaussian", beta: "2", n: "128", T: "20",
      save: "every:T/240", seed: "1", colour: "start", boid: "40",
    },
  },
];

/** Words of a preset that are of its look: another look is still the preset. */
const kPresetLooks = ["colour", "boid"];

/** Words that choose what is seen, not what is flown: a preset keeps the visitor's other looks. */
export const kLookWords = ["view", "lang", "trail", "linger", "masses", "hull", "after", "count"];

/** The preset whose words the recipe holds, or "". */
export function presetOf(recipe: Readonly<Record<string, string>>): string {
  const looks = [...kLookWords, "colour", "at", "boid", "edit", "normalise", "dome", "part", "head"];
  const rest = Object.entries(recipe).filter(([key]) => !looks.includes(key));
  const found = kPresets.find(({ words }) => {
    const own = Object.entries(words).filter(([key]) => !kPresetLooks.includes(key));
    return own.length === rest.length && own.every(([key, value]) => recipe[key] === value);
  });
  return found?.name ?? "";
}
