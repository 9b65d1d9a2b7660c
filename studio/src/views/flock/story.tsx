// story.tsx: the text of the view: the scene, its equation, the theorems about it, and the command that runs it in a terminal.
import { equations } from "virtual:equations/flock";
import type { ComponentChildren } from "preact";
import { Equation } from "../../parts/equation";
import type { FlightInfo, Words } from "../../core/protocol";
import type { KeptFilm } from "../../state/kept_film";
import { recipe } from "../../state/recipe";
import { strings } from "../../strings";
import { flock as flockText } from "../../strings/flock";
import { attendsToNear, lookFor } from "./look_for";
import { commandOf, kDefaults, presetOf, withLinks } from "./parameters";

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

/** Names of the formulas that make up the equation of what is flown. */
export function formulasOf(words: Words, habitat: FlightInfo["habitat"]): string[] {
  const of = (key: string, initial: string) => String(words[key] ?? initial);
  const dynamics = of("dynamics", kDefaults.dynamics);
  const names = [dynamics === "hardmax" && habitat === "sphere" ? "hardmax_sphere" : dynamics];
  const norm = /^(pre|peri|mix|ngpt|sqrt)/.exec(of("normalisation", ""))?.[1];
  if (norm) names.push(`flock_norm_${norm}`);
  else if (habitat === "space" && ["SA", "USA", "causal", "sinkhorn"].includes(dynamics)) names.push("flock_space");
  const mapped = ["query", "key", "value"].some((key) => of(key, "identity") !== "identity");
  const many = Number(of("heads", "1")) > 1 && dynamics !== "none";
  if (many && dynamics === "hardmax") names.push("flock_heads_hard");
  else if (many) names.push(of("head_scale", "sum") === "mean" ? "flock_heads_mean" : "flock_heads");
  if (mapped && dynamics !== "rescaled" && dynamics !== "none") names.push(many ? "flock_qkv_heads" : "flock_qkv");
  if (of("perceptron", "none") !== "none" && dynamics !== "none") names.push("flock_will");
  if (Number(of("noise", "0")) > 0) names.push("flock_noise");
  if (of("method", "") === "layers") names.push("flock_layers");
  return names;
}

/** The text about saved frames: their run, why they are shown, and how to leave them. */
function KeptStory({ film }: { film: KeptFilm }) {
  const said = strings.runs;
  return (
    <>
      <h2>{said.kept(film.run.name)}</h2>
      <p data-kept={film.run.name}>{said.keptWhy(film.about.why)}</p>
      <p>{said.keptHint}</p>
    </>
  );
}

interface StoryProps {
  kept: KeptFilm | null;
  info: FlightInfo | null;
  words: Words;
  gaze: ComponentChildren;
}

export function FlockStory({ kept, info, words, gaze }: StoryProps) {
  const said = flockText;
  const dynamics = String(words.dynamics ?? kDefaults.dynamics);
  const preset = presetOf(recipe.value);
  if (kept) return <KeptStory film={kept} />;
  return (
    <>
      <h2>{said.title}</h2>
      <p>{said.intro[dynamics] ?? said.intro.SA}{dynamics === "SA" && attendsToNear(words) && ` ${said.near}`}</p>
      <p class="look-for" data-look={preset || "own"}>
        <strong>{said.lookFor}.</strong> {said.hints[preset] ?? lookFor(words, info?.known)}
      </p>
      <h3>{said.equation}</h3>
      <div data-equation={dynamics}>
        {info && formulasOf(words, info.habitat).map((name) => <Equation key={name} html={equations[name]} />)}
      </div>
      <h3>{said.known}</h3>
      <ul class="known" data-known={info?.known.length ?? 0}>
        {info && info.known.length > 0 ? (
          info.known.map((result) => (
            <li key={result.name}>
              <Linked text={said.told(result)} />
            </li>
          ))
        ) : (
          <li>{said.nothingKnown}</li>
        )}
      </ul>
      <p class="hint" data-gaze="">{gaze}</p>
      {info && ( // the core has not accepted other parameters yet
        <>
          <h3>{said.command}</h3>
          <code class="command" tabIndex={0}>{commandOf(words)}</code>
        </>
      )}
    </>
  );
}
