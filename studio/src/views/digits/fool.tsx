// fool.tsx: a game: change a digit until the transformer reads another one; successes are counted.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../../parts/controls";
import { amount, change, word } from "../../state/recipe";
import { showStage, showError } from "../../state/session";
import { withStorage } from "../../state/theme";
import { strings } from "../../strings";
import { truthOf, type DigitFlights } from "./flight";
import { anotherDigit } from "./library";
import { begin } from "./picture";
import type { Sheet } from "./sheet";

interface Score {
  flips: number;
  fewest: number; // strokes; 0: none yet
}

function kept(): Score {
  const [flips, fewest] = (withStorage((storage) => storage.getItem("fooled")) ?? "").split(" ").map(Number);
  return { flips: flips > 0 ? flips : 0, fewest: fewest > 0 ? fewest : 0 };
}

const score = signal<Score>(kept());
const counted = new Set<string>();

/** One drawing counts once. */
export function countFlip(ink: string, strokes: number): void {
  if (counted.has(ink)) return;
  counted.add(ink);
  const { flips, fewest } = score.value;
  const now = Math.max(1, strokes);
  score.value = { flips: flips + 1, fewest: fewest === 0 ? now : Math.min(fewest, now) };
  withStorage((storage) => storage.setItem("fooled", `${score.value.flips} ${score.value.fewest}`));
}

/** A digit that the flock reads: the one on stage where it is one of the page's, else another. */
async function start(flights: DigitFlights): Promise<void> {
  const entry = flights.entry.value;
  if (!entry) return;
  const here = word("digit", "") === "" || word("ink", "") !== "" ? null : amount("digit", 0);
  const digit = here ?? (await anotherDigit(entry, -1));
  if (digit === null) return;
  begin({ digit, fool: digit, deaf: "" });
  showStage();
}

export function FoolCard({ flights, sheet }: { flights: DigitFlights; sheet: Sheet }) {
  const words = strings.digits;
  const on = word("fool", "") !== "";
  const ending = flights.ending.value;
  const truth = truthOf(flights.source.value, []);
  const flipped = on && ending !== null && truth !== null && ending.ink !== "" && ending.name !== truth;
  const won = flipped && !ending.neither;
  useEffect(() => {
    if (won) countFlip(ending.ink, sheet.strokes.value);
  }, [won, ending]);
  const { flips, fewest } = score.value;
  return (
    <div class="fool" data-on={on} data-flips={flips} data-won={won}>
      <p class="hint">{words.foolLead}</p>
      {on && <p class="fool-ink">{words.foolInk}</p>}
      {on ? (
        <p role="status">
          {truth === null || !ending
            ? words.foolWaits
            : won
              ? words.foolWon(truth, ending.name)
              : flipped
                ? words.foolNeither(ending.name)
                : words.foolNot(ending.name, ending.chance)}
        </p>
      ) : null}
      <div class="branch-buttons">
        {!on && <Button primary onClick={() => void start(flights).catch(showError)}>{words.foolStart}</Button>}
        {on && <Button onClick={() => begin({ digit: amount("fool", 0) })}>{words.foolAgain}</Button>}
        {on && <Button onClick={() => change({ fool: "" })}>{words.foolEnd}</Button>}
      </div>
      {flips > 0 && <p class="hint">{words.foolScore(flips, fewest)}</p>}
    </div>
  );
}
