// timeline.tsx: play, pause, step, scrub, speed, reset.
import type { Player } from "../state/player";
import { strings } from "../strings";
import { Button, Segments } from "./controls";
import { decimal } from "../strings/numbers";

const kSpeeds = [0.25, 1, 4];

export function Timeline({ player, unit }: { player: Player; unit?: (frame: number, time: number) => string }) {
  const words = strings.common;
  const film = player.film.value;
  const first = film?.first ?? 0;
  const last = film?.end ?? 0;
  const flown = film ? film.flown.value - 1 : 0;
  const at = player.at.value;
  const share = (k: number) => (last > first ? (100 * (k - first)) / (last - first) : 0);
  const tell = unit ?? ((_: number, time: number) => `t = ${decimal(time < 1e4 ? time.toPrecision(4) : time.toExponential(2))}`);
  // As wide as its longest text: nothing next to it moves while the film plays.
  const longest = Math.max(...[first, Math.ceil(last / 2), last].map((k) => tell(k, film?.times[k] ?? 0).length), unit ? 8 : 10);
  return (
    <div class="timeline" data-frame={player.frame.value} data-playing={player.playing.value}>
      <Button label={words.reset} onClick={() => void player.reset()}>⇤</Button>
      <Button label={words.stepBack} onClick={() => void player.step(-1)}>‹</Button>
      <Button
        primary
        label={player.playing.value ? words.pause : words.play}
        onClick={() => player.toggle()}
        disabled={!film}
      >
        {player.playing.value ? "❚❚" : "▶"}
      </Button>
      <Button label={words.stepOn} onClick={() => void player.step(1)}>›</Button>
      <input
        class="scrub"
        type="range"
        aria-label={words.time}
        aria-valuetext={tell(player.frame.value, player.time.value)}
        min={first}
        max={Math.max(first + 1, last)}
        step="any"
        value={at}
        style={{ "--flown": `${share(flown)}%`, "--at": `${share(at)}%` }}
        onInput={(event) => void player.seek(Number(event.currentTarget.value))}
        onKeyDown={(event) => {
          const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: 10, PageDown: -10 }[event.key];
          if (by === undefined) return;
          event.preventDefault();
          void player.step(by);
        }}
      />
      <output class="moment" style={{ "--letters": longest }}>{tell(player.frame.value, player.time.value)}</output>
      <Segments
        label={words.speed}
        value={String(player.speed.value)}
        options={kSpeeds.map((s) => ({ value: String(s), label: s < 1 ? "¼×" : `${s}×` }))}
        onChange={(value) => (player.speed.value = Number(value))}
      />
    </div>
  );
}
