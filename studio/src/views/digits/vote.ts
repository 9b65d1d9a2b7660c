// vote.ts: the mean of all tokens, the only readout, and the vote computed from it, which moves between the gates.
//   p = softmax_c( <m, g_c> / 10 ),   v = sum_c p_c g_c
// Of the mean m only counts how far it lies towards each gate g; a sure mean may lie anywhere on that side. So m is drawn
// where it is, as a cross, and the vote v, a ball, where the chances p have it: in the middle undecided, in a gate sure.
import { linear, mixInk, Pieces, type Rgb } from "../../scene/ink";
import type { Stage } from "../../scene/stage";
import type { Strokes } from "../../scene/strokes";
import type { Film } from "../../state/film";
import type { Paints } from "./colours";
import { chancesAt, leader, meanOf } from "./reading";
import { toScene } from "./squeeze";

const kUnderVote = 1.7; // its name stands below the ball
const kBesideMean = 1.5; // and that of the mean beside its cross, away from the vote
const kArm = 0.62; // of the cross
const kNear = 44; // CSS pixels: a mean that is seen closer to the vote has no name, which would cover the vote's

/** Where chances put the vote between the gates, (3). */
export function voteOf(targets: readonly (readonly number[])[], chances: ArrayLike<number>): [number, number, number] {
  const place: [number, number, number] = [0, 0, 0];
  targets.forEach((gate, c) => {
    for (let k = 0; k < 3; ++k) place[k] += chances[c] * (gate[k] ?? 0);
  });
  return place;
}

/** One moment of a flight; `places` (n, d) of it, as they are drawn. */
export interface Poll {
  film: Film;
  at: number;
  targets: readonly (readonly number[])[];
  places: Float32Array;
  paints: Paints;
  squeeze: boolean;
}

export class VoteScene {
  private readonly pieces = new Pieces();

  constructor(private readonly stage: Stage, private readonly strokes: Strokes) {}

  clear(): void {
    this.stage.boids("vote", null);
    for (const name of ["vote-way", "mean", "mean-way"]) this.strokes.set(name, null);
  }

  draw(poll: Poll): void {
    const { film, at, targets, paints } = poll;
    const frames = Array.from({ length: Math.floor(at) - film.first + 1 }, (_, k) => film.first + k);
    const chances = chancesAt(film, at);
    const verdict = leader(chances);
    const votes = [...frames, at].map((k) => voteOf(targets, chancesAt(film, k)));
    const means = [...frames.map((k) => this.meanAt(poll, film.frame(k))), this.meanAt(poll, poll.places)];
    const [vote, mean] = [votes[votes.length - 1], means[means.length - 1]];
    const soft = linear(mixInk(paints.paper, paints.ink, 0.55));
    this.way("vote-way", votes, linear(paints.ink), 3);
    this.way("mean-way", [...means, vote], soft, 1.25); // its own way, and the tie to what comes of it
    this.pieces.clear();
    for (let k = 0; k < 3; ++k) {
      const arm = [0, 1, 2].map((c) => (c === k ? kArm : 0));
      this.pieces.add(mean.map((x, c) => x - arm[c]), mean.map((x, c) => x + arm[c]), linear(paints.ink));
    }
    this.strokes.set("mean", { ...this.pieces.lines, width: 2.5, order: 2 });
    this.stage.boids("vote", {
      positions: Float32Array.from(vote), colours: new Float32Array(at > 0 ? paints.classes[verdict] : paints.ink),
      sizes: new Float32Array([2.4]), marks: new Float32Array([1]), order: 2,
    });
    const [one, other] = [this.stage.onScreen(vote), this.stage.onScreen(mean)];
    const apart = one && other && Math.hypot(one.x - other.x, one.y - other.y) > kNear;
    const away = one && other && other.y > one.y ? -kBesideMean : kBesideMean;
    this.stage.moveLabel("vote", [vote[0], vote[1] - kUnderVote, vote[2]]);
    this.stage.moveLabel("mean", apart ? [mean[0], mean[1] + away, mean[2]] : null);
  }

  private meanAt({ film, squeeze }: Poll, places: Float32Array): number[] {
    const spot = new Float32Array(3);
    toScene(Float32Array.from(meanOf(places, film.info.n, film.info.d)), 3, squeeze, spot);
    return [...spot];
  }

  private way(name: string, places: readonly (readonly number[])[], colour: Rgb, width: number): void {
    this.pieces.clear();
    for (let k = 1; k < places.length; ++k) this.pieces.add(places[k - 1], places[k], colour);
    this.strokes.set(name, { ...this.pieces.lines, width });
  }
}
