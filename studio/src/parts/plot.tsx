// plot.tsx: one small plot of lines against time, with the moment shown marked on it.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { isDark } from "../state/theme";

export interface Line {
  label: string;
  values: ArrayLike<number>; // another array when they change
  colour: string; // a CSS variable's name, as --left, or a colour
  dash?: number[];
}

interface PlotProps {
  title: string;
  /** The value now, told beside the title. */
  value?: string;
  x: ArrayLike<number>;
  lines: Line[];
  /** Where the player is, on the x axis. */
  now?: number;
  logX?: boolean;
  logY?: boolean;
  range?: [number, number];
  /** What the x axis spans; as the data do when left out. */
  span?: [number, number];
  /** What a screen reader is told. */
  summary: string;
  /** Lines are drawn up to the moment shown, and no further. */
  reveal?: boolean;
}

function colourOf(element: HTMLElement, name: string): string {
  return name.startsWith("--") ? getComputedStyle(element).getPropertyValue(name).trim() : name;
}

/** Marks in as few digits as tell them apart; 1e4 for 10,000. */
function marks(_: uPlot, values: (number | null)[]): string[] {
  return values.map((v) => {
    if (v === null) return "";
    const far = v !== 0 && (Math.abs(v) >= 1e4 || Math.abs(v) < 1e-3);
    return far ? v.toExponential(0).replace("e+", "e") : String(Number(v.toPrecision(3)));
  });
}

/** Powers of ten between two numbers: the marks of a logarithmic axis. */
function decades(_: uPlot, __: number, least: number, most: number): number[] {
  const marks: number[] = [];
  for (let k = Math.ceil(Math.log10(least) - 1e-9); k <= Math.log10(most) + 1e-9; ++k) marks.push(10 ** k);
  return marks;
}

/** How uPlot draws what the properties ask for; `now` is read at every drawing. */
function optionsOf(element: HTMLElement, props: PlotProps, now: { current: number | undefined }): uPlot.Options {
  const ink = colourOf(element, "--ink-soft");
  const grid = { stroke: colourOf(element, "--line"), width: 1 };
  const font = "11px system-ui";
  const axis: uPlot.Axis = { stroke: ink, grid, ticks: grid, font, size: 28, gap: 2, values: marks };
  const series = props.lines.map((line) => ({
    label: line.label, stroke: colourOf(element, line.colour), width: 1.75, dash: line.dash, points: { show: false },
  }));
  /** Series are drawn within what is clipped here; undone before the moment is marked. */
  const clipToNow = (u: uPlot) => {
    u.ctx.save();
    if (!props.reveal || now.current === undefined || !Number.isFinite(now.current)) return;
    const { left, top, height } = u.bbox;
    const x = Math.max(left, u.valToPos(now.current, "x", true));
    u.ctx.beginPath();
    u.ctx.rect(left, top, x - left + devicePixelRatio, height);
    u.ctx.clip();
  };
  const markNow = (u: uPlot) => {
    u.ctx.restore();
    if (now.current === undefined || !Number.isFinite(now.current)) return;
    const x = Math.round(u.valToPos(now.current, "x", true));
    u.ctx.fillStyle = ink;
    u.ctx.fillRect(x, u.bbox.top, 1.5 * devicePixelRatio, u.bbox.height);
  };
  return {
    ...sizeOf(element),
    legend: { show: false },
    cursor: { show: false },
    padding: [6, 14, 0, 0],
    scales: {
      x: { time: false, distr: props.logX ? 3 : 1, ...(props.span ? { range: props.span } : {}) },
      y: { ...(props.range ? { range: props.range } : {}), distr: props.logY ? 3 : 1 },
    },
    axes: [
      { ...axis, ...(props.logX ? { splits: decades } : {}) },
      { ...axis, size: 44, ...(props.logY ? { splits: decades } : {}) },
    ],
    series: [{}, ...series],
    hooks: { drawAxes: [clipToNow], draw: [markNow] },
  };
}

function sizeOf(element: HTMLElement): { width: number; height: number } {
  return { width: Math.max(120, element.clientWidth), height: Math.max(60, element.clientHeight) };
}

const clean = (values: ArrayLike<number>) => Array.from(values, (v) => (Number.isFinite(v) ? v : null));

/** A plot in `host`: made anew when its look changes, filled when its data do, marked again when the moment does. */
function usePlot(host: { readonly current: HTMLDivElement | null }, props: PlotProps): void {
  const plot = useRef<uPlot | null>(null);
  const now = useRef<number | undefined>(props.now);
  const filled = useRef<unknown[]>([]);
  now.current = props.now;
  const keys = props.lines.map((line) => line.label + line.colour);
  const shape = [props.title, props.logX, props.logY, props.span, props.range, isDark.value, ...keys].join();

  useEffect(() => {
    const element = host.current!;
    const none = [[], ...props.lines.map(() => [])] as uPlot.AlignedData;
    const made = new uPlot(optionsOf(element, props, now), none, element);
    plot.current = made;
    filled.current = [];
    const watch = new ResizeObserver(() => made.setSize(sizeOf(element)));
    watch.observe(element);
    return () => {
      watch.disconnect();
      made.destroy();
    };
  }, [shape]);

  useEffect(() => {
    const data = [props.x, ...props.lines.map((line) => line.values)];
    const same = data.length === filled.current.length && data.every((part, k) => part === filled.current[k]);
    if (same) return plot.current?.redraw(false);
    filled.current = data;
    plot.current?.setData([Array.from(props.x), ...props.lines.map((l) => clean(l.values))] as uPlot.AlignedData);
  }, [shape, props.now, props.x, props.lines]);
}

export function Plot(props: PlotProps) {
  const host = useRef<HTMLDivElement>(null);
  usePlot(host, props);
  return (
    <figure class="plot" aria-label={props.summary}>
      <figcaption>
        {props.value ? `${props.title}: ${props.value}` : props.title}
        {props.lines.length > 1 &&
          props.lines.filter((line) => line.label !== "").map((line) => (
            <span key={line.label} class="key" style={{ "--key": line.colour.startsWith("--") ? `var(${line.colour})` : line.colour }}>
              {line.label}
            </span>
          ))}
      </figcaption>
      <div ref={host} class="plot-body" aria-hidden="true" />
    </figure>
  );
}
