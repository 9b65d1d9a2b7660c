// plot.tsx: one small plot of lines against time, with the moment shown marked on it.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { isDark } from "../state/theme";

export interface Line {
  label: string;
  values: ArrayLike<number>;
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

export function Plot(props: PlotProps) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const now = useRef<number | undefined>(props.now);
  now.current = props.now;
  const keys = props.lines.map((line) => line.label + line.colour);
  const shape = [props.title, props.logX, props.logY, props.span, props.range, isDark.value, ...keys].join();

  useEffect(() => {
    const element = host.current!;
    const ink = colourOf(element, "--ink-soft");
    const grid = { stroke: colourOf(element, "--line"), width: 1 };
    const font = "11px system-ui";
    const axis: uPlot.Axis = { stroke: ink, grid, ticks: grid, font, size: 28, gap: 2, values: marks };
    const made = new uPlot(
      {
        width: Math.max(120, element.clientWidth),
        height: Math.max(60, element.clientHeight),
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
        series: [
          {},
          ...props.lines.map((line) => ({
            label: line.label,
            stroke: colourOf(element, line.colour),
            width: 1.75,
            dash: line.dash,
            points: { show: false },
          })),
        ],
        hooks: {
          draw: [
            (u) => {
              if (now.current === undefined || !Number.isFinite(now.current)) return;
              const x = Math.round(u.valToPos(now.current, "x", true));
              u.ctx.fillStyle = ink;
              u.ctx.fillRect(x, u.bbox.top, 1.5 * devicePixelRatio, u.bbox.height);
            },
          ],
        },
      },
      [[], ...props.lines.map(() => [])] as uPlot.AlignedData,
      element,
    );
    plot.current = made;
    const watch = new ResizeObserver(() => {
      made.setSize({ width: Math.max(120, element.clientWidth), height: Math.max(60, element.clientHeight) });
    });
    watch.observe(element);
    return () => {
      watch.disconnect();
      made.destroy();
    };
  }, [shape]);

  useEffect(() => {
    const clean = (v: ArrayLike<number>) => Array.from(v, (e) => (Number.isFinite(e) ? e : null));
    plot.current?.setData([Array.from(props.x), ...props.lines.map((l) => clean(l.values))] as uPlot.AlignedData);
  });

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
