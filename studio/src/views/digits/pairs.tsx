// pairs.tsx: the choice between one digit and two, and what transformers with and without attention say of two.
import { effect, signal, untracked } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Core, Ink, TrainedInfo } from "../../core/protocol";
import { Button, Segments } from "../../parts/controls";
import { Film } from "../../state/film";
import { amount, change, flag, word } from "../../state/recipe";
import { core, showError } from "../../state/session";
import { strings } from "../../strings";
import { type DigitFlights, inkOf, type Source } from "./flight";
import { anotherDigit, anotherPair, digitsHere, swarm, type SwarmEntry } from "./library";
import { begin } from "./picture";
import { chancesAt, leader } from "./reading";

interface Tensor {
  data_offsets: [number, number];
}

/** A safetensors file with M and b_M of every layer 0: x + residual (M o + b_M) is x, all else stays as trained. */
export function withoutAttention(bytes: ArrayBuffer): ArrayBuffer {
  const copy = bytes.slice(0);
  const length = Number(new DataView(copy).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(copy, 8, length))) as Record<string, Tensor>;
  for (const [name, tensor] of Object.entries(header)) {
    if (!/^blocks\.\d+\.mix(_bias)?$/.test(name)) continue;
    const [from, to] = tensor.data_offsets;
    new Uint8Array(copy, 8 + length + from, to - from).fill(0);
  }
  return copy;
}

const kAsked = ["same", "alone"] as const;
export type Asked = (typeof kAsked)[number];
export type Pair = readonly [Ink, Ink];

/** What a swarm says in the end: the name of a class, with its chance. */
export interface Opinion {
  name: string;
  chance: number;
}

/** Flies a picture, or a pair, to its end. */
export async function opinionOf(awake: Core, trained: TrainedInfo, ink: Ink | Pair): Promise<Opinion> {
  const film = new Film(awake, await awake.flock(trained.id, ink));
  try {
    await film.need(film.last);
    const chances = chancesAt(film, film.last);
    const best = leader(chances);
    return { name: trained.classes[best], chance: chances[best] };
  } finally {
    film.close();
  }
}

/**
 * Pairs of test digits (k, l) in fours: two left and two right pictures, one of each class, in all four
 * combinations; every picture of a class is in one four. With them, whether they are the same.
 */
export function foursOf(labels: readonly number[], [one, two]: readonly number[]): [number, number, boolean][] {
  const of = (digit: number) => labels.flatMap((label, k) => (label === digit ? [k] : []));
  const [ones, twos] = [of(one), of(two)];
  const half = Math.floor(Math.min(ones.length, twos.length) / 2);
  return Array.from({ length: half }, (_, k) => k).flatMap((k): [number, number, boolean][] => {
    const [left, right] = [[ones[k], twos[k]], [ones[half + k], twos[half + k]]];
    return [0, 1].flatMap((l) => [0, 1].map((r): [number, number, boolean] => [left[l], right[r], l === r]));
  });
}

interface Tally {
  done: number;
  all: number;
  right: Record<Asked, number>;
}

/** What both swarms say of the pair on stage, and of a hundred others when asked. */
class Opinions {
  readonly said = signal<Partial<Record<Asked, Opinion>>>({});
  readonly tally = signal<Tally | null>(null);
  private turn = 0;
  private closed = false;

  constructor(private readonly flights: DigitFlights) {}

  /** Follows the pair on stage until the function it gives is called. */
  follow(): () => void {
    const stop = effect(() => {
      const source = this.flights.source.value;
      untracked(() => void this.ask(source).catch(showError));
    });
    return () => {
      stop();
      ++this.turn;
      this.closed = true;
    };
  }

  private async trained(name: Asked): Promise<TrainedInfo | null> {
    const entry = this.flights.list.value.find((one: SwarmEntry) => one.name === name);
    return entry ? swarm(entry) : null;
  }

  private async ask(source: Source): Promise<void> {
    const turn = ++this.turn;
    this.said.value = {};
    const pair = source.other && inkOf(source);
    if (!pair || "pixels" in pair) return;
    const awake = await core;
    for (const name of kAsked) {
      const trained = await this.trained(name);
      const opinion = trained && turn === this.turn && (await opinionOf(awake, trained, pair));
      if (turn !== this.turn) return;
      if (opinion) this.said.value = { ...this.said.value, [name]: opinion };
    }
  }

  /** Puts all pairs of the page's test digits to both. */
  async count(): Promise<void> {
    if (this.tally.value) return;
    const right = { same: 0, alone: 0 };
    this.tally.value = { done: 0, all: 0, right };
    try {
      const [awake, digits] = await Promise.all([core, digitsHere()]);
      const swarms = await Promise.all(kAsked.map((name) => this.trained(name)));
      const pairs = foursOf(digits.labels, swarms[0]?.digits ?? [5, 6]);
      for (const [k, [left, other, same]] of pairs.entries()) {
        for (const [s, name] of kAsked.entries()) {
          const trained = swarms[s];
          if (this.closed || !trained) return;
          const opinion = await opinionOf(awake, trained, [digits.ink(left), digits.ink(other)]);
          if (opinion.name === trained.classes[same ? 0 : 1]) ++right[name];
        }
        this.tally.value = { done: k + 1, all: pairs.length, right: { ...right } };
      }
    } catch (error) {
      this.tally.value = null;
      throw error;
    }
  }
}

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
    if (counted) void opinions.count().catch(showError);
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
