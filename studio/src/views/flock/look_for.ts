// look_for.ts: a hint on what to look for, computed from the current settings.
import type { KnownResult, Words } from "../../core/protocol";
import { flock as flockText } from "../../strings/flock";
import { stopOf } from "../story/stops";
import { kDefaults } from "./parameters";

/** One sentence or two for the settings; `known`: what the core knows of them. */
export function lookFor(words: Words, known: readonly KnownResult[] = []): string {
  const said = flockText.look_for;
  const of = (key: string, initial: string | number) => String(words[key] ?? initial);
  const number = (key: string, initial: number) => Number(words[key] ?? initial);
  const dynamics = of("dynamics", kDefaults.dynamics);
  const [beta, d, T, noise] = [number("beta", 9), number("d", 3), number("T", 60), number("noise", 0)];
  if (noise > 0) {
    const threshold = known.find(({ name }) => name === "noise-threshold");
    return threshold && d === 2 ? said.ring(noise, Number(threshold.values[1])) : said.noise(noise);
  }
  const drawn = ["query", "key", "value"].some((key) => /gaussian|goe|wigner/.test(of(key, "identity")));
  if (drawn || number("heads", 1) > 1) return said.drawn(number("heads", 1));
  if (of("value", "identity") === "minus-identity") return said.flee;
  if (dynamics !== "SA" && dynamics !== "USA") return said.of[dynamics] ?? "";
  if (of("perceptron", "none") !== "none") return said.will;
  if (beta <= 1.5) return said.one(beta);
  return T >= 1000 ? said.wait(beta) : said.groups(beta, d);
}

const kPlain = "identity";

/** Whether the near are heard loudest and drawn to: no matrix turns what is asked, shown or said. */
export function hearsTheNear(words: Words): boolean {
  return ["query", "key", "value"].every((key) => String(words[key] ?? kPlain) === kPlain);
}

/** The stop of the Story that tells what the settings show. */
export function stopFor(words: Words): number {
  if (String(words.dynamics ?? kDefaults.dynamics) === "none") return stopOf("alone");
  if (hearsTheNear(words)) return stopOf("attraction");
  return stopOf(String(words.value ?? kPlain) === kPlain ? "asking" : "messages");
}
