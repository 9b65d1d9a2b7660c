// layer_panel.tsx: the controls of the parts of a layer: Q, K, V, heads, layer norm, feed-forward, noise.
import { Choice, Group, Segments, Slider, Switch } from "../../parts/controls";
import { amount, flag, recipe, word } from "../../state/recipe";
import { flock as flockText } from "../../strings/flock";
import { fly, lawOf, optionsOf } from "./choices";
import { habitatOf, isAlwaysSpace, isSpaceDynamics, isSphereNorm, kDefaults } from "./parameters";
import { written } from "../../strings/decimal";

const kMatrixOnly = ["query-key", "minus-query-key"]; // these are for V alone

function unless(value: string, initial: string): string {
  return value === initial ? "" : value;
}

export function AttentionGroup() {
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

export function LayerGroup() {
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
