// view.tsx: the view Words: the tokens of a trained transformer move through its layers; one shows its attention.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Radios } from "../../parts/controls";
import { Frame } from "../../parts/frame";
import { useNarrator } from "../../parts/notice";
import { type Line, Plot } from "../../parts/plot";
import { StageCanvas } from "../../parts/stage_canvas";
import { Timeline } from "../../parts/timeline";
import { onClicks } from "../../scene/camera";
import type { Stage } from "../../scene/stage";
import { registerPart } from "../../state/language";
import { keepMoment } from "../../state/moment";
import { change, flag, recipe } from "../../state/recipe";
import { type Card, onStage } from "../../state/session";
import { isDark } from "../../state/theme";
import { fixed } from "../../strings/numbers";
import { words } from "../../strings/words";
import { kLayer, kStage, WordsScene } from "./draw";
import {
  placeAt, type Shared, spaced, spelled, distinctLabels, type TracedText, type WordsFilm, type WordsTrace,
} from "./file";
import { headNow, Library, openFile, sharesNow, textNow, tokenNow, traceNow } from "./library";
import { explained, loudest } from "./matrix";
import { Beside, Hearing, Next, Own, type Seen, Sentences, Typed } from "./panel";
import "./words.css";

const brief = (value: number) => (Number.isFinite(value) ? fixed(value, 2) : "–");

interface CurveProps {
  title: string;
  lines: Line[];
  now: number;
  frame: number;
}

function Curve({ title, lines, now, frame }: CurveProps) {
  const { values } = lines[0];
  const x = useMemo(() => Array.from(values, (_, k) => k), [values]);
  const summary = words.summary(title, brief(values[0]), brief(values[values.length - 1]));
  const value = lines.length > 1 ? undefined : brief(values[frame]); // two lines have their keys there
  return <Plot title={title} value={value} x={x} lines={lines} now={now} wholeX summary={summary} />;
}

interface WordsPlotsProps {
  text: TracedText;
  shared: Shared | null;
  now: number; // fractional layer
  frame: number;
}

function WordsPlots({ text, shared, now, frame }: WordsPlotsProps) {
  const cosine = useMemo(() => [{ label: words.plotCosine, values: text.cosine, colour: "--right" }], [text]);
  const both = useMemo(
    () => shared && [{ label: shared.token, values: shared.cosine, colour: "--left" }],
    [shared],
  );
  const twin = useMemo(
    () => [
      { label: words.fromTwin, values: text.twin.distance, colour: "--accent" },
      { label: words.fromStart, values: text.twin.still, colour: "--ink-soft", dash: [4, 4] },
    ],
    [text],
  );
  const at = { now, frame: Math.min(frame, text.frames - 1) };
  return (
    <>
      {text.tokens.length > 1 && <Curve title={words.plotCosine} lines={cosine} {...at} />}
      {shared && both && <Curve title={words.plotShared(spelled(shared.token))} lines={both} {...at} />}
      <Curve title={words.plotTwin} lines={twin} {...at} />
    </>
  );
}

/** The words of the view in the language of the page. */
export const worded = registerPart("words", words);

/** What is on stage now; null while nothing is. */
function seenNow(library: Library): Seen | null {
  const trace = library.trace.value;
  const film = library.player.film.value as WordsFilm | null;
  if (!trace || !film) return null;
  const text = textNow(trace);
  const frame = Math.min(library.player.frame.value, trace.texts[text].frames - 1);
  return { trace, text: trace.texts[text], frame, token: tokenNow(trace, text) };
}

const momentOf = (frame: number, last: number) => words.moment(frame, last);

/** The listener's word in the other of two sentences. */
function sharedBy(trace: WordsTrace, text: number, token: number | null): Shared | null {
  if (text > 1) return null;
  return trace.shared.find((one) => (text === 0 ? one.first : one.second) === token) ?? null;
}

/** Puts what the recipe and the player say on the stage. */
class Director {
  scene: WordsScene | null = null;
  private key = "";
  private shares: Float64Array | null = null;

  constructor(private readonly library: Library) {}

