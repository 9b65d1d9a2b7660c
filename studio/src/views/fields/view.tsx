// view.tsx: the four vector fields of a trained swarm on a movable slice, beside a flock that flies in them.
import { effect } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Group } from "../../parts/controls";
import { Equation } from "../../parts/equation";
import { Frame } from "../../parts/frame";
import { useOwnRuns } from "../../parts/own_runs";
import { StageCanvas } from "../../parts/stage_canvas";
import { Timeline } from "../../parts/timeline";
import type { Stage, StageOptions } from "../../scene/stage";
import { amount, change, flag, word } from "../../state/recipe";
import { onStage, sceneSentence, tell } from "../../state/session";
import { isDark } from "../../state/theme";
import { strings } from "../../strings";
import { DigitFlights } from "../digits/flight";
import { randomDigit, testDigits } from "../digits/library";
import { Asker } from "./asker";
import { blockNow, kMostDrops, linesNow, scaleNow, shownNow, sliceNow } from "./choices";
import { FieldScene, kFlock } from "./draw";
import { BoidGroup, dropAt, DropGroup, FieldGroup, SliceGroup, SwarmGroup } from "./panel";
import { parseDrops } from "./slice";
import { Strength } from "./strength";
import "./fields.css";

const kStage: StageOptions = { backdrop: "none", extent: 16, radius: 0.3, eye: [1.3, 0.85, 2.5] };

function boidNow(n: number): number | null {
  const boid = Math.round(amount("boid", -1));
  return boid >= 0 && boid < n ? boid : null;
}

/** Asks the core whenever what is shown changes. */
function follow(flights: DigitFlights, asker: Asker): () => void {
  return effect(() => {
    const film = flights.player.film.value;
    const trained = flights.trained.value;
    if (!film || !trained || film.info.d !== trained.d) return;
    const frame = Math.min(flights.player.frame.value, Math.max(film.first, film.flown.value - 1));
    asker.want({
      trained, film, frame, block: blockNow(trained.blocks, frame), slice: sliceNow(), lines: linesNow(),
      drops: parseDrops(word("drop", ""), kMostDrops), boid: boidNow(film.info.n),
    });
  });
}

/** One sentence, at most once a second and when the film stands still. */
function narrate(flights: DigitFlights, asker: Asker): () => void {
  let told = 0;
  return effect(() => {
    const words = strings.fields;
    const film = flights.player.film.value;
    const frame = flights.player.frame.value;
    const slice = sliceNow();
    const names = shownNow().map((name) => words.short[name]).join(", ");
    const seen = asker.gaze.value;
    if (!film || (flights.player.playing.value && performance.now() - told < 1000)) return;
    told = performance.now();
    const says = seen && boidNow(film.info.n) === seen.boid ? words.vector(seen.gaze.value.slice(0, 3)) : null;
    const scene = words.scene(names, slice.axis, slice.offset, frame, film.info.n);
    sceneSentence.value = says === null ? scene : scene + words.sceneBoid(seen!.boid, says);
  });
}

async function anotherDigit(flights: DigitFlights): Promise<void> {
  const entry = flights.entry.value;
  if (!entry) return;
  try {
    const { labels } = await testDigits();
    const digit = randomDigit(labels, entry.digits, amount("digit", -1));
    if (digit !== null) change({ digit, ink: "", boid: "" });
  } catch (error) {
    tell(error);
  }
}

/** A click, not a drag: on a boid it picks, on the slice it drops a test particle. */
function onClicks(stage: Stage, scene: FieldScene): void {
  let from = { x: 0, y: 0 };
  stage.canvas.addEventListener("pointerdown", (event) => (from = { x: event.clientX, y: event.clientY }));
  stage.canvas.addEventListener("click", (event) => {
    if (Math.hypot(event.clientX - from.x, event.clientY - from.y) > 5) return;
    const box = stage.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const boid = flag("flock", true) ? stage.pick(kFlock, x, y, 9) : null;
    if (boid !== null) return change({ boid: boid === Math.round(amount("boid", -1)) ? "" : boid });
    const place = scene.under(x, y, sliceNow());
    if (place) dropAt(place);
  });
}

function Story() {
  const words = strings.fields;
  return (
    <>
      <h2>{words.title}</h2>
      <p>{words.lead}</p>
      <Equation name="fields_linear" />
      <Equation name="fields_will" />
      <p>{words.tellLinear}</p>
      <p>{words.tellSlice}</p>
      <p>{words.tellDrop}</p>
      <p class="hint">{words.tellSource}</p>
    </>
  );
}

export default function FieldsView() {
  const words = strings.fields;
  const flights = useMemo(() => new DigitFlights(), []);
  const asker = useMemo(() => new Asker(), []);
  const [scene, setScene] = useState<FieldScene | null>(null);
  const { player } = flights;
  useOwnRuns(player);

  useEffect(() => {
    const stops = [flights.follow(), follow(flights, asker), narrate(flights, asker)];
    return () => stops.forEach((stop) => stop());
  }, [flights]);

  const draw = () => {
    const slice = sliceNow();
    const film = player.film.value;
    const sides = { x: ["z", "y"], y: ["x", "z"], z: ["x", "y"] }[slice.axis] as ("x" | "y" | "z")[];
    scene?.show({
      film, at: player.at.value, slice, shown: shownNow(), scale: scaleNow(), lines: linesNow(),
      boid: film ? boidNow(film.info.n) : null, flock: flag("flock", true), dark: isDark.value,
      sides: [words.sides[sides[0]], words.sides[sides[1]]],
    });
  };

  useEffect(() => {
    onStage.value = {
      view: "fields", player, stage: scene?.stage ?? null,
      draw: () => { draw(); scene?.stage.render(true); },
    };
    return () => {
      onStage.value = null;
    };
  }, [scene]);

  const film = player.film.value;
  const grid = asker.grid.value;
  return (
    <Frame
      view="fields"
      story={<Story />}
      scene={
        <>
          <StageCanvas
            options={kStage}
            label={words.canvas}
            onStage={(made) => {
              const next = made && new FieldScene(made, asker);
              if (made && next) onClicks(made, next);
              setScene(next);
            }}
            onTick={(seconds) => {
              player.tick(seconds);
              draw();
            }}
          />
          {!grid && flights.busy.value && <p class="scene-empty">{words.waiting}</p>}
        </>
      }
      controls={
        <>
          <FieldGroup grid={grid} />
          <SliceGroup />
          <DropGroup />
          <BoidGroup n={film?.info.n ?? 0} boid={film ? boidNow(film.info.n) : null} asker={asker} />
          <Group title={words.flock}>
            <SwarmGroup flights={flights} onDigit={() => void anotherDigit(flights)} />
          </Group>
        </>
      }
      timeline={<Timeline player={player} unit={(frame) => words.moment(frame, film?.last ?? 0)} />}
      plots={<Strength grid={grid} />}
    />
  );
}
