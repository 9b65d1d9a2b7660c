// pairs.tsx: the choice between one digit and two, and the answers about two with and without attention.
import { useEffect, useMemo } from "preact/hooks";
import { Button, Segments } from "../../parts/controls";
import { amount, change, flag, word } from "../../state/recipe";
import { tell } from "../../state/session";
import { strings } from "../../strings";
import type { DigitFlights } from "./flight";
import { anotherDigit, anotherPair } from "./library";
import { kAsked, Opinions, type Asked, type Tally } from "./opinions";
import { begin } from "./picture";

/** Another test digit, or another pair. */
export async function flyRandom(flights: DigitFlights): Promise<void> {
  const entry = flights.entry.value;
  if (!entry) return;
  if (!flights.pair.value) {
    const digit = await anotherDigit(entry, amount("digit", -1));
    if (digit !== null) begin({ digit, ...(word("fool", "") === "" ? {} : { fool: digit }) });
    return;
  }
  const pair = await anotherPair(entry, amount("digit", -1));
  if (pair) begin({ digit: pair[0], digit2: pair[1], ink2: "" });
}

/** One digit, or same or different; where the page has swarms for both. */
export function TaskChoice({ flights }: { flights: DigitFlights }) {
  const words = strings.digits;
  const list = flights.list.value;
  const first = (task: string) => list.find((entry) => entry.task === task)?.name ?? "";
  if (first("same") === "") return null;
  return (
    <Segments
      label={words.tasks}
      value={flights.pair.value ? "same" : "digits"}
      options={[...words.taskNames]}
      onChange={(task) => {
        const model = first(task);
        change({
          model: model === list[0].name ? "" : model, ink: "", digit: "", ink2: "", digit2: "", points: "", edit: "",
          blocks: "", finer: "", boid: "", tally: "", deaf: "", fool: "",
        });
      }}
    />
  );
}

function Row({ asked, opinions, tally }: { asked: Asked; opinions: Opinions; tally: Tally | null }) {
  const words = strings.digits;
  const said = opinions.said.value[asked];
  const all = tally?.all ?? 0;
  return (
    <li data-asked={asked} data-said={said?.name} data-right={tally?.right[asked]}>
      <strong>{words.opinionNames[asked]}</strong>{" "}
      <span>{said ? words.opinion(said.name, said.chance) : words.opinionWaits}</span>
      {tally && all > 0 && (
        <span class="tally">
          <span class="tally-bar" aria-hidden="true">
            <i style={{ width: `${(100 * tally.right[asked]) / all}%` }} />
          </span>
          <span>{words.tally(tally.right[asked], tally.done)}</span>
        </span>
      )}
    </li>
  );
}

/** What both swarms say of this pair, and of a hundred. */
export function OpinionCard({ flights }: { flights: DigitFlights }) {
  const words = strings.digits;
  const opinions = useMemo(() => new Opinions(flights), [flights]);
  const counted = flag("tally", false);
  useEffect(() => opinions.follow(), [opinions]);
  useEffect(() => {
    if (counted) void opinions.count().catch(tell);
  }, [counted]);
  const tally = opinions.tally.value;
  const busy = tally !== null && (tally.all === 0 || tally.done < tally.all);
  return (
    <div class="opinions" data-done={tally && !busy ? tally.done : undefined}>
      <p class="hint">{words.opinionsLead}</p>
      <ul>
        {kAsked.map((asked) => <Row key={asked} asked={asked} opinions={opinions} tally={tally} />)}
      </ul>
      {!tally && <Button onClick={() => change({ tally: true }, true)}>{words.askBoth}</Button>}
      {busy && <p class="hint" role="status">{words.asking(tally.done, tally.all)}</p>}
      {tally && <p class="hint">{words.tallyNote}</p>}
    </div>
  );
}
