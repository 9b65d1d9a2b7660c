// panel.tsx: the controls of the view Fields, and the strip with the lengths of each field's vectors on the slice.
import type { TrainedInfo } from "../../core/protocol";
import { Button, Choice, Group, Segments, Slider, Switch } from "../../parts/controls";
import { amount, change, flag, word } from "../../state/recipe";
import { isTouch } from "../../state/theme";
import { strings } from "../../strings";
import { fixed } from "../../strings/numbers";
import { fields as fieldsText } from "../../strings/fields";
import type { DigitFlights } from "../digits/flight";
import { swarmOptions } from "../digits/library";
import {
  blockNow, kFields, kInks, kLines, kMostDrops, kSlice, linesNow, scaleNow, show, showAll, shownNow, sliceNow,
} from "./choices";
import { lengthsOf, scalesOf } from "./draw";
import type { FieldRequests, GridAnswer } from "./field_requests";
import { type Axis, cellOf, formatDrops, kAxes, parseDrops, placeOn } from "./slice";

export function Strength({ grid }: { grid: GridAnswer | null }) {
  const words = fieldsText;
  const rows = grid
    ? kFields.map((name, which) => {
        const lengths = lengthsOf(grid.values, which * grid.d, 4 * grid.d, grid.d).filter(Number.isFinite);
        const mean = lengths.reduce((sum, x) => sum + x, 0) / Math.max(1, lengths.length);
        return { name, mean, longest: lengths.reduce((a, b) => Math.max(a, b), 0) };
      })
    : [];
  const shown = shownNow();
  const most = Math.max(1e-12, ...rows.map((row) => row.longest));
  return (
    <figure class="strength">
      <figcaption>{words.strength}</figcaption>
      <ul>
        {rows.map(({ name, mean, longest }) => (
          <li
            key={name}
            data-field={name}
            class={shown.includes(name) ? undefined : "hidden-field"}
            style={{
              "--ink-of": `var(${kInks[name]})`,
              "--mean": `${(100 * mean) / most}%`,
              "--longest": `${(100 * longest) / most}%`,
            }}
          >
            <span>{words.short[name]}</span>
            <span class="strength-bar" aria-hidden="true"><i /><b /></span>
            <output>{words.meanLongest(mean, longest)}</output>
          </li>
        ))}
      </ul>
    </figure>
  );
}

const plain = (key: string, initial: number) => (value: number) => change({ [key]: value === initial ? "" : value });

export function SwarmGroup({ flights, onDigit }: { flights: DigitFlights; onDigit(): void }) {
  const words = fieldsText;
  const entry = flights.entry.value;
  const trained = flights.trained.value;
  return (
    <>
      {entry && (
        <Choice
          label={words.swarm}
          value={entry.name}
          options={swarmOptions(flights.list.value)}
          onChange={(name) => change({ model: name, block: "", boid: "", digit: "", ink: "" })}
        />
      )}
      {trained && trained.d > 3 && <p class="hint">{strings.runs.firstThree(trained.d)}</p>}
      {trained && <BlockChoice trained={trained} frame={flights.player.frame.value} />}
      <Switch
        label={words.flockShown}
        on={flag("flock", true)}
        onChange={(on) => change({ flock: on ? "" : false })}
      />
      <Button onClick={onDigit}>{words.digit}</Button>
    </>
  );
}

function BlockChoice({ trained, frame }: { trained: TrainedInfo; frame: number }) {
  const words = fieldsText;
  if (trained.shared || trained.blocks === 1) return <p class="hint">{words.blockShared(trained.blocks)}</p>;
  const now = blockNow(trained.blocks, frame);
  const option = (k: number) => ({ value: String(k), label: words.blockOf(k, trained.blocks) });
  const blocks = Array.from({ length: trained.blocks }, (_, k) => option(k));
  return (
    <div data-block={now}>
      <Choice
        label={words.block}
        value={String(Math.round(amount("block", -1, -1, trained.blocks - 1)))}
        options={[{ value: "-1", label: words.blockFollows }, ...blocks]}
        onChange={(value) => change({ block: value === "-1" ? "" : value })}
      />
    </div>
  );
}

