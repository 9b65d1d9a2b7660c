// frame.tsx: the layout of a view: text left, scene in the middle, controls right, plots below; panels fold away.
import type { ComponentChildren } from "preact";
import { effect, signal } from "@preact/signals";
import { flag, formatRecipe, recipe } from "../state/recipe";
import { withStorage } from "../state/theme";
import { beforeStory, type ViewName } from "../state/views";
import { strings } from "../strings";

interface FrameProps {
  view: ViewName;
  /** The stop of the Story that explains what is shown, if it is not the view's own. */
  stop?: number;
  story: ComponentChildren;
  scene: ComponentChildren;
  controls: ComponentChildren;
  timeline: ComponentChildren;
  plots: ComponentChildren;
}

const kPanels = ["story", "controls", "plots"] as const;
type Panel = (typeof kPanels)[number];

/** The panels that are folded away, in every view, until the visitor unfolds them. */
const folded = signal<readonly Panel[]>(
  kPanels.filter((panel) => (withStorage((storage) => storage.getItem("folded")) ?? "").split(" ").includes(panel)),
);
effect(() => {
  const names = folded.value.join(" ");
  withStorage((storage) => (names === "" ? storage.removeItem("folded") : storage.setItem("folded", names)));
});

/** The title of a panel, which folds it. */
function Fold({ panel }: { panel: Panel }) {
  const away = folded.value.includes(panel);
  return (
    <button
      type="button"
      class={`fold fold-${panel}`}
      aria-expanded={!away}
      aria-controls={`panel-${panel}`}
      onClick={() => (folded.value = away ? folded.value.filter((one) => one !== panel) : [...folded.value, panel])}
    >
      <span aria-hidden="true">{away ? "▸" : "▾"}</span> <span>{strings.common[panel]}</span>
    </button>
  );
}

/** The stop of the Story that explains a view. */
const kStop: Record<Exclude<ViewName, "story">, number> = { digits: 8, flock: 3, fields: 6, map: 3, words: 5 };

/** The way from a view into the Story, and from the Story back to where one came from. */
function Path({ view, told }: { view: ViewName; told?: number }) {
  const words = strings.common;
  const to = view === "story" ? beforeStory.value : "story";
  const stop = view === "story" ? 0 : (told ?? kStop[view]);
  return (
    <p class="path">
      <a href={stop > 0 ? `#v=1&view=story&stop=${stop}` : `#v=1&view=${to}`}>
        {view === "story"
          ? words.backTo(words.views[to])
          : words.toStory(stop, strings.storyTitles[stop - 1])}
      </a>
    </p>
  );
}

/** Whether the page is a frame of another page: only scene and timeline. */
export function isEmbedded(): boolean {
  return flag("embed", false);
}

/** A frame's scene and timeline, and the way to the whole page. */
function Embedded({ view, scene, timeline }: FrameProps) {
  const words = strings.share;
  return (
    <main class={`frame embedded view-${view}`}>
      <section class="scene" id="scene" aria-label={strings.common.scene} tabIndex={-1}>
        {scene}
      </section>
      <section class="below" aria-label={strings.common.time}>
        {timeline}
        <a class="whole" href={formatRecipe({ ...recipe.value, embed: "" })} target="_blank" rel="noopener" title={words.openWholeHint}>
          {words.openWhole}
        </a>
      </section>
    </main>
  );
}

export function Frame(props: FrameProps) {
  const words = strings.common;
  if (isEmbedded()) return <Embedded {...props} />;
  const away = (panel: Panel) => folded.value.includes(panel);
  return (
    <main class={`frame view-${props.view}`} data-folded={folded.value.join(" ")}>
      <section class="story" aria-label={words.story} tabIndex={0}>
        <Fold panel="story" />
        <div class="panel-body" id="panel-story" hidden={away("story")}>
          {props.view === "story" && <Path view={props.view} />}
          {props.story}
          {props.view !== "story" && <Path view={props.view} told={props.stop} />}
        </div>
      </section>
      <section class="scene" id="scene" aria-label={words.scene} tabIndex={-1}>
        {props.scene}
      </section>
      <section class="controls" aria-label={words.controls}>
        <Fold panel="controls" />
        <div class="panel-body" id="panel-controls" hidden={away("controls")}>{props.controls}</div>
      </section>
      <section class="below" aria-label={words.plots}>
        {props.timeline}
        {props.plots && <Fold panel="plots" />}
        {props.plots && <div class="plots" id="panel-plots" hidden={away("plots")}>{props.plots}</div>}
      </section>
    </main>
  );
}
