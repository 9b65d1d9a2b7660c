// verdict.tsx: the vote as it is now: chances of the classes, twice where two runs are shown, on the card of a film, and while the visitor draws.
import { signal } from "@preact/signals";
import type { Film } from "../../state/film";
import type { Player } from "../../state/player";
import { type Card, core } from "../../state/session";
import { strings } from "../../strings";
import { classColours } from "./draw";
import type { DigitFlights, Ending } from "./flight";
import { hasInk } from "./ink";
import { type Opinion, opinionOf } from "./pairs";
import { chancesAt, dissenters, leader, majority } from "./reading";
import type { Sheet } from "./sheet";

/** One question at a time, each about the sheet as it is then. */
export class LiveVerdict {
  readonly said = signal<Opinion | null>(null);
  private asking = false;
  private again = false;

  constructor(private readonly flights: DigitFlights, private readonly sheet: Sheet) {}

  async ask(): Promise<void> {
    this.again = true;
    if (this.asking) return;
    this.asking = true;
    try {
      while (this.again && this.sheet.drawing) {
        this.again = false;
        const trained = this.flights.trained.value;
        const ink = this.sheet.ink();
        if (!trained || trained.task !== "digits" || !hasInk(ink)) break;
        const awake = await core;
        const opinion = await opinionOf(awake, trained, await awake.centre(ink)).catch(() => null);
        this.said.value = this.sheet.drawing ? opinion : null;
      }
    } finally {
      this.asking = false;
    }
  }
}

/** At the moment the player is at; null before anything has flown. */
export function cardOf({ player, source, size, ending }: DigitFlights): Card | null {
  const film = player.film.value;
  if (!film || film.flown.value <= film.first) return null;
  const { classes } = film.info;
  const words = strings.digits;
  const chances = chancesAt(film, player.at.value);
  const best = leader(chances);
  const colours = classColours(classes.length);
  const refused = player.at.value >= film.last && player.ghost.value === null && ending.value?.neither === true;
  const inks = [source.value.ink, source.value.other?.ink].flatMap((ink) => (ink ? [ink] : []));
  return {
    headline: refused
      ? `${words.neither}, ${words.neitherVote(classes[best])}`
      : `${words.says} ${words.verdict(classes[best], chances[best])}`,
    colour: colours[best],
    inks,
    chances: classes.map((name, c) => ({ name: words.className(name), share: chances[c], colour: colours[c] })),
    moment: words.moment(player.frame.value, size.value.blocks),
  };
}

interface OneProps {
  film: Film;
  at: number;
  /** The class that is right, where that is known. */
  truth: string | null;
  /** Which of two verdicts this is; empty where there is one. */
  of: string;
  /** What the flight comes to, and came to before the last stroke, where that is known. */
  ending?: Ending | null;
  before?: Ending | null;
}

/** Both ends are named, however little of the bar is one's own. */
function PairBar({ classes, chances }: { classes: readonly string[]; chances: ArrayLike<number> }) {
  const colours = classColours(2);
  const { className } = strings.digits;
  return (
    <div class="chance-pair" aria-hidden="true">
      <b style={{ color: `var(${colours[0]})` }}>{className(classes[0])}</b>
      <span class="chance-bar">
        <i style={{ flexGrow: chances[0], background: `var(${colours[0]})` }} />
        <i style={{ flexGrow: chances[1], background: `var(${colours[1]})` }} />
      </span>
      <b style={{ color: `var(${colours[1]})` }}>{className(classes[1])}</b>
    </div>
  );
}

function Bars({ classes, chances }: { classes: readonly string[]; chances: ArrayLike<number> }) {
  if (classes.length === 2) return <PairBar classes={classes} chances={chances} />;
  const colours = classColours(classes.length);
  const best = leader(chances);
  return (
    <div class="chance-ten" aria-hidden="true">
      {classes.map((one, c) => (
        <span key={one} class={c === best ? "best" : undefined}>
          <i style={{ height: `${100 * chances[c]}%`, background: `var(${colours[c]})` }} />
          <b style={{ borderColor: `var(${colours[c]})` }}>{one}</b>
        </span>
      ))}
    </div>
  );
}

