// look_for.ts: a hint on what to look for, computed from the current settings.
import type { Words } from "../../core/protocol";
import { flock as flockText } from "../../strings/flock";
import { stopOf } from "../story/stops";
import { kDefaults } from "./parameters";

/** Modified Bessel function I_1(x), by its series. */
function besselI1(x: number): number {
  let term = x / 2;
  let sum = term;
  for (let k = 1; k < 200 && term > 1e-16 * sum; ++k) {
    term *= (x * x) / 4 / (k * (k + 1));
    sum += term;
  }
  return sum;
}

/** The noise above which an even ring of unscaled attention (USA, d = 2, U1) is stable: 1 / kappa_c = I_1(beta) / beta. */
export function ringNoise(beta: number): number {
  return besselI1(beta) / beta;
}

/** One sentence or two for the settings. */
export function lookFor(words: Words): string {
  const said = flockText.look_for;
  const of = (key: string, initial: string | number) => String(words[key] ?? initial);
  const number = (key: string, initial: number) => Number(words[key] ?? initial);
  const dynamics = of("dynamics", kDefaults.dynamics);
  const [beta, d, T, noise] = [number("beta", 9), number("d", 3), number("T", 60), number("noise", 0)];
  if (noise > 0) {
    const ring = dynamics === "USA" && d === 2 && of("value", "identity") === "identity" && of("clock", "U1") === "U1";
    return ring ? said.ring(noise, ringNoise(beta)) : said.noise(noise);
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
