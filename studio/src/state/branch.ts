// branch.ts: edits by hand: tokens moved at a frame, and the run that continues from there.
import { computed, effect, signal, untracked } from "@preact/signals";
import type { Core, FlightInfo } from "../core/protocol";
import { Film } from "./film";
import {
  addMoves, formatMoves, groupMoves, lift, parseMoves, reachOf, shiftTogether, turnTogether, type Move,
} from "./moves";
import type { Player } from "./player";
import { change, word } from "./recipe";
import { core, notice, showError } from "./session";
import { reducedMotion } from "./theme";
import { strings } from "../strings";

/** A branch's film, with the frames before it as `parent` has them: it can be scrubbed from the start. */
export function continueFilm(awake: Core, info: FlightInfo, parent: Film): Film {
  const film = new Film(awake, { ...info, first: parent.first });
  const k = info.first;
  const { n, d, columns, classes } = info;
  film.times.set(parent.times.subarray(0, k));
  film.positions.set(parent.positions.subarray(0, k * n * d));
  film.observables.set(parent.observables.subarray(0, k * columns.length));
  film.cosines.set(parent.cosines.subarray(0, k * (parent.cosines.length / info.frames)));
  film.scores.set(parent.scores.subarray(0, k * classes.length));
  film.verdicts.set(parent.verdicts.subarray(0, film.verdicts.length > 0 ? k * n : 0));
  film.flown.value = k;
  return film;
}

interface Link {
  first: number;
  film: Film;
}

/** The recipe's word `boid`: "4" or "4,7"; what is no boid is left out. */
export function parseBoids(text: string): number[] {
  return text.split(",").filter((piece) => /^\d{1,6}$/.test(piece)).map(Number);
}

/**
 * The branch of one view's player. The view
 * - makes one (`new Branch(player)`) and puts <Hand branch stage layer/> into its scene and
 *   <BranchControls branch/> into its controls (parts/branch.tsx);
 * - gives every new flight to `load` instead of to the player: it reads the recipe's `edit`, and the player gets
 *   the branch as `film` and the flight as it was as `ghost`; at the end it calls `close`;
 * - lets `followChoice` keep the boids that are picked in the recipe's `boid`;
 * - calls `refresh` when nothing of the recipe but `edit` changed (a hand let go, undo, a link);
 * - says `edit: ""` together with every change that makes another flight;
 * - calls `overlay` on the places of `film` before it shows them, shows `ghost` as a translucent second layer at
 *   the same fractional frame when `branched`, and marks `chosen`;
 * - asks the core for gaze and velocity of the flight `flightAt(frame)`.
 * A branch's film has the frames before it too, so that it is scrubbed like any other.
 */
export class Branch {
  /** Whether dragging moves boids rather than the camera. */
  readonly moving = signal(false);
  /** The boids picked by click, lasso or keys. */
  readonly chosen = signal<readonly number[]>([]);
  /** Where boids are held, (d) each, before they are let go. */
  readonly held = signal<ReadonlyMap<number, readonly number[]>>(new Map());
  /** The line of a lasso being drawn, in CSS pixels of the canvas. */
  readonly lasso = signal<{ x: number; y: number }[]>([]);
  readonly branched = computed(() => this.player.ghost.value !== null);
  /** The scene's axes in the flight's space (3, d); null: the first three coordinates. */
  axes: Float64Array | null = null;
  /** Where a boid at `place` (d) gets, moved by `delta` of the scene; a view with curved space has its own. */
  lift = (place: readonly number[], delta: readonly number[]): number[] =>
    lift(place, delta, this.player.film.value?.info.habitat === "sphere", this.axes);
  private links: Link[] = [];
  private from = new Map<number, readonly number[]>();
  private lead = 0; // the boid under the hand: the others move as it does
  private turn = 0;
  private goOn = false;

  constructor(readonly player: Player) {}

  /** The flight as no hand touched it. */
  get original(): Film | null {
    return this.player.ghost.value ?? this.player.film.value;
  }

  /** Shows a new flight, and its branch as soon as that is there. */
  async load(original: Film, options: { at?: number; play?: boolean } = {}): Promise<void> {
    ++this.turn;
    this.forget();
    this.chosen.value = this.chosen.value.filter((i) => i < original.info.n);
    this.player.load(original, options);
    this.dropLinks();
    if (word("edit", "") !== "") await this.refresh();
  }

  /** Takes everything off the stage; what is on its way is closed when it comes. */
  close(): void {
    ++this.turn;
    this.forget();
    this.dropLinks();
    this.player.close();
  }

  private dropLinks(): void {
    this.links.forEach((link) => link.film.close());
    this.links = [];
  }

  /** The boids picked are those of the recipe's `boid`, and the other way round, until the function is called. */
  followChoice(): () => void {
    const toChoice = effect(() => {
      const text = word("boid", "");
      if (text !== untracked(() => this.chosen.value.join())) this.chosen.value = parseBoids(text);
    });
    const toWord = effect(() => {
      const boid = this.chosen.value.join();
      untracked(() => change({ boid }, true));
    });
    return () => {
      toChoice();
      toWord();
    };
  }

