// card.ts: the card of a digit's run in pictures and films: the drawing, the verdict, the chances.
import type { Card } from "../../state/session";
import { strings } from "../../strings";
import { classColours } from "./colours";
import type { DigitFlights } from "./flight";
import { chancesAt, leader } from "./reading";

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
