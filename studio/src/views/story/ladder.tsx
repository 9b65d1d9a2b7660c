// ladder.tsx: the plot strip of the story: what trained readers reach, one more at each stop, and by depth.
import { Segments } from "../../parts/controls";
import { change, word } from "../../state/recipe";
import { strings } from "../../strings";
import { kDepth, kDepthStop, kLadders, kStopOf, revealed, rungAt, type Ladder, type Rungs } from "./measured";

const kNames: Readonly<Record<string, string>> = strings.story.ladder.readers;

/** Lines at chance and at the bound, over a track whose whole length is 100 per cent. */
function Lines({ chance, bound }: Ladder) {
  return (
    <>
      <i class="rung-chance" style={{ left: `${chance}%` }} />
      {bound !== null && <i class="rung-bound" style={{ left: `${bound}%` }} />}
    </>
  );
}

function Rung({ ladder, rungs, own }: { ladder: Ladder; rungs: Rungs; own: boolean }) {
  const words = strings.story.ladder;
  const { mean, sd } = rungAt(rungs, kDepth) ?? { mean: NaN, sd: NaN };
  const name = kNames[rungs.key] ?? rungs.reader;
  const [left, right] = [Math.max(0, mean - sd), Math.min(100, mean + sd)];
  return (
    <li
      class={own ? "rung own" : "rung"}
      data-reader={rungs.key}
      aria-current={own ? "step" : undefined}
      aria-label={words.row(name, mean.toFixed(1), sd.toFixed(1))}
    >
      <span class="rung-name" aria-hidden="true">{name}</span>
      <span class="rung-track" aria-hidden="true">
        <i class="rung-bar" style={{ width: `${mean}%` }} />
        <i class="rung-error" style={{ left: `${left}%`, width: `${right - left}%` }} />
        <Lines {...ladder} />
      </span>
      <span class="rung-figure" aria-hidden="true">{mean.toFixed(1)} <small>± {sd.toFixed(1)}</small></span>
    </li>
  );
}

const kBox = { width: 260, height: 118, left: 26, right: 8, top: 8, bottom: 18, low: 40, high: 100 };

/** Accuracy by the number of blocks, with deviations; every depth has the same room. */
function Depths({ ladder, stop }: { ladder: Ladder; stop: number }) {
  const words = strings.story.ladder;
  const shown = revealed(ladder, stop).filter(({ blocks }) => blocks.length > 1);
  const depths = [...new Set(shown.flatMap(({ blocks }) => blocks))].sort((a, b) => a - b);
  const inner = { x: kBox.width - kBox.left - kBox.right, y: kBox.height - kBox.top - kBox.bottom };
  const x = (depth: number) => kBox.left + (inner.x * (depths.indexOf(depth) + 0.5)) / depths.length;
  const y = (value: number) => {
    const share = (Math.min(kBox.high, Math.max(kBox.low, value)) - kBox.low) / (kBox.high - kBox.low);
    return kBox.top + inner.y * (1 - share);
  };
  const level = (value: number, kind: string) => (
    <line x1={kBox.left} x2={kBox.width - kBox.right} y1={y(value)} y2={y(value)} class={kind} />
  );
  return (
    <figure class="depths">
      <figcaption>{words.depths}</figcaption>
      <svg viewBox={`0 0 ${kBox.width} ${kBox.height}`} role="img" aria-label={words.depths}>
        {level(ladder.chance, "chance")}
        {ladder.bound !== null && level(ladder.bound, "bound")}
        {[ladder.chance, ladder.bound ?? 75, 100].map((value) => (
          <text key={value} x={kBox.left - 4} y={y(value) + 4} text-anchor="end">{value}</text>
        ))}
        {depths.map((depth) => (
          <text key={depth} x={x(depth)} y={kBox.height - 4} text-anchor="middle">{depth}</text>
        ))}
        {shown.map(({ key, blocks, accuracy, sd }) => (
          <g key={key} class={key === "selected" ? "own" : undefined} data-depths={key}>
            <polyline points={blocks.map((b, k) => `${x(b)},${y(accuracy[k])}`).join(" ")} />
            {blocks.map((b, k) => (
              <g key={b}>
                <line x1={x(b)} x2={x(b)} y1={y(accuracy[k] - sd[k])} y2={y(accuracy[k] + sd[k])} />
                <circle cx={x(b)} cy={y(accuracy[k])} r={2.6} />
              </g>
            ))}
          </g>
        ))}
      </svg>
    </figure>
  );
}

/** The ladder as far as the story has come. */
export function LadderStrip({ stop }: { stop: number }) {
  const words = strings.story.ladder;
  const tasks: Readonly<Record<string, { name: string; title: string }>> = words.tasks;
  const ladder = kLadders.find(({ task }) => task === word("task", "")) ?? kLadders[0];
  const readers = revealed(ladder, stop);
  const latest = Math.min(5, Math.max(...readers.map(({ key }) => kStopOf[key]))); // all later stops listen
  const untrained = stop === 2 && !readers.some(({ key }) => kStopOf[key] === stop);
  return (
    <figure class="ladder" data-task={ladder.task}>
      <figcaption>
        <p>
          {tasks[ladder.task]?.title ?? ladder.task}{" "}
          {ladder.task === "same" && <a href="#v=1&view=digits&model=same">{words.seeOne}</a>}
        </p>
      </figcaption>
      {kLadders.length > 1 && (
        <Segments
          label={words.task}
          value={ladder.task}
          options={kLadders.map(({ task }) => ({ value: task, label: tasks[task]?.name ?? task }))}
          onChange={(task) => change({ task: task === kLadders[0].task ? "" : task }, true)}
        />
      )}
      <div class="ladder-parts">
        <ol aria-label={words.readersLabel}>
          {readers.map((rungs) => (
            <Rung key={rungs.key} ladder={ladder} rungs={rungs} own={kStopOf[rungs.key] === latest} />
          ))}
          {untrained && <li class="rung-none">{words.untrained}</li>}
        </ol>
        {stop >= kDepthStop && <Depths ladder={ladder} stop={stop} />}
      </div>
      <p class="ladder-note">
        <span class="key-chance">{words.chance(ladder.chance)}</span>{" "}
        {ladder.bound !== null && <span class="key-bound">{words.bound(ladder.bound)}</span>}{" "}
        {words.note(ladder.seeds)}
      </p>
    </figure>
  );
}
