// faults.ts: errors of the core in the page's own texts: they name controls of the panel, not options of the command line.
import type { Fault, Words } from "../../core/protocol";
import { flock as flockText } from "../../strings/flock";

/** Names of the panel for parameters of the command line. */
function labelOf(parameter: string): string {
  const words: Record<string, unknown> = flockText;
  const label = words[parameter];
  return typeof label === "string" ? label : parameter;
}

/** The notice for a refusal: too large, a word that is no value, or settings that do not go together. */
export function inPageWords({ what, where, n, d, frames }: Fault, words: Words): { text: string; hint: string } {
  const said = flockText.faults;
  if (n !== undefined && d !== undefined && frames !== undefined) return { text: said.tooLarge(n, d, frames), hint: said.tooLargeHint };
  const [name, value] = where.split("=", 2); // the word that was refused
  if (name in words) return { text: said.noValue(value, labelOf(name)), hint: said.noValueHint(labelOf(name)) };
  return { text: said.refused(what), hint: said.refusedHint };
}
