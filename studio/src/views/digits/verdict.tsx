// verdict.tsx: the verdict as it stands: chances of the classes, twice where a hand has split the flight.
import type { Film } from "../../state/film";
import type { Player } from "../../state/player";
import { strings } from "../../strings";
import { classColours } from "./colours";
import { chancesAt, leader } from "./reading";

interface OneProps {
  film: Film;
  at: number;
  /** The class that is right, where that is known. */
  truth: string | null;
  /** Which of two verdicts this is; empty where there is one. */
  of: string;
}

function Bar({ film, at, truth, of }: OneProps) {
  const words = strings.digits;
  const { classes } = film.info;
  const chances = chancesAt(film, at);
  const best = leader(chances);
  const name = classes[best];
  const colours = classColours(classes.length);
  const verdict = words.verdict(name, chances[best]);
  return (
    <div
      class="verdict"
      role="group"
      aria-label={of === "" ? words.verdictLabel : `${words.verdictLabel}, ${of}`}
      data-verdict={name}
      data-chance={chances[best].toFixed(4)}
      data-of={of === "" ? undefined : of}
    >
      <p class="verdict-word">
        <span>{of === "" ? words.says : of}</span>{" "}
        <strong style={{ color: `var(${colours[best]})` }}>{verdict}</strong>{" "}
        {truth !== null && <span>{words.truth(truth, truth === name, at >= film.last)}</span>}
      </p>
      {classes.length === 2 ? (
        <div class="chance-pair" aria-hidden="true">
          {classes.map((one, c) => (
            <span key={one} style={{ flexGrow: Math.max(chances[c], 1e-4), background: `var(${colours[c]})` }}>
              <b>{one}</b>
            </span>
          ))}
        </div>
      ) : (
        <div class="chance-ten" aria-hidden="true">
          {classes.map((one, c) => (
            <span key={one} class={c === best ? "best" : undefined}>
              <i style={{ height: `${100 * chances[c]}%`, background: `var(${colours[c]})` }} />
              <b>{one}</b>
            </span>
          ))}
        </div>
      )}
    </div>
  );
}

export function Verdict({ player, truth }: { player: Player; truth: string | null }) {
  const film = player.film.value;
  const ghost = player.ghost.value;
  if (!film || film.flown.value <= film.first) return null;
  const at = player.at.value;
  const words = strings.branch;
  const both = ghost !== null && ghost.flown.value > ghost.first;
  return (
    <div class={both ? "verdicts split" : "verdicts"}>
      {both && <Bar film={ghost} at={at} truth={null} of={words.asItWas} />}
      <Bar film={film} at={at} truth={both ? null : truth} of={both ? words.afterHand : ""} />
    </div>
  );
}
