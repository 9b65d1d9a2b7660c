// ladder.tsx: measurements of trained readers by this project, and the plots of the last stop: accuracy one after another, and by depth.
import { Button, Segments } from "../../parts/controls";
import { change, word } from "../../state/recipe";
import { fixed } from "../../strings/numbers";
import { story as storyWords } from "../../strings/story";
import kept from "./ladders.json";
import { stopOf } from "./stops";

/** One kind of reader: accuracies in per cent by the number of blocks, mean and deviation over the seeds. */
interface ReaderAccuracy {
  key: string;
  reader: string; // as the reproduction names it
  blocks: number[];
  accuracy: number[];
  sd: number[];
}

/** One task given to all readers; made by scripts/page_ladder.py from `murmur reproduce ladder`. */
export interface Ladder {
  task: string;
  chance: number; // per cent
  bound: number | null; // what readers without attention cannot exceed
  seeds: number;
  readers: ReaderAccuracy[];
}

export const kLadders: readonly Ladder[] = kept;

/** The stop that introduces a reader; the others appear in the plot by depth. */
const kStopOf: Readonly<Record<string, number>> = {
  isolated: stopOf("alone"), messenger: stopOf("messenger"), attraction: stopOf("attraction"),
  uniform: stopOf("messages"), selected: stopOf("asking"), selected_bare: stopOf("rounds"),
};
const kDepth = 10; // blocks of the readers that are held against each other, where they have so many

/** The depth at which a ladder's readers are compared: kDepth, else the largest that the most of them have. */
export function depthOf({ readers }: Ladder): number {
  const told = readers.filter(({ key }) => key in kStopOf);
  const count = (depth: number) => told.filter(({ blocks }) => blocks.includes(depth)).length;
  const depths = [...new Set(told.flatMap(({ blocks }) => blocks))];
  const best = Math.max(...depths.map(count));
  if (count(kDepth) === best) return kDepth;
  return Math.max(...depths.filter((depth) => count(depth) === best));
}

/** Mean and deviation of a reader at a depth; null where it was not trained. */
export function accuracyAt({ blocks, accuracy, sd }: ReaderAccuracy, depth: number): { mean: number; sd: number } | null {
  const k = blocks.indexOf(depth);
  return k < 0 ? null : { mean: accuracy[k], sd: sd[k] };
}

/** The readers the story has come to, in its order, that were trained at the ladder's depth. */
export function readersOf(ladder: Ladder): ReaderAccuracy[] {
  const depth = depthOf(ladder);
  const told = ladder.readers.filter((rungs) => rungs.key in kStopOf && accuracyAt(rungs, depth));
  return told.sort((a, b) => kStopOf[a.key] - kStopOf[b.key]);
}

/**
 * How much the tokens of each tenth of the row move the messenger's verdict, 1 being the mean; tokens shuffled.
 * First seed, mean over 100 test flocks: influence_shuffled.csv of `murmur reproduce flock-argument`.
 */
export const kInfluence = [0.00113, 0.00239, 0.00527, 0.0136, 0.0239, 0.0663, 0.1659, 0.5173, 1.7469, 7.7658];

const kNames: Readonly<Record<string, string>> = storyWords.ladder.readers;

/** Lines at chance and at the bound, over a track whose whole length is 100 per cent. */
function Lines({ chance, bound }: Ladder) {
  return (
    <>
      <i class="rung-chance" style={{ left: `${chance}%` }} />
      {bound !== null && bound !== chance && <i class="rung-bound" style={{ left: `${bound}%` }} />}
    </>
  );
}

function ReaderRow({ ladder, rungs, own }: { ladder: Ladder; rungs: ReaderAccuracy; own: boolean }) {
  const words = storyWords.ladder;
  const { mean, sd } = accuracyAt(rungs, depthOf(ladder))!;
  const name = kNames[rungs.key] ?? rungs.reader;
  const [left, right] = [Math.max(0, mean - sd), Math.min(100, mean + sd)];
  return (
    <li
      class={own ? "rung own" : "rung"}
      data-reader={rungs.key}
      aria-current={own ? "step" : undefined}
      aria-label={words.row(name, fixed(mean, 1), fixed(sd, 1))}
    >
      <span class="rung-name" aria-hidden="true" title={words.stop(kStopOf[rungs.key])}>{name}</span>
      <span class="rung-track" aria-hidden="true">
        <i class="rung-bar" style={{ width: `${mean}%` }} />
        <i class="rung-error" style={{ left: `${left}%`, width: `${right - left}%` }} />
        <Lines {...ladder} />
      </span>
      <span class="rung-figure" aria-hidden="true">{fixed(mean, 1)} <small>± {fixed(sd, 1)}</small></span>
    </li>
  );
}

const kBox = { width: 260, height: 118, left: 26, right: 8, top: 8, bottom: 18, low: 40, high: 100 };

/** Accuracy by the number of blocks, with deviations; every depth has the same room. */
function Depths({ ladder, readers }: { ladder: Ladder; readers: readonly ReaderAccuracy[] }) {
  const words = storyWords.ladder;
  const shown = readers.filter(({ blocks }) => blocks.length > 1);
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
        {ladder.bound !== null && ladder.bound !== ladder.chance && level(ladder.bound, "bound")}
        {[...new Set([ladder.chance, 75, 100])].map((value) => (
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

/** The task that the recipe names. */
export function ladderNow(): Ladder {
  return kLadders.find(({ task }) => task === word("task", "")) ?? kLadders[0];
}

interface TaskWords {
  name: string;
  title: string;
  tests: string;
}

/** What was asked of the readers, and which task it is where there are several. */
function Task({ ladder }: { ladder: Ladder }) {
  const words = storyWords.ladder;
  const tasks: Readonly<Record<string, TaskWords>> = words.tasks;
  return (
    <>
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
          onChange={(task) => change({ task: task === kLadders[0].task ? "" : task, rungs: "" }, true)}
        />
      )}
    </>
  );
}

/** The first `count` readers of the task, and how they do by depth. */
export function LadderStrip({ ladder, count }: { ladder: Ladder; count: number }) {
  const words = storyWords.ladder;
  const tasks: Readonly<Record<string, TaskWords>> = words.tasks;
  const all = readersOf(ladder);
  const readers = all.slice(0, count);
  const missing = ladder.task === "same" && !ladder.readers.some(({ key }) => key === "messenger");
  const bound = ladder.task === "same" ? words.bound : words.boundWords;
  return (
    <figure class="ladder" data-task={ladder.task}>
      <Task ladder={ladder} />
      <div class="ladder-parts">
        <ol aria-label={words.readersLabel}>
          {readers.map((rungs) => (
            <ReaderRow key={rungs.key} ladder={ladder} rungs={rungs} own={rungs.key === "selected"} />
          ))}
          {count < all.length && (
            <li><Button onClick={() => change({ rungs: count + 1 }, true)}>{words.more}</Button></li>
          )}
          {missing && count >= all.length && <li class="rung-none">{words.noMessenger}</li>}
        </ol>
        <Depths ladder={ladder} readers={readers} />
      </div>
      <p class="ladder-note">
        <span class="key-chance">{words.chance(ladder.chance)}</span>{" "}
        {ladder.bound !== null && <span class="key-bound">{bound(ladder.bound)}</span>}{" "}
        {words.note(depthOf(ladder), ladder.seeds, tasks[ladder.task]?.tests ?? "")}
      </p>
    </figure>
  );
}
