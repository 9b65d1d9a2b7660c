// panel.tsx: the controls: sentences, what a token attends to, the next token, a typed text, the visitor's own trace.
import { useSignal } from "@preact/signals";
import { useEffect, useId, useMemo } from "preact/hooks";
import { Button, Choice, Group, Slider, Switch } from "../../parts/controls";
import { change, flag, word } from "../../state/recipe";
import { showStage, showError } from "../../state/session";
import { isTouch } from "../../state/theme";
import { words } from "../../strings/words";
import { isSpecial, spelled, type TracedText, type WordsTrace } from "./file";
import { attentionOf, layerAt, loudest, Matrix, matrixOf } from "./matrix";
import {
  earNow, headNow, kBundled, kMore, kMostMore, moreNow, openFile, ownTrace, sayNow, sharesNow, textNow, traceNow, type Library,
  type TraceName,
} from "./library";

/** The readings of one text at one frame. */
export interface Seen {
  trace: WordsTrace;
  text: TracedText;
  frame: number;
  token: number | null;
}

const kListed = 6;
const kOwnCommand = ["murmur export", "RUN -o", "words.json"].join(" ");

/** Another trace is another sentence: who was chosen in the last one is forgotten. */
const kAnew = { text: "", boid: "", head: "" };

export function Sentences({ library }: { library: Library }) {
  const trace = library.trace.value;
  const names: TraceName[] = [...kBundled, "live", ...(ownTrace() ? (["own"] as const) : [])];
  const now = traceNow();
  return (
    <Group title={words.what}>
      <Choice
        label={words.trace}
        value={now}
        options={names.map((value) => ({ value, label: words.traces[value] }))}
        onChange={(value) => change({ ...kAnew, trace: value === "bank" ? "" : value })}
      />
      {trace && trace.texts.length > 1 && (
        <div class="wide">
          <Choice
            label={words.text}
            value={String(textNow(trace) + 1)}
            options={trace.texts.map(({ text }, k) => ({ value: String(k + 1), label: text }))}
            onChange={(value) => change({ text: value === "1" ? "" : value, boid: "" })}
          />
        </div>
      )}
    </Group>
  );
}

function Heard({ seen, shares, label }: { seen: Seen; shares: Float64Array; label: string }) {
  const { text, token } = seen;
  return (
    <ol class="heard" aria-label={label}>
      {loudest(shares, kListed).map((j) => (
        <li key={j}>
          <button type="button" class="button" onClick={() => change({ boid: j })}>
            {spelled(text.tokens[j])}{j === token && <small> ({words.itself})</small>}
          </button>
          <meter min={0} max={1} value={shares[j]} aria-label={spelled(text.tokens[j])} />
          <span class="num">{words.percent(shares[j])}</span>
        </li>
      ))}
    </ol>
  );
}

export function Hearing({ seen }: { seen: Seen }) {
  const { trace, text, frame, token } = seen;
  const layer = layerAt(frame, text);
  const head = headNow(trace.heads);
  const shares = sharesNow(trace, text, frame, token);
  const ear = earNow(trace, text, frame);
  const matrix = useMemo(() => matrixOf(text, trace.heads, ear), [text, ear.layer, ear.head, ear.marks]);
  const marked = text.tokens.some(isSpecial);
  const heads = Array.from({ length: trace.heads }, (_, k) => ({ value: String(k + 1), label: words.headOf(k + 1) }));
  return (
    <Group title={words.hearing}>
      {text.attention === null && <p class="hint">{words.noAttention}</p>}
      {token === null && <p class="hint">{words.none(isTouch.value)}</p>}
      {token !== null && shares && (
        <div data-listener={spelled(text.tokens[token])} data-layer={layer + 1}>
          <p class="listener">{words.hears(spelled(text.tokens[token]), layer + 1)}</p>
          <Heard seen={seen} shares={shares} label={words.hears(spelled(text.tokens[token]), layer + 1)} />
          <p class="hint">{words.hearsHint(layer < frame)}</p>
        </div>
      )}
      {token !== null && matrix && (
        <div data-heard={spelled(text.tokens[token])}>
          <p class="listener">{words.isHeard(spelled(text.tokens[token]))}</p>
          <Heard seen={seen} shares={attentionOf(text, matrix, token, ear.marks)} label={words.isHeard(spelled(text.tokens[token]))} />
          <p class="hint">{words.isHeardHint}</p>
        </div>
      )}
      {matrix && <Matrix text={text} matrix={matrix} token={token} layer={layer + 1} />}
      {text.attention && trace.heads > 1 && (
        <Choice
          label={words.head}
          value={head === null ? "" : String(head + 1)}
          options={[{ value: "", label: words.mean }, ...heads]}
          onChange={(value) => change({ head: value })}
        />
      )}
      {text.attention && marked && (
        <Switch
          label={words.marksHeard} hint={words.marksHint} on={flag("marks", true)}
          onChange={(on) => change({ marks: on ? "" : false })}
        />
      )}
    </Group>
  );
}

