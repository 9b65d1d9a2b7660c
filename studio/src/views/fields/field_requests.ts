// field_requests.ts: asks the core about the slice: fields on its grid, streamlines, test tokens, the attention of a token.
import type { Gaze, TrainedInfo } from "../../core/protocol";
import type { Film } from "../../state/film";
import { Question } from "../../state/question";
import { showError } from "../../state/session";
import { kFields, type LineName } from "./choices";
import { type Ask, carried, gridOf, type Slice, streamlines } from "./slice";

/** What is wanted; the answers follow as they come. */
export interface Wish {
  trained: TrainedInfo;
  film: Film;
  frame: number;
  block: number;
  slice: Slice;
  lines: LineName;
  drops: number[][];
  boid: number | null;
}

export interface GridAnswer {
  slice: Slice;
  places: Float64Array; // (count, d)
  values: Float64Array; // (count, 4, d)
  d: number;
}

const kSeeds = 8; // streamlines a side
const kSteps = 36;

export class FieldRequests {
  private readonly gridQuestion = new Question<GridAnswer>(showError);
  private readonly lineQuestion = new Question<{ ways: Float64Array; count: number; d: number }>(showError);
  private readonly dropQuestion = new Question<{ ways: Float64Array; count: number; d: number; first: number }>(showError);
  private readonly gazeQuestion = new Question<{ boid: number; frame: number; gaze: Gaze }>(showError);
  readonly grid = this.gridQuestion.answer;
  readonly lines = this.lineQuestion.answer;
  readonly drops = this.dropQuestion.answer;
  readonly gaze = this.gazeQuestion.answer;

  want(wish: Wish): void {
    const { trained, film, slice, block } = wish;
    const d = trained.d;
    const here = `${trained.id}/${JSON.stringify(slice)}`;
    this.gridQuestion.want(`${here}/${block}`, async (awake) => {
      const places = gridOf(slice, d);
      return { slice, places, values: await awake.fields(trained.id, block, places), d };
    });
    this.wantLines(wish, `${here}`);
    this.wantDrops(wish);
    const flown = film.flown.value > wish.frame;
    if (wish.boid === null) this.gazeQuestion.drop();
    else if (flown) {
      const { boid, frame } = wish;
      this.gazeQuestion.want(`${film.info.id}/${frame}/${boid}`, async (awake) => ({
        boid, frame, gaze: await awake.gaze(film.info.id, frame, boid),
      }));
    }
  }

  private wantLines({ trained, film, frame, block, slice, lines }: Wish, here: string): void {
    if (lines === "none") return this.lineQuestion.drop();
    const beside = lines === "velocity";
    if (beside && film.flown.value <= frame) return;
    const key = beside ? `${here}/v/${film.info.id}/${frame}` : `${here}/${lines}/${block}`;
    this.lineQuestion.want(key, async (awake, current) => {
      const d = trained.d;
      const seeds = gridOf({ ...slice, count: kSeeds, half: (slice.half * (kSeeds - 1)) / kSeeds }, d);
      const which = kFields.indexOf(lines as (typeof kFields)[number]);
      const ask: Ask = beside
        ? (rows) => awake.velocity(film.info.id, frame, rows)
        : async (rows) => only(await awake.fields(trained.id, block, rows), which, d);
      const step = slice.half / 24;
      const ways = await streamlines(ask, seeds, d, { steps: kSteps, step, current });
      return { ways, count: seeds.length / d, d };
    });
  }

  private wantDrops({ trained, film, drops }: Wish): void {
    if (drops.length === 0) return this.dropQuestion.drop();
    this.dropQuestion.want(`${film.info.id}/${JSON.stringify(drops)}`, async (awake, current) => {
      const d = trained.d;
      const seeds = new Float64Array(drops.length * d);
      drops.forEach((place, i) => place.forEach((x, c) => c < d && (seeds[i * d + c] = x)));
      await film.need(film.last);
      const last = film.flown.value - 1;
      const carry = (frame: number, frames: number, rows: Float64Array) =>
        awake.carry(film.info.id, frame, frames, rows);
      const ways = await carried(carry, seeds, { first: film.first, last, current });
      return { ways, count: drops.length, d, first: film.first };
    });
  }
}

/** (count, d) of one of the four fields. */
function only(values: Float64Array, which: number, d: number): Float64Array {
  const count = values.length / (4 * d);
  const out = new Float64Array(count * d);
  for (let k = 0; k < count; ++k) out.set(values.subarray((4 * k + which) * d, (4 * k + which + 1) * d), k * d);
  return out;
}
