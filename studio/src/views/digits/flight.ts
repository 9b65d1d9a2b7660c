// flight.ts: from the recipe's parameters (model, ink, digit, points, finer, blocks) to the run on stage.
import { batch, computed, effect, signal, untracked } from "@preact/signals";
import type { FlightInfo, Ink, TrainedInfo } from "../../core/protocol";
import { Branch } from "../../state/branch";
import { Film } from "../../state/film";
import { keepMoment, opening } from "../../state/moment";
import { Player } from "../../state/player";
import { askRuns, ownRuns } from "../../state/own_runs";
import { amount, recipe, word } from "../../state/recipe";
import { core, notice, showError } from "../../state/session";
import { viewNow } from "../../state/views";
import { strings } from "../../strings";
import { decodeInk, kFirstInk, kNoInk, decodePlaces } from "./ink";
import {
  digitLaws, keepSwarms, kOwn, ownSwarms, strangeData, swarm, swarms, taskOf, testDigits, type SwarmEntry,
} from "./library";
import { strangeness } from "./neither";
import { chancesAt, leader } from "./reading";
import { grown } from "./sheet";

/** A picture the swarm sees, with the digit it is where that is known. */
export interface Drawn {
  ink: Ink | null;
  label: number | null;
}

/** What flies: one picture, or two that are to be compared; or places. */
export interface Source extends Drawn {
  other: Drawn | null;
  places: Float64Array | null;
}

/** What a flight comes to: the class it votes for, its chance, and whether the ink is unlike that digit. */
export interface Ending {
  name: string;
  chance: number;
  neither: boolean;
  ink: string; // the word of the drawing; empty for a test digit
}

const kFlightWords = ["model", "ink", "digit", "ink2", "digit2", "points", "finer", "blocks", "deaf", "fool"];
/** The pads by what their words end with: `ink` and `digit` of the only or the left one, `ink2` and `digit2`. */
export type PadName = "" | "2";
const kFirstPair = { "": 320, "2": 345 }; // two sixes
const kRate = 2.5; // blocks a second
export const kNothing: Source = { ink: null, label: null, other: null, places: null };

/** The class that is right, as far as the digits are known. */
export function truthOf({ label, other }: Source, classes: readonly string[]): string | null {
  if (!other) return label === null ? null : String(label);
  if (label === null || other.label === null) return null;
  return classes[label === other.label ? 0 : 1];
}

/** What takes off: one picture, or both once both are there; null: nothing yet. */
export function inkOf({ ink, other }: Source): Ink | readonly [Ink, Ink] | null {
  if (!ink || !other) return ink;
  return other.ink && [ink, other.ink];
}

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
  /** How many blocks and numbers the swarm has, and whether the blocks share them: its list says, or its model once that is here. */
  readonly size = computed(() => {
    const { blocks = 0, parameters = 0, shared = false } = (this.entry.value?.own ? this.trained.value : this.entry.value) ?? {};
    return { blocks, parameters, shared };
  });
  /** Whether two pictures are compared. */
  readonly pair = computed(() => (this.entry.value?.task ?? this.trained.value?.task) === "same");
  /** The same picture run by the same swarm with its attention off, next to it; null if that is not requested. */
  readonly beside = signal<Film | null>(null);
  /** What the flight on stage comes to, known before it is there; and what it was before the last stroke. */
  readonly ending = signal<Ending | null>(null);
  readonly before = signal<Ending | null>(null);
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
      this.putBeside(null);
      keepSwarms(["digits", "fields"].includes(viewNow()) ? 1 : 0); // other views need none
    };
  }

  private putBeside(film: Film | null): void {
    this.beside.value?.close();
    this.beside.value = film;
    void film?.need(film.last);
  }

  /** Runs to the end in the background and returns the result. */
  private async foresee(film: Film, { ink, other }: Source, entry: SwarmEntry): Promise<void> {
    const text = word("ink", "");
    const before = text !== "" && text === grown.value ? this.ending.value : null;
    this.ending.value = null;
    this.before.value = before;
    if (!(await film.need(film.last)) || film !== this.branch.original) return;
    const chances = chancesAt(film, film.last);
    const best = leader(chances);
    const name = film.info.classes[best];
    const laws = ink && !other && !entry.own ? await digitLaws().catch(() => null) : null;
    if (film !== this.branch.original) return;
    const neither = laws !== null && ink !== null && strangeness(laws, ink, Number(name)) > 1;
    this.ending.value = { name, chance: chances[best], neither, ink: text };
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
      const pair = (await taskOf(entry)) === "same";
      const [trained, source] = await Promise.all([swarm(entry), this.find(entry, pair)]);
      if (turn !== this.turn) return;
      if (entry.name !== this.chosen) void this.tellData(entry);
      this.chosen = entry.name;
      const awake = await core;
      const info = await this.takeOff(trained, source);
      const deaf = info && word("deaf", "") !== "" ? await this.takeOff(await swarm(entry, true), source) : null;
      if (turn !== this.turn) {
        for (const one of [info, deaf]) if (one) await awake.close(one.id);
        return;
      }
      const film = info && new Film(awake, info);
      const loading = batch(() => {
        this.trained.value = trained;
        this.source.value = source; // with its film: no flight is drawn with another swarm's gates
        this.putBeside(deaf && new Film(awake, deaf));
        return film ? this.branch.load(film, begin) : this.branch.close();
      });
      if (film) void this.foresee(film, source, entry);
      await loading;
    } catch (error) {
      if (turn === this.turn) showError(error);
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
    const ink = inkOf(source);
    return ink && awake.flock(trained.id, ink, { finer, blocks });
  }

  /** What the recipe's words `points`, `ink` and `digit` say, in this order. */
  private async find(entry: SwarmEntry, pair: boolean): Promise<Source> {
    const places = decodePlaces(word("points", ""));
    if (places) return { ...kNothing, places };
    if (!pair) return { ...kNothing, ...(await this.drawn("", firstDigit(entry))), ...(await this.fooled()) };
    const [left, right] = await Promise.all((["", "2"] as const).map((pad) => this.drawn(pad, kFirstPair[pad])));
    return { ...left, other: right, places: null };
  }

  /** The digit that a drawing was before a visitor set out to fool the flock. */
  private async fooled(): Promise<{ label?: number }> {
    const asked = word("fool", "");
    if (!/^\d{1,4}$/.test(asked)) return {};
    const labels = await testDigits().then((digits) => digits.labels, () => []);
    return Number(asked) < labels.length ? { label: labels[Number(asked)] } : {};
  }

  /** What is on a pad; `first`: the test digit where the recipe says nothing, null: the page's own ink. */
  private async drawn(pad: PadName, first: number | null): Promise<Drawn> {
    const ink = word(`ink${pad}`, "");
    if (ink === kNoInk) return { ink: null, label: null };
    const drawn = ink === "" ? null : decodeInk(ink);
    if (drawn) return { ink: drawn, label: null };
    const asked = word(`digit${pad}`, "") === "" ? first : Math.round(amount(`digit${pad}`, 0, 0));
    const own = { ink: decodeInk(kFirstInk), label: 5 };
    if (asked === null) return own;
    try {
      const digits = await testDigits();
      const k = Math.min(asked, digits.count - 1);
      return { ink: digits.ink(k), label: digits.labels[k] };
    } catch {
      notice.value = { kind: "info", text: strings.digits.noDigits, hint: strings.digits.noDigitsHint };
      return own;
    }
  }
}
