// panel.tsx: the text of one stop: the lesson, its formula, its question, and where the picture of birds breaks.
import { equations } from "virtual:equations/story";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../../parts/controls";
import { Equation } from "../../parts/equation";
import { change, word } from "../../state/recipe";
import { reducedMotion } from "../../state/theme";
import { story as storyWords } from "../../strings/story";
import { kStops } from "./stops";

/** Words between underscores are words of the scene. */
export function rich(text: string) {
  return text.split("_").map((part, k) => (k % 2 === 1 ? <em key={k}>{part}</em> : part));
}

interface PanelProps {
  stop: number;
  /** Whether the scene on stage is this stop's. */
  flown: boolean;
  /** Counts the moves between stops that the visitor made; the heading then takes the focus. */
  moves: number;
  go(stop: number): void;
}

export function Panel({ stop, flown, moves, go }: PanelProps) {
  const words = storyWords;
  const text = words.stops[stop - 1];
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (moves === 0) return;
    heading.current?.focus({ preventScroll: true });
    const narrow = matchMedia("(max-width: 1100px)").matches;
    if (narrow) document.getElementById("scene")?.scrollIntoView({ block: "start" });
    else heading.current?.closest(".story")?.scrollTo({ top: 0 });
  }, [moves]);

  return (
    <article class="stop" data-stop={stop} data-flown={flown}>
      <Progress stop={stop} go={go} />
      <h2 ref={heading} tabIndex={-1}>
        <span class="stop-number">{words.stopOf(stop, kStops)}</span> {text.title}
      </h2>
      {text.text.map((paragraph, k) => <p key={k}>{rich(paragraph)}</p>)}
      <Equation html={equations[text.equation]} />
      <p class="formula-words">{rich(text.formula)}</p>
      <Question stop={stop} />
      <aside class="breaks">
        <h3>{words.breaks}</h3>
        <p>{rich(text.breaks)}</p>
      </aside>
      <p class="stop-keys">{words.keys}</p>
      <p class="stop-sheet"><a href="#v=1&view=story&sheet=1">{words.sheet}</a></p>
    </article>
  );
}

/** Whether the question of the stop is whole in sight, above the bar. */
function useQuestionSeen(stop: number): boolean {
  const seen = useSignal(true);
  useEffect(() => {
    const question = document.querySelector(".question");
    if (!question) return;
    const watch = new IntersectionObserver(([entry]) => {
      const room = entry.rootBounds?.height ?? innerHeight;
      const { intersectionRect, boundingClientRect } = entry;
      seen.value = intersectionRect.height >= Math.min(boundingClientRect.height, 0.8 * room) - 1;
    }, { rootMargin: `0px 0px -${kBar}px 0px`, threshold: Array.from({ length: 21 }, (_, k) => k / 20) });
    watch.observe(question);
    return () => watch.disconnect();
  }, [stop]);
  return seen.value;
}

const kBar = 56; // CSS pixels of the bar, which covers what is below it

/** Brings the whole question into sight; the text above it gives way. */
function showQuestion(): void {
  const question = document.querySelector(".question");
  question?.scrollIntoView({ block: "nearest", behavior: reducedMotion.value ? "auto" : "smooth" });
  question?.querySelector<HTMLElement>(".answer")?.focus({ preventScroll: true });
}

/** On the narrowest windows a sign of one letter. */
function Ask() {
  const { toQuestion } = storyWords;
  return (
    <Button label={toQuestion} onClick={showQuestion}>
      <span class="ask-sign">?</span><span class="ask-word">{toQuestion}</span>
    </Button>
  );
}

/** Back and Next, always in sight: below the text, on narrow windows at the foot of the page. Between them, the question. */
export function StopButtons({ stop, go }: { stop: number; go(stop: number): void }) {
  const words = storyWords;
  const seen = useQuestionSeen(stop);
  return (
    <nav class="stop-buttons" aria-label={words.stopOf(stop, kStops)}>
      <Button onClick={() => go(stop - 1)} disabled={stop === 1}>← {words.back}</Button>
      <span class="stop-place">
        {seen ? <span aria-hidden="true">{stop} / {kStops}</span> : <Ask />}
      </span>
      {stop < kStops
        ? <Button primary onClick={() => go(stop + 1)}>{words.next} →</Button>
        : <a class="button primary" href="#v=1&view=digits">{words.toDigits} →</a>}
    </nav>
  );
}

function Progress({ stop, go }: { stop: number; go(stop: number): void }) {
  const words = storyWords;
  return (
    <nav class="dots" aria-label={words.progress}>
      {words.stops.map((text, k) => (
        <button
          key={k}
          type="button"
          aria-label={words.dot(k + 1, text.title)}
          aria-current={k + 1 === stop ? "step" : undefined}
          title={text.short}
          class={k + 1 < stop ? "dot past" : "dot"}
          onClick={() => go(k + 1)}
        >
          <span aria-hidden="true">{k + 1}</span>
        </button>
      ))}
    </nav>
  );
}

function Question({ stop }: { stop: number }) {
  const words = storyWords;
  const { question, choices } = words.stops[stop - 1];
  const chosen = Number(word("answer", "")) - 1; // answers count from one
  const shown = word("answer", "") !== "" && choices[chosen] ? choices[chosen] : null;
  const right = choices.findIndex((choice) => choice.right);
  const reply = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (shown) reply.current?.scrollIntoView({ block: "nearest" }); // not below the bar of Back and Next
  }, [shown]);
  const answered = shown ? (shown.right ? "right" : "wrong") : "no";
  return (
    <section class="question" aria-labelledby="question" data-answered={answered}>
      <h3 id="question">{rich(question)}</h3>
      <div class="choices" role="group" aria-labelledby="question">
        {choices.map((choice, k) => (
          <button
            key={k}
            type="button"
            class={`answer${shown && choice.right ? " right" : ""}`}
            aria-pressed={k === chosen}
            onClick={() => change({ answer: k + 1 })}
          >
            {rich(choice.text)}
          </button>
        ))}
      </div>
      <div role="status" class="reply" ref={reply}>
        {shown && (
          <p>
            <strong>{shown.right ? words.right : words.wrong}</strong> {rich(shown.answer)}
          </p>
        )}
      </div>
      {shown?.right
        ? <button type="button" class="plain" onClick={() => change({ answer: "" })}>{words.hide}</button>
        : <button type="button" class="plain" onClick={() => change({ answer: right + 1 })}>{words.reveal}</button>}
    </section>
  );
}
