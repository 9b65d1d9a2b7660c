// stage_canvas.tsx: a canvas with a stage, its drawing loop, and a message where there is no canvas.
import { useEffect, useRef, useState } from "preact/hooks";
import { Stage, type StageOptions } from "../scene/stage";
import { isDark } from "../state/theme";
import { strings } from "../strings";

interface StageCanvasProps {
  options: StageOptions;
  /** Called with the stage when it is ready, and with null when it is removed. */
  onStage(stage: Stage | null): void;
  /** Before every drawing: `seconds` since the last one. */
  onTick(seconds: number, stage: Stage | null): void;
  label: string;
}

export function StageCanvas({ options, onStage, onTick, label }: StageCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLDivElement>(null);
  const [missing, setMissing] = useState(false);
  const [flat, setFlat] = useState(false);
  const tick = useRef(onTick);
  tick.current = onTick;
  const stage = useRef<Stage | null>(null);

  useEffect(() => {
    try {
      stage.current = new Stage(canvas.current!, overlay.current!, options);
      setFlat(stage.current.flat);
      onStage(stage.current);
    } catch {
      setMissing(true);
      onStage(null);
    }
    const unsubscribe = isDark.subscribe(() => stage.current?.retheme());
    let last = performance.now();
    let handle = requestAnimationFrame(function loop(time) {
      const seconds = Math.max(0, Math.min(0.25, (time - last) / 1000));
      last = time;
      if (!stage.current?.lent) {
        tick.current(seconds, stage.current);
        stage.current?.render();
      }
      handle = requestAnimationFrame(loop);
    });
    return () => {
      cancelAnimationFrame(handle);
      unsubscribe();
      stage.current?.dispose();
      stage.current = null;
      onStage(null);
    };
  }, []);

  useEffect(() => stage.current?.arrange(options), [
    options.backdrop, options.extent, options.radius, options.flat,
  ]);

  return (
    <div class="stage">
      <canvas ref={canvas} role="img" aria-label={label} hidden={missing} />
      <div ref={overlay} class="stage-overlay" aria-hidden="true" />
      {!missing && (
        <button type="button" class="button home" title={strings.common.homeHint} onClick={() => stage.current?.home()}>
          <span aria-hidden="true">⌂</span> <span class="home-word">{strings.common.home}</span>
        </button>
      )}
      {flat && <p class="stage-flat">{strings.share.flat}</p>}
      {missing && (
        <div class="stage-missing" role="alert">
          <p>{strings.common.noWebgl}</p>
          <p>{strings.common.noWebglHint}</p>
        </div>
      )}
    </div>
  );
}
