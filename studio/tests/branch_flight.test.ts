// branch_flight.test.ts: a hand in the flock: the flight splits, can be scrubbed, shared, undone and let go.
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Core, Edit, FlightInfo, Frames } from "../src/core/protocol";

const kFrames = 9;
const kBoids = 3;

/** A core whose boids go one unit along x a frame; branches start where they are put. */
class StraightCore {
  readonly flights = new Map<number, { info: FlightInfo; start: number[]; next: number }>();
  readonly closed: number[] = [];
  private count = 0;

  open(first: number, start: number[]): FlightInfo {
    const info: FlightInfo = {
      id: ++this.count, n: kBoids, d: 3, habitat: "space", frames: kFrames, first, T: 8, columns: [],
      digits: [1, 7], classes: ["1", "7"], known: [], config: "",
    };
    this.flights.set(info.id, { info, start, next: first });
    return info;
  }
  at(id: number, frame: number): number[] {
    const { info, start } = this.flights.get(id)!;
    return start.map((x, k) => (k % 3 === 0 ? x + frame - info.first : x));
  }
  fly = async (id: number, count: number): Promise<Frames> => {
    const flight = this.flights.get(id)!;
    const first = flight.next;
    const frames = Math.min(count, kFrames - first);
    const rows = Array.from({ length: frames }, (_, k) => this.at(id, first + k));
    flight.next = first + frames;
    const end = flight.next >= kFrames;
    return {
      flight: id, first, count: frames, times: Float64Array.from(rows, (_, k) => first + k),
      positions: Float32Array.from(rows.flat()), observables: new Float64Array(), cosines: new Float64Array(),
      scores: new Float64Array(2 * frames).fill(id), verdicts: new Int8Array(kBoids * frames),
      ended: end ? { ok: true, what: "", remedy: "" } : null,
    };
  };
  /** The frame at which branches are refused. */
  refuses = NaN;
  branch = async (id: number, frame: number, edits: Edit[]): Promise<FlightInfo> => {
    if (frame === this.refuses) throw { fault: 2, what: "no such place", where: "", remedy: "" };
    const start = this.at(id, frame);
    for (const edit of edits) edit.place.forEach((x, c) => (start[3 * edit.boid + c] = x));
    return this.open(frame, start);
  };
  close = async (id: number): Promise<void> => {
    this.closed.push(id);
  };
}

const fake = new StraightCore();
vi.mock("../src/core/client", () => ({ startCore: async () => fake }));

const { Branch } = await import("../src/state/branch");
const { Film } = await import("../src/state/film");
const { Player } = await import("../src/state/player");
const { change, follow, recipe, undo } = await import("../src/state/recipe");
const { notice, onStage, reportEnds: tellEnds } = await import("../src/state/session");

const x = (film: InstanceType<typeof Film>, frame: number, boid: number) => film.frame(frame)[3 * boid];

async function fresh() {
  const branch = new Branch(new Player());
  const film = new Film(fake as unknown as Core, fake.open(0, [0, 0, 0, 10, 0, 0, 20, 0, 0]));
  await branch.load(film, { play: false });
  await film.need(kFrames);
  return { branch, film };
}

/** The flights that were opened and never closed. */
const open = () => [...fake.flights.keys()].filter((id) => !fake.closed.includes(id));

beforeEach(() => {
  change({ edit: "" });
  fake.flights.clear();
  fake.closed.length = 0;
  fake.refuses = NaN;
});

