// runs.ts: die Worte über die eigenen Läufe der Besucher.
import { percentFine as percent, thousands } from "../figures";
import type { runs as english } from "../runs";
import type { Translation } from "../translation";

const digitsTitle = (digits: readonly number[]) =>
  digits.length === 10 ? "zehn Ziffern" : `${digits.slice(0, -1).join(", ")} oder ${digits.at(-1)}`;

export const runs: Translation<typeof english> = {
  title: "Deine Läufe",
  digitsTitle,
  pairTitles: { same: "gleich oder nicht", alone: "gleich oder nicht, allein" },
  shipped: "Mit der Seite",
  hint: "Läufe des Ordners, den murmur studio bekommen hat.",
  swarm: (name, digits, accuracy) =>
    `${name}: ${digitsTitle(digits)}${accuracy === null ? "" : `, ${percent(accuracy)}`}`,
  about: (n, d, frames) => `${n} Token, ${d} Dimensionen, ${frames === 1 ? "1 Bild" : `${frames} Bilder`}`,
  status: { running: "läuft noch", interrupted: "unterbrochen", failed: "gescheitert" },
  damaged: (name, note) => `${name} ist nicht lesbar: ${note}`,
  odd: "seine Zeile in der Liste ist nicht zu verstehen",
  firstThree: (d) => `Dieser Transformer lebt in ${d} Dimensionen; die ersten drei sind gezeichnet.`,
  otherData: (data) => `Dieser Transformer hat aus ${data} gelernt, nicht aus den Ziffern von MNIST.`,
  otherDataHint: "Seine Klassen heißen nach ihren Nummern dort; die Ziffern dieser Seite sind ihm fremd.",
  missing: (name) => `Einen Lauf ${name} gibt es hier nicht.`,
  missingSwarm: "Stell seinen Ordner mit murmur studio --runs DIR bereit. Gezeigt wird der eigene Transformer der Seite.",
  missingFlight: "Stell seinen Ordner mit murmur studio --runs DIR bereit. Geflogen wird, was der Link sonst sagt.",
  pictureOther: (command) => `Dieses Bild hat ${command} gemacht, was die Seite nicht fliegt.`,
  pictureUnflown: (what) => `Die Seite kann nicht fliegen, was dieses Bild zeigt: ${what}.`,
  pictureHint: (name) => `murmur open ${name} sagt, wie es entstand, und macht es noch einmal.`,
  noFile: (what) => `der Lauf hat kein lesbares ${what}`,
  noFileRemedy: "sieh ihn mit murmur runs show an, oder flieg ihn noch einmal",
  badLine: (line) => `Zeile ${line} der config.toml des Laufs ist nicht zu verstehen`,
  badLineRemedy: "eine Zeile lautet key = value, wie murmur sie schreibt; flieg den Lauf noch einmal",
  tooLarge: (numbers) => `die aufbewahrten Bilder enthalten ${thousands(numbers)} Zahlen`,
  tooLargeRemedy: (most) =>
    `die Seite zeigt bis zu ${thousands(most)}; bewahre mit save weniger Bilder auf, oder nimm murmur render`,
  kept: (name) => `${name}, wie er aufbewahrt wurde`,
  keptWhy: (words) => `Die Seite zeigt die aufbewahrten Bilder, denn ${words.join(", ")} kann sie selbst nicht fliegen.`,
  keptHint: "In aufbewahrten Bildern lässt sich kein Token bewegen. Dreh an einem Regler, und die Seite fliegt neu mit dem, was sie kann.",
  keptAxes: (d) => `${d} Dimensionen, die ersten drei sind gezeichnet`,
};
