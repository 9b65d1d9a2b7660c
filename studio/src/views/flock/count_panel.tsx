// count_panel.tsx: the controls that choose how clusters are counted, what is drawn over the flock, and what happens at the end.
import { Group, Segments, Slider, Switch } from "../../parts/controls";
import { change, flag, recipe, word } from "../../state/recipe";
import { flock as flockText } from "../../strings/flock";
import type { After } from "./at_end";
import { fly, optionsOf } from "./choices";
import type { FlockRunner } from "./flock_runner";
import { angleOf, brief } from "./plots";
import { initialOf } from "./parameters";

/** What the flock does at the end: flat scenes cannot be turned, so they fly again. */
export function afterNow(flat: boolean): After {
  const said = word("after", "");
  if (said === "still" || said === "loop") return said;
  return flat ? "loop" : "drift";
}

function Tolerance({ sphere, tol }: { sphere: boolean; tol: number }) {
  const words = flockText;
  const initial = initialOf(recipe.value).cluster_tol;
  const set = (value: number) => {
    const rounded = Number(value.toPrecision(3));
    fly({ cluster_tol: Math.abs(rounded - initial) < 0.01 * initial ? "" : rounded });
  };
  if (sphere) {
    const angle = Number(angleOf(tol).toFixed(1));
    return (
      <Slider
        label={words.tolAngle} log least={0.5} most={30} step={0.1} value={Math.min(30, Math.max(0.5, angle))}
        show={(value) => words.degrees(value)} onChange={(value) => set(1 - Math.cos((value * Math.PI) / 180))}
      />
    );
  }
  return (
    <Slider
      label={words.tolDistance} log least={0.001} most={1} step={0.001} value={Math.min(1, Math.max(0.001, tol))} onChange={set}
    />
  );
}

export function CountGroup({ runner }: { runner: FlockRunner }) {
  const words = flockText;
  const info = runner.info.value;
  const { by, tol } = runner.counting;
  const counted = runner.counted.value;
  const sphere = info?.habitat !== "space";
  const near = sphere ? words.degrees(angleOf(tol)) : brief(tol);
  const hulled = !sphere && (info?.d ?? 9) <= 3 && ["hardmax", "rescaled"].includes(String(runner.words.value.dynamics));
  return (
    <Group title={words.count}>
      <div class="stacked">
        <span>{words.countBy}</span>
        <Segments
          label={words.countBy} value={by} options={optionsOf(words.counts)}
          onChange={(value) => change({ count: value === "touch" ? "" : value }, true)}
        />
      </div>
      {by === "touch" && <Tolerance sphere={sphere} tol={tol} />}
      <p class="hint">
        {info && counted ? words.countNow(counted.groups, counted.largest, info.n) : words.countLater}{" "}
        {counted && counted.leaders > 0 && words.leaders(counted.leaders)}
      </p>
      <p class="hint">{by === "touch" ? words.countTouch(near) : words.countModes(String(runner.words.value.beta ?? ""))}</p>
      <Switch
        label={words.masses} on={flag("masses", true)} onChange={(on) => change({ masses: on ? "" : "false" }, true)}
      />
      {hulled && <Switch label={words.hull} on={flag("hull", true)} onChange={(on) => change({ hull: on ? "" : "false" }, true)} />}
      <div class="stacked" title={words.afterHint}>
        <span>{words.after}</span>
        <Segments
          label={words.after} value={afterNow(info?.d === 2)}
          options={optionsOf(words.afters, (name) => name === "drift" && info?.d === 2)}
          onChange={(after) => change({ after }, true)}
        />
      </div>
    </Group>
  );
}
