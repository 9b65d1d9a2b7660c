// plots.tsx: chances and dissent by layer, with the original run dashed.
import { useMemo } from "preact/hooks";
import { Plot, type Line } from "../../parts/plot";
import type { Film } from "../../state/film";
import type { Player } from "../../state/player";
import { strings } from "../../strings";
import { classColours } from "./draw";
import { chanceOverTime, chancesAt, dissenters, dissentOverTime, leader } from "./reading";

function padded(values: Float64Array, length: number): Float64Array {
  const out = new Float64Array(length).fill(NaN);
  out.set(values.subarray(0, length));
  return out;
}

/** A line of the film, and a dashed one of the ghost. */
function both(film: Film, ghost: Film | null, read: (f: Film) => Float64Array, style: Omit<Line, "values">): Line[] {
  const length = film.info.frames;
  const lines: Line[] = [{ ...style, values: padded(read(film), length) }];
  if (ghost) {
    lines.push({ ...style, label: "", values: padded(read(ghost), length), dash: [5, 4] });
  }
  return lines;
}

function Plots({ player, film }: { player: Player; film: Film }) {
  const words = strings.digits;
  const ghost = player.ghost.value;
  const { classes, n, frames } = film.info;
  const flown = film.flown.value;
  const ghostFlown = ghost?.flown.value ?? 0;
  const { x, chanceLines, dissentLines } = useMemo(() => {
    const colours = classColours(classes.length);
    return {
      x: Array.from({ length: frames }, (_, k) => k),
      chanceLines: classes.flatMap((name, c) => {
        const label = classes.length === 2 ? words.className(name) : ""; // the verdict's bars name ten
        return both(film, ghost, (f) => chanceOverTime(f, c), { label, colour: colours[c] });
      }),
      dissentLines: both(film, ghost, dissentOverTime, { label: "", colour: "--warm" }),
    };
  }, [film, ghost, flown, ghostFlown]);
  const now = Math.round(10 * player.at.value) / 10;
  const frame = player.frame.value;
  const chances = chancesAt(film, frame);
  const best = leader(chances);
  return (
    <>
      <Plot
        title={ghost ? words.dashed(words.chances) : words.chances}
        x={x}
        lines={chanceLines}
        now={now}
        range={[0, 1]}
        summary={words.chancesSummary(classes[best], chances[best])}
      />
      <Plot
        title={ghost ? words.dashed(words.dissent) : words.dissent}
        x={x}
        lines={dissentLines}
        now={now}
        range={[0, 1]}
        summary={words.dissentSummary(dissenters(film, frame) / n)}
      />
    </>
  );
}

export function DigitPlots({ player }: { player: Player }) {
  const film = player.film.value;
  return film && film.flown.value > film.first ? <Plots player={player} film={film} /> : null;
}
