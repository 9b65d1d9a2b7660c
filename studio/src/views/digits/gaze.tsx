// gaze.tsx: the attention of one token: asked of the core as the film plays, shown in numbers and on a card next to the token.
import { effect } from "@preact/signals";
import type { RefObject } from "preact";
import type { Gaze } from "../../core/protocol";
import { Button } from "../../parts/controls";
import { meanAttention } from "../../scene/heads";
import type { Stage } from "../../scene/stage";
import type { Branch } from "../../state/branch";
import { Question } from "../../state/question";
import { isTouch } from "../../state/theme";
import { strings } from "../../strings";
import { fixed } from "../../strings/numbers";
import { kFlockLayer, loudest } from "./draw";
import { chancesAt, leader } from "./reading";

/** The gaze of the chosen boid at the frame shown; null while none is chosen. */
export class Gazer {
  private readonly question = new Question<{ boid: number; frame: number; gaze: Gaze }>();
  readonly seen = this.question.answer;

  constructor(private readonly branch: Branch) {}

  /** Follows choice and frame until the function it gives is called. */
  follow(): () => void {
    return effect(() => {
      const { chosen, player } = this.branch;
      const boid = chosen.value.length === 1 ? chosen.value[0] : null;
      const film = player.film.value;
      const frame = player.frame.value;
      const flight = this.branch.flightAt(frame);
      const there = film && flight !== null && boid !== null && boid < film.info.n && frame < film.flown.value;
      if (!there) return this.question.drop();
      this.question.want(`${flight}/${frame}/${boid}`, async (awake) => ({ boid, frame, gaze: await awake.gaze(flight, frame, boid) }));
    });
  }
}

const kNames = ["query", "key", "value", "feedForward"] as const;
const kPaints = { query: "--query", key: "--key", value: "--value", feedForward: "--will" };
const short = (x: number) => fixed(x, Math.abs(x) >= 100 ? 0 : 1).replace("-", "−");
const kShown = 6; // coordinates, of many
const kFull = [0.02, 0.05, 0.1, 0.2, 0.5, 1]; // shares that a full meter may represent
const tuple = (v: ArrayLike<number>) =>
  `(${Array.from(v, short).slice(0, kShown).join(", ")}${v.length > kShown ? ", …" : ""})`;

function Numbers({ branch, boid, gaze }: { branch: Branch; boid: number; gaze: Gaze }) {
  const words = strings.digits;
  const film = branch.player.film.value!;
  const { n, d, classes } = film.info;
  const frame = Math.min(branch.player.frame.value, film.flown.value - 1);
  const vote = film.verdicts[frame * n + boid];
  const weights = meanAttention(gaze);
  const order = loudest(weights, boid, 5);
  const full = kFull.find((share) => share >= (weights[order[0]] ?? 0)) ?? 1;
  const above = weights.reduce((count, w, j) => count + (j !== boid && w > 1 / n ? 1 : 0), 0);
  return (
    <>
      <p>
        <strong>{words.gazeOf(boid)}</strong>{" "}
        {words.gazeVote(classes[vote], vote !== leader(chancesAt(film, frame)))},{" "}
        {words.gazeAt} <span class="num">{tuple(film.frame(frame).subarray(boid * d, boid * d + d))}</span>
      </p>
      <dl class="vectors">
        {kNames.filter((name) => gaze[name].length > 0).map((name) => (
          <div key={name}>
            <dt style={{ "--swatch": `var(${kPaints[name]})` }}>{words.gazeVectors[name]}</dt>
            <dd>
              <span class="num">{tuple(gaze[name])}</span> <small>{words.gazeMeaning[name]}</small>
            </dd>
          </div>
        ))}
      </dl>
      <p>{words.gazeHears(above)}</p>
      <ol class="heard">
        {order.map((j) => (
          <li key={j}>
            <button type="button" class="button" onClick={() => (branch.chosen.value = [j])}>
              {words.gazeOf(j)}
            </button>
            <meter min={0} max={full} value={weights[j]} aria-label={words.gazeOf(j)} />
            <span class="num">{words.percent(weights[j])}</span>
          </li>
        ))}
      </ol>
      <p class="hint">{words.gazeFull(full)} {words.gazeScale}</p>
    </>
  );
}

/** The card of the chosen boid. */
export function GazeCard({ branch, gazer }: { branch: Branch; gazer: Gazer }) {
  const words = strings.digits;
  const seen = gazer.seen.value;
  return (
    <div class="gaze" data-boid={seen?.boid}>
      <div class="gaze-buttons">
        <Button label={words.lessBoid} onClick={() => branch.choose(-1)}>[</Button>
        <Button label={words.moreBoid} onClick={() => branch.choose(1)}>]</Button>
      </div>
      {seen ? <Numbers branch={branch} boid={seen.boid} gaze={seen.gaze} /> : <p class="hint">{words.gazeNone(isTouch.value)}</p>}
    </div>
  );
}

const kGap = 18; // CSS pixels from the boid
const kEdge = 4;

/** The position of a card of `size` next to a spot: right of it where there is room, else left, always within the stage. */
export function beside(
  spot: { x: number; y: number }, size: { w: number; h: number }, room: { w: number; h: number },
): { x: number; y: number } {
  const right = spot.x + kGap + size.w + kEdge <= room.w;
  const x = right ? spot.x + kGap : spot.x - kGap - size.w;
  const within = (v: number, most: number) => Math.max(kEdge, Math.min(v, most - kEdge));
  return { x: within(x, room.w - size.w), y: within(spot.y - size.h / 2, room.h - size.h) };
}

/** Puts the card where its boid is now. */
export function placeInspector(card: HTMLElement | null, stage: Stage | null, boid: number | null): void {
  if (!card || !stage || boid === null) return;
  const place = stage.placeOf(kFlockLayer, boid);
  const spot = place && stage.onScreen(place);
  card.style.visibility = spot ? "visible" : "hidden";
  if (!spot) return;
  const { clientWidth, clientHeight } = stage.canvas;
  const to = beside(spot, { w: card.offsetWidth, h: card.offsetHeight }, { w: clientWidth, h: clientHeight });
  card.style.translate = `${to.x}px ${to.y}px`;
}

interface InspectorProps {
  branch: Branch;
  gazer: Gazer;
  card: RefObject<HTMLDivElement | null>;
}

export function Inspector({ branch, gazer, card }: InspectorProps) {
  const words = strings.digits;
  const seen = gazer.seen.value;
  const film = branch.player.film.value;
  if (!seen || !film || !branch.chosen.value.includes(seen.boid)) return null;
  const { n, classes } = film.info;
  const frame = Math.min(branch.player.frame.value, film.flown.value - 1);
  const vote = film.verdicts[frame * n + seen.boid];
  const weights = meanAttention(seen.gaze);
  const [first] = loudest(weights, seen.boid, 1);
  return (
    <div class="inspector" ref={card} data-boid={seen.boid} style={{ visibility: "hidden" }}>
      <p>
        <strong>{words.gazeOf(seen.boid)}</strong>{" "}
        {words.gazeVote(classes[vote], vote !== leader(chancesAt(film, frame)))}
      </p>
      {first !== undefined && <p>{words.hearsMost(first, weights[first])}</p>}
      <button type="button" aria-label={words.letBoidGo} onClick={() => (branch.chosen.value = [])}>×</button>
    </div>
  );
}
