// view.tsx: the four vector fields of a trained transformer on a movable slice, and a flock that moves in them.
import { equations } from "virtual:equations/fields";
import { effect } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Group } from "../../parts/controls";
import { DomeBar, DomeCard } from "../../parts/dome";
import { Equation } from "../../parts/equation";
import { Frame } from "../../parts/frame";
import { useOwnRuns } from "../../parts/own_runs";
import { StageCanvas } from "../../parts/stage_canvas";
import { Timeline } from "../../parts/timeline";
import { onClicks } from "../../scene/camera";
import type { Stage, StageOptions } from "../../scene/stage";
import { domeShown, Domes, headNow, partNow } from "../../state/dome";
import { registerPart } from "../../state/language";
import type { Player } from "../../state/player";
import { amount, change, flag, word } from "../../state/recipe";
import { onStage, sceneSentence, showError } from "../../state/session";
import { isDark, isTouch } from "../../state/theme";
import { strings } from "../../strings";
import { fields as fieldsText } from "../../strings/fields";
import { DigitFlights } from "../digits/flight";
import { flyRandom } from "../digits/pairs";
import { FieldRequests } from "./field_requests";
import { blockNow, kMostDrops, linesNow, scaleNow, shownNow, sliceNow } from "./choices";
import { FieldScene, kFlock, type Shot } from "./draw";
import { BoidGroup, dropAt, DropGroup, FieldGroup, SliceGroup, Strength, SwarmGroup } from "./panel";
import { parseDrops, type Axis } from "./slice";
import "./fields.css";

/** The words of the view in the language of the page. */
export const worded = registerPart("fields", fieldsText);

const kStage: StageOptions = { backdrop: "none", extent: 16, radius: 0.3, eye: [1.3, 0.85, 2.5] };

function boidNow(n: number): number | null {
  const boid = Math.round(amount("boid", -1));
  return boid >= 0 && boid < n ? boid : null;
}

const kDome = true; // a boid that is picked has its dome, unless the recipe says otherwise

/** Asks the core whenever what is shown changes. */
function follow({ flights, requests, domes }: Parts): () => void {
  return effect(() => {
    const film = flights.player.film.value;
    const trained = flights.trained.value;
    if (!film || !trained || film.info.d !== trained.d) return;
    const frame = Math.min(flights.player.frame.value, Math.max(film.first, film.flown.value - 1));
    const boid = boidNow(film.info.n);
    const domed = boid !== null && domeShown(kDome) && film.flown.value > frame;
    domes.want(domed ? { flight: film.info.id, frame, boid } : null);
    requests.want({
      trained, film, frame, block: blockNow(trained.blocks, frame), slice: sliceNow(), lines: linesNow(),
      drops: parseDrops(word("drop", ""), kMostDrops), boid,
    });
  });
}

/** One sentence, at most once a second, and when the film pauses. */
function narrate(flights: DigitFlights, requests: FieldRequests): () => void {
  let told = 0;
  return effect(() => {
    const words = fieldsText;
    const film = flights.player.film.value;
    const frame = flights.player.frame.value;
    const slice = sliceNow();
    const names = shownNow().map((name) => words.short[name]).join(", ");
    const seen = requests.gaze.value;
    if (!film || (flights.player.playing.value && performance.now() - told < 1000)) return;
    told = performance.now();
    const says = seen && boidNow(film.info.n) === seen.boid ? words.vector(seen.gaze.value.slice(0, 3)) : null;
    const scene = words.scene(names, slice.axis, slice.offset, frame, film.info.n);
    sceneSentence.value = says === null ? scene : scene + words.sceneBoid(seen!.boid, says);
  });
}

async function flyAnother(flights: DigitFlights): Promise<void> {
  const entry = flights.entry.value;
  if (!entry) return;
  try {
    await flyRandom(flights);
    change({ boid: "" }, true);
  } catch (error) {
    showError(error);
  }
}

/** A click on a boid picks it, on the slice it drops a test particle. */
function followClicks(stage: Stage, scene: FieldScene): void {
  onClicks(stage.canvas, (x, y) => {
    const boid = flag("flock", true) ? stage.pick(kFlock, x, y, 9) : null;
    if (boid !== null) return change({ boid: boid === Math.round(amount("boid", -1)) ? "" : boid });
    const place = scene.under(x, y, sliceNow());
    if (place) dropAt(place);
  });
}

