// own_runs.tsx: asks the server for the visitor's own runs, but not before the flock has moved.
import { effect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { askRuns } from "../state/own_runs";
import type { Player } from "../state/player";

/** Asks once the flight on stage has been seen to move, or rests because the visitor wants no motion. */
export function useOwnRuns(player: Player): void {
  useEffect(
    () =>
      effect(() => {
        const film = player.film.value;
        if (!film || film.flown.value <= film.first + 1) return;
        if (player.at.value > film.first || !player.playing.value) void askRuns();
      }),
    [player],
  );
}
