// panel.tsx: the controls of the view: presets, swarm, time and look.
import { Button, Choice, Group, Segments, Slider, Switch } from "../../parts/controls";
import { amount, change, flag, recipe, word } from "../../state/recipe";
import { flock as flockText } from "../../strings/flock";
import { fly, lawOf, optionsOf } from "./choices";
import { AttentionGroup, LayerGroup } from "./layer_panel";
import { kLookWords, kPresets, presetOf } from "./presets";
import {
  habitatOf, initialOf, isFixed, kDefaults, kMerge, kMethods, kMostAxes, kMostBoids, mayMerge, mergeOf, methodOf,
  mostBeta,
} from "./parameters";
import { decimal } from "../../strings/decimal";

const kArguments: Record<string, { least: number; most: number; step: number; initial: number }> = {
  cap: { least: 0.05, most: 3.1, step: 0.05, initial: 0.4 },
  equiangular: { least: 0, most: 0.95, step: 0.05, initial: 0.2 },
  clusters: { least: 1, most: 20, step: 1, initial: 5 },
  box: { least: 0.5, most: 10, step: 0.5, initial: 2 },
};

function Presets() {
  const words = flockText;
  const chosen = presetOf(recipe.value);
  const take = (name: string) => {
    const gone = Object.keys(recipe.value).filter((key) => !kLookWords.includes(key));
    const words = kPresets.find((preset) => preset.name === name)!.words;
    change({ ...Object.fromEntries(gone.map((key) => [key, ""])), ...words });
  };
  return (
    <div class="presets" role="group" aria-label={words.presets}>
      {kPresets.map(({ name }) => (
        <Button key={name} pressed={chosen === name} onClick={() => take(name)}>
          {words.preset[name]}
        </Button>
      ))}
    </div>
  );
}

/** Words that come with a dynamics, so that it can fly at all and soon enough; its own defaults begin. */
function wordsFor(dynamics: string): Record<string, string | number> {
  const words: Record<string, string | number> = { dynamics: dynamics === kDefaults.dynamics ? "" : dynamics };
  const before = initialOf(recipe.value);
  const after = initialOf({ dynamics });
  for (const key of ["beta", "n", "T", "save", "init"] as const) if (before[key] !== after[key]) words[key] = "";
  if (dynamics === "none" && amount("noise", 0) === 0 && word("perceptron", "none") === "none") {
    words.perceptron = "gradient:8";
  }
  return words;
}

/** How the swarm begins: the law of its places, with the argument where that has one. */
function Start() {
  const words = flockText;
  const space = habitatOf(recipe.value) === "space";
  const initial = initialOf(recipe.value);
  const [law, argument] = lawOf(word("init", initial.init));
  const given = kArguments[law];
  const start = (name: string) => {
    const d = amount("d", initial.d, 2, kMostAxes);
    const right = name === "orthonormal" || name === "equiangular";
    fly({
      init: kArguments[name] ? `${name}:${kArguments[name].initial}` : name,
      ...(right && d < 8 ? { d: 32, n: 32 } : {}),
    });
  };
  return (
    <>
      <Choice
        label={words.init}
        value={law}
        options={optionsOf(words.initNames, (name) =>
          (name === "points" && law !== "points") || (!space && (name === "gaussian" || name === "box")))}
        onChange={start}
      />
      {given && (
        <Slider
          label={words.initArgument[law]} least={given.least} most={given.most} step={given.step}
          value={Number.isFinite(argument) ? argument : given.initial}
          onChange={(value) => fly({ init: `${law}:${value}` })}
        />
      )}
    </>
  );
}

function Seed() {
  const words = flockText;
  return (
    <div class="seed">
      <label>
        {words.seed}
        <input
          type="number" min="0" max="999999" step="1"
          value={amount("seed", kDefaults.seed, 0)}
          onChange={(event) => fly({ seed: Math.max(0, Math.floor(Number(event.currentTarget.value) || 0)) })}
        />
      </label>
      <Button label={words.roll} onClick={() => fly({ seed: Math.floor(1000 * Math.random()) })}>
        ⚄
      </Button>
    </div>
  );
}

