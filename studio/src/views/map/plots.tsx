// plots.tsx: the run and the mean of all runs at its beta, and how many clusters all of them ended with.
import { useMemo } from "preact/hooks";
import { Plot } from "../../parts/plot";
import type { Film } from "../../state/film";
import { map as mapText } from "../../strings/map";
import { brief, observableAt } from "../flock/plots";
import { countsAt, frameOf, timesOf, type PhaseMap, type Pixel, type Quantity } from "./phase_map";
import type { Replay } from "./replay";

interface RunProps {
  atlas: PhaseMap;
  film: Film;
  row: number;
  quantity: Quantity;
  title: string;
  now: number;
}

function Run({ atlas, film, row, quantity, title, now }: RunProps) {
  const flown = film.flown.value;
  const words = mapText;
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

/** How many of all runs have one, two, three, ... clusters at the pixel: of the same time as its colour. */
function Counts({ atlas, lists, pixel }: { atlas: PhaseMap; lists: readonly string[] | null; pixel: Pixel }) {
  const words = mapText;
  const time = brief(timesOf(atlas)[pixel.column]);
  const counts = countsAt(lists, pixel);
  if (!counts) return <figure class="plot counts"><figcaption>{words.noCounts(time)}</figcaption></figure>;
  const most = Math.max(...counts.map(([, many]) => many));
  const said = counts.map(([clusters, many]) => words.countOf(many, String(clusters))).join(", ");
  return (
    <figure class="plot counts" aria-label={words.countsSummary(said)} data-time={time} data-counts={said}>
      <figcaption>{words.counts(time)}</figcaption>
      <div class={counts.length > kWide ? "plot-body many" : "plot-body"} aria-hidden="true">
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

const kWide = 6; // bars that have room for their numbers

interface MapPlotsProps {
  atlas: PhaseMap;
  lists: readonly string[] | null;
  replay: Replay;
  pixel: Pixel;
}

export function MapPlots({ atlas, lists, replay, pixel }: MapPlotsProps) {
  const film = replay.player.film.value;
  const words = mapText;
  const now = replay.player.time.value;
  const shared = { atlas, row: pixel.row, now };
  return (
    <>
      {film && <Run {...shared} film={film} quantity="clusters" title={words.plotClusters} />}
      {film && <Run {...shared} film={film} quantity="close_pairs" title={words.plotPairs} />}
      <Counts atlas={atlas} lists={lists} pixel={pixel} />
    </>
  );
}
