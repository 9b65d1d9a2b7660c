// flight.ts: from the recipe's words (model, ink, digit, points, finer, blocks) to the flight on stage.
import { batch, computed, effect, signal, untracked } from "@preact/signals";
import type { FlightInfo, Ink, TrainedInfo } from "../../core/protocol";
import { Branch } from "../../state/branch";
import { Film } from "../../state/film";
import { keepMoment, opening } from "../../state/moment";
import { Player } from "../../state/player";
import { askRuns, ownRuns } from "../../state/own_runs";
import { amount, recipe, word } from "../../state/recipe";
import { core, notice, tell } from "../../state/session";
import { strings } from "../../strings";
import { inkOfText, kFirstInk, kNoInk, placesOfText } from "./ink";
import { kOwn, ownSwarms, strangeData, swarm, swarms, testDigits, type SwarmEntry } from "./library";

/** What flies: the ink the swarm sees, with the digit it is where that is known; or places. */
export interface Source {
  ink: Ink | null;
  label: number | null;
  places: Float64Array | null;
}

const kFlightWords = ["model", "ink", "digit", "points", "finer", "blocks"];
const kRate = 2.5; // blocks a second
export const kNothing: Source = { ink: null, label: null, places: null };

/** The entry a recipe names; the first of the list where it names none. */
export function entryOf(list: readonly SwarmEntry[], name: string): SwarmEntry | null {
  return list.find((entry) => entry.name === name) ?? list[0] ?? null;
}

/** The test digit shown when nothing was drawn: the same one at every visit; null where the page's own ink fits. */
export function firstDigit(entry: SwarmEntry): number | null {
  return entry.digits.includes(5) ? null : 50 * entry.digits[0] + 7;
}

/** Places (n, 3) as (n, d): what a swarm of fewer dimensions cannot see is left out, more are 0. */
export function placesIn(places: Float64Array, d: number): Float64Array {
  if (d === 3) return places;
  const n = places.length / 3;
  const out = new Float64Array(n * d);
  for (let i = 0; i < n; ++i) for (let c = 0; c < Math.min(3, d); ++c) out[i * d + c] = places[3 * i + c];
  return out;
}

/** The landing view's player with everything that leads to its film. */
export class DigitFlights {
  readonly player = new Player(kRate);
  readonly branch = new Branch(this.player);
  private readonly shipped = signal<readonly SwarmEntry[]>([]);
  /** Swarms to choose: those of the page, then own ones. */
  readonly list = computed<readonly SwarmEntry[]>(() => [...this.shipped.value, ...ownSwarms(ownRuns.value.runs)]);
  readonly trained = signal<TrainedInfo | null>(null);
  readonly source = signal<Source>(kNothing);
  /** Whether something is on its way. */
  readonly busy = signal(true);
  readonly entry = computed(() => entryOf(this.list.value, word("model", "")));
  /** How many blocks and numbers the swarm has: its list says, or its model once that is here. */
  readonly size = computed(() => {
    const { blocks = 0, parameters = 0 } = (this.entry.value?.own ? this.trained.value : this.entry.value) ?? {};
    return { blocks, parameters };
  });
  private key = "";
  private edit = "";
  private turn = 0;
  private missed = "";
  private chosen = "";

  /** Follows the recipe until the function it gives is called. */
  follow(): () => void {
    const stop = effect(() => {
      const words = recipe.value;
      const key = kFlightWords.map((name) => words[name] ?? "").join("&");
      const edit = words.edit ?? "";
      if (key !== this.key || this.turn === 0) void this.start();
      else if (edit !== this.edit) void this.branch.refresh();
      this.key = key;
      this.edit = edit;
    });
    const stopKeeping = keepMoment(this.player);
    return () => {
      stop();
      stopKeeping();
      ++this.turn;
      this.branch.close();
    };
  }

  private async start(): Promise<void> {
    const turn = ++this.turn;
    const begin = untracked(opening);
    this.busy.value = true;
    try {
      const name = word("model", "");
      const [shipped] = await Promise.all([swarms(), name.startsWith(kOwn) ? askRuns() : null]);
      if (turn !== this.turn) return;
      this.shipped.value = shipped;
      this.tellMissing(name);
      const entry = entryOf(this.list.value, name);
      if (!entry) {
        notice.value = { kind: "fault", text: strings.digits.noSwarms, hint: strings.digits.noSwarmsHint };
        return;
      }
      const [trained, source] = await Promise.all([swarm(entry), this.find(entry)]);
      if (turn !== this.turn) return;
      if (entry.name !== this.chosen) void this.tellData(entry);
      this.chosen = entry.name;
      const awake = await core;
      const info = await this.takeOff(trained, source);
      if (turn !== this.turn) {
        if (info) await awake.close(info.id);
        return;
      }
      await batch(() => {
        this.trained.value = trained;
        this.source.value = source; // with its film: no flight is drawn with another swarm's gates
        return info ? this.branch.load(new Film(awake, info), begin) : this.branch.close();
      });
    } catch (error) {
      if (turn === this.turn) tell(error);
    } finally {
      if (turn === this.turn) this.busy.value = false;
    }
  }

  /** Says once that a link names an own run that is not here. */
  private tellMissing(name: string): void {
    if (!name.startsWith(kOwn) || name === this.missed || this.list.value.some((e) => e.name === name)) return;
    this.missed = name;
    const { missing, missingSwarm } = strings.runs;
    notice.value = { kind: "info", text: missing(name.slice(kOwn.length)), hint: missingSwarm };
  }

  /** Says of an own swarm that it learned other pictures than the page's digits. */
  private async tellData(entry: SwarmEntry): Promise<void> {
    const data = await strangeData(entry).catch(() => null);
    if (data === null || this.entry.value?.name !== entry.name) return;
    notice.value = { kind: "info", text: strings.runs.otherData(data), hint: strings.runs.otherDataHint };
  }

  private async takeOff(trained: TrainedInfo, source: Source): Promise<FlightInfo | null> {
    const blocks = amount("blocks", 0, 0, 4 * trained.blocks);
    const finer = [1, 2, 4].includes(amount("finer", 1)) ? amount("finer", 1) : 1;
    const awake = await core;
    if (source.places) {
      const places = placesIn(source.places, trained.d);
      return awake.flockOfPoints(trained.id, places, places.length / trained.d, { blocks });
    }
    return source.ink && awake.flock(trained.id, source.ink, { finer, blocks });
  }

  /** What the recipe's words `points`, `ink` and `digit` say, in this order. */
  private async find(entry: SwarmEntry): Promise<Source> {
    const places = placesOfText(word("points", ""));
    if (places) return { ink: null, label: null, places };
    const ink = word("ink", "");
    if (ink === kNoInk) return kNothing;
    const drawn = ink === "" ? null : inkOfText(ink);
    if (drawn) return { ink: drawn, label: null, places: null };
    const asked = word("digit", "") === "" ? firstDigit(entry) : Math.round(amount("digit", 0, 0));
    const own = { ink: inkOfText(kFirstInk), label: 5, places: null };
    if (asked === null) return own;
    try {
      const digits = await testDigits();
      const k = Math.min(asked, digits.count - 1);
      return { ink: digits.ink(k), label: digits.labels[k], places: null };
    } catch {
      notice.value = { kind: "info", text: strings.digits.noDigits, hint: strings.digits.noDigitsHint };
      return own;
    }
  }
}
