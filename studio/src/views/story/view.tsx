// view.tsx: the story: seven stops from words alone to the flock that speaks, each with a small live scene.
import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Group } from "../../parts/controls";
import { Frame } from "../../parts/frame";
import { StageCanvas } from "../../parts/stage_canvas";
import { Timeline } from "../../parts/timeline";
import type { Stage } from "../../scene/stage";
import { Film } from "../../state/film";
import { Player } from "../../state/player";
import { amount, change, word } from "../../state/recipe";
import { core, onStage, sceneSentence, tell } from "../../state/session";
import { isDark, reducedMotion } from "../../state/theme";
import { strings } from "../../strings";
import { Painter } from "./draw";
import { Ear } from "./ear";
import { Gains } from "./gains";
import { stopKeys } from "./keys";
import { knobs, Listener, StopKnobs } from "./knobs";
import { Panel } from "./panel";
import { kStops, pointsOf, sceneOf, type Scene, type Token } from "./scenes";
import "./story.css";

const kBase = 20; // frames a second of the player; scenes slow it by their own rate

export function stopNow(): number {
  return Math.round(amount("stop", 1, 1, kStops));
}

/** Goes to a stop; what was turned and answered at the last one is left behind. */
function goToStop(stop: number): boolean {
  if (stop < 1 || stop > kStops || stop === stopNow()) return false;
  change({ stop, answer: "", bank: "", beta: "", push: "", think: "", guest: "", shuffled: "", boid: "" });
  return true;
}

/** On a phone the boids are drawn larger, so that they can be touched. */
const narrowWish = typeof matchMedia === "undefined" ? null : matchMedia("(max-width: 720px)");
const narrow = signal(narrowWish?.matches ?? false);
narrowWish?.addEventListener("change", (event) => (narrow.value = event.matches));

const moves = signal(0);
function go(stop: number): void {
  if (goToStop(stop)) ++moves.value;
}

/** Flies the scene's flock, and beside it the flock without its guest. */
async function load(scene: Scene, player: Player, current: () => boolean): Promise<void> {
  const awake = await core;
  const film = async (tokens: Token[]) => new Film(awake, await awake.flight(scene.words, pointsOf(tokens)));
  const [own, beside] = await Promise.all([film(scene.tokens), scene.beside ? film(scene.beside) : null]);
  if (!current()) {
    own.close();
    beside?.close();
    return;
  }
  player.pace = () => scene.rate / kBase;
  player.load(own, { play: !reducedMotion.value, ghost: beside });
}

export default function StoryView() {
  const words = strings.story;
  const stop = stopNow();
  const text = words.stops[stop - 1];
  const turned = knobs();
  const scene = useMemo(() => sceneOf(stop, turned, words.signs), [stop, JSON.stringify(turned)]);
  const player = useMemo(() => new Player(kBase), []);
  const ear = useMemo(() => new Ear(), []);
  const painter = useRef<Painter | null>(null);
  const stage = useRef<Stage | null>(null);
  const loaded = useRef<Scene | null>(null);

  const asked = Number(word("boid", String(scene.listener ?? 0)));
  const fits = scene.listener !== null && asked >= 0 && asked < scene.tokens.length;
  const listener = fits ? asked : scene.listener;

  useEffect(() => {
    loaded.current = null;
    let current = true;
    sceneSentence.value = `${words.stopOf(stop, kStops)}: ${text.begin}`;
    load(scene, player, () => current)
      .then(() => {
        if (!current) return;
        loaded.current = scene;
        painter.current?.open(scene, (token, i) => labelOf(stop, token, i));
      })
      .catch(tell);
    return () => {
      current = false;
    };
  }, [scene]);

  useEffect(() => {
    moves.value = 0;
    const keys = stopKeys(() => stopNow(), go);
    addEventListener("keydown", keys, true);
    return () => {
      removeEventListener("keydown", keys, true);
      player.film.value?.close();
      player.ghost.value?.close();
      onStage.value = null;
    };
  }, []);

  useEffect(() => {
    if (loaded.current) painter.current?.retheme(loaded.current);
  }, [isDark.value]);

  const draw = () => {
    const film = player.film.value;
    if (!film || loaded.current !== scene || !painter.current || film.flown.value <= film.first) return;
    const weights = ear.weights.value;
    painter.current.draw({ scene, stop, film, beside: player.ghost.value, at: player.at.value, listener, weights });
  };

  const ended = player.film.value !== null && player.at.value >= player.film.value.last - 1e-6;
  useEffect(() => {
    if (ended && loaded.current === scene) sceneSentence.value = text.end;
  }, [ended, scene]);

  return (
    <Frame
      view="story"
      story={<Panel stop={stop} moves={moves.value} go={go} />}
      scene={
        <StageCanvas
          label={words.canvas(text.title)}
          options={{
            backdrop: scene.backdrop, extent: scene.extent, flat: scene.flat, eye: [-1.1, 0.6, 3.1],
            radius: narrow.value ? 0.06 : 0.045,
          }}
          onStage={(made) => {
            stage.current = made;
            painter.current = made && new Painter(made);
            if (made && loaded.current) painter.current?.open(loaded.current, (t, i) => labelOf(stop, t, i));
            if (made) pickOnClick(made);
            onStage.value = { view: "story", player, stage: made, draw: () => { draw(); made?.render(true); } };
          }}
          onTick={(seconds) => {
            player.tick(seconds);
            ear.listen(loaded.current === scene ? player.film.value : null, player.frame.value, listener);
            draw();
          }}
        />
      }
      controls={
        <>
          <Group title={words.scene}>
            <StopKnobs stop={stop} />
          </Group>
          {listener !== null && <Listener scene={scene} listener={listener} weights={ear.weights.value} />}
        </>
      }
      timeline={<Timeline player={player} unit={(frame) => momentOf(stop, frame, scene, player)} />}
      plots={<Gains stop={stop} />}
    />
  );
}

/** The two banks of the first stop share a place, so they share a label. */
function labelOf(stop: number, token: Token, i: number): string {
  if (stop !== 1 || i > 1) return token.text;
  return i === 0 ? `${token.text} = ${token.text}` : "";
}

function momentOf(stop: number, frame: number, scene: Scene, player: Player): string {
  const words = strings.story;
  if (stop === 6) return words.round(frame);
  if (stop !== 2) return words.step(frame);
  const last = player.film.value?.last ?? 1;
  const k = Math.min(scene.tokens.length - 1, Math.floor((frame / last) * scene.tokens.length));
  return words.visit(k + 1, scene.tokens[k].text);
}

/** A click, not a drag, on a word makes it the listener. */
function pickOnClick(stage: Stage): void {
  let from = { x: 0, y: 0 };
  stage.canvas.addEventListener("pointerdown", (event) => (from = { x: event.clientX, y: event.clientY }));
  stage.canvas.addEventListener("click", (event) => {
    if (Math.hypot(event.clientX - from.x, event.clientY - from.y) > 6) return;
    const box = stage.canvas.getBoundingClientRect();
    const boid = stage.pick("words", event.clientX - box.left, event.clientY - box.top, 24);
    if (boid !== null) change({ boid });
  });
}
