// frame.tsx: where things are: story left, scene in the middle, controls right, plots below.
import type { ComponentChildren } from "preact";
import { flag, formatRecipe, recipe } from "../state/recipe";
import { strings } from "../strings";

interface FrameProps {
  view: string;
  story: ComponentChildren;
  scene: ComponentChildren;
  controls: ComponentChildren;
  timeline: ComponentChildren;
  plots: ComponentChildren;
}

/** Whether the page is a frame of another page: scene and timeline alone. */
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
  return (
    <main class={`frame view-${props.view}`}>
      <section class="story" aria-label={words.story} tabIndex={0}>
        {props.story}
      </section>
      <section class="scene" id="scene" aria-label={words.scene} tabIndex={-1}>
        {props.scene}
      </section>
      <section class="controls" aria-label={words.controls}>
        {props.controls}
      </section>
      <section class="below" aria-label={words.plots}>
        {props.timeline}
        <div class="plots">{props.plots}</div>
      </section>
    </main>
  );
}
