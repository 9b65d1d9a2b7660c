// gains.tsx: the plot strip of the story: mistakes of each reader, the stop's own ones marked.
import { strings } from "../../strings";
import { kArgument, kOfStop, kRounds, measured, mistakes, type Reader } from "./measured";

const kMost = 9; // mistakes in a hundred at full height

export function Gains({ stop }: { stop: number }) {
  const words = strings.story.gains;
  const own = kOfStop[stop - 1];
  const bar = (reader: Reader) => {
    const [wrong, deviation] = [mistakes(reader).toFixed(1), measured[reader].deviation.toFixed(1)];
    const name = words.readers[reader];
    return (
      <li
        key={reader}
        class={own.includes(reader) ? "gain own" : "gain"}
        data-reader={reader}
        aria-current={own[0] === reader ? "step" : undefined}
        aria-label={words.row(name, wrong, deviation)}
      >
        <span class="gain-figure" aria-hidden="true">{wrong} <small>± {deviation}</small></span>
        <span class="gain-bar" aria-hidden="true">
          <i style={{ "--share": `${Math.min(100, (100 * mistakes(reader)) / kMost)}%` }} />
        </span>
        <span class="gain-name" aria-hidden="true">{name}</span>
      </li>
    );
  };
  return (
    <figure class="gains">
      <figcaption>{words.title}</figcaption>
      <div class="gain-lists">
        <ol aria-label={words.title}>{kArgument.map(bar)}</ol>
        <ol aria-label={words.readers.ten} class="apart">{kRounds.map(bar)}</ol>
      </div>
      <p class="gain-note">{words.note}</p>
    </figure>
  );
}