  draw(): void {
    const seen = seenNow(this.library);
    const film = this.library.player.film.value as WordsFilm | null;
    if (!seen || !film || film.text !== seen.text || film.flown.value === 0) return;
    const key = [seen.frame, seen.token, headNow(seen.trace.heads), flag("marks", true), seen.text.text, traceNow()].join();
    if (key !== this.key) this.shares = sharesNow(seen.trace, seen.text, seen.frame, seen.token);
    this.key = key;
    const at = this.library.player.at.value;
    this.scene?.draw({
      film, at, token: seen.token, shares: this.shares, twin: flag("twin", true), trail: flag("trail", true),
      namesake: this.namesake(seen, film, at), dark: isDark.value,
    });
  }

  private namesake({ trace, token }: Seen, film: WordsFilm, at: number) {
    const text = textNow(trace);
    const shared = sharedBy(trace, text, token);
    if (!shared) return null;
    const other = trace.texts[1 - text];
    const place = placeAt(other.places, other.tokens.length, text === 0 ? shared.second : shared.first, at, film.scale);
    return { place, label: words.namesake(spelled(shared.token)) };
  }
}

/** "“bank” hears “river” most, 31 %"; "" without a listener. */
function clauseOf({ trace, text, frame, token }: Seen): string {
  const shares = sharesNow(trace, text, frame, token);
  const most = shares ? loudest(shares, 1)[0] : undefined;
  if (token === null || !shares || most === undefined) return "";
  return words.hearsMost(spelled(text.tokens[token]), spelled(text.tokens[most]), words.percent(shares[most]));
}

function sentenceOf(library: Library): string {
  const seen = seenNow(library);
  return seen ? words.sentence(momentOf(seen.frame, seen.text.frames - 1), clauseOf(seen)) : "";
}

/** The card of a picture of the scene. */
function cardOf(library: Library): Card | null {
  const seen = seenNow(library);
  if (!seen) return null;
  const { frame, text } = seen;
  return { headline: clauseOf(seen) || text.text, colour: "--ink", moment: momentOf(frame, text.frames - 1) };
}

/** [ and ] choose the token before or after; Escape clears the choice. */
function useTokenKeys(library: Library): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const seen = seenNow(library);
      const bracket = event.key === "[" || event.key === "]"; // AltGr on many keyboards
      if (!seen || (event.target as Element).closest("input, select, textarea, dialog, details.menu")) return;
      if (!bracket && (event.ctrlKey || event.metaKey || event.altKey)) return;
      const n = seen.text.tokens.length;
      const by = event.key === "[" ? -1 : 1;
      if (bracket) change({ boid: seen.token === null ? (by > 0 ? 0 : n - 1) : (seen.token + by + n) % n });
      else if (event.key === "Escape" && seen.token !== null) change({ boid: "none" });
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

function Story({ library }: { library: Library }) {
  const seen = seenNow(library);
  if (!seen) return <h2>{words.title}</h2>;
  const { trace, text, frame } = seen;
  const name = traceNow();
  const bundled = name === "bank" || name === "nail" ? name : null;
  const shared = trace.shared.find((one) => spelled(one.token) === name);
  const share = trace.axes.reduce((sum, one) => sum + one, 0);
  const nearer = explained(text.twin.distance[frame], text.twin.still[frame]);
  return (
    <>
      <h2>{words.title}</h2>
      <p>{words.intro}</p>
      <p>{words.meaning}</p>
      {shared && (
        <p>{words.pair(spelled(shared.token), fixed(shared.cosine[0], 2), fixed(shared.cosine.at(-1)!, 2))}</p>
      )}
      {bundled && <p>{words.marks}</p>}
      <p>{words.howDrawn(trace.d, words.percent(share))}</p>
      <h3>{words.twinTitle}</h3>
      <p>{words.twin}</p>
      <p data-explained={nearer}>{frame === 0 || Number.isNaN(nearer) ? words.twinStart : words.twinSays(signed(nearer), nearer < kLittle)}</p>
      <p class="hint">{words.source(trace.model, text.frames - 1, trace.heads)}</p>
      {bundled && <p class="hint">{words.made}</p>}
      {bundled && <code class="command" tabIndex={0}>{commandOf(trace)}</code>}
    </>
  );
}

