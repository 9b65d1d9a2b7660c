// gaze.tsx: the attention of one token: asked of the core as the film plays, and shown in numbers.
import { effect } from "@preact/signals";
import type { Gaze } from "../../core/protocol";
import { Button } from "../../parts/controls";
import { meanAttention } from "../../scene/mean_attention";
import type { Branch } from "../../state/branch";
import { Question } from "../../state/question";
import { isTouch } from "../../state/touch";
import { strings } from "../../strings";
import { loudest } from "./lines";
import { chancesAt, leader } from "./reading";
import { fixed } from "../../strings/decimal";

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
const kFull = [0.02, 0.05, 0.1, 0.2, 0.5, 1]; // shares that a whole meter may stand for
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
