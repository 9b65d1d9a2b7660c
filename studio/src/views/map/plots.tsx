// plots.tsx: the run beside the mean of all runs at its beta, and how many clusters all of them ended with.
import { useMemo } from "preact/hooks";
import { Plot } from "../../parts/plot";
import type { Film } from "../../state/film";
import { strings } from "../../strings";
import { observableAt } from "../flock/plots";
import { frameOf, timesOf, type Atlas, type Pixel, type Quantity } from "./atlas";
import type { Replay } from "./replay";

interface RunProps {
  atlas: Atlas;
  film: Film;
  row: number;
  quantity: Quantity;
  title: string;
  now: number;
}

function Run({ atlas, film, row, quantity, title, now }: RunProps) {
  const flown = film.flown.value;
  const words = strings.map;
  const lines = useMemo(
    () => [
      {
        label: words.thisFlight,
        values: timesOf(atlas).map((_, column) => observableAt(film, quantity, frameOf(atlas, column))),
        colour: "--accent",
      },
      { label: words.allFlights, values: atlas.values[quantity][row], colour: "--ink-soft", dash: [4, 4] },
    ],
    [atlas, film, flown, row, quantity],
  );
  return <Plot title={title} x={timesOf(atlas)} lines={lines} now={now} summary={words.summary(title)} />;
}

/** How many of all runs have one, two, three, ... clusters at the end of the map. */
function Counts({ atlas, row }: { atlas: Atlas; row: number }) {
  const words = strings.map;
  const counts = Object.entries(atlas.last_counts[row]).sort(([a], [b]) => Number(a) - Number(b));
  const most = Math.max(...counts.map(([, many]) => many));
  const said = counts.map(([clusters, many]) => words.countOf(many, clusters)).join(", ");
  return (
    <figure class="plot counts" aria-label={words.countsSummary(said)}>
      <figcaption>{words.counts(String(timesOf(atlas).at(-1)))}</figcaption>
      <div class="plot-body" aria-hidden="true">
        {counts.map(([clusters, many]) => (
          <div key={clusters} class="count">
            <span>{many}</span>
            <i style={{ height: `${(60 * many) / most}px` }} />
            <b>{clusters}</b>
          </div>
        ))}
      </div>
    </figure>
  );
}

export function MapPlots({ atlas, replay, pixel }: { atlas: Atlas; replay: Replay; pixel: Pixel }) {
  const film = replay.player.film.value;
  const words = strings.map;
  const now = replay.player.time.value;
  const shared = { atlas, row: pixel.row, now };
  return (
    <>
      {film && <Run {...shared} film={film} quantity="clusters" title={words.plotClusters} />}
      {film && <Run {...shared} film={film} quantity="close_pairs" title={words.plotPairs} />}
      <Counts atlas={atlas} row={pixel.row} />
    </>
  );
}
