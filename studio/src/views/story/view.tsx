// view.tsx: the view Story: twelve stops from single words to tested readers, each with a small live scene.
import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Group } from "../../parts/controls";
import { Frame } from "../../parts/frame";
import { StageCanvas } from "../../parts/stage_canvas";
import { Timeline } from "../../parts/timeline";
import type { Stage } from "../../scene/stage";
import { registerPart } from "../../state/language";
import { keepMoment } from "../../state/moment";
import type { Player } from "../../state/player";
import { amount, change, word } from "../../state/recipe";
import { onStage, sceneSentence, showError } from "../../state/session";
import { isDark } from "../../state/theme";
import { story as storyWords } from "../../strings/story";
import { knobs, kStopWords, rungsNow, StopKnobs, testNow } from "./knobs";
import { ladderNow, LadderStrip } from "./ladder";
import { spaceAt } from "./levels";
import { Listener, Movers } from "./listener";
import { Panel, StopButtons } from "./panel";
import { Reading } from "./readings";
import { sceneOf } from "./scenes";
import { Screen, type Request } from "./screen";
import { Sheet } from "./sheet";
import { kStopNames, kStops, type Scene } from "./stops";
import "./story.css";
import { testedCard, TestedVerdict } from "./trained_readers";

const kBy: Record<string, number> = { ArrowRight: 1, PageDown: 1, n: 1, ArrowLeft: -1, PageUp: -1, p: -1 };

/** Handles keys before the page's own handlers. */
function stopKeys(now: () => number, go: (stop: number) => void): (event: KeyboardEvent) => void {
  return (event) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (target.closest("input, select, textarea, [contenteditable], dialog, [role=radiogroup]")) return;
    const by = kBy[event.key];
    if (by !== undefined) go(now() + by);
    else if (event.key === "Enter" && !target.closest("button, a, summary")) {
      const right = storyWords.stops[now() - 1].choices.findIndex((choice) => choice.right);
      change({ answer: right + 1 });
    } else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
}

/** The words of the view in the language of the page. */
export const worded = registerPart("story", storyWords);

function stopNow(): number {
  return Math.round(amount("stop", 1, 1, kStops));
}

/** Goes to a stop; what was turned and answered at the last one is left behind. */
function goToStop(stop: number): boolean {
  if (stop < 1 || stop > kStops || stop === stopNow()) return false;
  change({ ...Object.fromEntries(kStopWords.map((key) => [key, ""])), stop });
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

/** The token whose attention is drawn: the one in the recipe, else the scene's own; null: none. */
function listenerOf(scene: Scene): number | null {
  const asked = Number(word("boid", String(scene.listener ?? 0)));
  const fits = scene.listener !== null && asked >= 0 && asked < scene.tokens.length;
  return fits ? asked : scene.listener;
}

/** Runs every scene that is opened, and reports its start and end. */
function useFlights(screen: Screen, wish: Request, stop: number): void {
  const words = storyWords;
  const text = words.stops[stop - 1];
  const { scene, test } = wish;
  useEffect(() => {
    let wanted = true;
    sceneSentence.value = `${words.stopOf(stop, kStops)}: ${text.begin}`;
    screen.open(wish, () => wanted).catch(showError);
    return () => {
      wanted = false;
    };
  }, [scene, JSON.stringify(test)]);
  const film = screen.player.film.value;
  const ended = film !== null && screen.player.at.value >= film.last - 1e-6;
  useEffect(() => {
    if (ended && screen.shows(scene)) sceneSentence.value = text.end;
  }, [ended, scene]);
}

/** The keys of the story, and what is left behind with it. */
function useStory(screen: Screen): void {
  useEffect(() => {
    moves.value = 0;
    const keys = stopKeys(() => stopNow(), go);
    addEventListener("keydown", keys, true);
    const stopKeeping = keepMoment(screen.player);
    return () => {
      stopKeeping();
      removeEventListener("keydown", keys, true);
      screen.close();
      onStage.value = null;
    };
  }, []);
  useEffect(() => screen.retheme(), [isDark.value]);
}

export default function StoryView() {
  return word("sheet", "") === "" ? <Stops /> : <Sheet />;
}

function Stops() {
  const words = storyWords;
  const stop = stopNow();
  const name = kStopNames[stop - 1];
  const turned = knobs();
  const flown = JSON.stringify({ ...turned, kappa: 0 }); // another kappa is the same flight
  const scene = useMemo(() => sceneOf(stop, turned, words.signs), [stop, flown]);
  const screen = useMemo(() => new Screen(), []);
  const { player, ear } = screen;
  const listener = listenerOf(scene);
  useFlights(screen, { scene, stop: name, test: testNow() }, stop);
  useStory(screen);
  const now = useRef({ scene, listener });
  now.current = { scene, listener }; // the stage outlives a scene: films draw the scene that runs at that time
  const draw = () => screen.draw(now.current.scene, now.current.listener);
  const ready = (stage: Stage | null) => {
    screen.setStage(stage);
    onStage.value = { view: "story", player, stage, draw, card: () => testedCard(screen.flight.value, player, testNow().pair) };
  };

  const flight = name === "tested" && screen.shows(scene) ? screen.flight.value : null;
  const reading = <Reading scene={scene} player={player} kappa={turned.kappa} />; // on a phone next to the scene
  return (
    <Frame
      view="story"
      story={
        <>
          <Panel stop={stop} flown={screen.shows(scene)} moves={moves.value} go={go} />
          <StopButtons stop={stop} go={go} />
        </>
      }
      scene={
        <>
          <StageCanvas
            label={words.canvas(words.stops[stop - 1].title)}
            options={{
              backdrop: scene.backdrop, extent: scene.extent, flat: scene.flat,
              eye: name === "tested" ? [0.7, 0.58, 3.3] : [-1.1, 0.6, 3.1],
              aim: name === "tested" ? [0, 0.17, 0] : undefined, // more of the flock ends above its gates than below
              radius: name === "tested" ? 0.34 : narrow.value ? 0.06 : 0.045,
            }}
            onStage={ready}
            onTick={(seconds) => screen.tick(seconds, scene, listener)}
          />
          {name === "tested" && <TestedVerdict flight={flight} player={player} pair={testNow().pair} />}
        </>
      }
      controls={
        <>
          <Group title={words.scene}>
            <StopKnobs stop={name} />
          </Group>
          {!narrow.value && reading}
          {listener !== null && <Listener scene={scene} listener={listener} weights={ear.weights.value} />}
          {!scene.fixed && <Movers scene={scene} />}
        </>
      }
      timeline={
        <>
          <Timeline player={player} unit={(frame) => momentOf(stop, frame, scene, player)} />
          {narrow.value && reading}
        </>
      }
      plots={name === "tested" ? <LadderStrip ladder={ladderNow()} count={rungsNow()} /> : null}
    />
  );
}

function momentOf(stop: number, frame: number, scene: Scene, player: Player): string {
  const words = storyWords;
  const last = player.film.value?.last ?? 1;
  switch (kStopNames[stop - 1]) {
    case "rounds":
      return words.round(frame);
    case "tested":
      return words.block(frame, last);
    case "levels": {
      const { space } = spaceAt(frame, scene.levels!.length);
      return words.levels.moment(space + 1, scene.levels!.length);
    }
    case "messenger": {
      const k = Math.min(scene.tokens.length - 1, Math.floor((frame / last) * scene.tokens.length));
      return words.visit(k + 1, scene.tokens[k].text);
    }
    default:
      return words.step(frame);
  }
}
