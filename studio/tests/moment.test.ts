// moment.test.ts: a film that rests says where, so that a link and a reload come back to it.
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Core, FlightInfo, Frames } from "../src/core/protocol";
import { Film } from "../src/state/film";
import { keepMoment, keepNow, opening } from "../src/state/moment";
import { Player } from "../src/state/player";
import { change, follow, word } from "../src/state/recipe";

const kFrames = 21;
const info = {
  id: 1, n: 1, d: 1, habitat: "space", frames: kFrames, first: 0, columns: [], digits: [], classes: [],
} as unknown as FlightInfo;
const still = {
  fly: async (): Promise<Frames> => ({
    flight: 1, first: 0, count: kFrames, times: new Float64Array(kFrames), positions: new Float32Array(kFrames),
    observables: new Float64Array(), cosines: new Float64Array(), scores: new Float64Array(),
    verdicts: new Int8Array(), ended: { ok: true, what: "", remedy: "" },
  }),
  close: async () => undefined,
} as unknown as Core;

async function onStage() {
  const player = new Player();
  player.load(new Film(still, info), opening());
  await player.film.value!.need(kFrames);
  return player;
}

beforeEach(() => {
  vi.useFakeTimers();
  follow("#v=1&view=flock");
});

describe("the moment of a film", () => {
  it("is said when it rests on its way, and not while it plays or at its ends", async () => {
    const player = await onStage();
    const stop = keepMoment(player);
    player.put(7.25);
    expect(word("at", "")).toBe(""); // it may be on its way elsewhere
    vi.advanceTimersByTime(1000);
    expect(word("at", "")).toBe("7.25");
    player.toggle();
    vi.advanceTimersByTime(1000);
    expect(word("at", "")).toBe("");
    for (const end of [0, kFrames - 1]) {
      player.put(7);
      keepNow();
      expect(word("at", "")).toBe("7");
      player.put(end);
      keepNow();
      expect(word("at", "")).toBe("");
    }
    stop();
    player.put(9);
    keepNow();
    vi.advanceTimersByTime(1000);
    expect(word("at", "")).toBe("");
  });
  it("is said again after a step that left the film as it was", async () => {
    const player = await onStage();
    const stop = keepMoment(player);
    player.put(5);
    keepNow();
    change({ trail: 3 });
    expect(word("at", "")).toBe("");
    vi.advanceTimersByTime(1000);
    expect(word("at", "")).toBe("5");
    stop();
  });
  it("is where a new flight begins, and where a link goes on the flight that is there", async () => {
    follow("#v=1&view=flock&at=11");
    const player = await onStage();
    expect([player.at.value, player.playing.value]).toEqual([11, false]);
    const stop = keepMoment(player);
    follow("#v=1&view=flock&at=4");
    expect(player.at.value).toBe(4);
    follow("#v=1&view=flock&beta=3");
    expect(opening()).toEqual({ at: 0, play: true });
    follow("#v=1&view=flock&at=-3e999");
    expect(opening().at).toBe(0);
    stop();
  });
  it("of a view that was left is not said in the next", async () => {
    const player = await onStage();
    const stop = keepMoment(player);
    player.put(6);
    follow("#v=1&view=map");
    vi.advanceTimersByTime(1000);
    keepNow();
    expect(word("at", "")).toBe("");
    stop();
  });
});