  /** Flies the recipe's `edit` from the flight on stage; without one the flight is as it was. */
  async refresh(): Promise<void> {
    const original = this.original;
    if (!original) return;
    const turn = ++this.turn;
    const groups = groupMoves(parseMoves(word("edit", "")), original.info);
    const play = this.goOn ? !reducedMotion.value : undefined;
    this.goOn = false;
    const links: Link[] = [];
    try {
      await this.fly(original, groups, { links, turn });
      const { at } = this.player;
      const film = links.at(-1)?.film;
      if (film) await film.need(Math.ceil(at.value));
      if (turn === this.turn) {
        this.player.load(film ?? original, { at: at.value, play, ghost: film ? original : null });
        this.dropLinks();
        this.links = links;
      }
    } catch (error) {
      if (turn === this.turn) showError(error);
    } finally {
      if (this.links !== links) links.forEach((link) => link.film.close());
    }
    if (turn === this.turn) this.held.value = new Map();
  }

  /** Flies one branch after another into `links`, as far as the flight goes and the turn lasts. */
  private async fly(
    original: Film, groups: { frame: number; moves: Move[] }[], { links, turn }: { links: Link[]; turn: number },
  ): Promise<void> {
    let parent = original;
    for (const { frame, moves } of groups) {
      const here = await parent.need(frame);
      const awake = await core;
      if (!here || turn !== this.turn) return;
      const info = await awake.branch(this.idAt(parent, links, frame), frame, moves);
      parent = continueFilm(awake, info, parent);
      links.push({ first: frame, film: parent });
    }
  }

  private idAt(original: Film, links: Link[], frame: number): number {
    return links.filter((link) => link.first <= frame).at(-1)?.film.info.id ?? original.info.id;
  }

  /** The core's number of the flight that has `frame` of what is shown. */
  flightAt(frame: number): number | null {
    const original = this.original;
    return original && this.idAt(original, this.branched.value ? this.links : [], frame);
  }

  /** Takes boids in hand where they are now, by one of them; the film stops at its frame. */
  grab(boids: readonly number[], lead = boids[0]): void {
    const film = this.player.film.value;
    if (!film || boids.length === 0) return;
    this.player.put(this.player.frame.value);
    if (this.player.frame.value >= film.last) {
      notice.value = { kind: "info", text: strings.branch.atEnd, hint: strings.branch.atEndHint };
      return;
    }
    this.chosen.value = boids.filter((i) => i < film.info.n);
    const { d } = film.info;
    const places = film.frame(this.player.frame.value);
    this.lead = lead;
    this.from = new Map(
      this.chosen.value.map((i) => [i, this.held.value.get(i) ?? Array.from(places.subarray(i * d, (i + 1) * d))]),
    );
  }

  /** Puts the boids in hand where a shift of `delta` (scene units) takes the one under it: rigidly, and not far off. */
  drag(delta: readonly number[]): void {
    const film = this.player.film.value;
    const lead = this.from.get(this.lead);
    if (!film || !lead) return;
    const to = this.lift(lead, delta);
    const { d, habitat } = film.info;
    const shift = to.map((x, c) => x - lead[c]);
    const moved = habitat === "sphere"
      ? turnTogether(this.from, lead, to)
      : shiftTogether(this.from, shift, reachOf(film.frame(this.player.frame.value), d));
    this.held.value = new Map([...this.held.value, ...moved]);
  }

  /** One key press of moving: grabs what is chosen and puts it `delta` further. */
  nudge(delta: readonly number[]): void {
    this.grab(this.chosen.value);
    this.drag(delta);
  }

  /** Lets go of what is held: it becomes part of the recipe, and flight and branch fly on together. */
  apply(): void {
    this.from.clear();
    if (this.held.value.size === 0) return;
    this.goOn = true;
    const moves = addMoves(parseMoves(word("edit", "")), this.player.frame.value, this.held.value);
    change({ edit: formatMoves(moves) });
  }

  /** Puts back what is held. */
  forget(): void {
    this.from.clear();
    this.held.value = new Map();
    this.lasso.value = [];
  }

  /** Ends the branch: the flight is as it was. */
  letGo(): void {
    this.forget();
    change({ edit: "" });
  }

  /** The next or previous boid is chosen. */
  choose(by: number): void {
    const n = this.player.film.value?.info.n ?? 0;
    if (n === 0) return;
    const now = this.chosen.value.at(-1) ?? (by > 0 ? -1 : n);
    this.chosen.value = [(now + by + n) % n];
  }

  /** Puts what is held into the places (n, d) of a frame. */
  overlay(places: Float32Array): Float32Array {
    const d = this.player.film.value?.info.d ?? 3;
    for (const [i, place] of this.held.value) {
      if ((i + 1) * d <= places.length) places.set(place, i * d);
    }
    return places;
  }
}
