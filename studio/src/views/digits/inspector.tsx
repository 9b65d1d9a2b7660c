// inspector.tsx: a card next to the chosen token on the stage: its vote and what it attends to.
import type { RefObject } from "preact";
import { meanAttention } from "../../scene/mean_attention";
import type { Stage } from "../../scene/stage";
import type { Branch } from "../../state/branch";
import { strings } from "../../strings";
import { kFlockLayer } from "./draw";
import type { Gazer } from "./gaze";
import { loudest } from "./lines";
import { chancesAt, leader } from "./reading";

const kGap = 18; // CSS pixels from the boid
const kEdge = 4;

/** Where a card of `size` stands beside a spot: right of it where there is room, else left, always within the stage. */
export function beside(
  spot: { x: number; y: number }, size: { w: number; h: number }, room: { w: number; h: number },
): { x: number; y: number } {
  const right = spot.x + kGap + size.w + kEdge <= room.w;
  const x = right ? spot.x + kGap : spot.x - kGap - size.w;
  const within = (v: number, most: number) => Math.max(kEdge, Math.min(v, most - kEdge));
  return { x: within(x, room.w - size.w), y: within(spot.y - size.h / 2, room.h - size.h) };
}

/** Puts the card where its boid is now. */
export function placeInspector(card: HTMLElement | null, stage: Stage | null, boid: number | null): void {
  if (!card || !stage || boid === null) return;
  const place = stage.placeOf(kFlockLayer, boid);
  const spot = place && stage.onScreen(place);
  card.style.visibility = spot ? "visible" : "hidden";
  if (!spot) return;
  const { clientWidth, clientHeight } = stage.canvas;
  const to = beside(spot, { w: card.offsetWidth, h: card.offsetHeight }, { w: clientWidth, h: clientHeight });
  card.style.translate = `${to.x}px ${to.y}px`;
}

interface InspectorProps {
  branch: Branch;
  gazer: Gazer;
  card: RefObject<HTMLDivElement | null>;
}

export function Inspector({ branch, gazer, card }: InspectorProps) {
  const words = strings.digits;
  const seen = gazer.seen.value;
  const film = branch.player.film.value;
  if (!seen || !film || !branch.chosen.value.includes(seen.boid)) return null;
  const { n, classes } = film.info;
  const frame = Math.min(branch.player.frame.value, film.flown.value - 1);
  const vote = film.verdicts[frame * n + seen.boid];
  const weights = meanAttention(seen.gaze);
  const [first] = loudest(weights, seen.boid, 1);
  return (
    <div class="inspector" ref={card} data-boid={seen.boid} style={{ visibility: "hidden" }}>
      <p>
        <strong>{words.gazeOf(seen.boid)}</strong>{" "}
        {words.gazeVote(classes[vote], vote !== leader(chancesAt(film, frame)))}
      </p>
      {first !== undefined && <p>{words.hearsMost(first, weights[first])}</p>}
      <button type="button" aria-label={words.letBoidGo} onClick={() => (branch.chosen.value = [])}>×</button>
    </div>
  );
}
