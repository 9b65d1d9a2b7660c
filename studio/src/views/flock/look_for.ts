// look_for.ts: texts about settings: what to look for, the stop of the Story that explains them, and why the core refused them.
import type { Fault, KnownResult, Words } from "../../core/protocol";
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

/** Whether tokens attend most to near ones and move towards them: Q, K and V are the identity. */
export function attendsToNear(words: Words): boolean {
  return ["query", "key", "value"].every((key) => String(words[key] ?? kPlain) === kPlain);
}

/** The stop of the Story that explains the settings. */
export function stopFor(words: Words): number {
  if (String(words.dynamics ?? kDefaults.dynamics) === "none") return stopOf("alone");
  if (attendsToNear(words)) return stopOf("attraction");
  return stopOf(String(words.value ?? kPlain) === kPlain ? "asking" : "messages");
}

/** Names of the panel for parameters of the command line. */
function labelOf(parameter: string): string {
  const words: Record<string, unknown> = flockText;
  const label = words[parameter];
  return typeof label === "string" ? label : parameter;
}

/** The notice for a refusal: too large, a word that is no value, or settings that do not go together. */
export function describeRefusal({ what, where, n, d, frames }: Fault, words: Words): { text: string; hint: string } {
  const said = flockText.faults;
  if (n !== undefined && d !== undefined && frames !== undefined) return { text: said.tooLarge(n, d, frames), hint: said.tooLargeHint };
  const [name, value] = where.split("=", 2); // the parameter that was refused
  if (name in words) return { text: said.noValue(value, labelOf(name)), hint: said.noValueHint(labelOf(name)) };
  return { text: said.refused(what), hint: said.refusedHint };
}
