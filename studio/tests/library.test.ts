// library.test.ts: swarms are fetched once, and let go when they are left.
import { beforeEach, describe, expect, it, vi } from "vitest";

const held = new Set<number>();
let made = 0;
let fails = false;
vi.mock("../src/state/session", () => ({
  core: Promise.resolve({
    trained: async () => {
      held.add(++made);
      return { id: made };
    },
    release: async (id: number) => void held.delete(id),
  }),
}));
const asked: string[] = [];
vi.stubGlobal("document", { baseURI: "http://page/" });
vi.stubGlobal("fetch", async (url: URL) => {
  asked.push(url.pathname);
  return { ok: !fails, arrayBuffer: async () => new ArrayBuffer(4) };
});

const { keepSwarms, swarm } = await import("../src/views/digits/library");
type Entry = Parameters<typeof swarm>[0];
const entry = (name: string) => ({ file: `${name}.safetensors` }) as Entry;
const rests = () => new Promise((done) => setTimeout(done, 0));

beforeEach(async () => {
  keepSwarms(0);
  await rests();
  held.clear();
  asked.length = 0;
  fails = false;
});

describe("swarms", () => {
  it("are fetched once while they are in use", async () => {
    const [a, b] = await Promise.all([swarm(entry("a")), swarm(entry("a"))]);
    expect(a.id).toBe(b.id);
    expect(asked).toEqual(["/models/a.safetensors"]);
  });
  it("are let go when three others were asked for since", async () => {
    const first = await swarm(entry("a"));
    const second = await swarm(entry("b"));
    await swarm(entry("c"));
    await swarm(entry("a")); // in use again
    await swarm(entry("d"));
    await rests();
    expect([held.size, held.has(first.id), held.has(second.id)]).toEqual([3, true, false]);
    await swarm(entry("b")); // comes again when it is wanted
    expect(asked.filter((path) => path.includes("b.")).length).toBe(2);
  });
  it("are all let go where no view needs one, those on their way as well", async () => {
    await swarm(entry("a"));
    const coming = swarm(entry("b"));
    keepSwarms(0);
    await coming;
    await rests();
    expect(held.size).toBe(0);
  });
  it("that cannot be fetched are asked for again", async () => {
    fails = true;
    await expect(swarm(entry("a"))).rejects.toThrow();
    fails = false;
    expect((await swarm(entry("a"))).id).toBe(made);
  });
});
