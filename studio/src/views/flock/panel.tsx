// panel.tsx: the controls of the view: presets, swarm, the parts of a layer, time, look, and how clusters are counted.
import { Button, Choice, Group, Segments, Slider, Switch } from "../../parts/controls";
import { amount, change, flag, recipe, word } from "../../state/recipe";
import { decimal, written } from "../../strings/numbers";
import { flock as flockText } from "../../strings/flock";
import type { FlockRunner } from "./flock_runner";
import type { After } from "./motion";
import {
  habitatOf, initialOf, isAlwaysSpace, isFixed, isSpaceDynamics, isSphereNorm, kDefaults, kLookWords, kMerge, kMethods,
  kMostAxes, kMostBoids, kPresets, mayMerge, mergeOf, methodOf, mostBeta, presetOf,
} from "./parameters";
import { angleOf, brief } from "./plots";

type Choices = { value: string; label: string }[];

/** Words that make another flight: what a hand did to the old one is gone, and so are kept frames. */
export function fly(words: Record<string, string | number | boolean>): void {
  change({ edit: "", at: "", run: "", ...words });
}

export function optionsOf(
  names: Readonly<Record<string, string>>,
  but: (value: string) => boolean = () => false,
): Choices {
  return Object.entries(names).filter(([value]) => !but(value)).map(([value, label]) => ({ value, label }));
}

/** "cap:0.4" -> ["cap", 0.4] */
function lawOf(init: string): [string, number] {
  const [law, argument] = init.split(":", 2);
  return [law, Number(argument)];
}

const kMatrixOnly = ["query-key", "minus-query-key"]; // only for V

function unless(value: string, initial: string): string {
  return value === initial ? "" : value;
}

function AttentionGroup() {
  const words = flockText;
  const dynamics = word("dynamics", kDefaults.dynamics);
  if (dynamics === "none") return null;
  const random = ["query", "key", "value"].some((key) => /gaussian|goe|wigner|psd/.test(word(key, "identity")));
  const masked = dynamics === "causal";
  return (
    <Group title={words.attention} open={false}>
      {(["query", "key", "value"] as const).map((key) => (
        <Choice
          key={key}
          label={words[key]}
          value={word(key, "identity")}
          options={optionsOf(words.matrices, (name) => key !== "value" && kMatrixOnly.includes(name))}
          onChange={(value) => fly({ [key]: unless(value, "identity") })}
        />
      ))}
      <Slider
        label={words.heads} least={1} most={8} value={amount("heads", 1, 1, 8)}
        onChange={(heads) => fly({ heads: heads === 1 ? "" : heads })}
      />
      {random && (
        <Slider
          label={words.redraw} least={0} most={2} step={0.1} value={amount("redraw", 0, 0, 2)}
          show={(v) => (v === 0 ? words.never : `Δt = ${written(v)}`)}
          onChange={(redraw) => fly({ redraw: redraw === 0 ? "" : redraw })}
        />
      )}
      {!masked && dynamics !== "sinkhorn" && (
        <div class="choice">
          <span>{words.reach}</span>
          <Segments
            label={words.reach}
            value={word("reach", "all")}
            options={optionsOf(words.reaches)}
            onChange={(value) => fly({ reach: unless(value, "all") })}
          />
        </div>
      )}
      {dynamics !== "sinkhorn" && (
        <Switch label={words.self} on={flag("self", true)} onChange={(on) => fly({ self: on ? "" : "false" })} />
      )}
    </Group>
  );
}

function FeedForward() {
  const words = flockText;
  const [kind, hidden] = lawOf(word("perceptron", "none"));
  return (
    <>
      <Choice
        label={words.perceptron}
        value={kind}
        options={optionsOf(words.perceptrons)}
        onChange={(value) => fly({ perceptron: value === "none" ? "" : `${value}:${hidden || 16}` })}
      />
      {kind !== "none" && (
        <>
          <Slider
            label={words.hidden} log least={1} most={256} value={hidden || 16}
            onChange={(h) => fly({ perceptron: `${kind}:${h}` })}
          />
          <Choice
            label={words.activation}
            value={word("activation", "relu")}
            options={["relu", "gelu", "tanh"].map((value) => ({ value, label: value }))}
            onChange={(value) => fly({ activation: unless(value, "relu") })}
          />
        </>
      )}
    </>
  );
}

/** Logarithmic slider that can also be off: its lowest place is 0. */
const kLeastNoise = 0.001;

function LayerGroup() {
  const words = flockText;
  const now = recipe.value;
  const dynamics = word("dynamics", kDefaults.dynamics);
  const space = habitatOf(now) === "space";
  const free = !isAlwaysSpace(dynamics);
  const noise = amount("noise", 0, 0, 10);
  const inSpace = isSpaceDynamics(dynamics) || now.habitat === "space";
  return (
    <Group title={words.layer} open={false}>
      {dynamics !== "rescaled" && (
        <Choice
          label={words.normalisation}
          value={word("normalisation", "post")}
          options={optionsOf(words.normalisations, (name) => inSpace && isSphereNorm(name))}
          onChange={(value) => fly({ normalisation: unless(value, "post") })}
        />
      )}
      <FeedForward />
      <Slider
        label={words.noise} log least={kLeastNoise} most={2} step={0.001}
        value={Math.max(kLeastNoise, noise)}
        show={(v) => (v <= kLeastNoise ? words.none : written(v))}
        onChange={(value) => fly({ noise: value <= kLeastNoise ? "" : value, merge: "" })}
      />
      {dynamics === "USA" && (
        <Choice
          label={words.clock}
          value={word("clock", "U1")}
          options={["U1", "U2", "U3", "U4"].map((value) => ({ value, label: value }))}
          onChange={(value) => fly({ clock: unless(value, "U1") })}
        />
      )}
      {free && (
        <Choice
          label={words.habitat}
          value={word("habitat", "auto")}
          options={optionsOf(words.habitats)}
          onChange={(value) => fly({ habitat: unless(value, "auto"), ...(space ? { init: "" } : {}) })}
        />
      )}
      <div class="choice">
        <span>{words.direction}</span>
        <Segments
          label={words.direction}
          value={word("direction", "ascent")}
          options={optionsOf(words.directions)}
          onChange={(value) => fly({ direction: unless(value, "ascent") })}
        />
      </div>
    </Group>
  );
}

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
