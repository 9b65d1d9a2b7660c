// readings.tsx: values read off the film as it plays: badges of words, distances of orders, spaces passed, the next word.
import { useMemo } from "preact/hooks";
import type { NextWord } from "../../core/protocol";
import type { Film } from "../../state/film";
import type { Player } from "../../state/player";
import { Question } from "../../state/question";
import { story as storyWords } from "../../strings/story";
import { kInks } from "./draw";
import { pointsOf } from "./scenes";
import { firstOf, kLevelFrames, spaceAt } from "./levels";
import { apart } from "./derived";
import type { Scene } from "./stops";
import { fixed } from "../../strings/numbers";

/** The last word's place at a fractional frame. */
function lastPlace(film: Film, at: number): Float32Array {
  const { n, d } = film.info;
  return film.between(at, new Float32Array(n * d)).subarray((n - 1) * d);
}

function Orders({ scene, film, beside, at }: { scene: Scene; film: Film; beside: Film; at: number }) {
  const words = storyWords.order;
  const gaps = apart(scene, film, beside, at);
  const verb = gaps[1];
  return (
    <div class="reading" data-apart={verb.gap.toFixed(4)}>
      <h3>{words.apart}</h3>
      <ul class="shares" aria-label={words.apart}>
        {gaps.map(({ token, gap }) => (
          <li key={token.text} style={{ "--share": `${Math.min(100, 60 * gap)}%` }}>
            <span>{token.text}</span> <output>{fixed(gap, 3)}</output>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Next({ scene, film, at, kappa }: { scene: Scene; film: Film; at: number; kappa: number }) {
  const words = storyWords.nextWord;
  const vocabulary = scene.vocabulary!;
  const question = useMemo(() => new Question<NextWord>(), []);
  const place = lastPlace(film, at);
  const { rows } = pointsOf(vocabulary);
  question.want([rows, place, kappa].join(";"), (awake) => awake.nextWord(place, rows, kappa));
  if (!question.answer.value) return null;
  const { probability, entropy, outcomes, best } = question.answer.value;
  return (
    <div class="reading" data-outcomes={outcomes.toFixed(3)} data-best={vocabulary[best].text}>
      <h3>{words.bars}</h3>
      <ul class="shares" aria-label={words.bars}>
        {vocabulary.map(({ text }, v) => (
          <li key={text} style={{ "--share": `${100 * probability[v]}%` }}>
            <span>{text}</span> <output>{storyWords.percent(probability[v])}</output>
          </li>
        ))}
      </ul>
      <p class="hint">{words.entropy(entropy, outcomes)}</p>
    </div>
  );
}

/** What each word asks, shows and says. */
function Asked({ scene }: { scene: Scene }) {
  const words = storyWords.asked;
  const told = (which: number[]) => words.channels(which) || words.nothing;
  return (
    <table class="figures asked">
      <caption>{words.caption}</caption>
      <thead>
        <tr>{[words.word, words.asks, words.shows, words.says].map((head) => <th key={head} scope="col">{head}</th>)}</tr>
      </thead>
      <tbody>
        {scene.tokens.map(({ text }, i) => (
          <tr key={text}>
            <th scope="row">{text}</th>
            <td>{told(scene.badges![i].asks)}</td>
            <td>{told(scene.badges![i].shows)}</td>
            <td>{words.messages[i] || words.nothing}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const kSide = 84; // of a small space

/** Every space in small, with the ways flown in it so far; a click goes to its start. */
function Spaces({ scene, film, player, at }: { scene: Scene; film: Film; player: Player; at: number }) {
  const words = storyWords.levels;
  const count = scene.levels!.length;
  const now = spaceAt(at, count).space;
  const { d } = film.info;
  const x = (value: number) => (kSide * (value + 1.05)) / 2.1;
  const y = (value: number) => kSide - x(value);
  const way = (i: number, space: number) => {
    const last = Math.min(Math.floor(at), firstOf(space) + kLevelFrames);
    const frames = Array.from({ length: Math.max(1, last - firstOf(space) + 1) }, (_, k) => firstOf(space) + k);
    return frames.map((k) => [x(film.frame(k)[i * d + space]), y(film.frame(k)[i * d + count])]);
  };
  const end = film.frame(film.last)[(scene.tokens.length - 1) * d + count - 1];
  return (
    <div class="reading spaces" data-space={now + 1} data-end={end.toFixed(3)}>
      <h3>{words.title}</h3>
      <ol>
        {words.names.map((name, space) => (
          <li key={name}>
            <button
              type="button" class="space" aria-label={words.go(space + 1, name)} aria-current={space === now ? "step" : undefined}
              onClick={() => void player.seek(firstOf(space))}
            >
              <svg viewBox={`0 0 ${kSide} ${kSide}`} aria-hidden="true">
                {space <= now && scene.tokens.map(({ text, topic }, i) => {
                  const places = way(i, space);
                  const [cx, cy] = places[places.length - 1];
                  return (
                    <g key={text} style={{ "--ink-of": `var(${kInks[topic]})` }}>
                      <polyline points={places.map((p) => p.map((v) => v.toFixed(1)).join()).join(" ")} />
                      <circle cx={cx} cy={cy} r={i === scene.listener ? 5 : 3.4} />
                    </g>
                  );
                })}
              </svg>
              <span aria-hidden="true">{space + 1}. {name}</span>
            </button>
          </li>
        ))}
      </ol>
      {at >= film.last && <p class="hint">{words.end(scene.tokens[scene.tokens.length - 1].text, end)}</p>}
    </div>
  );
}

/** What the stop reads off the moment shown; nothing where it reads nothing. */
export function Reading({ scene, player, kappa }: { scene: Scene; player: Player; kappa: number }) {
  const film = player.film.value;
  const beside = player.ghost.value;
  if (!film || film.flown.value <= film.first || film.info.n !== scene.tokens.length) return null;
  const at = Math.min(player.at.value, film.flown.value - 1);
  if (scene.badges) return <Asked scene={scene} />;
  if (scene.levels) return <Spaces scene={scene} film={film} player={player} at={at} />;
  if (scene.vocabulary) return film.info.d === 3 ? <Next scene={scene} film={film} at={at} kappa={kappa} /> : null;
  const orders = scene.beside?.length === scene.tokens.length;
  if (!orders || !beside || beside.flown.value <= beside.first) return null;
  return <Orders scene={scene} film={film} beside={beside} at={Math.min(at, beside.flown.value - 1)} />;
}
