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
      id: ++this.count, n: kBoids, d: 3, habitat: "space", engine: "test", frames: kFrames, first, T: 8, columns: [],
      digits: [1, 7], known: [], equation: "", config: "",
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
  branch = async (id: number, frame: number, edits: Edit[]): Promise<FlightInfo> => {
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
const { change, recipe, undo } = await import("../src/state/recipe");

const x = (film: InstanceType<typeof Film>, frame: number, boid: number) => film.frame(frame)[3 * boid];

async function fresh() {
  const branch = new Branch(new Player());
  const film = new Film(fake as unknown as Core, fake.open(0, [0, 0, 0, 10, 0, 0, 20, 0, 0]));
  await branch.load(film, { play: false });
  await film.need(kFrames);
  return { branch, film };
}

beforeEach(() => change({ edit: "" }));

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
