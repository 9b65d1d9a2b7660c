// plots.tsx: energy, clusters and cosines of the current run, with those of the ghost.
import { useMemo } from "preact/hooks";
import { kCosineBins } from "../../core/protocol";
import { type Line, Plot } from "../../parts/plot";
import type { Film } from "../../state/film";
import type { Player } from "../../state/player";
import { decimal } from "../../strings/numbers";
import { flock as flockText } from "../../strings/flock";

interface HistogramProps {
  title: string;
  /** Shares of the pairs, (kCosineBins) from -1 to 1. */
  shares: ArrayLike<number>;
  ghost?: ArrayLike<number> | null;
  summary: string;
}

const kHeight = 100;

/** Bars as one path in a box of kCosineBins by kHeight. */
export function bars(shares: ArrayLike<number>, most: number): string {
  let path = "";
  for (let b = 0; b < shares.length; ++b) {
    const h = Math.min(1, shares[b] / most) * kHeight;
    if (h > 0) path += `M${b + 0.08} ${kHeight}v${-h.toFixed(2)}h0.84v${h.toFixed(2)}z`;
  }
  return path;
}

/** The outline of the same. */
export function outline(shares: ArrayLike<number>, most: number): string {
  let path = `M0 ${kHeight}`;
  for (let b = 0; b < shares.length; ++b) {
    path += `V${(kHeight - Math.min(1, shares[b] / most) * kHeight).toFixed(2)}h1`;
  }
  return `${path}V${kHeight}`;
}

/** The share the axis ends at: the next of 5, 10, 20, 50 and 100 per cent. */
export function axisEnd(most: number): number {
  return [0.05, 0.1, 0.2, 0.5].find((end) => most <= end) ?? 1;
}

export function Histogram({ title, shares, ghost, summary }: HistogramProps) {
  let most = 0;
  for (let b = 0; b < shares.length; ++b) most = Math.max(most, shares[b], ghost?.[b] ?? 0);
  const end = axisEnd(most);
  return (
    <figure class="plot histogram" aria-label={summary}>
      <figcaption>{title}</figcaption>
      <div class="plot-body" aria-hidden="true">
        <span class="histogram-end">{Math.round(100 * end)} %</span>
        <svg viewBox={`0 0 ${kCosineBins} ${kHeight}`} preserveAspectRatio="none">
          <path
            class="histogram-grid"
            d={`M0 0H${kCosineBins}M0 50H${kCosineBins}M${kCosineBins / 2} 0V${kHeight}`}
          />
          <path class="histogram-bars" d={bars(shares, end)} />
          {ghost && <path class="histogram-ghost" d={outline(ghost, end)} />}
        </svg>
        <div class="histogram-axis">
          <span>−1</span>
          <span>0</span>
          <span>1</span>
        </div>
      </div>
    </figure>
  );
}

/** Times or values of the frames that are here, without t = 0 where the axis is logarithmic. */
function shown(values: ArrayLike<number>, skip: number): Float64Array {
  return Float64Array.from({ length: Math.max(0, values.length - skip) }, (_, k) => values[k + skip]);
}

/** A number for reading aloud and for labels. */
export function brief(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  return decimal(size >= 1e5 || size < 1e-3 ? value.toExponential(1) : String(Number(value.toPrecision(4))));
}

/** The value of an observable at a frame; NaN where it does not exist. */
export function observableAt(film: Film, name: string, frame: number): number {
  const c = film.info.columns.indexOf(name);
  if (c < 0 || frame >= film.flown.value || frame < film.first) return NaN;
  return film.observables[frame * film.info.columns.length + c];
}

/** The most informative observable: the mean norm in R^d, else an energy, else the order. */
function energyColumn(film: Film): { column: string; title: string } {
  const words = flockText;
  const { columns, habitat } = film.info;
  if (habitat === "space" && columns.includes("radius")) return { column: "radius", title: words.radius };
  if (columns.includes("energy_scaled")) return { column: "energy_scaled", title: words.energyScaled };
  if (columns.includes("energy")) return { column: "energy", title: words.energy };
  return { column: "order", title: words.order };
}

interface SeriesProps {
  player: Player;
  film: Film;
  column: string;
  title: string;
  colour: string;
  log: boolean;
  logY?: boolean;
  range?: [number, number];
}

function Series({ player, film, column, title, colour, log, logY, range }: SeriesProps) {
  const ghost = player.ghost.value;
  const flown = film.flown.value;
  const ghostFlown = ghost?.flown.value ?? 0;
  const skip = log ? 1 : 0;
  const { x, lines } = useMemo(() => {
    const times = shown(film.times.subarray(film.first, flown), skip);
    const made: Line[] = [{ label: flockText.edited, values: shown(film.column(column), skip), colour }];
    if (ghost) {
      const values = Array.from(shown(ghost.column(column), skip)).slice(0, times.length);
      while (values.length < times.length) values.push(NaN);
      made.push({ label: flockText.asItWas, values, colour: "--ink-soft", dash: [4, 4] });
    }
    return { x: times, lines: made };
  }, [film, ghost, flown, ghostFlown, column, colour, skip]);
  const now = observableAt(film, column, player.frame.value);
  return (
    <Plot
      title={title}
      value={Number.isFinite(now) ? brief(now) : ""}
      x={x}
      lines={lines}
      now={player.time.value}
      reveal
      logX={log}
      logY={logY}
      range={range}
      span={[log ? film.times[film.first + 1] || 0.1 : 0, film.info.T]}
      summary={flockText.plotSummary(title, brief(now))}
    />
  );
}

function Cosines({ player, film }: { player: Player; film: Film }) {
  const frame = Math.min(player.frame.value, film.flown.value - 1);
  const ghost = player.ghost.value;
  const at = (of: Film) => of.cosines.subarray(frame * kCosineBins, (frame + 1) * kCosineBins);
  const shares = at(film);
  const high = Math.round(100 * shares[kCosineBins - 1]); // the last bin: from 0.95 to 1
  return (
    <Histogram
      title={flockText.cosines}
      shares={shares}
      ghost={ghost && ghost.flown.value > frame && ghost.cosines.length > 0 ? at(ghost) : null}
      summary={flockText.cosinesSummary(brief(player.time.value), `${high} %`)}
    />
  );
}

/** "clusters (closer than 2.6°)": the tolerance that the counts are made with. */
function clustersTitle(sphere: boolean, tol: number): string {
  const words = flockText;
  return words.clustersBy(sphere ? words.degrees(angleOf(tol)) : brief(tol));
}

/** The angle in degrees at which 1 - cos is tol. */
export function angleOf(tol: number): number {
  return (180 / Math.PI) * Math.acos(Math.max(-1, 1 - tol));
}

export function FlockPlots({ player, log, tol }: { player: Player; log: boolean; tol: number }) {
  const film = player.film.value;
  if (!film) return null;
  const words = flockText;
  const energy = energyColumn(film);
  const shared = { player, film, log };
  return (
    <>
      <Series {...shared} colour="--warm" {...energy} />
      <Series
        {...shared} logY column="clusters" title={clustersTitle(film.info.habitat === "sphere", tol)} colour="--accent"
        range={[0.8, 1.25 * film.info.n]}
      />
      {film.cosines.length > 0 ? (
        <Cosines player={player} film={film} />
      ) : (
        <Series {...shared} column="largest_cluster" title={words.largest} colour="--query" range={[0, 1.05]} />
      )}
    </>
  );
}