export function FieldGroup({ grid }: { grid: GridAnswer | null }) {
  const words = fieldsText;
  const shown = shownNow();
  const scales = grid && scalesOf(grid.values, grid.d, cellOf(grid.slice));
  return (
    <Group title={words.shown}>
      <div class="field-list">
        {kFields.map((name, which) => (
          <div key={name} class="field-row" style={{ "--ink-of": `var(${kInks[name]})` }} data-field={name}>
            <Switch label={words.names[name]} on={shown.includes(name)} onChange={(on) => show(name, on)} />
            <output>{scales ? words.times(scales[which] * scaleNow()) : ""}</output>
          </div>
        ))}
      </div>
      <Button onClick={() => showAll()} disabled={shown.length === kFields.length}>{words.allFour}</Button>
      <Slider
        label={words.scale} value={scaleNow()} least={0.1} most={5} step={0.05} log
        show={(value) => `× ${fixed(value, 2)}`} onChange={plain("scale", 1)}
      />
      <Choice
        label={words.lines}
        value={linesNow()}
        options={kLines.map((name) => ({ value: name, label: words.short[name] }))}
        onChange={(name) => change({ lines: name === "none" ? "" : name })}
      />
    </Group>
  );
}

export function SliceGroup() {
  const words = fieldsText;
  const slice = sliceNow();
  return (
    <Group title={words.slice}>
      <div class="choice">
        <span>{words.axis}</span>
        <Segments
          label={words.axis}
          value={slice.axis}
          options={kAxes.map((axis) => ({ value: axis, label: words.axes[axis] }))}
          onChange={(axis) => change({ axis: (axis as Axis) === kSlice.axis ? "" : axis })}
        />
      </div>
      <Slider
        label={words.offset} value={slice.offset} least={-slice.half} most={slice.half} step={0.25}
        show={words.length} onChange={plain("offset", kSlice.offset)}
      />
      <Slider label={words.half} value={slice.half} least={4} most={40} onChange={plain("half", kSlice.half)} />
      <Slider label={words.grid} value={slice.count} least={3} most={21} onChange={plain("grid", kSlice.count)} />
    </Group>
  );
}

/** Adds a test particle; past the most, the oldest goes. */
export function dropAt(place: readonly number[]): void {
  const drops = [...parseDrops(word("drop", ""), kMostDrops), [...place]].slice(-kMostDrops);
  change({ drop: formatDrops(drops) });
}

export function DropGroup() {
  const words = fieldsText;
  const drops = parseDrops(word("drop", ""), kMostDrops);
  return (
    <Group title={words.drop}>
      <div class="button-row">
        <Button onClick={() => dropAt(placeOn(sliceNow(), 0, 0))}>{words.dropMiddle}</Button>
        <Button onClick={() => change({ drop: "" })} disabled={drops.length === 0}>{words.dropNone}</Button>
      </div>
      <p class="hint" data-drops={drops.length}>{drops.length > 0 ? words.dropped(drops.length) : words.dropHint(isTouch.value)}</p>
    </Group>
  );
}

export function BoidGroup({ n, boid, requests }: { n: number; boid: number | null; requests: FieldRequests }) {
  const words = fieldsText;
  const seen = requests.gaze.value;
  const gaze = boid !== null && seen?.boid === boid ? seen.gaze : null;
  const vectors = gaze && { query: gaze.query, key: gaze.key, value: gaze.value, will: gaze.feedForward };
  return (
    <Group title={words.boid}>
      <Slider
        label={words.boid} value={boid ?? -1} least={-1} most={Math.max(0, n - 1)}
        show={(value) => (value < 0 ? words.noBoid : String(value))}
        onChange={(value) => change({ boid: value < 0 ? "" : value })}
      />
      <p class="hint">{words.boidHint(isTouch.value)}</p>
      {vectors && (
        <dl class="vectors" aria-label={words.vectors} data-boid={boid}>
          {kFields.filter((name) => vectors[name].length > 0).map((name) => (
            <div key={name} style={{ "--ink-of": `var(${kInks[name]})` }}>
              <dt>{words.short[name]}</dt>
              <dd>{words.vector(vectors[name].slice(0, 3))}</dd>
            </div>
          ))}
        </dl>
      )}
    </Group>
  );
}
