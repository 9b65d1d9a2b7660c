// frame.tsx: where things are: story left, scene in the middle, controls right, plots below.
import type { ComponentChildren } from "preact";
import { strings } from "../strings";

interface FrameProps {
  view: string;
  story: ComponentChildren;
  scene: ComponentChildren;
  controls: ComponentChildren;
  timeline: ComponentChildren;
  plots: ComponentChildren;
}

export function Frame(props: FrameProps) {
  const words = strings.common;
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
