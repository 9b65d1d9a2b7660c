// verdict.tsx: the answer of the last stop's reader at the moment shown, above the scene and in films.
import type { Player } from "../../state/player";
import type { Card } from "../../state/session";
import { story as storyWords } from "../../strings/story";
import { strings } from "../../strings";
import { classColours } from "../digits/colours";
import { chancesAt, leader } from "../digits/reading";
import { isSame, type TestedFlight } from "./trained_readers";

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
