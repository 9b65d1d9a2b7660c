// player.test.ts: the player never shows what is not flown, and the film asks no more than it needs.
import { describe, expect, it } from "vitest";
import type { Core, FlightInfo, Frames } from "../src/core/protocol";
import { Film } from "../src/state/film";
import { Player } from "../src/state/player";

const info: FlightInfo = {
  id: 1, n: 2, d: 2, habitat: "space", frames: 50, first: 0,
  columns: ["clusters"], digits: [], classes: [], known: [], T: 4.9, config: "",
};

/** A core whose boid i is at (frame, i) in every frame; `last` ends the flight after so many, `broken` refuses. */
function straight(asked: number[] = [], { last = 50, broken = Infinity } = {}): Core {
  let next = 0;
  return {
    fly: async (flight: number, count: number): Promise<Frames> => {
      asked.push(count);
      if (next >= broken) throw { fault: 1, what: "the core stopped", where: "", remedy: "load the page again" };
      const first = next;
      const here = Math.min(count, last - first);
      next += here;
      const positions = new Float32Array(here * 4);
      for (let k = 0; k < here; ++k) positions.set([first + k, 0, first + k, 1], 4 * k);
      const numbers = Float64Array.from({ length: here }, (_, k) => first + k);
      return {
        flight, first, count: here, times: numbers.map((k) => k / 10), positions, observables: numbers,
        cosines: new Float64Array(), scores: new Float64Array(), verdicts: new Int8Array(),
        ended: next === last ? { ok: true, what: "", remedy: "" } : null,
      };
    },
    close: async () => undefined,
  } as unknown as Core;
}

describe("film", () => {
  it("flies as far as it is asked, in chunks, and not further than one", async () => {
    const asked: number[] = [];
    const film = new Film(straight(asked), info);
    await film.need(9);
    expect(film.flown.value).toBeGreaterThan(9);
    expect(film.flown.value).toBeLessThanOrEqual(9 + Math.max(...asked) + 1);
    await film.need(1000);
    expect(film.flown.value).toBe(50);
    expect(film.ended.value?.ok).toBe(true);
    expect([...film.column("clusters")].slice(0, 3)).toEqual([0, 1, 2]);
  });
  it("ends by a fault, says why, and asks no more", async () => {
    const asked: number[] = [];
    const film = new Film(straight(asked, { broken: 7 }), info);
    expect(await film.need(30)).toBe(false);
    expect(film.ended.value).toEqual({ ok: false, what: "the core stopped", remedy: "load the page again" });
    expect(film.end).toBe(film.flown.value - 1);
    const before = asked.length;
    expect(await film.need(40)).toBe(false);
    expect(asked.length).toBe(before);
  });
  it("tells those who wait that it was closed", async () => {
    const film = new Film(straight(), info);
    const waits = film.need(40);
    film.close();
    expect(await waits).toBe(false);
    expect(await film.need(40)).toBe(false);
  });
  it("interpolates on straight lines", async () => {
    const film = new Film(straight(), info);
    await film.need(20);
    expect([...film.between(7.25, new Float32Array(4))]).toEqual([7.25, 0, 7.25, 1]);
  });
});

describe("player", () => {
  it("waits for the flight, and stops at its end", async () => {
    const player = new Player(10);
    const film = new Film(straight(), info);
    player.load(film, { play: true });
    player.tick(3);
    expect(player.at.value).toBeLessThanOrEqual(Math.max(0, film.flown.value - 1));
    await film.need(49);
    for (let k = 0; k < 40; ++k) player.tick(0.25);
    expect(player.at.value).toBe(49);
    expect(player.playing.value).toBe(false);
    player.toggle();
    expect(player.at.value).toBe(0);
  });
  it("plays a flight that ended early again from its start", async () => {
    const player = new Player(10);
    const film = new Film(straight([], { last: 12 }), info);
    player.load(film, { play: true });
    await film.need(49);
    for (let k = 0; k < 10; ++k) player.tick(0.25);
    expect([player.at.value, player.playing.value]).toEqual([11, false]);
    player.toggle();
    expect([player.at.value, player.playing.value]).toEqual([0, true]);
    await player.seek(40);
    expect(player.at.value).toBe(11);
  });
  it("goes where the hand went last, whatever comes late", async () => {
    const player = new Player(1);
    player.load(new Film(straight(), info), { play: false });
    const late = player.seek(45);
    await player.seek(0);
    await late;
    expect(player.at.value).toBe(0);
  });
  it("plays on when play is pressed while a seek waits", async () => {
    const player = new Player(1);
    player.load(new Film(straight(), info), { play: false });
    const late = player.seek(45);
    player.toggle();
    await late;
    expect([player.at.value, player.playing.value]).toEqual([0, true]);
  });
  it("begins at rest where it is told, once that is flown", async () => {
    const player = new Player();
    const film = new Film(straight([], { last: 30 }), info);
    player.load(film, { at: 20.5, play: false });
    await film.need(21);
    expect([player.at.value, player.frame.value]).toEqual([20.5, 20]);
    player.load(film, { at: 44, play: false });
    await film.need(49);
    await new Promise((done) => setTimeout(done));
    expect(player.at.value).toBe(29); // as far as it got
  });
  it("brings the ghost along where only the film is there already", async () => {
    const player = new Player(1);
    const film = new Film(straight(), info);
    const ghost = new Film(straight(), { ...info, id: 2 });
    await film.need(49);
    player.load(film, { ghost });
    await player.seek(49);
    expect(player.at.value).toBe(49);
    expect(ghost.flown.value).toBe(50);
  });
  it("seeks what is not flown yet", async () => {
    const player = new Player();
    player.load(new Film(straight(), info));
    await player.seek(33.4);
    expect(player.at.value).toBe(33);
    expect(player.time.value).toBeCloseTo(3.3);
    await player.step(-1);
    expect(player.at.value).toBe(32);
  });
});
