// plots.tsx: by layer: how similar the tokens are, how similar one word is in both sentences, how far the twin is.
import { useMemo } from "preact/hooks";
import { Plot, type Line } from "../../parts/plot";
import { words } from "../../strings/words";
import { spelled, type Shared, type TracedText } from "./file";
import { fixed } from "../../strings/decimal";

const brief = (value: number) => (Number.isFinite(value) ? fixed(value, 2) : "–");

interface CurveProps {
  title: string;
  lines: Line[];
  now: number;
  frame: number;
}

function Curve({ title, lines, now, frame }: CurveProps) {
  const { values } = lines[0];
  const x = useMemo(() => Array.from(values, (_, k) => k), [values]);
  const summary = words.summary(title, brief(values[0]), brief(values[values.length - 1]));
  const value = lines.length > 1 ? undefined : brief(values[frame]); // two lines have their keys there
  return <Plot title={title} value={value} x={x} lines={lines} now={now} wholeX summary={summary} />;
}

interface WordsPlotsProps {
  text: TracedText;
  shared: Shared | null;
  now: number; // fractional layer
  frame: number;
}

export function WordsPlots({ text, shared, now, frame }: WordsPlotsProps) {
  const cosine = useMemo(() => [{ label: words.plotCosine, values: text.cosine, colour: "--right" }], [text]);
  const both = useMemo(
    () => shared && [{ label: shared.token, values: shared.cosine, colour: "--left" }],
    [shared],
  );
  const twin = useMemo(
    () => [
      { label: words.fromTwin, values: text.twin.distance, colour: "--accent" },
      { label: words.fromStart, values: text.twin.still, colour: "--ink-soft", dash: [4, 4] },
    ],
    [text],
  );
  const at = { now, frame: Math.min(frame, text.frames - 1) };
  return (
    <>
      {text.tokens.length > 1 && <Curve title={words.plotCosine} lines={cosine} {...at} />}
      {shared && both && <Curve title={words.plotShared(spelled(shared.token))} lines={both} {...at} />}
      <Curve title={words.plotTwin} lines={twin} {...at} />
    </>
  );
}