describe("a hand in the flock", () => {
  it("splits the flight at its frame, with the past kept", async () => {
    const { branch, film } = await fresh();
    await branch.player.seek(4);
    branch.grab([1]);
    branch.drag([0, 2, 0]);
    expect([...branch.overlay(film.frame(4).slice()).subarray(3, 6)]).toEqual([14, 2, 0]);
    branch.apply();
    expect(recipe.value.edit).toBe("4:1:14,2,0");
    await branch.refresh();
    expect(branch.branched.value).toBe(true);
    expect(branch.player.ghost.value).toBe(film);
    const edited = branch.player.film.value!;
    await edited.need(kFrames);
    expect([edited.first, edited.flown.value]).toEqual([0, kFrames]);
    expect(x(edited, 2, 1)).toBe(12);
    expect([edited.frame(6)[3], edited.frame(6)[4]]).toEqual([16, 2]);
    expect(branch.held.value.size).toBe(0);
    expect(branch.flightAt(3)).toBe(film.info.id);
    expect(branch.flightAt(4)).toBe(edited.info.id);
  });

  it("goes back by undo, and forth by the recipe alone", async () => {
    const { branch, film } = await fresh();
    change({ edit: "2:0:-5,0,0;6:0:100,0,0" });
    await branch.refresh();
    const edited = branch.player.film.value!;
    await edited.need(kFrames);
    expect([1, 2, 5, 6, 8].map((frame) => x(edited, frame, 0))).toEqual([1, -5, -2, 100, 102]);
    undo();
    expect(recipe.value.edit ?? "").toBe("");
    await branch.refresh();
    expect(branch.player.film.value).toBe(film);
    expect(branch.player.ghost.value).toBeNull();
    expect(fake.closed).toContain(edited.info.id);
    expect(fake.closed).not.toContain(film.info.id);
  });

  it("closes every flight of a chain once it is let go", async () => {
    const { branch } = await fresh();
    const before = new Set(fake.flights.keys());
    change({ edit: "1:0:1,1,1;3:0:2,2,2;5:0:3,3,3" });
    await branch.refresh();
    const made = [...fake.flights.keys()].filter((id) => !before.has(id));
    expect(made.length).toBe(3);
    branch.letGo();
    await branch.refresh();
    for (const id of made) expect(fake.closed).toContain(id);
  });

  it("leaves no flight open once the view is closed", async () => {
    const { branch } = await fresh();
    change({ edit: "1:0:1,1,1;3:0:2,2,2" });
    await branch.refresh();
    change({ edit: "2:0:5,5,5;4:1:2,2,2;6:0:1,1,1" });
    await branch.refresh();
    expect(open().length).toBe(4); // the flight, and a chain of three
    branch.close();
    expect(open()).toEqual([]);
    expect(branch.player.film.value).toBeNull();
  });

  it("settles, and leaves no flight open, when the view is closed at any moment of a refresh", async () => {
    for (let wait = 0; wait < 60; ++wait) {
      change({ edit: "5:0:1,1,1;7:1:2,2,2" });
      const branch = new Branch(new Player());
      const film = new Film(fake as unknown as Core, fake.open(0, [0, 0, 0, 10, 0, 0, 20, 0, 0]));
      const loading = branch.load(film, { play: false });
      for (let k = 0; k < wait; ++k) await Promise.resolve();
      branch.close();
      await loading;
      expect([wait, open()]).toEqual([wait, []]);
    }
  });

  it("settles when the film is closed under it", async () => {
    change({ edit: "5:0:1,1,1" });
    const branch = new Branch(new Player());
    const film = new Film(fake as unknown as Core, fake.open(0, [0, 0, 0, 10, 0, 0, 20, 0, 0]));
    const loading = branch.load(film, { play: false });
    film.close();
    await loading;
    expect(open()).toEqual([]);
  });

  it("says when a later branch is refused, keeps the flight, and closes the branches before", async () => {
    const { branch, film } = await fresh();
    fake.refuses = 6;
    change({ edit: "2:0:1,1,1;6:0:2,2,2" });
    await branch.refresh();
    expect(notice.value?.text).toBe("no such place");
    expect(branch.player.film.value).toBe(film);
    expect(open()).toEqual([film.info.id]);
  });

  it("picks the boids of the recipe, and says in it which are picked", async () => {
    const { branch } = await fresh();
    change({ boid: "2" }, true);
    const stop = branch.followChoice();
    expect(branch.chosen.value).toEqual([2]);
    branch.choose(-1);
    expect(recipe.value.boid).toBe("1");
    branch.chosen.value = [0, 2];
    expect(recipe.value.boid).toBe("0,2");
    follow("#v=1&boid=1,x,0");
    expect(branch.chosen.value).toEqual([1, 0]);
    expect(recipe.value.boid).toBe("1,0");
    branch.chosen.value = [];
    expect(recipe.value.boid).toBeUndefined();
    stop();
    branch.choose(1);
    expect(recipe.value.boid).toBeUndefined();
  });

  it("refuses to begin at the end", async () => {
    const { branch } = await fresh();
    await branch.player.seek(kFrames - 1);
    branch.grab([0]);
    branch.drag([1, 0, 0]);
    branch.apply();
    expect(recipe.value.edit ?? "").toBe("");
  });

  it("chooses boids round the flock", async () => {
    const { branch } = await fresh();
    branch.choose(-1);
    expect(branch.chosen.value).toEqual([kBoids - 1]);
    branch.choose(1);
    expect(branch.chosen.value).toEqual([0]);
  });
});

describe("a flight that cannot go on", () => {
  it("says why, once, whichever view it is in", async () => {
    const fly = async () => {
      throw { fault: 1, what: "the core stopped", where: "", remedy: "load the page again" };
    };
    const stop = tellEnds();
    const player = new Player();
    onStage.value = { view: "story", player, stage: null, draw: () => undefined };
    const film = new Film({ fly, close: fake.close } as unknown as Core, fake.open(0, [0, 0, 0, 1, 0, 0, 2, 0, 0]));
    notice.value = null;
    player.load(film, { play: true });
    await film.need(3);
    expect(notice.value).toEqual({ kind: "fault", text: "the core stopped", hint: "load the page again" });
    notice.value = null;
    player.tick(1);
    onStage.value = { ...onStage.value };
    expect([notice.value, player.playing.value]).toEqual([null, false]);
    stop();
    onStage.value = null;
  });
});
