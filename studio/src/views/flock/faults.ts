// faults.ts: errors of the core in the page's own texts: they name controls of the panel, not options of the command line.
import type { Words } from "../../core/protocol";
import { flock as flockText } from "../../strings/flock";

/** Names of the panel for parameters of the command line. */
function labelOf(parameter: string): string {
  const words: Record<string, unknown> = flockText;
  const label = words[parameter];
  return typeof label === "string" ? label : parameter;
}

/** The notice for a refusal: too large, a word that is no value, or settings that do not go together. */
export function inPageWords(what: string, words: Words): { text: string; hint: string } {
  const said = flockText.faults;
  const large = /^(\d+) frames of (\d+) particles with (\d+) coordinates are too many/.exec(what);
  if (large) return { text: said.tooLarge(Number(large[2]), Number(large[3]), Number(large[1])), hint: said.tooLargeHint };
  const wrong = /^([a-z_]+|T) = (.*?): /.exec(what);
  if (wrong && wrong[1] in words) return { text: said.noValue(wrong[2], labelOf(wrong[1])), hint: said.noValueHint(labelOf(wrong[1])) };
  return { text: said.refused(what), hint: said.refusedHint };
}
