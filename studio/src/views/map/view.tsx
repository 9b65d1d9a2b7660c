// view.tsx: the view Map: a phase diagram of runs; a chosen pixel is run again next to it.
import { effect, untracked, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { Button, Segments, Slider } from "../../parts/controls";
import { Frame } from "../../parts/frame";
import { useNarrator } from "../../parts/notice";
import { Plot } from "../../parts/plot";
import { StageCanvas } from "../../parts/stage_canvas";
import { Timeline } from "../../parts/timeline";
import type { Stage } from "../../scene/stage";
import type { Film } from "../../state/film";
import { registerPart } from "../../state/language";
import { amount, change, formatRecipe, recipe, word } from "../../state/recipe";
import { notice, onStage } from "../../state/session";
import { isDark, isTouch } from "../../state/theme";
import { fixed } from "../../strings/numbers";
import { map as mapText } from "../../strings/map";
import "../flock/flock.css";
import { brief, observableAt } from "../flock/plots";
import { stageOptions } from "../flock/scene";
import { Linked } from "../flock/story";
import { Chart } from "./chart";
import "./map.css";
import {
  betasOf, countsAt, frameOf, type PhaseMap, type Pixel, pixelAt, type Quantity, readCounts, readPhaseMap, replayWords,
  timesOf,
} from "./phase_map";
import { Replay } from "./replay";

interface RunProps {
  atlas: PhaseMap;
  film: Film;
  row: number;
  quantity: Quantity;
  title: string;
  now: number;
}

function Run({ atlas, film, row, quantity, title, now }: RunProps) {
  const flown = film.flown.value;
  const words = mapText;
  const lines = useMemo(
    () => [
      {
        label: words.thisFlight,
        values: timesOf(atlas).map((_, column) => observableAt(film, quantity, frameOf(atlas, column))),
        colour: "--accent",
      },
      { label: words.allFlights, values: atlas.values[quantity][row], colour: "--ink-soft", dash: [4, 4] },
    ],
    [atlas, film, flown, row, quantity],
  );
  return <Plot title={title} x={timesOf(atlas)} lines={lines} now={now} summary={words.summary(title)} />;
}

/** How many of all runs have one, two, three, ... clusters at the pixel: of the same time as its colour. */
function Counts({ atlas, lists, pixel }: { atlas: PhaseMap; lists: readonly string[] | null; pixel: Pixel }) {
  const words = mapText;
  const time = brief(timesOf(atlas)[pixel.column]);
  const counts = countsAt(lists, pixel);
  if (!counts) return <figure class="plot counts"><figcaption>{words.noCounts(time)}</figcaption></figure>;
  const most = Math.max(...counts.map(([, many]) => many));
  const said = counts.map(([clusters, many]) => words.countOf(many, String(clusters))).join(", ");
  return (
    <figure class="plot counts" aria-label={words.countsSummary(said)} data-time={time} data-counts={said}>
      <figcaption>{words.counts(time)}</figcaption>
      <div class={counts.length > kWide ? "plot-body many" : "plot-body"} aria-hidden="true">
        {counts.map(([clusters, many]) => (
          <div key={clusters} class="count">
            <span>{many}</span>
            <i style={{ height: `${(60 * many) / most}px` }} />
            <b>{clusters}</b>
          </div>
        ))}
      </div>
    </figure>
  );
}

const kWide = 6; // bars that have room for their numbers

interface MapPlotsProps {
  atlas: PhaseMap;
  lists: readonly string[] | null;
  replay: Replay;
  pixel: Pixel;
}

function MapPlots({ atlas, lists, replay, pixel }: MapPlotsProps) {
  const film = replay.player.film.value;
  const words = mapText;
  const now = replay.player.time.value;
  const shared = { atlas, row: pixel.row, now };
  return (
    <>
      {film && <Run {...shared} film={film} quantity="clusters" title={words.plotClusters} />}
      {film && <Run {...shared} film={film} quantity="close_pairs" title={words.plotPairs} />}
      <Counts atlas={atlas} lists={lists} pixel={pixel} />
    </>
  );
}

/** The words of the view in the language of the page. */
export const worded = registerPart("map", mapText);

const kDefaults = { beta: 6, t: 12, replica: 0 };

function chosenOf(atlas: PhaseMap): Pixel {
  return pixelAt(atlas, amount("beta", kDefaults.beta), amount("t", kDefaults.t));
}
/** Which of the flights of a pixel is flown again. */
function replicaOf(atlas: PhaseMap): number {
  return Math.round(amount("replica", kDefaults.replica, 0, atlas.replicas - 1));
}
function quantityOf(): Quantity {
  return word("show", "clusters") === "close_pairs" ? "close_pairs" : "clusters";
}

/** "β = 4.1, t = 12: 2.3 clusters in the mean" */
function valueText(atlas: PhaseMap, pixel: Pixel): string {
  const words = mapText;
  const quantity = quantityOf();
  const value = atlas.values[quantity][pixel.row][pixel.column];
  const said =
    quantity === "clusters" ? words.clusters(fixed(value, 2)) : words.pairs(`${fixed(100 * value, 1)} %`);
  return words.cursor(brief(betasOf(atlas)[pixel.row]), brief(timesOf(atlas)[pixel.column]), said);
}

function Found({ atlas, replay }: { atlas: PhaseMap; replay: Replay }) {
  const words = mapText;
  const { row, column } = chosenOf(atlas);
  const measured = replay.measured.value;
  const first = replicaOf(atlas) === 0;
  const kept = atlas.values.replica_0[row][column];
  const ready = Number.isFinite(measured);
  const film = replay.player.film.value;
  const now = film ? observableAt(film, "clusters", replay.player.frame.value) : NaN; // as the scene is
  const counted = Number.isFinite(now);
  const verdict = !first || !ready ? "" : measured === kept ? "same" : "different";
  const { clusters, clusters_se } = atlas.values;
  const mean = words.meanOf(fixed(clusters[row][column], 2), fixed(clusters_se[row][column], 2));
  return (
    <dl class="found" data-verdict={verdict} data-measured={ready ? measured : ""} data-now={counted ? now : ""}>
      <dt>{words.run}</dt>
      <dd>{counted ? now : words.waiting}</dd>
      {first && (
        <>
          <dt>{words.pixel}</dt>
          <dd>
            {verdict !== "" && (
              <span class={`verdict ${verdict}`} title={words[verdict]} role="img" aria-label={words[verdict]}>
                {verdict === "same" ? "✓" : "✗"}
              </span>
            )}{" "}
            {kept}
          </dd>
        </>
      )}
      <dt>{words.mean}</dt>
      <dd>{mean}</dd>
    </dl>
  );
}

function Story({ atlas }: { atlas: PhaseMap | null }) {
  const words = mapText;
  return (
    <>
      <h2>{words.title}</h2>
      <p>{words.intro}</p>
      <p>{words.read}</p>
      <h3>{words.theory}</h3>
      <p>{words.theoryText}</p>
      <h3>{words.real}</h3>
      <p>{words.realText}</p>
      <p>{words.how(isTouch.value)}</p>
      {atlas && (
        <>
          <p class="hint">
            <Linked text={words.source(atlas.source.paper, atlas.source.figure, atlas.source.quantity)} />
          </p>
          <code class="command" tabIndex={0}>{atlas.command}</code>
        </>
      )}
    </>
  );
}

function Controls({ atlas, replay }: { atlas: PhaseMap; replay: Replay }) {
  const words = mapText;
  const { row, column } = chosenOf(atlas);
  const betas = betasOf(atlas);
  const times = timesOf(atlas);
  const replica = replicaOf(atlas);
  const flock = formatRecipe({
    view: "flock",
    ...Object.fromEntries(Object.entries(replayWords(atlas, betas[row], replica)).map(([k, v]) => [k, String(v)])),
  });
  return (
    <>
      <div class="choice">
        <span>{words.colour}</span>
        <Segments
          label={words.colour}
          value={quantityOf()}
          options={Object.entries(words.quantities).map(([value, label]) => ({ value, label }))}
          onChange={(value) => change({ show: value === "clusters" ? "" : value })}
        />
      </div>
      <Slider
        label={words.beta} least={betas[0]} most={betas.at(-1)!} step={0.1} value={betas[row]}
        onChange={(beta) => change({ beta })}
      />
      <Slider
        label={words.time} least={times[0]} most={times.at(-1)!} step={0.3} value={times[column]}
        onChange={(t) => change({ t: Number(t.toFixed(1)) })}
      />
      <Slider
        label={words.replica} least={0} most={atlas.replicas - 1} value={replica}
        onChange={(value) => change({ replica: value === 0 ? "" : value })}
      />
      <Found atlas={atlas} replay={replay} />
      <div class="map-buttons">
        <Button primary onClick={() => void replay.show(atlas, chosenOf(atlas), replica)}>{words.replay}</Button>
        <a class="button" href={flock}>{words.open}</a>
      </div>
    </>
  );
}

function sentenceOf(replay: Replay, atlas: PhaseMap | null): string {
  const film = replay.player.film.value;
  if (!film || !atlas) return "";
  const { row, column } = chosenOf(atlas);
  const clusters = observableAt(film, "clusters", replay.player.frame.value);
  const mean = fixed(atlas.values.clusters[row][column], 1);
  const beta = brief(betasOf(atlas)[row]);
  return mapText.sentence(beta, brief(replay.player.time.value), brief(clusters), mean);
}

/** The map's file, the replay that follows the recipe, and the sentence of the scene. */
function useReplay() {
  const replay = useMemo(() => new Replay(), []);
  const atlas = useSignal<PhaseMap | null>(null);
  const lists = useSignal<string[] | null>(null);
  useEffect(() => {
    readCounts().then((read) => (lists.value = read), () => undefined); // the map is whole without them
    const words = mapText;
    readPhaseMap().then(
      (read) => (atlas.value = read),
      () => (notice.value = { kind: "fault", text: words.failed, hint: words.failedHint }),
    );
    const stop = effect(() => {
      const read = atlas.value;
      if (!read) return;
      const pixel = chosenOf(read); // reads the recipe: followed again whenever it changes
      const replica = replicaOf(read);
      untracked(() => replay.follow(read, pixel, replica));
    });
    return () => {
      stop();
      replay.close();
    };
  }, []);
  useNarrator(() => sentenceOf(replay, atlas.value));
  return { replay, atlas, lists };
}

/** The map with the value under the cursor; what keys or a choice lead to is said, what a pointer passes is not. */
function ChartWithValue({ atlas, replay }: { atlas: PhaseMap; replay: Replay }) {
  const cursor = useSignal<Pixel | null>(null);
  const told = useSignal("");
  const chosen = chosenOf(atlas);
  const choose = (pixel: Pixel) => {
    told.value = valueText(atlas, pixel);
    if (chosen.row === pixel.row && chosen.column === pixel.column) void replay.show(atlas, pixel, replicaOf(atlas));
    else change({ beta: betasOf(atlas)[pixel.row], t: timesOf(atlas)[pixel.column] });
  };
  const moveBy = (pixel: Pixel) => {
    cursor.value = pixel;
    told.value = valueText(atlas, pixel);
  };
  return (
    <>
      <Chart
        atlas={atlas} quantity={quantityOf()} chosen={chosen} cursor={cursor.value}
        onPass={(pixel) => (cursor.value = pixel)} onMove={moveBy} onChoose={choose}
      />
      <p id="map-value" class="map-value">{valueText(atlas, cursor.value ?? chosen)}</p>
      <p class="visually-hidden" role="status">{told.value}</p>
    </>
  );
}

export default function MapView() {
  const { replay, atlas, lists } = useReplay();
  const words = mapText;
  const read = atlas.value;
  void recipe.value;
  const ready = (stage: Stage | null) => {
    onStage.value = { view: "map", player: replay.player, stage, draw: () => replay.draw(stage) };
  };
  useEffect(() => replay.scene.retheme(), [isDark.value]);

  return (
    <Frame
      view="map"
      story={<Story atlas={read} />}
      scene={
        <div class="map-scene">
          <div class="map-chart">
            {read ? <ChartWithValue atlas={read} replay={replay} /> : <p class="waiting">{words.loading}</p>}
          </div>
          <div class="map-stage">
            <StageCanvas
              options={stageOptions("sphere", 2)}
              label={words.stage(read ? brief(betasOf(read)[chosenOf(read).row]) : "")}
              onStage={ready}
              onTick={(seconds, stage) => replay.tick(seconds, stage)}
            />
          </div>
        </div>
      }
      controls={read && <Controls atlas={read} replay={replay} />}
      timeline={<Timeline player={replay.player} />}
      plots={read && <MapPlots atlas={read} lists={lists.value} replay={replay} pixel={chosenOf(read)} />}
    />
  );
}
