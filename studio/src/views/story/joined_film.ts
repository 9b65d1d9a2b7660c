// joined_film.ts: several runs one after another as one film: each starts where the last one ended.
import type { Core, FlightInfo, Frames } from "../../core/protocol";
import { Film } from "../../state/film";
import { firstOf, kLevelFrames, kTurn } from "./levels";
import { pointsOf } from "./scenes";
import type { Scene } from "./stops";

/** A film of all of them; between two spaces the words do not move while the view turns. */
export class JoinedFilm extends Film {
  constructor(private readonly parts: readonly Film[], frames: Frames, info: FlightInfo) {
    super({ fly: async () => frames, close: async () => parts.forEach((part) => part.close()) }, info);
  }

  /** The flight and its own frame behind a frame of the reel. */
  flightAt(frame: number): { id: number; frame: number } {
    const part = Math.min(this.parts.length - 1, Math.floor(frame / (kLevelFrames + kTurn)));
    return { id: this.parts[part].info.id, frame: Math.min(kLevelFrames, frame - firstOf(part)) };
  }
}

/** Flies the spaces of a scene. */
export async function flyLevels(core: Core, scene: Scene): Promise<JoinedFilm> {
  const parts: Film[] = [];
  const { n, d } = pointsOf(scene.tokens);
  const count = scene.levels!.length;
  const frames = firstOf(count - 1) + kLevelFrames + 1;
  const positions = new Float32Array(frames * n * d);
  try {
    let rows = pointsOf(scene.tokens).rows;
    for (const [k, level] of scene.levels!.entries()) {
      const film = new Film(core, await core.flight(level.words, { rows, n, d }));
      parts.push(film);
      await film.need(film.last);
      const rest = k < count - 1 ? kTurn : 1; // frames at which it rests at its end
      for (let f = 0; f < kLevelFrames + rest; ++f) {
        positions.set(film.frame(Math.min(f, film.last)), (firstOf(k) + f) * n * d);
      }
      rows = Float64Array.from(film.frame(film.last));
    }
  } catch (error) {
    parts.forEach((part) => part.close());
    throw error;
  }
  const times = Float64Array.from({ length: frames }, (_, k) => k);
  const none = new Float64Array(0);
  return new JoinedFilm(
    parts,
    {
      flight: -1, first: 0, count: frames, times, positions, observables: none, cosines: none, scores: none,
      verdicts: new Int8Array(0), ended: { ok: true, what: "", remedy: "" },
    },
    { ...parts[0].info, frames, first: 0, T: frames - 1, columns: [], known: [], config: "" },
  );
}
