// view.tsx: the view Map: a phase diagram of flights; a pixel chosen on it is flown again beside it.
import { effect, untracked, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { Button, Segments, Slider } from "../../parts/controls";
import { Frame } from "../../parts/frame";
import { StageCanvas } from "../../parts/stage_canvas";
import { Timeline } from "../../parts/timeline";
import type { Stage } from "../../scene/stage";
import { amount, change, formatRecipe, recipe, word } from "../../state/recipe";
import { notice, onStage, sceneSentence } from "../../state/session";
import { isDark } from "../../state/theme";
import { strings } from "../../strings";
import { brief, observableAt } from "../flock/plots";
import { stageOptions } from "../flock/scene";
import { Linked } from "../flock/story";
import { betasOf, pixelAt, readAtlas, replayWords, timesOf, type Atlas, type Pixel, type Quantity } from "./atlas";
import { Chart } from "./chart";
import { MapPlots } from "./plots";
import { Replay } from "./replay";
import "../flock/flock.css";
import "./map.css";

const kDefaults = { beta: 6, t: 12, replica: 0 };

function chosenOf(atlas: Atlas): Pixel {
  return pixelAt(atlas, amount("beta", kDefaults.beta), amount("t", kDefaults.t));
}
function quantityOf(): Quantity {
  return word("show", "clusters") === "close_pairs" ? "close_pairs" : "clusters";
}

/** "β = 4.1, t = 12: 2.3 clusters in the mean" */
function valueText(atlas: Atlas, pixel: Pixel): string {
  const words = strings.map;
  const quantity = quantityOf();
  const value = atlas.values[quantity][pixel.row][pixel.column];
  const said =
    quantity === "clusters" ? words.clusters(value.toFixed(2)) : words.pairs(`${(100 * value).toFixed(1)} %`);
  return words.cursor(brief(betasOf(atlas)[pixel.row]), brief(timesOf(atlas)[pixel.column]), said);
}

function Found({ atlas, replay }: { atlas: Atlas; replay: Replay }) {
  const words = strings.map;
  const { row, column } = chosenOf(atlas);
  const measured = replay.measured.value;
  const first = amount("replica", kDefaults.replica) === 0;
  const kept = atlas.values.replica_0[row][column];
  const ready = Number.isFinite(measured);
  const verdict = !first || !ready ? "" : measured === kept ? "same" : "different";
  const { clusters, clusters_se } = atlas.values;
  const mean = words.meanOf(clusters[row][column].toFixed(2), clusters_se[row][column].toFixed(2));
  return (
    <dl class="found" data-verdict={verdict} data-measured={ready ? measured : ""}>
      <dt>{words.run}</dt>
      <dd>{ready ? measured : words.waiting}</dd>
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

function Story({ atlas }: { atlas: Atlas | null }) {
  const words = strings.map;
  return (
    <>
      <h2>{words.title}</h2>
      <p>{words.intro}</p>
      <p>{words.read}</p>
      <h3>{words.theory}</h3>
      <p>{words.theoryText}</p>
      <p>{words.how}</p>
      {atlas && (
        <>
          <p class="hint">
            <Linked text={words.source(atlas.source)} />
          </p>
          <code class="command" tabIndex={0}>{atlas.command}</code>
        </>
      )}
    </>
  );
}

function Controls({ atlas, replay }: { atlas: Atlas; replay: Replay }) {
  const words = strings.map;
  const { row, column } = chosenOf(atlas);
  const betas = betasOf(atlas);
  const times = timesOf(atlas);
  const replica = amount("replica", kDefaults.replica, 0, atlas.replicas - 1);
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

/** The map's file, the replay that follows the recipe, and the sentence of the scene. */
function useReplay() {
  const replay = useMemo(() => new Replay(), []);
  const atlas = useSignal<Atlas | null>(null);
  useEffect(() => {
    const words = strings.map;
    readAtlas().then(
      (read) => (atlas.value = read),
      () => (notice.value = { kind: "fault", text: words.failed, hint: words.failedHint }),
    );
    const stop = effect(() => {
      const read = atlas.value;
      if (!read) return;
      const pixel = chosenOf(read); // reads the recipe: followed again whenever it changes
      const replica = amount("replica", kDefaults.replica, 0, read.replicas - 1);
      untracked(() => replay.follow(read, pixel, replica));
    });
    const timer = setInterval(() => {
      const film = replay.player.film.value;
      if (!film || !atlas.value) return;
      const { row, column } = chosenOf(atlas.value);
      const clusters = observableAt(film, "clusters", replay.player.frame.value);
      const mean = atlas.value.values.clusters[row][column].toFixed(1);
      const beta = brief(betasOf(atlas.value)[row]);
      const said = words.sentence(beta, brief(replay.player.time.value), brief(clusters), mean);
      if (said !== sceneSentence.value) sceneSentence.value = said;
    }, 1000);
    return () => {
      clearInterval(timer);
      stop();
      sceneSentence.value = "";
      onStage.value = null;
      replay.close();
    };
  }, []);
  return { replay, atlas };
}

export default function MapView() {
  const { replay, atlas } = useReplay();
  const cursor = useSignal<Pixel | null>(null);
  const words = strings.map;
  const read = atlas.value;
  void recipe.value;
  const choose = (pixel: Pixel) => {
    const to = { beta: betasOf(read!)[pixel.row], t: timesOf(read!)[pixel.column] };
    const now = chosenOf(read!);
    if (now.row === pixel.row && now.column === pixel.column) {
      void replay.show(read!, pixel, amount("replica", kDefaults.replica));
    } else change(to);
  };
  const ready = (stage: Stage | null) => {
    onStage.value = { view: "map", player: replay.player, stage, draw: () => replay.draw(stage) };
  };
  useEffect(() => replay.scene.readColours(document.documentElement), [isDark.value]);

  return (
    <Frame
      view="map"
      story={<Story atlas={read} />}
      scene={
        <div class="map-scene">
          <div class="map-chart">
            {read ? (
              <>
                <Chart
                  atlas={read} quantity={quantityOf()} chosen={chosenOf(read)} cursor={cursor.value}
                  onCursor={(pixel) => (cursor.value = pixel)} onChoose={choose}
                />
                <p id="map-value" class="map-value" role="status">
                  {valueText(read, cursor.value ?? chosenOf(read))}
                </p>
              </>
            ) : (
              <p class="waiting">{words.loading}</p>
            )}
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
      plots={read && <MapPlots atlas={read} replay={replay} pixel={chosenOf(read)} />}
    />
  );
}
