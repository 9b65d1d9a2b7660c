// verdict.tsx: the verdict as it stands: chances of the classes, twice where a hand has split the flight.
import type { Film } from "../../state/film";
import type { Player } from "../../state/player";
import { strings } from "../../strings";
import { classColours } from "./colours";
import { chancesAt, leader } from "./reading";

interface OneProps {
  film: Film;
  at: number;
  label: number | null;
  /** Which of two verdicts this is; empty where there is one. */
  of: string;
}

function Bar({ film, at, label, of }: OneProps) {
  const words = strings.digits;
  const { digits } = film.info;
  const chances = chancesAt(film, at);
  const best = leader(chances);
  const digit = digits[best];
  const colours = classColours(digits.length);
  const verdict = words.verdict(digit, chances[best]);
  return (
    <div
      class="verdict"
      role="group"
      aria-label={of === "" ? words.verdictLabel : `${words.verdictLabel}, ${of}`}
      data-verdict={digit}
      data-chance={chances[best].toFixed(4)}
      data-of={of === "" ? undefined : of}
    >
      <p class="verdict-word">
        <span>{of === "" ? words.says : of}</span>{" "}
        <strong style={{ color: `var(${colours[best]})` }}>{verdict}</strong>{" "}
        {label !== null && <span>{words.truth(label, label === digit, at >= film.last)}</span>}
      </p>
      {digits.length === 2 ? (
        <div class="chance-pair" aria-hidden="true">
          {digits.map((d, c) => (
            <span key={d} style={{ flexGrow: Math.max(chances[c], 1e-4), background: `var(${colours[c]})` }}>
              <b>{d}</b>
            </span>
          ))}
        </div>
      ) : (
        <div class="chance-ten" aria-hidden="true">
          {digits.map((d, c) => (
            <span key={d} class={c === best ? "best" : undefined}>
              <i style={{ height: `${100 * chances[c]}%`, background: `var(${colours[c]})` }} />
              <b>{d}</b>
            </span>
          ))}
        </div>
      )}
    </div>
  );
}

export function Verdict({ player, label }: { player: Player; label: number | null }) {
  const film = player.film.value;
  const ghost = player.ghost.value;
  if (!film || film.flown.value <= film.first) return null;
  const at = player.at.value;
  const words = strings.branch;
  const both = ghost !== null && ghost.flown.value > ghost.first;
  return (
    <div class={both ? "verdicts split" : "verdicts"}>
      {both && <Bar film={ghost} at={at} label={null} of={words.asItWas} />}
      <Bar film={film} at={at} label={both ? null : label} of={both ? words.afterHand : ""} />
    </div>
  );
}
