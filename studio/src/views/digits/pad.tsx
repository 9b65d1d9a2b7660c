// pad.tsx: the draw pad: strokes of mouse, pen, finger or keys become ink, and ink a value of the recipe.
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Ink } from "../../core/protocol";
import { Button, Group, Segments, Slider, Switch } from "../../parts/controls";
import { change, word } from "../../state/recipe";
import { tell } from "../../state/session";
import { isDark } from "../../state/theme";
import { strings } from "../../strings";
import type { Drawn } from "./flight";
import { kSide } from "./ink";
import { brushNow, kPixels, onTop, penKey, penLeaves, tool, widthOf, type Sheet, type Tool } from "./sheet";

/** The 28 x 28 the swarm sees. */
function Preview({ ink, label, caption }: { ink: Ink | null; label: string; caption: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const dark = isDark.value;
  useEffect(() => {
    const ctx = canvas.current!.getContext("2d")!;
    const data = new ImageData(kSide, kSide);
    ink?.pixels.forEach((p, k) => data.data.set(dark ? [241, 244, 250, p] : [26, 33, 48, p], 4 * k));
    ctx.putImageData(data, 0, 0);
  }, [ink, dark]);
  return (
    <figure class="seen">
      <canvas ref={canvas} width={kSide} height={kSide} role="img" aria-label={label} />
      <figcaption>{caption}</figcaption>
    </figure>
  );
}

interface PadProps {
  /** One picture, or the left and the right one. */
  pads: Drawn[];
  /** As many, of which the first are shown. */
  sheets: readonly Sheet[];
  onRandom(): void;
  onFiles(files: File[]): void;
}

function PadButtons({ pads, sheets, onRandom, onFiles }: PadProps) {
  const words = strings.digits;
  const file = useRef<HTMLInputElement>(null);
  return (
    <div class="pad-buttons">
      <Button primary onClick={onRandom}>{pads.length > 1 ? words.randomPair : words.random}</Button>
      <Button hint={words.fileHint} onClick={() => file.current?.click()}>{words.file}</Button>
      {pads.length === 1 && (
        <Button
          hint={words.takeBackHint}
          disabled={sheets[0].strokes.value === 0}
          onClick={() => void sheets[0].takeBack().catch(tell)}
        >
          {words.takeBack}
        </Button>
      )}
      <input
        ref={file}
        type="file"
        hidden
        aria-label={words.fileHint}
        accept="image/*,.npy,.csv,.tsv,.txt"
        onChange={(event) => {
          const input = event.currentTarget;
          if (input.files?.length) onFiles([...input.files]);
          input.value = "";
        }}
      />
    </div>
  );
}

/** The pointer's side of the pad: one pointer draws at a time, others are let pass. */
function pointersOf(sheet: Sheet) {
  let id: number | null = null;
  const at = (event: PointerEvent): [number, number, number] => {
    const box = sheet.canvas!.getBoundingClientRect();
    const scale = kPixels / box.width;
    return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale, widthOf(event)];
  };
  const up = (event: PointerEvent) => {
    if (event.pointerId !== id) return;
    id = null;
    void sheet.up().catch(tell);
  };
  return {
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0 || sheet.drawing) return;
      id = event.pointerId;
      sheet.canvas!.setPointerCapture(id);
      sheet.pen.value = null;
      sheet.down(...at(event));
    },
    onPointerMove(event: PointerEvent) {
      if (event.pointerId !== id) return;
      for (const e of event.getCoalescedEvents?.() ?? [event]) sheet.move(...at(e));
    },
    onPointerUp: up,
    onPointerCancel: up,
  };
}

/** The paper itself, with the pen of the keys above it. */
function Paper({ sheet, ink, label }: { sheet: Sheet; ink: Ink | null; label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const pointers = useMemo(() => pointersOf(sheet), [sheet]);
  const text = word(sheet.word, "");
  useEffect(() => {
    sheet.canvas = canvas.current;
    sheet.show(text, ink);
  }, [text, ink]);
  const pen = sheet.pen.value;
  return (
    <div class="sheet">
      <canvas
        ref={canvas}
        class="pad-canvas"
        width={kPixels}
        height={kPixels}
        role="application"
        aria-label={label}
        tabIndex={0}
        {...pointers}
        onKeyDown={(event) => penKey(event, sheet)}
        onBlur={() => penLeaves(sheet)}
      />
      {pen && (
        <span
          class={pen.down ? "pen down" : "pen"}
          style={{ left: `${(100 * pen.x) / kPixels}%`, top: `${(100 * pen.y) / kPixels}%` }}
        />
      )}
    </div>
  );
}

/** Pad, what the swarm sees of it, and the way to an empty sheet; `side`: which of two. */
function OnePad({ sheet, ink, side }: { sheet: Sheet; ink: Ink | null; side: string }) {
  const words = strings.digits;
  const named = (label: string) => (side === "" ? label : `${side}: ${label}`);
  return (
    <div class="pad-row">
      <Paper sheet={sheet} ink={ink} label={named(words.padLabel)} />
      <div class="pad-side">
        <Preview ink={ink} label={named(words.seenLabel)} caption={side === "" ? words.seen : words.seenShort} />
        <Button label={side === "" ? undefined : named(words.clear)} onClick={() => sheet.clear()}>
          {words.clear}
        </Button>
      </div>
    </div>
  );
}

export function Pad(props: PadProps) {
  const words = strings.digits;
  const { pads, sheets } = props;
  const pair = pads.length > 1;
  return (
    <div class={pair ? "pad pair" : "pad"}>
      <div class="pads">
        {pads.map(({ ink }, k) => (
          <OnePad key={k} sheet={sheets[k]} ink={ink} side={pair ? words.sides[k] : ""} />
        ))}
      </div>
      <PadButtons {...props} />
      <Group title={words.pen} open={false}>
        <div class="choice">
          <span>{words.tool}</span>
          <Segments
            label={words.tool}
            value={tool.value}
            options={[...words.toolNames]}
            onChange={(next) => (tool.value = next as Tool)}
          />
        </div>
        <Slider
          label={words.brush}
          value={brushNow()}
          least={8}
          most={48}
          onChange={(value) => change({ brush: value === 24 ? "" : value }, true)}
        />
        <Switch label={words.onTop} hint={words.onTopHint} on={onTop.value} onChange={(on) => (onTop.value = on)} />
      </Group>
    </div>
  );
}
