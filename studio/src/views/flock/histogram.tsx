// histogram.tsx: the cosines of all pairs at the moment shown, as bars, with those of the ghost as an outline.
import { kCosineBins } from "../../core/protocol";

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
