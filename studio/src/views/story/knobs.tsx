// knobs.tsx: the controls of a stop.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Radios, Segments, Slider, Switch } from "../../parts/controls";
import { amount, change, flag, word } from "../../state/recipe";
import { core, showError } from "../../state/session";
import { story as storyWords } from "../../strings/story";
import { ladderNow, readersOf } from "./ladder";
import { movedByGuest, type Moved } from "./derived";
import { kKnobs, type Knobs, type StopName } from "./stops";
import { FourTable, kFours, kPairs, kReaders, type Test } from "./trained_readers";
import { fixed } from "../../strings/numbers";

/** The knobs as the recipe has them. */
export function knobs(): Knobs {
  const bank = word("bank", kKnobs.bank);
  return {
    apart: amount("apart", kKnobs.apart, 0, 0.3),
    pull: amount("pull", kKnobs.pull, 0, 2),
    bank: bank === "money" || bank === "own" ? bank : "river",
    own: word("own", storyWords.knobs.ownFirst),
    beta: amount("beta", kKnobs.beta, 0, 20),
    push: flag("push", kKnobs.push),
    mirror: flag("mirror", kKnobs.mirror),
    think: flag("think", kKnobs.think),
    skip: flag("skip", kKnobs.skip),
    guest: flag("guest", kKnobs.guest),
    wide: flag("wide", kKnobs.wide),
    placed: flag("placed", kKnobs.placed),
    kappa: amount("kappa", kKnobs.kappa, 0, 40),
    shuffled: flag("shuffled", kKnobs.shuffled),
    put: word("put", ""),
  };
}

/** All words of the recipe that belong to one stop: another stop begins without them. */
export const kStopWords = [...Object.keys(kKnobs), "at", "answer", "boid", "reader", "four", "pair", "rungs"];

const kFour = 1; // the first four shown

/** Which reader flies which pair. */
export function testNow(): Test {
  return {
    reader: word("reader", kReaders[0]) === "alone" ? "alone" : "same",
    four: Math.round(amount("four", kFour + 1, 1, kFours)) - 1,
    pair: Math.round(amount("pair", 0, 0, kPairs - 1)),
  };
}
/** How many readers of the ladder are shown: one, until more are asked for. */
export function rungsNow(): number {
  const all = readersOf(ladderNow()).length;
  return Math.round(amount("rungs", 1, 1, all));
}

/** Turns a knob: another flight, from its start. */
function turn(words: Record<string, string | number | boolean>): void {
  change({ at: "", ...words });
}

interface EitherProps {
  /** The word of the recipe that is true or false. */
  name: "shuffled" | "push" | "wide" | "placed" | "mirror";
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

interface TurnedProps {
  name: "apart" | "pull" | "beta";
  label: string;
  most: number;
  step: number;
}

/** A slider that begins another flight. */
function Turned({ name, label, most, step }: TurnedProps) {
  return (
    <Slider
      label={label} value={knobs()[name]} least={0} most={most} step={step}
      onChange={(value) => turn({ [name]: value === kKnobs[name] ? "" : value })}
    />
  );
}

/** Which of two sentences, or one's own where that can be. */
function Sentence({ own, texts }: { own: boolean; texts: { river: string; money: string } }) {
  const words = storyWords.knobs;
  const now = knobs();
  const options = [
    ...(["river", "money"] as const).map((value) => ({ value: value as string, label: texts[value] })),
    ...(own ? [{ value: "own", label: words.own }] : []),
  ];
  return (
    <Labelled text={words.sentence}>
      <Radios
        kind="sentences" item="answer" label={words.sentence} value={now.bank} options={options}
        onChange={(bank) => turn({ bank: bank === kKnobs.bank ? "" : bank, put: "", boid: "" })}
      />
      {own && now.bank === "own" && (
        <label class="own-sentence">
          <span>{words.ownLabel}</span>
          <input
            type="text" maxLength={120} value={now.own} spellcheck={false} autocomplete="off"
            onChange={(event) => turn({ own: event.currentTarget.value.trim(), put: "", boid: "" })}
          />
          <span class="hint">{words.ownHint}</span>
        </label>
      )}
    </Labelled>
  );
}

function Guest() {
  const { knobs: words, legend } = storyWords;
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
      {guest && <GuestTable />}
    </>
  );
}

