// own_points.tsx: the visitor's own points as the start of a run; the recipe holds them.
import type { Points } from "../../export/read_points";
import { PointsError } from "../../export/read_points";
import { Button, Group, Switch } from "../../parts/controls";
import { change, flag, recipe, word } from "../../state/recipe";
import { flock as flockText } from "../../strings/flock";
import { fly } from "./panel";
import { toSphere } from "./projection";
import { habitatOf } from "./parameters";

export const kMostLetters = 300_000; // of the word, which every browser's address holds
export const kMostNumbers = 12_800; // in full precision, 23 letters each

/** Rows (n, d) as the word `init` of the command line. */
export function pointsWord(points: Points, digits = 6): string {
  const rows: string[] = [];
  for (let i = 0; i < points.n; ++i) {
    const row = points.rows.subarray(i * points.d, (i + 1) * points.d);
    rows.push(Array.from(row, (x) => String(Number(x.toPrecision(digits)))).join());
  }
  return `points:${rows.join(";")}`;
}

/** The words that fly own points: on the sphere when asked, else where they are, in R^d. */
export function pointsWords(points: Points, sphere: boolean): Record<string, string> {
  const rows = Float64Array.from(points.rows);
  if (sphere) toSphere(rows, points.d);
  const init = pointsWord({ ...points, rows });
  if (init.length > kMostLetters) {
    const words = flockText;
    throw new PointsError(words.ownTooMany(init.length), words.ownTooManyRemedy(kMostLetters), "");
  }
  return { init, n: "", d: "", habitat: sphere ? "" : "space" };
}

/** Starts a flight from them. */
export function takePoints(points: Points): void {
  const sphere = flag("normalise", habitatOf({ ...recipe.value, habitat: "" }) === "sphere");
  fly(pointsWords(points, sphere));
}

/** Choosing a file by hand, for those who do not drop. */
export function OwnPoints({ take }: { take(file: File): void }) {
  const words = flockText;
  const init = word("init", "");
  const rows = init.startsWith("points:") ? init.slice(7).split(";") : [];
  return (
    <Group title={words.own} open={rows.length > 0}>
      <p class="hint">
        {rows.length > 0 ? words.ownTaken(rows.length, rows[0].split(",").length) : words.ownHint}
      </p>
      <label class="button file">
        {words.ownChoose}
        <input
          type="file" accept=".npy,.csv,.tsv,.txt" class="visually-hidden"
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            if (file) take(file);
            event.currentTarget.value = "";
          }}
        />
      </label>
      <Switch
        label={words.ownNormalise} on={flag("normalise", true)}
        onChange={(on) => change({ normalise: on ? "" : "false" })}
      />
      {rows.length > 0 && <Button onClick={() => fly({ init: "", habitat: "" })}>{words.ownDrop}</Button>}
    </Group>
  );
}
