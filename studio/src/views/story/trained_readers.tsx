// trained_readers.tsx: two trained readers of digits, one with attention and one without: their answers to four pairs, and the verdict at the moment shown.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Core, TrainedInfo } from "../../core/protocol";
import { Button } from "../../parts/controls";
import type { Stage } from "../../scene/stage";
import { Film } from "../../state/film";
import type { Player } from "../../state/player";
import { type Card, core, showError } from "../../state/session";
import { isDark } from "../../state/theme";
import { strings } from "../../strings";
import { story as storyWords } from "../../strings/story";
import { classColours, DigitScene, readPaints } from "../digits/draw";
import { digitsHere, swarm, swarms } from "../digits/library";
import { foursOf, opinionOf, type Pair } from "../digits/pairs";
import { chancesAt, leader } from "../digits/reading";

export const kReaders = ["same", "alone"] as const; // the page's swarms that compare
type ReaderName = (typeof kReaders)[number];
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
async function askFour(core: Core, name: ReaderName, four: number): Promise<boolean[]> {
  const { trained, pairs } = await readerOf(name, four);
  const right: boolean[] = [];
  for (const [k, pair] of pairs.entries()) {
    const { name: said } = await opinionOf(core, trained, pair);
    right.push(said === trained.classes[isSame(k) ? 0 : 1]);
  }
  return right;
}

/** Whether the digits of pair k are the same. */
function isSame(k: number): boolean {
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

type Found = Record<ReaderName, boolean[]>;

async function askBoth(four: number): Promise<Found> {
  const awake = await core;
  return { same: await askFour(awake, "same", four), alone: await askFour(awake, "alone", four) };
}

export function FourTable({ four }: { four: number }) {
  const { four: words, knobs } = storyWords;
  const found = useSignal<Found | null>(null);
  const asked = useSignal(false);
  const here = useRef(true);
  useEffect(() => () => void (here.current = false), []); // readers are let go with the stop
  if (!asked.value) {
    const ask = () => {
      asked.value = true;
      askBoth(four).then((both) => (found.value = both), (error: unknown) => here.current && showError(error));
    };
    return <Button onClick={ask}>{words.ask}</Button>;
  }
  const mark = (right: boolean | undefined) => {
    if (right === undefined) return "…";
    return <span class={right ? "right" : "wrong"} role="img" aria-label={right ? words.right : words.wrong}>{right ? "✓" : "✗"}</span>;
  };
  return (
    <>
      <table class="figures" data-four={found.value ? "here" : undefined}>
        <caption>{words.caption}</caption>
        <thead>
          <tr>
            <th scope="col">{words.pair}</th>
            {kReaders.map((name) => <th key={name} scope="col">{knobs.readers[name]}</th>)}
          </tr>
        </thead>
        <tbody>
          {knobs.pairs.map((pair, k) => (
            <tr key={pair}>
              <th scope="row">{pair}</th>
              {kReaders.map((name) => <td key={name}>{mark(found.value?.[name][k])}</td>)}
            </tr>
          ))}
          {found.value && (
            <tr class="sum">
              <th scope="row">{words.sum}</th>
              {kReaders.map((name) => <td key={name} data-sum={name}>{found.value![name].filter(Boolean).length}</td>)}
            </tr>
          )}
        </tbody>
      </table>
      <p class="hint">{words.hint}</p>
    </>
  );
}

interface Said {
  name: string; // of the class
  chance: number;
  colour: string;
  truth: string;
  done: boolean;
}

function saidAt({ film, trained }: TestedFlight, at: number, pair: number): Said | null {
  if (film.flown.value <= film.first) return null;
  const chances = chancesAt(film, at);
  const best = leader(chances);
  const { classes } = trained;
  return {
    name: classes[best], chance: chances[best], colour: classColours(classes.length)[best],
    truth: classes[isSame(pair) ? 0 : 1], done: at >= film.last,
  };
}

interface VerdictProps {
  flight: TestedFlight | null; // null: it is on its way
  player: Player;
  pair: number;
}

export function TestedVerdict({ flight, player, pair }: VerdictProps) {
  const words = strings.digits;
  const said = flight && saidAt(flight, player.at.value, pair);
  if (!said) return <p class="story-verdict">…</p>;
  const { name, chance, colour, truth, done } = said;
  return (
    <p class="story-verdict" data-verdict={name} data-chance={chance.toFixed(4)} data-right={name === truth}>
      <span>{storyWords.knobs.pairs[pair]}</span> <span>{words.says}</span>{" "}
      <strong style={{ color: `var(${colour})` }}>{words.verdict(name, chance)}</strong>{" "}
      <span>{words.truth(truth, name === truth, done)}</span>
    </p>
  );
}

/** The same for pictures and films. */
export function testedCard(flight: TestedFlight | null, player: Player, pair: number): Card | null {
  const said = flight && saidAt(flight, player.at.value, pair);
  if (!flight || !said) return null;
  const { classes } = flight.trained;
  const chances = chancesAt(flight.film, player.at.value);
  const colours = classColours(classes.length);
  return {
    headline: `${strings.digits.says} ${strings.digits.verdict(said.name, said.chance)}`, colour: said.colour,
    chances: classes.map((name, c) => ({ name: strings.digits.className(name), share: chances[c], colour: colours[c] })),
    moment: storyWords.block(player.frame.value, flight.film.last),
  };
}
