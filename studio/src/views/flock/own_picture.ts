// own_picture.ts: a picture or film made by the program, run again here from the settings in the file.
import type { ProgramRecipe } from "../../export/program_recipe";
import { parseConfig } from "../../state/own_runs";
import { follow, formatRecipe } from "../../state/recipe";
import { core, notice } from "../../state/session";
import { strings } from "../../strings";
import { kMostNumbers } from "./own_points";
import { planOf } from "./run_settings";

/** Shows the flight that a picture is of; says why not where the page cannot fly it. */
export async function openPicture(made: ProgramRecipe, name: string): Promise<void> {
  const words = strings.runs;
  if (made.kind !== "simulate") {
    notice.value = { kind: "info", text: words.pictureOther(made.command), hint: words.pictureHint(name) };
    return;
  }
  const { parameters } = await (await core).about();
  const initials = Object.fromEntries(parameters.map((row) => [row.name, row.initial]));
  const plan = planOf(parseConfig(made.config, name), initials, { frames: 0, most: kMostNumbers });
  if (plan.why.length > 0 || plan.points) {
    const why = plan.points ? ["init"] : plan.why;
    notice.value = { kind: "info", text: words.pictureUnflown(why.join(", ")), hint: words.pictureHint(name) };
    return;
  }
  follow(formatRecipe({ view: "flock", ...plan.words }));
}
