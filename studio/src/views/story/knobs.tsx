// knobs.tsx: what can be turned at a stop, and whom a word listens to.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Choice, Radios, Segments, Slider, Switch } from "../../parts/controls";
import { amount, change, flag, word } from "../../state/recipe";
import { core, tell } from "../../state/session";
import { strings } from "../../strings";
import { movedByGuest, type Moved } from "./reckon";
import { kKnobs, type Knobs, type Scene } from "./scenes";

/** The knobs as the recipe has them. */
export function knobs(): Knobs {
  return {
    bank: word("bank", kKnobs.bank) === "money" ? "money" : "river",
    beta: amount("beta", kKnobs.beta, 0, 20),
    push: flag("push", kKnobs.push),
    think: flag("think", kKnobs.think),
    guest: flag("guest", kKnobs.guest),
    wide: flag("wide", kKnobs.wide),
    placed: flag("placed", kKnobs.placed),
    kappa: amount("kappa", kKnobs.kappa, 0, 40),
    shuffled: flag("shuffled", kKnobs.shuffled),
  };
}

/** Turns a knob: another flight, from its start. */
function turn(words: Record<string, string | number | boolean>): void {
  change({ at: "", ...words });
}

interface EitherProps {
  /** The word of the recipe that is true or false. */
  name: "shuffled" | "push" | "wide" | "placed";
  label: string;
  no: string;
  yes: string;
}

/** Two alternatives side by side. */
function Either({ name, label, no, yes }: EitherProps) {
  return (
    <Labelled text={label}>
      <Segments
        label={label}
        value={String(knobs()[name])}
        options={[{ value: "false", label: no }, { value: "true", label: yes }]}
        onChange={(value) => turn({ [name]: value === String(kKnobs[name]) ? "" : value })}
      />
    </Labelled>
  );
}

/** Which sentence has the bank, and how sharply its words listen. */
function Sentences() {
  const words = strings.story.knobs;
  const now = knobs();
  return (
    <>
      <Labelled text={words.sentence}>
        <Radios
          kind="sentences" item="answer" label={words.sentence} value={now.bank}
          options={(["river", "money"] as const).map((value) => ({ value, label: words[value] }))}
          onChange={(bank) => turn({ bank: bank === kKnobs.bank ? "" : bank })}
        />
      </Labelled>
      <Slider
        label={words.beta} value={now.beta} least={0} most={20} step={0.5}
        onChange={(beta) => turn({ beta: beta === kKnobs.beta ? "" : beta })}
      />
    </>
  );
}

function Guest() {
  const { knobs: words, legend } = strings.story;
  const { guest } = knobs();
  return (
    <>
      <Switch label={words.guest} on={guest} onChange={(on) => turn({ guest: on ? true : "" })} />
      <Either name="wide" label={words.width} no={words.tight} yes={words.wide} />
      <ul class="legend">
        <li><span class="mark" aria-hidden="true">✛</span> {legend.cross}</li>
        <li><span class="mark" aria-hidden="true">◉</span> {legend.ring}</li>
        {guest && <li><span class="mark faint" aria-hidden="true">✛ ○</span> {legend.faint}</li>}
      </ul>
    </>
  );
}

/** How far the guest moves mean and CLS, in a tight and in a wide flock; flown when it joins. */
function GuestTable() {
  const { moved: words, signs } = strings.story;
  const found = useSignal<Record<"tight" | "wide", Moved> | null>(null);
  useEffect(() => {
    let wanted = true;
    const ask = async () => {
      const awake = await core;
      const [tight, wide] = [await movedByGuest(awake, false, signs), await movedByGuest(awake, true, signs)];
      if (wanted) found.value = { tight, wide };
    };
    ask().catch(tell);
    return () => {
      wanted = false;
    };
  }, []);
  const cell = (width: "tight" | "wide", who: keyof Moved) => found.value?.[width][who].toFixed(3) ?? "…";
  return (
    <table class="moved" data-moved={found.value ? "here" : undefined}>
      <caption>{words.caption}</caption>
      <thead>
        <tr>
          <th scope="col">{words.who}</th>
          <th scope="col">{words.tight}</th>
          <th scope="col">{words.wide}</th>
        </tr>
      </thead>
      <tbody>
        {(["mean", "cls"] as const).map((who) => (
          <tr key={who}>
            <th scope="row">{words[who]}</th>
            <td>{cell("tight", who)}</td>
            <td>{cell("wide", who)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function OrderLegend() {
  const words = strings.story.order;
  return (
    <ul class="legend">
      <li><span class="mark" aria-hidden="true">●</span> {words.first}</li>
      <li><span class="mark" aria-hidden="true">○</span> {words.second}</li>
    </ul>
  );
}

/** Which words were said, and how sharply the last one chooses. */
function NextKnobs() {
  const words = strings.story.nextWord;
  const now = knobs();
  return (
    <>
      <Labelled text={strings.story.knobs.sentence}>
        <Radios
          kind="sentences" item="answer" label={strings.story.knobs.sentence} value={now.bank}
          options={(["river", "money"] as const).map((value) => ({ value, label: words[value] }))}
          onChange={(bank) => turn({ bank: bank === kKnobs.bank ? "" : bank })}
        />
      </Labelled>
      <Slider
        label={words.kappa} value={now.kappa} least={0} most={40} step={1}
        onChange={(kappa) => change({ kappa: kappa === kKnobs.kappa ? "" : kappa }, true)}
      />
    </>
  );
}

export function StopKnobs({ stop }: { stop: number }) {
  const words = strings.story.knobs;
  switch (stop) {
    case 2:
      return (
        <>
          <Either name="shuffled" label={words.order} no={words.reading} yes={words.shuffled} />
          <p class="hint">{words.barsStay}</p>
        </>
      );
    case 4:
      return <Either name="push" label={words.value} no={words.draw} yes={words.push} />;
    case 5:
      return <Sentences />;
    case 6:
      return <Switch label={words.think} on={knobs().think} onChange={(on) => turn({ think: on ? "" : false })} />;
    case 7:
      return (
        <>
          <Guest />
          {knobs().guest && <GuestTable />}
        </>
      );
    case 8:
      return (
        <>
          <Either name="placed" label={words.codes} no={words.codesOff} yes={words.codesOn} />
          <OrderLegend />
        </>
      );
    case 9:
      return <NextKnobs />;
    default:
      return <p class="hint">{stop === 1 ? words.nothing : words.attraction}</p>;
  }
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