export function Next({ seen, moment }: { seen: Seen; moment: string }) {
  const said = seen.text.lens[seen.frame];
  return (
    <Group title={words.next} open={said !== undefined}>
      {!said && <p class="hint">{words.noNext}</p>}
      {said && <p class="listener">{words.nextAt(moment, spelled(seen.text.tokens.at(-1)!))}</p>}
      {said && (
        <ol class="heard said">
          {said.map(({ token, probability }) => (
            <li key={token}>
              <span class="said-token">{spelled(token)}</span>
              <meter min={0} max={1} value={probability} aria-label={spelled(token)} />
              <span class="num">{words.percent(probability)}</span>
            </li>
          ))}
        </ol>
      )}
    </Group>
  );
}

export function Beside() {
  return (
    <Group title={words.show}>
      <Switch label={words.showTwin} on={flag("twin", true)} onChange={(on) => change({ twin: on ? "" : false })} />
      <Switch label={words.showTrail} on={flag("trail", true)} onChange={(on) => change({ trail: on ? "" : false })} />
    </Group>
  );
}

export function Typed({ library }: { library: Library }) {
  const id = useId();
  const typed = useSignal(sayNow());
  const more = useSignal(moreNow());
  const live = traceNow() === "live";
  useEffect(() => {
    typed.value = sayNow(); // a link, or undo, may say another
    more.value = moreNow();
  }, [sayNow(), moreNow()]);
  const read = () => {
    const say = typed.value.trim() === "" ? words.initial : typed.value;
    typed.value = say;
    change({ ...kAnew, trace: "live", say, more: more.value === kMore ? "" : more.value });
    showStage(true);
  };
  return (
    <Group title={words.typed} open={live || word("say", "") !== ""}>
      <p class="hint">{words.typedHint}</p>
      <div class="choice typed">
        <label for={id}>{words.typedLabel}</label>
        <textarea
          id={id}
          rows={2}
          maxLength={200}
          value={typed.value}
          onInput={(event) => (typed.value = event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            read();
          }}
        />
      </div>
      <Slider label={words.more} least={0} most={kMostMore} value={more.value} onChange={(value) => (more.value = value)} />
      <Button primary onClick={read} disabled={library.busy.value}>
        {live && library.busy.value ? words.reading : words.read}
      </Button>
    </Group>
  );
}

export function Own() {
  const id = useId();
  return (
    <Group title={words.own} open={false}>
      <p class="hint">{words.ownHint}</p>
      <label class="button" for={id}>{words.choose}</label>
      <input
        id={id}
        class="visually-hidden"
        type="file"
        accept=".json,application/json"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          event.currentTarget.value = "";
          if (file) openFile(file).catch(showError);
        }}
      />
      <code class="command" tabIndex={0}>{kOwnCommand}</code>
    </Group>
  );
}