/** Why the vote is what it is: refused ink, a majority that the mean outweighs, or how many dissent. */
function reasonOf({ film, at, ending, before }: OneProps, neither: boolean): string {
  const words = strings.digits;
  const { classes, n } = film.info;
  const best = leader(chancesAt(film, at));
  const most = majority(film, at);
  const against = dissenters(film, at);
  if (neither && ending) return words.neitherWhy(ending.name);
  if (Math.round(at) === 0) return words.whyStart(n);
  if (most.best !== best) return words.whyParts(most.count, n, classes[most.best], classes[best]);
  const told = words.whyDissent(against, n);
  if (!before) return told;
  const was = before.neither ? words.neither : words.verdict(before.name, before.chance);
  return `${words.wasBefore(was)} ${told}`;
}

function Bar(props: OneProps) {
  const { film, at, truth, of, ending } = props;
  const words = strings.digits;
  const { classes } = film.info;
  const chances = chancesAt(film, at);
  const best = leader(chances);
  const name = classes[best];
  const colours = classColours(classes.length);
  const done = at >= film.last;
  const neither = done && (ending?.neither ?? false);
  return (
    <div
      class={neither ? "verdict neither" : "verdict"}
      role="group"
      aria-label={of === "" ? words.verdictLabel : `${words.verdictLabel}, ${of}`}
      data-verdict={name}
      data-chance={chances[best].toFixed(4)}
      data-of={of === "" ? undefined : of}
      data-neither={ending ? ending.neither : undefined}
    >
      <p class="verdict-word">
        {neither ? (
          <>
            <strong>{words.neither}</strong> <span>{words.neitherVote(name)}</span>
          </>
        ) : (
          <>
            <span>{of === "" ? words.says : of}</span>{" "}
            <strong style={{ color: `var(${colours[best]})` }}>{words.verdict(name, chances[best])}</strong>{" "}
          </>
        )}
        {truth !== null && <span>{words.truth(truth, truth === name, done)}</span>}
      </p>
      <Bars classes={classes} chances={chances} />
      <p class="verdict-why">{reasonOf(props, neither)}</p>
    </div>
  );
}

/** What the flock would say of the sheet as it is, while it is drawn on. */
function SoFar({ said, classes }: { said: Opinion | null; classes: readonly string[] }) {
  const words = strings.digits;
  const at = said ? classes.indexOf(said.name) : -1;
  const others = (1 - (said?.chance ?? 0)) / Math.max(1, classes.length - 1);
  const chances = classes.map((_, c) => (at < 0 ? 1 / classes.length : c === at ? said!.chance : others));
  return (
    <div class="verdict so-far" role="group" aria-label={words.verdictLabel} data-so-far={said?.name ?? ""}>
      <p class="verdict-word">
        <span>{words.soFar}</span>{" "}
        <strong style={at < 0 ? undefined : { color: `var(${classColours(classes.length)[at]})` }}>
          {said ? words.verdict(said.name, said.chance) : "…"}
        </strong>
      </p>
      <Bars classes={classes} chances={chances} />
      <p class="verdict-why">{words.soFarWhy}</p>
    </div>
  );
}

interface VerdictProps {
  player: Player;
  flights: DigitFlights;
  truth: string | null;
  sketching: boolean;
  said: Opinion | null;
}

export function Verdict({ player, flights, truth, sketching, said }: VerdictProps) {
  const film = player.film.value;
  const ghost = player.ghost.value;
  const beside = flights.beside.value;
  const classes = flights.trained.value?.classes;
  if (sketching && classes) {
    return <div class="verdicts"><SoFar said={said} classes={classes} /></div>;
  }
  if (!film || film.flown.value <= film.first) return null;
  const at = player.at.value;
  const words = strings.branch;
  const flies = (other: Film | null): other is Film => other !== null && other.flown.value > other.first;
  if (flies(ghost)) {
    return (
      <div class="verdicts split">
        <Bar film={ghost} at={at} truth={null} of={words.asItWas} />
        <Bar film={film} at={at} truth={null} of={words.afterHand} />
      </div>
    );
  }
  if (flies(beside)) {
    const { listenNow, deafNow } = strings.digits;
    return (
      <div class="verdicts split">
        <Bar film={beside} at={Math.min(at, beside.flown.value - 1)} truth={null} of={deafNow} />
        <Bar film={film} at={at} truth={null} of={listenNow} />
      </div>
    );
  }
  return (
    <div class="verdicts">
      <Bar film={film} at={at} truth={truth} of="" ending={flights.ending.value} before={flights.before.value} />
    </div>
  );
}
