// opinions.ts: two transformers, one with attention and one without, asked about the same pairs of pictures.
import { effect, signal, untracked } from "@preact/signals";
import type { Core, Ink, TrainedInfo } from "../../core/protocol";
import { Film } from "../../state/film";
import { core, tell } from "../../state/session";
import { inkOf, type DigitFlights, type Source } from "./flight";
import { digitsHere, swarm, type SwarmEntry } from "./library";
import { chancesAt, leader } from "./reading";

export const kAsked = ["same", "alone"] as const;
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
 * combinations; every picture of a class stands in one four. With them, whether they are the same.
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

export interface Tally {
  done: number;
  all: number;
  right: Record<Asked, number>;
}

/** What both swarms say of the pair on stage, and of a hundred others when asked. */
export class Opinions {
  readonly said = signal<Partial<Record<Asked, Opinion>>>({});
  readonly tally = signal<Tally | null>(null);
  private turn = 0;
  private closed = false;

  constructor(private readonly flights: DigitFlights) {}

  /** Follows the pair on stage until the function it gives is called. */
  follow(): () => void {
    const stop = effect(() => {
      const source = this.flights.source.value;
      untracked(() => void this.ask(source).catch(tell));
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
