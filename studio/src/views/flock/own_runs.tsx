// own_runs.tsx: the visitor's own runs: run again from their settings, or shown as saved.
import { signal } from "@preact/signals";
import { fetchKept, KeptFilm, readNumbers } from "../../state/kept_film";
import { Group } from "../../parts/controls";
import { askRuns, fetchOfRun, ownRuns, parseConfig, runNamed, shownAs, type OwnRun } from "../../state/own_runs";
import { change, recipe } from "../../state/recipe";
import { core, notice, showError } from "../../state/session";
import { strings } from "../../strings";
import { kMostNumbers, pointsWord } from "./own_points";
import { kLookWords } from "./parameters";
import { habitatOfRun, planOf, type Config, type Plan } from "./run_settings";

const kDigits = 17; // of a coordinate: all it has

/** The run chosen last, and its parameters: it stays marked as long as the recipe holds them. */
const taken = signal<{ name: string; words: Record<string, string> } | null>(null);

async function configOf(run: OwnRun): Promise<Config> {
  const answer = await fetchOfRun(run.config, "config.toml");
  return parseConfig(await answer.text(), `${run.name}/config.toml`);
}

async function planFor(run: OwnRun, config: Config): Promise<Plan> {
  const { parameters } = await (await core).about();
  const initials = Object.fromEntries(parameters.map((row) => [row.name, row.initial]));
  return planOf(config, initials, { frames: run.frames, most: kMostNumbers });
}

/** The first frame of a run as the word `init`. */
async function startOf(run: OwnRun): Promise<string> {
  const { n, d } = run;
  const enough = { Range: `bytes=0-${8 * n * d + 4095}` };
  const answer = await fetchOfRun(run.trajectory, "trajectory.npy", enough);
  const { values } = readNumbers(await answer.arrayBuffer(), "trajectory.npy", n * d);
  return pointsWord({ rows: Float64Array.from(values), n, d }, kDigits);
}

/** Puts a run into the recipe: its words, and its name where only its kept frames can be shown. */
async function take(run: OwnRun): Promise<void> {
  const plan = await planFor(run, await configOf(run));
  const words = { ...plan.words };
  if (plan.why.length > 0) words.run = run.name;
  else if (plan.points) words.init = await startOf(run);
  const gone = Object.keys(recipe.value).filter((key) => !kLookWords.includes(key));
  change({ ...Object.fromEntries(gone.map((key) => [key, ""])), ...words });
  taken.value = { name: run.name, words };
}

/** The saved frames of a run; null, with a notice, if there is no such run. */
export async function keptFilm(name: string): Promise<KeptFilm | null> {
  const run = runNamed(await askRuns(), name);
  if (!run) {
    notice.value = { kind: "info", text: strings.runs.missing(name), hint: strings.runs.missingFlight };
    return null;
  }
  const config = await configOf(run);
  const [kept, plan] = await Promise.all([fetchKept(run), planFor(run, config)]);
  return new KeptFilm(run, kept, { habitat: habitatOfRun(config), why: plan.why });
}

function isShown(run: OwnRun): boolean {
  const now = recipe.value;
  if (now.run !== undefined) return now.run === run.name;
  return taken.value?.name === run.name && Object.entries(taken.value.words).every(([key, value]) => now[key] === value);
}

export function OwnRuns() {
  const words = strings.runs;
  const { runs, damaged } = ownRuns.value;
  const flights = shownAs(runs, "trajectory");
  if (flights.length + damaged.length === 0) return null;
  return (
    <Group title={words.title}>
      <p class="hint">{words.hint}</p>
      <ul class="runs" data-runs={flights.length}>
        {flights.map((run) => (
          <li key={run.name}>
            <button
              type="button" class="button run" aria-pressed={isShown(run)} data-run={run.name}
              onClick={() => void take(run).catch(showError)}
            >
              <strong>{run.name}</strong>
              <small>
                {words.about(run.n, run.d, run.frames)}
                {words.status[run.status] ? `; ${words.status[run.status]}` : ""}
              </small>
            </button>
          </li>
        ))}
      </ul>
      {damaged.map(({ name, note }) => (
        <p class="hint" key={name} data-damaged={name}>{words.damaged(name, note)}</p>
      ))}
    </Group>
  );
}
