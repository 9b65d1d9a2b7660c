// trained_readers.ts: two trained readers of digits, one with attention and one without, and the four pairs they are asked about.
import type { Core, TrainedInfo } from "../../core/protocol";
import type { Stage } from "../../scene/stage";
import { Film } from "../../state/film";
import { isDark } from "../../state/theme";
import { readPaints } from "../digits/colours";
import { DigitScene } from "../digits/draw";
import { digitsHere, swarm, swarms } from "../digits/library";
import { foursOf, opinionOf, type Pair } from "../digits/opinions";

export const kReaders = ["same", "alone"] as const; // the page's swarms that compare
export type ReaderName = (typeof kReaders)[number];
export const kPairs = 4; // of a four
export const kFours = 25; // that the page's test digits make

export interface TestedFlight {
  film: Film;
  trained: TrainedInfo;
}

/** A reader, and four pairs of two digits: both the first, first and second, second and first, both the second. */
async function readerOf(name: ReaderName, four: number): Promise<{ trained: TrainedInfo; pairs: Pair[] }> {
  const entry = (await swarms()).find((one) => one.name === name);
  if (!entry) throw new Error(`models/index.json: ${name}`);
  const [trained, tests] = await Promise.all([swarm(entry), digitsHere()]);
  const pairs = foursOf(tests.labels, entry.digits).slice(kPairs * four, kPairs * (four + 1));
  return { trained, pairs: pairs.map(([k, l]): Pair => [tests.ink(k), tests.ink(l)]) };
}

/** Which reader flies which pair of which four; pair and four from 0. */
export interface Test {
  reader: ReaderName;
  four: number;
  pair: number;
}

export async function flyPair(core: Core, { reader, four, pair }: Test): Promise<TestedFlight> {
  const { trained, pairs } = await readerOf(reader, four);
  return { film: new Film(core, await core.flock(trained.id, pairs[pair])), trained };
}

/** What a reader says of the pairs of a four: (4) whether each verdict is right. */
export async function askFour(core: Core, name: ReaderName, four: number): Promise<boolean[]> {
  const { trained, pairs } = await readerOf(name, four);
  const right: boolean[] = [];
  for (const [k, pair] of pairs.entries()) {
    const { name: said } = await opinionOf(core, trained, pair);
    right.push(said === trained.classes[isSame(k) ? 0 : 1]);
  }
  return right;
}

/** Whether the digits of pair k are the same. */
export function isSame(k: number): boolean {
  return k === 0 || k === 3;
}

/** The flight of a pair on the stage, as the view of digits draws it. */
export class TestedPainter {
  private readonly scene: DigitScene;

  constructor(private readonly stage: Stage) {
    this.scene = new DigitScene(stage);
  }

  draw({ film, trained }: TestedFlight, at: number): void {
    this.scene.show({
      film, ghost: null, at, trained, paints: readPaints(trained.classes.length), chosen: [], gaze: null, dome: null,
      part: 0, head: 0, picked: null, dark: isDark.value, trails: true, headings: false, squeeze: true,
      overlay: (places) => places,
    });
    this.stage.touch();
  }

  clear(): void {
    this.scene.clear();
  }
}
