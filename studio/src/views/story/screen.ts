// screen.ts: one stop of the story as it is flown and painted: player, ear and painter together.
import { onClicks } from "../../scene/click";
import type { Stage } from "../../scene/stage";
import { Film } from "../../state/film";
import { opening } from "../../state/moment";
import { Player } from "../../state/player";
import { change } from "../../state/recipe";
import { core } from "../../state/session";
import { Painter } from "./draw";
import { Ear } from "./ear";
import { pointsOf, type Scene, type Token } from "./scenes";

const kBase = 20; // frames a second of the player; scenes slow it by their own rate

/** The two banks of the first stop share a place, so they share a label. */
function labelOf(stop: number, token: Token, i: number): string {
  if (stop !== 1 || i > 1) return token.text;
  return i === 0 ? `${token.text} = ${token.text}` : "";
}

export class Screen {
  readonly player = new Player(kBase);
  readonly ear = new Ear();
  private painter: Painter | null = null;
  private opened: { scene: Scene; stop: number } | null = null;

  /** Flies a scene's flock, and beside it the flock without its guest, as long as that is `wanted`. */
  async open(scene: Scene, stop: number, wanted: () => boolean): Promise<void> {
    this.opened = null;
    const awake = await core;
    const film = async (tokens: Token[]) => new Film(awake, await awake.flight(scene.words, pointsOf(tokens)));
    const films: Film[] = [];
    try {
      films.push(await film(scene.tokens));
      if (scene.beside) films.push(await film(scene.beside));
    } catch (error) {
      films.forEach((made) => made.close());
      throw error;
    }
    if (!wanted()) return films.forEach((made) => made.close());
    this.player.pace = () => scene.rate / kBase;
    this.player.load(films[0], { ...opening(), ghost: films[1] ?? null });
    this.opened = { scene, stop };
    this.paintAnew();
  }

  /** Whether a scene is the one that is flown. */
  shows(scene: Scene): boolean {
    return this.opened?.scene === scene;
  }

  /** A stage to paint on; a click, not a drag, on a word makes it the listener. */
  setStage(stage: Stage | null): void {
    this.painter = stage && new Painter(stage);
    this.paintAnew();
    if (!stage) return;
    onClicks(stage.canvas, (x, y) => {
      const boid = stage.pick("words", x, y, 24);
      if (boid !== null) change({ boid });
    });
  }

  private paintAnew(): void {
    const { opened } = this;
    if (opened) this.painter?.open(opened.scene, (token, i) => labelOf(opened.stop, token, i));
  }

  retheme(): void {
    if (this.opened) this.painter?.retheme(this.opened.scene);
  }

  draw(scene: Scene, listener: number | null): void {
    const film = this.player.film.value;
    if (!film || !this.opened || !this.shows(scene) || film.flown.value <= film.first) return;
    const { at, ghost } = this.player;
    const weights = this.ear.weights.value;
    const { stop } = this.opened;
    this.painter?.draw({ scene, stop, film, beside: ghost.value, at: at.value, listener, weights });
  }

  tick(seconds: number, scene: Scene, listener: number | null): void {
    const { player } = this;
    player.tick(seconds);
    this.ear.listen(this.shows(scene) ? player.film.value : null, player.frame.value, listener);
    this.draw(scene, listener);
  }

  close(): void {
    this.player.film.value?.close();
    this.player.ghost.value?.close();
  }
}