/** How far the guest moves mean and CLS, in a tight and in a wide flock; flown when it joins. */
function GuestTable() {
  const { moved: words, signs } = storyWords;
  const found = useSignal<Record<"tight" | "wide", Moved> | null>(null);
  useEffect(() => {
    let wanted = true;
    const ask = async () => {
      const awake = await core;
      const [tight, wide] = [await movedByGuest(awake, false, signs), await movedByGuest(awake, true, signs)];
      if (wanted) found.value = { tight, wide };
    };
    ask().catch(showError);
    return () => {
      wanted = false;
    };
  }, []);
  const cell = (width: "tight" | "wide", who: keyof Moved) =>
    found.value ? fixed(found.value[width][who], 3) : "…";
  return (
    <table class="figures" data-moved={found.value ? "here" : undefined}>
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
  const words = storyWords.order;
  return (
    <ul class="legend">
      <li><span class="mark" aria-hidden="true">●</span> {words.first}</li>
      <li><span class="mark" aria-hidden="true">○</span> {words.second}</li>
    </ul>
  );
}

/** Which reader flies which pair, and how much of the ladder is shown. */
function Tested() {
  const words = storyWords.knobs;
  const all = readersOf(ladderNow()).length;
  const now = testNow();
  return (
    <>
      <Labelled text={words.reader}>
        <Segments
          label={words.reader} value={now.reader}
          options={kReaders.map((value) => ({ value, label: words.readers[value] }))}
          onChange={(reader) => turn({ reader: reader === kReaders[0] ? "" : reader })}
        />
      </Labelled>
      <Labelled text={words.pair}>
        <Segments
          label={words.pair} value={String(now.pair)}
          options={words.pairs.map((label, k) => ({ value: String(k), label }))}
          onChange={(pair) => turn({ pair: pair === "0" ? "" : pair })}
        />
      </Labelled>
      <Slider
        label={words.four} least={1} most={kFours} value={now.four + 1}
        onChange={(four) => turn({ four: four === kFour + 1 ? "" : four })}
      />
      <FourTable key={now.four} four={now.four} />
      <Slider
        label={words.rungs} least={1} most={all} value={rungsNow()} show={(k) => words.rungsOf(k, all)}
        onChange={(k) => change({ rungs: k === 1 ? "" : k }, true)}
      />
    </>
  );
}

export function StopKnobs({ stop }: { stop: StopName }) {
  const { knobs: words, nextWord } = storyWords;
  switch (stop) {
    case "alone":
      return (
        <>
          <Turned name="apart" label={words.apart} most={0.3} step={0.01} />
          <p class="hint">{words.apartHint}</p>
        </>
      );
    case "messenger":
      return (
        <>
          <Either name="shuffled" label={words.order} no={words.reading} yes={words.shuffled} />
          <p class="hint">{words.barsStay}</p>
        </>
      );
    case "attraction":
      return <Turned name="pull" label={words.pull} most={2} step={0.1} />;
    case "messages":
      return <Either name="push" label={words.value} no={words.draw} yes={words.push} />;
    case "listening":
      return (
        <>
          <Sentence own texts={words} />
          <Turned name="beta" label={words.beta} most={20} step={0.5} />
        </>
      );
    case "asking":
      return (
        <>
          <Either name="mirror" label={words.key} no={words.keyOwn} yes={words.keySame} />
          <Turned name="beta" label={words.beta} most={20} step={0.5} />
        </>
      );
    case "order":
      return (
        <>
          <Either name="placed" label={words.codes} no={words.codesOff} yes={words.codesOn} />
          <OrderLegend />
        </>
      );
    case "rounds":
      return <Switch label={words.think} on={knobs().think} onChange={(on) => turn({ think: on ? "" : false })} />;
    case "levels":
      return <Switch label={words.skip} on={knobs().skip} onChange={(on) => turn({ skip: on ? true : "" })} />;
    case "speaker":
      return <Guest />;
    case "next":
      return (
        <>
          <Sentence own={false} texts={nextWord} />
          <Slider
            label={nextWord.kappa} value={knobs().kappa} least={0} most={40} step={1}
            onChange={(kappa) => change({ kappa: kappa === kKnobs.kappa ? "" : kappa }, true)}
          />
        </>
      );
    case "tested":
      return <Tested />;
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
