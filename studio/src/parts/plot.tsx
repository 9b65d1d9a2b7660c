// plot.tsx: one small plot of lines against time, with the current moment marked.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import "./plot.css";
import { isDark } from "../state/theme";
import { decimal } from "../strings/numbers";

export interface Line {
  label: string;
  values: ArrayLike<number>; // another array when they change
  colour: string; // a CSS variable's name, as --left, or a colour
  dash?: number[];
}

interface PlotProps {
  title: string;
  /** The value now, shown next to the title. */
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
  /** The text for screen readers. */
  summary: string;
  /** Lines are drawn up to the moment shown, and no further. */
  reveal?: boolean;
  /** Only whole numbers are marked below. */
  wholeX?: boolean;
}

function colourOf(element: HTMLElement, name: string): string {
  return name.startsWith("--") ? getComputedStyle(element).getPropertyValue(name).trim() : name;
}

/** Marks with as few digits as make them different; 1e4 for 10,000. */
function marks(_: uPlot, values: (number | null)[]): string[] {
  return values.map((v) => {
    if (v === null) return "";
    const far = v !== 0 && (Math.abs(v) >= 1e4 || Math.abs(v) < 1e-3);
    return far ? v.toExponential(0).replace("e+", "e") : decimal(String(Number(v.toPrecision(3))));
  });
}

/** Powers of ten between two numbers: the marks of a logarithmic axis. */
function decades(_: uPlot, __: number, least: number, most: number): number[] {
  const marks: number[] = [];
  for (let k = Math.ceil(Math.log10(least) - 1e-9); k <= Math.log10(most) + 1e-9; ++k) marks.push(10 ** k);
  return marks;
}

/** How uPlot draws what the properties ask for; `now` is read at every drawing, and `onDraw` is called after it. */
function optionsOf(
  element: HTMLElement, props: PlotProps, now: { current: number | undefined }, onDraw: () => void,
): uPlot.Options {
  const ink = colourOf(element, "--ink-soft");
  const grid = { stroke: colourOf(element, "--line"), width: 1 };
  const font = "11px system-ui";
  const axis: uPlot.Axis = { stroke: ink, grid, ticks: grid, font, size: 28, gap: 2, values: marks };
  const series = props.lines.map((line) => ({
    label: line.label, stroke: colourOf(element, line.colour), width: 1.75, dash: line.dash, points: { show: false },
  }));
  /** Lines are drawn within what is clipped here. */
  const clipToNow = (u: uPlot) => {
    u.ctx.save();
    if (!props.reveal || now.current === undefined || !Number.isFinite(now.current)) return;
    const { left, top, height } = u.bbox;
    const x = Math.max(left, u.valToPos(now.current, "x", true));
    u.ctx.beginPath();
    u.ctx.rect(left, top, x - left + devicePixelRatio, height);
    u.ctx.clip();
  };
  const unclip = (u: uPlot) => u.ctx.restore();
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
      { ...axis, ...(props.logX ? { splits: decades } : {}), ...(props.wholeX ? { incrs: [1, 2, 3, 6, 12, 24] } : {}) },
      { ...axis, size: 44, ...(props.logY ? { splits: decades } : {}) },
    ],
    series: [{}, ...series],
    hooks: { drawAxes: [clipToNow], draw: [unclip, onDraw] },
  };
}

function sizeOf(element: HTMLElement): { width: number; height: number } {
  return { width: Math.max(120, element.clientWidth), height: Math.max(60, element.clientHeight) };
}

const clean = (values: ArrayLike<number>) => Array.from(values, (v) => (Number.isFinite(v) ? v : null));

/** Puts the mark of a moment over a plot, which is not drawn again for it; without a moment there is none. */
function mark(plot: uPlot | null, line: HTMLElement | null, now: number | undefined): void {
  if (!plot || !line) return;
  const there = now !== undefined && Number.isFinite(now);
  const x = there ? plot.valToPos(now, "x") : NaN;
  const { left, top, width, height } = plot.bbox; // device pixels
  const seen = x >= 0 && x <= width / devicePixelRatio;
  line.style.display = seen ? "" : "none";
  if (!seen) return;
  const place = [left / devicePixelRatio + x, top / devicePixelRatio];
  line.style.height = `${height / devicePixelRatio}px`;
  line.style.transform = `translate(${place[0].toFixed(1)}px, ${place[1].toFixed(1)}px)`;
}

type Held<T> = { readonly current: T | null };

/** A plot in `host`: made again when its look changes, filled when its data do; its mark follows the moment. */
function usePlot(host: Held<HTMLDivElement>, line: Held<HTMLElement>, props: PlotProps): void {
  const plot = useRef<uPlot | null>(null);
  const now = useRef<number | undefined>(props.now);
  const filled = useRef<unknown[]>([]);
  now.current = props.now;
  const keys = props.lines.map((line) => line.label + line.colour);
  const shape = [props.title, props.logX, props.logY, props.span, props.range, isDark.value, ...keys].join();

  useEffect(() => {
    const element = host.current!;
    const none = [[], ...props.lines.map(() => [])] as uPlot.AlignedData;
    const put = () => mark(plot.current, line.current, now.current);
    const made = new uPlot(optionsOf(element, props, now, put), none, element);
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
    if (same && props.reveal) return plot.current?.redraw(false); // lines grow with the moment
    if (same) return mark(plot.current, line.current, now.current);
    filled.current = data;
    plot.current?.setData([Array.from(props.x), ...props.lines.map((l) => clean(l.values))] as uPlot.AlignedData);
  }, [shape, props.now, props.x, props.lines]);
}

export function Plot(props: PlotProps) {
  const host = useRef<HTMLDivElement>(null);
  const line = useRef<HTMLElement>(null);
  usePlot(host, line, props);
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
      <div ref={host} class="plot-body" aria-hidden="true">
        <i ref={line} class="plot-now" />
      </div>
    </figure>
  );
}
