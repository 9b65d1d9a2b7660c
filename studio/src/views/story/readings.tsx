// readings.tsx: what is read off the film as it goes: how far two orders are apart, which word comes next.
import type { Film } from "../../state/film";
import type { Player } from "../../state/player";
import { strings } from "../../strings";
import { apart, nextWord } from "./reckon";
import type { Scene } from "./scenes";

/** The last word's place at a fractional frame. */
function lastPlace(film: Film, at: number): Float32Array {
  const { n, d } = film.info;
  return film.between(at, new Float32Array(n * d)).subarray((n - 1) * d);
}

function Orders({ scene, film, beside, at }: { scene: Scene; film: Film; beside: Film; at: number }) {
  const words = strings.story.order;
  const gaps = apart(scene, film, beside, at);
  const verb = gaps[1];
  return (
    <div class="reading" data-apart={verb.gap.toFixed(4)}>
      <h3>{words.apart}</h3>
      <ul class="shares" aria-label={words.apart}>
        {gaps.map(({ token, gap }) => (
          <li key={token.text} style={{ "--share": `${Math.min(100, 60 * gap)}%` }}>
            <span>{token.text}</span> <output>{gap.toFixed(3)}</output>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Next({ scene, film, at, kappa }: { scene: Scene; film: Film; at: number; kappa: number }) {
  const words = strings.story.nextWord;
  const vocabulary = scene.vocabulary!;
  const { probability, entropy, outcomes } = nextWord(lastPlace(film, at), vocabulary.map(({ place }) => place), kappa);
  return (
    <div class="reading" data-outcomes={outcomes.toFixed(3)} data-best={vocabulary[best(probability)].text}>
      <h3>{words.bars}</h3>
      <ul class="shares" aria-label={words.bars}>
        {vocabulary.map(({ text }, v) => (
          <li key={text} style={{ "--share": `${100 * probability[v]}%` }}>
            <span>{text}</span> <output>{strings.story.percent(probability[v])}</output>
          </li>
        ))}
      </ul>
      <p class="hint">{words.entropy(entropy, outcomes)}</p>
    </div>
  );
}

function best(probability: readonly number[]): number {
  return probability.indexOf(Math.max(...probability));
}

/** What the stop reads off the moment shown; nothing where it reads nothing. */
export function Reading({ scene, player, kappa }: { scene: Scene; player: Player; kappa: number }) {
  const film = player.film.value;
  const beside = player.ghost.value;
  if (!film || film.flown.value <= film.first || film.info.n !== scene.tokens.length) return null;
  const at = Math.min(player.at.value, film.flown.value - 1);
  if (scene.vocabulary) return film.info.d === 3 ? <Next scene={scene} film={film} at={at} kappa={kappa} /> : null;
  const orders = scene.beside?.length === scene.tokens.length;
  if (!orders || !beside || beside.flown.value <= beside.first) return null;
  return <Orders scene={scene} film={film} beside={beside} at={Math.min(at, beside.flown.value - 1)} />;
}
