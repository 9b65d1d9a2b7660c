// runs.ts : les mots sur les exécutions du visiteur.
import { percentFine as percent, thousands } from "../figures";
import type { runs as english } from "../runs";
import type { Translation } from "../translation";

const digitsTitle = (digits: readonly number[]) =>
  digits.length === 10 ? "dix chiffres" : `${digits.slice(0, -1).join(", ")} ou ${digits.at(-1)}`;

export const runs: Translation<typeof english> = {
  title: "Vos exécutions",
  digitsTitle,
  pairTitles: { same: "identiques ou non", alone: "identiques ou non, seuls" },
  shipped: "Avec la page",
  hint: "Exécutions du dossier donné à murmur studio.",
  swarm: (name, digits, accuracy) =>
    `${name} : ${digitsTitle(digits)}${accuracy === null ? "" : `, ${percent(accuracy)}`}`,
  about: (n, d, frames) => `${n} tokens, ${d} dimensions, ${frames === 1 ? "1 image" : `${frames} images`}`,
  status: { running: "encore en cours", interrupted: "interrompue", failed: "échouée" },
  damaged: (name, note) => `${name} est illisible : ${note}`,
  odd: "sa ligne dans la liste est incompréhensible",
  firstThree: (d) => `Ce transformer vit en ${d} dimensions ; les trois premières sont dessinées.`,
  otherData: (data) => `Ce transformer a appris de ${data}, pas des chiffres de MNIST.`,
  otherDataHint: "Ses classes portent leurs numéros de là-bas ; les chiffres de cette page lui sont étrangers.",
  missing: (name) => `Il n’y a pas d’exécution ${name} ici.`,
  missingSwarm: "Servez son dossier par murmur studio --runs DIR. À sa place, voici le transformer de la page.",
  missingFlight: "Servez son dossier par murmur studio --runs DIR. À sa place vole ce que le lien dit d’autre.",
  pictureOther: (command) => `Cette image a été faite par ${command}, que la page ne fait pas voler.`,
  pictureUnflown: (what) => `La page ne peut pas faire voler ce que montre cette image : ${what}.`,
  pictureHint: (name) => `murmur open ${name} dit comment elle a été faite, et la refait.`,
  noFile: (what) => `l’exécution n’a pas de ${what} lisible`,
  noFileRemedy: "voyez-la par murmur runs show, ou refaites-la",
  badLine: (line) => `la ligne ${line} du config.toml de l’exécution est incompréhensible`,
  badLineRemedy: "une ligne s’écrit key = value, comme murmur l’écrit ; refaites l’exécution",
  tooLarge: (numbers) => `les images conservées contiennent ${thousands(numbers)} nombres`,
  tooLargeRemedy: (most) =>
    `la page en montre jusqu’à ${thousands(most)} ; conservez moins d’images par save, ou prenez murmur render`,
  kept: (name) => `${name}, telle que conservée`,
  keptWhy: (words) => `La page montre les images conservées, car elle ne peut pas faire voler ${words.join(", ")} elle-même.`,
  keptHint: "Dans des images conservées, aucun token ne se déplace. Touchez un réglage, et la page revole avec ce qu’elle a.",
  keptAxes: (d) => `${d} dimensions, les trois premières sont dessinées`,
};
