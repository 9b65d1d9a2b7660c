// story.tsx: what is seen, its equation, what is proved about it, and the command that flies it in a terminal.
import type { ComponentChildren } from "preact";
import { Equation } from "../../parts/equation";
import type { FlightInfo, Words } from "../../core/protocol";
import { recipe, word } from "../../state/recipe";
import { strings } from "../../strings";
import { presetOf } from "./presets";
import { commandOf, habitatOf, kDefaults, withLinks } from "./words";

export function Linked({ text }: { text: string }) {
  return (
    <>
      {withLinks(text).map((part, k) => {
        if (part.sup) return <sup key={k}>{part.text}</sup>;
        if (!part.href) return part.text;
        return <a key={k} href={part.href} target="_blank" rel="noreferrer">{part.text}</a>;
      })}
    </>
  );
}

/** Names of the formulas that make up the setting's equation. */
export function formulasOf(words: Readonly<Record<string, string>>): string[] {
  const dynamics = words.dynamics ?? kDefaults.dynamics;
  const names = [dynamics === "hardmax" && habitatOf(words) === "sphere" ? "hardmax_sphere" : dynamics];
  const norm = /^(pre|peri|mix|ngpt|sqrt)/.exec(words.normalisation ?? "")?.[1];
  if (norm) names.push(`flock_norm_${norm}`);
  else if (words.habitat === "space" && ["SA", "USA", "causal", "sinkhorn"].includes(dynamics)) names.push("flock_space");
  const mapped = ["query", "key", "value"].some((key) => (words[key] ?? "identity") !== "identity");
  if (mapped && dynamics !== "rescaled" && dynamics !== "none") names.push("flock_qkv");
  if ((words.perceptron ?? "none") !== "none" && dynamics !== "none") names.push("flock_will");
  if (Number(words.noise ?? 0) > 0) names.push("flock_noise");
  if (words.method === "layers") names.push("flock_layers");
  return names;
}

interface StoryProps {
  info: FlightInfo | null;
  words: Words;
  gaze: ComponentChildren;
}

export function FlockStory({ info, words, gaze }: StoryProps) {
  const said = strings.flock;
  const dynamics = word("dynamics", kDefaults.dynamics);
  const preset = presetOf(recipe.value);
  return (
    <>
      <h2>{said.title}</h2>
      <p>{said.intro[dynamics] ?? said.intro.SA}</p>
      {preset && said.hints[preset] && (
        <p class="look-for">
          <strong>{said.lookFor}.</strong> {said.hints[preset]}
        </p>
      )}
      <h3>{said.equation}</h3>
      <div data-equation={dynamics}>
        {formulasOf(recipe.value).map((name) => <Equation key={name} name={name} />)}
      </div>
      <h3>{said.known}</h3>
      <ul class="known" data-known={info?.known.length ?? 0}>
        {info && info.known.length > 0 ? (
          info.known.map((sentence) => (
            <li key={sentence}>
              <Linked text={sentence} />
            </li>
          ))
        ) : (
          <li>{said.nothingKnown}</li>
        )}
      </ul>
      <p class="hint" data-gaze="">{gaze}</p>
      <h3>{said.command}</h3>
      <code class="command" tabIndex={0}>{commandOf(words)}</code>
    </>
  );
}
