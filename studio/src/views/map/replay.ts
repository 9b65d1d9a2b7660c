// replay.ts: repeats the run behind a pixel of the map, up to the pixel's time.
import { signal } from "@preact/signals";
import type { Stage } from "../../scene/stage";
import { Film } from "../../state/film";
import { Player } from "../../state/player";
import { core, notice, showError } from "../../state/session";
import { isDark, reducedMotion } from "../../state/theme";
import { FlockScene } from "../flock/scene";
import { observableAt } from "../flock/plots";
import { betasOf, frameOf, replayWords, type PhaseMap, type Pixel } from "./phase_map";

const kNobody: readonly number[] = [];
const kNothing: ReadonlyMap<number, readonly number[]> = new Map();

export class Replay {
  readonly player = new Player(30);
  readonly scene = new FlockScene();
  /** The number of clusters the core found at the pixel's frame; NaN until it is flown. */
  readonly measured = signal(NaN);
  private goal: number | null = null;
  private frame = 0;
  private flown = "";
  private followed = "";
  private turn = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** As `show`, a moment later: a slider may still move. */
  follow(atlas: PhaseMap, pixel: Pixel, replica: number): void {
    const key = [pixel.row, pixel.column, replica].join();
    if (key === this.followed) return;
    this.followed = key;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.show(atlas, pixel, replica), this.flown === "" ? 0 : 120);
  }

  /** Shows the run of a pixel from its start; a run already here is wound back. */
  async show(atlas: PhaseMap, pixel: Pixel, replica: number): Promise<void> {
    const turn = ++this.turn;
    this.frame = frameOf(atlas, pixel.column);
    this.measured.value = NaN;
    const words = replayWords(atlas, betasOf(atlas)[pixel.row], replica);
    const text = JSON.stringify(words);
    try {
      if (text !== this.flown) {
        const awake = await core;
        const info = await awake.flight(words);
        if (turn !== this.turn) return void awake.close(info.id);
        this.flown = text;
        this.player.load(new Film(awake, info), { play: false });
        if (notice.value?.kind === "fault") notice.value = null;
      }
      await this.begin(turn);
    } catch (error) {
      if (turn === this.turn) showError(error);
    }
  }

  private async begin(turn: number): Promise<void> {
    const film = this.player.film.value!;
    this.goal = this.frame;
    if (reducedMotion.value) void this.player.seek(this.frame);
    else this.player.put(film.first, this.frame > film.first);
    await film.need(film.last);
    if (turn === this.turn) this.measured.value = observableAt(film, "clusters", this.frame);
  }

  /** Moves on, stops at the pixel's frame once, and draws. */
  tick(seconds: number, stage: Stage | null): void {
    const { player } = this;
    player.tick(seconds);
    if (this.goal !== null && player.at.value >= this.goal) {
      if (player.playing.value) player.put(this.goal);
      this.goal = null;
    }
    this.draw(stage);
  }

  draw(stage: Stage | null): void {
    const film = this.player.film.value;
    if (!film) return;
    if (this.scene.film !== film) this.scene.load(film);
    if (!stage) return;
    this.scene.draw(stage, this.player.at.value, null, {
      colouring: "end", trail: 0, dark: isDark.value, boid: null, chosen: kNobody, held: kNothing, gaze: null,
      head: null,
    });
  }

  close(): void {
    clearTimeout(this.timer);
    ++this.turn;
    this.player.close();
  }
}
