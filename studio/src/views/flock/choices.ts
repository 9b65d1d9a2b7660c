// choices.ts: helpers of the controls: changing the run, lists of options, values with an argument.
import { change } from "../../state/recipe";

export type Choices = { value: string; label: string }[];

/** Words that make another flight: what a hand did to the old one is gone, and so are kept frames. */
export function fly(words: Record<string, string | number | boolean>): void {
  change({ edit: "", at: "", run: "", ...words });
}

export function optionsOf(
  names: Readonly<Record<string, string>>,
  but: (value: string) => boolean = () => false,
): Choices {
  return Object.entries(names).filter(([value]) => !but(value)).map(([value, label]) => ({ value, label }));
}

/** "cap:0.4" -> ["cap", 0.4] */
export function lawOf(init: string): [string, number] {
  const [law, argument] = init.split(":", 2);
  return [law, Number(argument)];
}
