// view.tsx: the view Flock: every dynamics of the core on circle, sphere or in space, with all its controls.
import { effect, untracked, useComputed, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { holdsPoints } from "../../export/holds_points";
import { readPoints } from "../../export/read_points";
import { BranchControls, Hand } from "../../parts/branch";
import { Group } from "../../parts/controls";
import { DomeBar, DomeCard } from "../../parts/dome";
import { Frame } from "../../parts/frame";
import { useNarrator } from "../../parts/notice";
import { useOwnRuns } from "../../parts/own_runs";
import { StageCanvas } from "../../parts/stage_canvas";
import { Timeline } from "../../parts/timeline";
import { meanAttention } from "../../scene/heads";
import type { Stage } from "../../scene/stage";
import { registerPart } from "../../state/language";
import { recipe, word } from "../../state/recipe";
import { onStage, showError } from "../../state/session";
import { isDark, isTouch } from "../../state/theme";
import { strings } from "../../strings";
import { flock as flockText } from "../../strings/flock";
import { afterNow, CountGroup, FlockPanel } from "./panel";
import { OwnPoints, takePoints } from "./own_points";
import { OwnRuns } from "./own_runs";
import { kDome, FlockRunner } from "./flock_runner";
import { brief, FlockPlots, observableAt } from "./plots";
import { stageOptions } from "./scene";
import { stopFor } from "./look_for";
import { FlockStory } from "./story";
import "./flock.css";
import { fixed } from "../../strings/numbers";

/** The words of the view in the language of the page. */
export const worded = registerPart("flock", flockText);

/** What the chosen token attends to, in words; a component of its own, because it renders at every frame. */
function GazeLine({ runner }: { runner: FlockRunner }) {
  const boid = runner.branch.chosen.value.at(-1);
  const gaze = runner.gaze.value;
  const n = runner.info.value?.n ?? 0;
  if (boid === undefined || !gaze || gaze.weights.length !== gaze.heads * n) return <>{flockText.gazeHint(isTouch.value)}</>;
  const total = meanAttention(gaze);
  const order = [...total.keys()].sort((a, b) => total[b] - total[a]);
  const all = total.reduce((sum, w) => sum + w, 0);
  let many = 0;
  for (let sum = 0; sum < 0.9 * all && many < n; ++many) sum += total[order[many]];
  return <>{flockText.gaze(boid, order[0], `${fixed((100 * total[order[0]]) / all, 1)} %`, many)}</>;
}

/** The sentence of the scene. */
function sentenceOf(runner: FlockRunner): string {
  const film = runner.player.film.value;
  if (!film) return "";
  const words = flockText;
  const clusters = observableAt(film, "clusters", runner.player.frame.value);
  const clause = Number.isFinite(clusters) ? words.clusterClause(clusters) : "";
  const { n, d, habitat } = film.info;
  return words.sentence(n, words.where(habitat, d), brief(runner.player.time.value), clause);
}

/** Sets up everything that outlives a render: following the recipe, telling the scene. */
function useFlockRunner(): FlockRunner {
  const runner = useMemo(() => new FlockRunner(), []);
  useEffect(() => {
    let first = true;
    const stop = effect(() => {
      void recipe.value;
      untracked(() => runner.follow(first));
      first = false;
    });
    return () => {
      stop();
      runner.close();
    };
  }, []);
  useNarrator(() => sentenceOf(runner));
  return runner;
}

/** What was counted, and at which frame, for those who do not see it drawn. */
function Counts({ runner }: { runner: FlockRunner }) {
  const { groups = "", leaders = "", frame = "" } = runner.counted.value ?? {};
  return <p class="visually-hidden" data-groups={groups} data-leaders={leaders} data-counted={frame} />;
}

interface SceneProps {
  runner: FlockRunner;
  stage: Stage | null;
  onReady(stage: Stage | null): void;
}

function Scene({ runner, stage, onReady }: SceneProps) {
  const info = runner.info.value;
  const words = flockText;
  const options = stageOptions(info?.habitat ?? "sphere", info?.d ?? 3);
  const kept = runner.kept !== null;
  const projected = kept ? strings.runs.keptAxes : words.projected;
  const note = useRef<HTMLParagraphElement>(null);
  const tick = (seconds: number, on: Stage | null) => {
    runner.player.tick(seconds);
    runner.atEnd.tick(seconds, on, afterNow(options.flat ?? false));
    runner.draw(on, seconds);
    if (on && runner.atEnd.alive) on.canvas.parentElement!.dataset.turned = on.camera.position[0].toFixed(3);
    if (note.current && info?.habitat === "space") {
      note.current.textContent = words.widened(brief(Number((1 / runner.scene.scale).toPrecision(2))));
    }
  };
  return (
    <>
      <StageCanvas
        options={options}
        label={words.scene(info?.n ?? 0, words.where(info?.habitat ?? "sphere", info?.d ?? 3))}
        onStage={onReady}
        onTick={tick}
      />
      {!kept && <Hand branch={runner.branch} stage={stage} layer="flock" />}
      {!kept && (
        <DomeBar
          player={runner.player} domes={runner.domes} boid={runner.domeBoid()} initial={kDome}
          heads={runner.gaze.value?.heads ?? 0}
        />
      )}
      {info?.habitat === "space" && <p class="scene-note" ref={note} />}
      <Counts runner={runner} />
      {info?.habitat === "sphere" && info.d > 3 && <p class="scene-note">{projected(info.d)}</p>}
    </>
  );
}

export default function FlockView() {
  const runner = useFlockRunner();
  const stage = useSignal<Stage | null>(null);
  useOwnRuns(runner.player);
  const log = useComputed(() => String(runner.words.value.save ?? "").startsWith("log"));

  const ready = (next: Stage | null) => {
    stage.value = next;
    next?.canvas.addEventListener("pointerdown", () => runner.atEnd.still());
    onStage.value = {
      view: "flock",
      player: runner.player,
      stage: next,
      draw: () => runner.draw(next),
      card: () => ({ headline: sentenceOf(runner), colour: "--ink" }),
      settle: (at) => runner.settle(at, next),
      asks: () => runner.branch.chosen.value.length > 0,
      accept: async (files) => {
        const file = files.find((f) => holdsPoints(f.name));
        if (!file) return false;
        takePoints(await readPoints(file, kDimensions));
        return true;
      },
    };
  };
  useEffect(() => runner.scene.retheme(), [isDark.value]);

  const centre = (boid: number) => {
    const place = stage.value?.placeOf("flock", boid);
    if (place) stage.value?.centre(place);
  };
  const gaze = <GazeLine runner={runner} />;
  const told = { info: runner.info.value, words: runner.words.value, kept: runner.kept };
  return (
    <Frame
      view="flock"
      stop={stopFor(runner.words.value)}
      story={<FlockStory {...told} gaze={gaze} />}
      scene={<Scene runner={runner} stage={stage.value} onReady={ready} />}
      controls={
        <>
          <FlockPanel />
          <CountGroup runner={runner} />
          {!runner.kept && (
            <Group title={strings.branch.title} open={word("edit", "") !== ""}>
              <BranchControls branch={runner.branch} />
            </Group>
          )}
          <Group title={strings.dome.title} open={runner.domeBoid() !== null}>
            {runner.kept ? <p class="hint">{strings.dome.kept}</p> : (
              <DomeCard
                player={runner.player} domes={runner.domes} boid={runner.domeBoid()} initial={kDome} onCentre={centre}
              />
            )}
          </Group>
          <OwnRuns />
          <OwnPoints take={(file) => void readPoints(file, kDimensions).then(takePoints).catch(showError)} />
        </>
      }
      timeline={<Timeline player={runner.player} />}
      plots={<FlockPlots player={runner.player} log={log.value} tol={runner.counting.tol} />}
    />
  );
}

const kDimensions = Array.from({ length: 63 }, (_, k) => k + 2);