/** Of the distance: a twin that explains less explains next to nothing. */
const kLittle = 0.05;
const signed = (share: number) => words.percent(share).replace("-", "−");

/** The command whose run is shown. */
function commandOf({ model, texts }: WordsTrace): string {
  return ["murmur trace", model, ...texts.map(({ text }) => JSON.stringify(text))].join(" ");
}

/** The sentence as a row of its tokens, of which one listens. */
function Tokens({ seen }: { seen: Seen }) {
  const { text, token } = seen;
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const chosen = line.current?.querySelector<HTMLElement>("[aria-checked=true]");
    if (!line.current || !chosen) return;
    const [foot, top] = [chosen.offsetTop + chosen.offsetHeight, chosen.offsetTop];
    const { scrollTop, clientHeight } = line.current;
    if (top < scrollTop || foot > scrollTop + clientHeight) line.current.scrollTop = top - clientHeight / 2;
  }, [text, token]);
  const told = distinctLabels(text);
  return (
    <div class="words-head">
      {told.written !== "" && (
        <p class="words-written" role="status">{told.given}<mark title={words.writtenHere}>{told.written}</mark></p>
      )}
      <div class="words-line" ref={line}>
        <Radios
          kind="words-tokens"
          item="word"
          label={words.tokens}
          value={String(token)}
          options={text.tokens.map((one, i) => ({ value: String(i), label: spaced(one), mark: i >= text.given }))}
          onChange={(value) => change({ boid: value })}
        />
      </div>
    </div>
  );
}

function Scene({ library, director, onReady }: { library: Library; director: Director; onReady(stage: Stage | null): void }) {
  const seen = seenNow(library);
  return (
    <div class="words-scene">
      {seen && <Tokens seen={seen} />}
      <div class="words-stage">
        <StageCanvas
          options={kStage}
          label={words.scene(seen?.text.text ?? "", seen?.text.tokens.length ?? 0)}
          onStage={onReady}
          onTick={(seconds) => {
            library.player.tick(seconds);
            director.draw();
          }}
        />
        {!seen && <p class="words-waiting">{words.loading}</p>}
      </div>
    </div>
  );
}

/** What outlives a render: following the recipe, telling the scene, keeping the moment. */
function useLibrary(): { library: Library; director: Director } {
  const made = useMemo(() => {
    const library = new Library();
    return { library, director: new Director(library) };
  }, []);
  useEffect(() => {
    const stops = [made.library.follow(), keepMoment(made.library.player)];
    return () => stops.forEach((stop) => stop());
  }, []);
  useNarrator(() => sentenceOf(made.library));
  useTokenKeys(made.library);
  return made;
}

export default function WordsView() {
  const { library, director } = useLibrary();
  const stage = useSignal<Stage | null>(null);
  const unclick = useRef<(() => void) | null>(null);
  const { player } = library;
  void recipe.value;

  const ready = (next: Stage | null) => {
    unclick.current?.();
    stage.value = next;
    director.scene = next && new WordsScene(next);
    unclick.current = next && onClicks(next.canvas, (x, y) => {
      const token = next.pick(kLayer, x, y, 18);
      if (token !== null) change({ boid: token });
    });
    onStage.value = {
      view: "words", player, stage: next, draw: () => director.draw(),
      card: () => cardOf(library),
      accept: async (files) => {
        const file = files.find((one) => one.name.endsWith(".json"));
        if (file) await openFile(file);
        return file !== undefined;
      },
    };
  };

  const seen = seenNow(library);
  const last = player.film.value?.last ?? 0;
  return (
    <Frame
      view="words"
      story={<Story library={library} />}
      scene={<Scene library={library} director={director} onReady={ready} />}
      controls={
        <>
          <Sentences library={library} />
          {seen && <Hearing seen={seen} />}
          {seen && <Next seen={seen} moment={momentOf(seen.frame, last)} />}
          <Beside />
          <Typed library={library} />
          <Own />
        </>
      }
      timeline={<Timeline player={player} unit={(frame) => momentOf(frame, last)} />}
      plots={seen && (
        <WordsPlots
          text={seen.text} shared={sharedBy(seen.trace, textNow(seen.trace), seen.token)} now={player.at.value}
          frame={seen.frame}
        />
      )}
    />
  );
}
