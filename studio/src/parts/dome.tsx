// dome.tsx: the controls of a token's dome: its parts in turn, its heads, and what is exact or projected.
import { useEffect } from "preact/hooks";
import { arrowScale, loudestOf } from "../scene/dome";
import { domeShown, type Domes, headNow, headPicked, partNow, type Seen, showPart, stepPart } from "../state/dome";
import type { Player } from "../state/player";
import { change } from "../state/recipe";
import { isTouch } from "../state/theme";
import { strings } from "../strings";
import { Button, Segments, Switch } from "./controls";
import "./dome.css";

interface DomeProps {
  player: Player;
  domes: Domes;
  boid: number | null;
  /** Whether the view draws domes when the recipe says nothing. */
  initial: boolean;
  /** Brings the boid to the middle of the scene. */
  onCentre(boid: number): void;
}

/** What the part shown is, in a sentence. */
export function sentenceOf({ boid, dome }: Seen, head: number, part: number): string {
  const words = strings.dome;
  const n = dome.weights.length / dome.heads.length;
  const { attended, beta, message, halfAngle, meanLength } = dome.heads[head];
  if (part === 0) {
    if (beta === 0) return words.sameForAll;
    return `${words.tell[0](boid)} ${halfAngle < 3.14 ? words.vision(halfAngle) : words.allVision}`;
  }
  if (part === 1) return words.tell[1](boid, n);
  if (part === 2) {
    const weights = dome.weights.subarray(head * n, (head + 1) * n);
    const [loudest] = loudestOf(weights, 1);
    if (beta === 0 || loudest === undefined) return words.sameForAll;
    const told = words.tell[2](boid, n, attended, loudest, weights[loudest]);
    const [angle, factor] = [angleTo(dome, head, loudest), dome.keyLengths[head * n + loudest] / meanLength];
    return angle > halfAngle && factor > 1.05 ? `${told} ${words.far(angle, factor)}` : told;
  }
  if (part === 3) return words.tell[3](message);
  if (part === 4) return dome.feedForwards > 0 ? words.tell[4](dome.lengths.feedForward) : words.noWill;
  const corrected = dome.lengths.correction > 1e-9 * dome.lengths.move;
  const move = words.tell[5](dome.lengths.move, dome.layers);
  return corrected ? `${move} ${words.corrected(dome.lengths.correction, dome.layers)}` : move;
}

/** Between the gaze of a head and a key, in radians. */
function angleTo(dome: Seen["dome"], head: number, j: number): number {
  const at = 3 * ((head * dome.weights.length) / dome.heads.length + j);
  const cosine = [0, 1, 2].reduce((sum, c) => sum + dome.queries[3 * head + c] * dome.keys[at + c], 0);
  return Math.acos(Math.max(-1, Math.min(1, cosine)));
}

/** What can be read off the dome, and what cannot. */
export function exactnessOf({ dome }: Seen, head: number, d: number): string {
  const words = strings.dome;
  const { k, share, sameLengths } = dome.heads[head];
  const said: string[] = [words.exact];
  const n = dome.weights.length / dome.heads.length;
  if (!sameLengths) said.push(words.lengths(Math.max(...dome.keyLengths.subarray(head * n, (head + 1) * n))));
  if (k > 3) said.push(words.around(k, share));
  if (d > 3) said.push(words.values(d));
  if (d > 3 && dome.share < 1 - 1e-9) said.push(words.arrows(d, dome.share));
  if (k > 3 || d > 3 || k !== d) said.push(words.ownAxes);
  if (dome.noise > 0) said.push(words.noise);
  const scale = arrowScale(dome);
  if (scale > 0) said.push(words.scale(1 / scale));
  return said.join(" ");
}

/** The keys , and . step through the parts while a dome is shown. */
function useKeys(player: Player, on: boolean): void {
  useEffect(() => {
    if (!on) return;
    const key = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (target.closest("input:not([type=range]), textarea, [contenteditable], dialog")) return;
      if (event.key !== "," && event.key !== ".") return;
      event.preventDefault();
      void stepPart(player, event.key === "." ? 1 : -1);
    };
    document.addEventListener("keydown", key);
    return () => document.removeEventListener("keydown", key);
  }, [player, on]);
}

function Parts({ player, seen }: { player: Player; seen: Seen }) {
  const words = strings.dome;
  const heads = seen.dome.heads.length;
  const [part, head] = [partNow(), headNow(heads)];
  const d = player.film.value?.info.d ?? 3;
  return (
    <div class="dome-parts" data-part={part} data-head={head} data-boid={seen.boid} data-frame={seen.frame}>
      <Segments
        label={words.part}
        value={String(part)}
        options={words.parts.map((label, k) => ({ value: String(k), label }))}
        onChange={(value) => showPart(Number(value))}
      />
      <p class="dome-told" aria-live="polite">{sentenceOf(seen, head, part)}</p>
      <p class="hint">{exactnessOf(seen, head, d)}</p>
    </div>
  );
}

/** Which head: all of them, or one, each with its colour. */
function HeadChoice({ heads, domed }: { heads: number; domed: boolean }) {
  const words = strings.dome;
  const all = domed ? [] : [{ value: "", label: words.allHeads }];
  const each = Array.from({ length: heads }, (_, h) => ({ value: String(h), label: words.headOf(h) }));
  const picked = headPicked(heads);
  return (
    <div class={domed ? "heads" : "heads with-all"}>
      <span aria-hidden="true">{words.head}</span>
      <Segments
        label={words.head}
        value={domed ? String(headNow(heads)) : picked === null ? "" : String(picked)}
        options={[...all, ...each]}
        onChange={(head) => change({ head }, true)}
      />
    </div>
  );
}

interface BarProps extends Omit<DomeProps, "onCentre"> {
  /** How many heads the boid that is picked has; 0: it is not known yet. */
  heads: number;
}

/** At the foot of the scene, where the eye is: the part of the dome that is shown, and whose head. */
export function DomeBar({ player, domes, boid, initial, heads }: BarProps) {
  const words = strings.dome;
  const seen = domes.seen.value;
  const domed = domeShown(initial) && boid !== null && seen?.boid === boid;
  if (boid === null || (!domed && heads < 2)) return null;
  return (
    <div class="dome-bar">
      {heads > 1 && <HeadChoice heads={heads} domed={domed} />}
      {domed && (
        <div class="dome-steps">
          <Button label={words.back} onClick={() => void stepPart(player, -1)}>‹</Button>
          <span aria-hidden="true">{words.parts[partNow()]}</span>
          <Button label={words.on} onClick={() => void stepPart(player, 1)}>›</Button>
        </div>
      )}
    </div>
  );
}

/** The card of a boid's dome; the view draws it. */
export function DomeCard({ player, domes, boid, initial, onCentre }: DomeProps) {
  const words = strings.dome;
  const on = domeShown(initial);
  const seen = domes.seen.value;
  const fits = on && boid !== null && seen?.boid === boid ? seen : null;
  useKeys(player, fits !== null);
  if (boid === null) return <p class="hint">{words.none(isTouch.value)}</p>;
  return (
    <div class="dome">
      <Switch
        label={words.shown}
        on={on}
        onChange={(next) => change({ dome: next === initial ? "" : next }, true)}
      />
      {on && !fits && <p class="hint">{words.waiting}</p>}
      {fits && <Parts player={player} seen={fits} />}
      {fits && <Button onClick={() => onCentre(boid)}>{words.centre}</Button>}
    </div>
  );
}
