// knobs.tsx: what can be turned at a stop, and whom a word listens to.
import { Choice, Segments, Slider, Switch } from "../../parts/controls";
import { amount, change, flag, word } from "../../state/recipe";
import { strings } from "../../strings";
import { kKnobs, type Knobs, type Scene } from "./scenes";

/** The knobs as the recipe has them. */
export function knobs(): Knobs {
  return {
    bank: word("bank", kKnobs.bank) === "money" ? "money" : "river",
    beta: amount("beta", kKnobs.beta, 0, 20),
    push: flag("push", kKnobs.push),
    think: flag("think", kKnobs.think),
    guest: flag("guest", kKnobs.guest),
    shuffled: flag("shuffled", kKnobs.shuffled),
  };
}

export function StopKnobs({ stop }: { stop: number }) {
  const words = strings.story.knobs;
  const now = knobs();
  if (stop === 2) {
    return (
      <>
        <Labelled text={words.order}>
          <Segments
            label={words.order}
            value={String(now.shuffled)}
            options={[{ value: "false", label: words.reading }, { value: "true", label: words.shuffled }]}
            onChange={(value) => change({ shuffled: value === "true" ? value : "" })}
          />
        </Labelled>
        <p class="hint">{words.barsStay}</p>
      </>
    );
  }
  if (stop === 4) {
    return (
      <Labelled text={words.value}>
        <Segments
          label={words.value}
          value={String(now.push)}
          options={[{ value: "false", label: words.draw }, { value: "true", label: words.push }]}
          onChange={(value) => change({ push: value === "false" ? value : "" })}
        />
      </Labelled>
    );
  }
  if (stop === 5) {
    return (
      <>
        <Labelled text={words.sentence}>
          <div class="sentences" role="radiogroup" aria-label={words.sentence}>
            {(["river", "money"] as const).map((bank) => (
              <button
                key={bank} type="button" role="radio" class="answer" aria-checked={now.bank === bank}
                onClick={() => change({ bank: bank === "river" ? "" : bank })}
              >
                {words[bank]}
              </button>
            ))}
          </div>
        </Labelled>
        <Slider
          label={words.beta} value={now.beta} least={0} most={20} step={0.5}
          onChange={(beta) => change({ beta: beta === kKnobs.beta ? "" : beta })}
        />
      </>
    );
  }
  if (stop === 6) {
    return <Switch label={words.think} on={now.think} onChange={(on) => change({ think: on ? "" : false })} />;
  }
  if (stop === 7) {
    return (
      <>
        <Switch label={words.guest} on={now.guest} onChange={(on) => change({ guest: on ? true : "" })} />
        <ul class="legend">
          <li><span class="mark" aria-hidden="true">✛</span> {strings.story.legend.cross}</li>
          <li><span class="mark" aria-hidden="true">◉</span> {strings.story.legend.ring}</li>
          {now.guest && (
            <li><span class="mark faint" aria-hidden="true">✛ ○</span> {strings.story.legend.faint}</li>
          )}
        </ul>
      </>
    );
  }
  return <p class="hint">{stop === 1 ? words.nothing : words.attraction}</p>;
}

function Labelled({ text, children }: { text: string; children: preact.ComponentChildren }) {
  return (
    <div class="labelled">
      <span>{text}</span>
      {children}
    </div>
  );
}

interface ListenerProps {
  scene: Scene;
  listener: number;
  weights: ArrayLike<number> | null;
}

/** Chooses the listener, and tells in words what the lines show. */
export function Listener({ scene, listener, weights }: ListenerProps) {
  const words = strings.story;
  const { tokens } = scene;
  const shares = weights
    ? tokens
        .map((token, j) => ({ text: j === listener ? words.itself : token.text, share: weights[j] ?? 0 }))
        .filter(({ share }) => share >= 0.005)
        .sort((a, b) => b.share - a.share)
    : [];
  return (
    <div class="listener">
      <Choice
        label={words.ear}
        value={String(listener)}
        options={tokens.map((token, i) => ({ value: String(i), label: token.text }))}
        onChange={(value) => change({ boid: Number(value) === scene.listener ? "" : value })}
      />
      <p class="hint">{words.listener}</p>
      <ul class="shares" aria-label={words.shares}>
        {shares.slice(0, 6).map(({ text, share }) => (
          <li key={text} style={{ "--share": `${100 * share}%` }}>
            <span>{text}</span> <output>{words.percent(share)}</output>
          </li>
        ))}
      </ul>
    </div>
  );
}