function Story() {
  const words = fieldsText;
  return (
    <>
      <h2>{words.title}</h2>
      <p>{words.lead}</p>
      <Equation html={equations.fields_linear} />
      <Equation html={equations.fields_will} />
      <p>{words.tellLinear}</p>
      <p>{words.tellSlice}</p>
      <p>{words.tellDrop(isTouch.value)}</p>
      <p class="hint">{words.tellSource}</p>
    </>
  );
}

const kSides: Record<Axis, [Axis, Axis]> = { x: ["z", "y"], y: ["x", "z"], z: ["x", "y"] };

/** What is to be seen now, out of the recipe and the player. */
function shotOf({ film: { value: film }, at }: Player, domes: Domes): Shot {
  const slice = sliceNow();
  const [across, up] = kSides[slice.axis];
  const { sides } = fieldsText;
  const seen = domeShown(kDome) ? domes.seen.value : null;
  return {
    film, at: at.value, slice, shown: shownNow(), scale: scaleNow(), lines: linesNow(),
    boid: film ? boidNow(film.info.n) : null, flock: flag("flock", true), dark: isDark.value,
    sides: [sides[across], sides[up]], dome: seen, part: partNow(), head: headNow(seen?.dome.heads.length ?? 1),
  };
}

interface Parts {
  flights: DigitFlights;
  requests: FieldRequests;
  domes: Domes;
}

function Scene({ flights, requests, domes, show }: Parts & { show: (scene: FieldScene | null) => void }) {
  const words = fieldsText;
  const scene = useRef<FieldScene | null>(null);
  return (
    <>
      <StageCanvas
        options={kStage}
        label={words.canvas}
        onStage={(stage) => {
          scene.current = stage && new FieldScene(stage, requests);
          if (stage && scene.current) followClicks(stage, scene.current);
          show(scene.current);
        }}
        onTick={(seconds) => {
          flights.player.tick(seconds);
          scene.current?.show(shotOf(flights.player, domes));
        }}
      />
      <DomeBar
        player={flights.player} domes={domes} boid={boidNow(flights.player.film.value?.info.n ?? 0)} initial={kDome}
        heads={requests.gaze.value?.gaze.heads ?? 0}
      />
      {!requests.grid.value && flights.busy.value && <p class="scene-empty">{words.waiting}</p>}
    </>
  );
}

function Controls({ flights, requests, domes, centre }: Parts & { centre(boid: number): void }) {
  const film = flights.player.film.value;
  return (
    <>
      <FieldGroup grid={requests.grid.value} />
      <SliceGroup />
      <DropGroup />
      <BoidGroup n={film?.info.n ?? 0} boid={film ? boidNow(film.info.n) : null} requests={requests} />
      <Group title={strings.dome.title}>
        <DomeCard
          player={flights.player} domes={domes} boid={film ? boidNow(film.info.n) : null} initial={kDome}
          onCentre={centre}
        />
      </Group>
      <Group title={fieldsText.flock}>
        <SwarmGroup flights={flights} onDigit={() => void flyAnother(flights)} />
      </Group>
    </>
  );
}

export default function FieldsView() {
  const parts = useMemo(() => ({ flights: new DigitFlights(), requests: new FieldRequests(), domes: new Domes() }), []);
  const { flights, requests, domes } = parts;
  const { player } = flights;
  const [scene, setScene] = useState<FieldScene | null>(null);
  useOwnRuns(player);

  useEffect(() => {
    const stops = [flights.follow(), follow(parts), narrate(flights, requests)];
    return () => stops.forEach((stop) => stop());
  }, [flights]);

  useEffect(() => {
    const draw = () => {
      scene?.show(shotOf(player, domes));
      scene?.stage.render(true);
    };
    onStage.value = { view: "fields", player, stage: scene?.stage ?? null, draw };
    return () => {
      onStage.value = null;
    };
  }, [scene]);

  const last = player.film.value?.last ?? 0;
  return (
    <Frame
      view="fields"
      story={<Story />}
      scene={<Scene {...parts} show={setScene} />}
      controls={<Controls {...parts} centre={(boid) => scene?.centre(boid)} />}
      timeline={<Timeline player={player} unit={(frame) => fieldsText.moment(frame, last)} />}
      plots={<Strength grid={requests.grid.value} />}
    />
  );
}