function SwarmGroup() {
  const words = flockText;
  const initial = initialOf(recipe.value);
  const sharpest = mostBeta(initial.dynamics);
  const sees = !["none", "hardmax"].includes(initial.dynamics); // beta counts
  const own = lawOf(word("init", initial.init))[0] === "points";
  return (
    <Group title={words.swarm}>
      <Choice
        label={words.dynamics}
        value={initial.dynamics}
        options={optionsOf(words.dynamicsNames)}
        onChange={(dynamics) => fly(wordsFor(dynamics))}
      />
      {sees && (
        <Slider
          label={words.beta} log least={0.1} most={sharpest} step={0.1}
          value={amount("beta", initial.beta, 0.1, sharpest)}
          onChange={(beta) => fly({ beta })}
        />
      )}
      {!own && (
        <>
          <Slider
            label={words.n} log least={2} most={kMostBoids}
            value={amount("n", initial.n, 2, kMostBoids)}
            onChange={(n) => fly({ n })}
          />
          <Slider
            label={words.d} log least={2} most={kMostAxes}
            value={amount("d", initial.d, 2, kMostAxes)}
            onChange={(d) => fly({ d })}
          />
        </>
      )}
      <Start />
      <Seed />
    </Group>
  );
}

function TimeGroup() {
  const words = flockText;
  const now = recipe.value;
  const method = methodOf(now);
  const noisy = Number(now.noise ?? 0) > 0;
  const fixed = isFixed(method);
  const initial = initialOf(now);
  const T = amount("T", initial.T, 0.1, 1e6);
  const save = word("save", initial.save);
  return (
    <Group title={words.time} open={false}>
      <Slider
        label={words.T} log least={1} most={1e5} step={T < 20 ? 0.5 : 1}
        value={Math.min(1e5, Math.max(1, T))}
        show={(v) => (v >= 1e4 ? v.toExponential(1) : decimal(String(v)))}
        onChange={(value) => fly({ T: value < 100 ? value : Number(value.toPrecision(2)) })}
      />
      <Choice
        label={words.method}
        value={method}
        options={kMethods.filter((row) => (noisy ? row.noise : row.name !== "strang"))
          .map(({ name }) => ({ value: name, label: words.methods[name] ?? name }))}
        onChange={(value) => fly({ method: value === "dopri5" ? "" : value })}
      />
      {fixed ? (
        <Slider
          label={words.dt} log least={0.01} most={1} step={0.01}
          value={amount("dt", initial.dt, 0.01, 1)}
          onChange={(dt) => fly({ dt })}
        />
      ) : (
        <div class="choice">
          <span>{words.schedule}</span>
          <Segments
            label={words.schedule}
            value={save.startsWith("log") ? "log" : "linear"}
            options={[{ value: "linear", label: words.linear }, { value: "log", label: words.log }]}
            onChange={(value) => fly({ save: value === "log" ? "log:240" : "every:T/240" })}
          />
        </div>
      )}
      {!fixed && mayMerge(now) && (
        <Switch
          label={words.merge} hint={words.mergeHint}
          on={Number(mergeOf(now, T)) > 0}
          onChange={(on) => fly({ merge: on ? kMerge : "0" })}
        />
      )}
    </Group>
  );
}

function LookGroup() {
  const words = flockText;
  return (
    <Group title={words.look}>
      <div class="stacked" title={words.colourHint}>
        <span>{words.colour}</span>
        <Segments
          label={words.colour}
          value={word("colour", "end")}
          options={optionsOf(words.colours)}
          onChange={(colour) => change({ colour: colour === "end" ? "" : colour })}
        />
      </div>
      <Slider
        label={words.trail} least={0} most={60} value={amount("trail", 16, 0, 60)}
        onChange={(trail) => change({ trail })}
      />
      <Switch
        label={words.linger} hint={words.lingerHint} on={flag("linger", true)}
        onChange={(on) => change({ linger: on ? "" : "false" })}
      />
    </Group>
  );
}

export function FlockPanel() {
  return (
    <>
      <Presets />
      <SwarmGroup />
      <LookGroup />
      <TimeGroup />
      <AttentionGroup />
      <LayerGroup />
    </>
  );
}
