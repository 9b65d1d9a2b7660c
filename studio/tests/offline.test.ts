// offline.test.ts: the service worker: what was visited works offline, and an update breaks no open page.
import { beforeEach, describe, expect, it, vi } from "vitest";
import { kElsewhere, workerOf } from "../offline.plugin";

const kScope = "https://host/page/";
type Answer = { text: string; ok: boolean };
type Listener = (event: Record<string, unknown>) => void;

/** What the browser keeps of all origins' pages: caches by name. */
const kept = new Map<string, Map<string, Answer>>();
const caches = {
  open: async (name: string) => {
    const cache = kept.get(name) ?? new Map<string, Answer>();
    kept.set(name, cache);
    return {
      addAll: async (requests: Request[]) => {
        for (const request of requests) {
          asked.push(`${request.cache} ${request.url}`);
          cache.set(request.url, await network(request.url));
        }
      },
      match: async (url: string) => cache.get(url),
    };
  },
  keys: async () => [...kept.keys()],
  delete: async (name: string) => kept.delete(name),
};

let build = "old";
let online = true;
let slow = false;
const asked: string[] = [];
async function network(url: string): Promise<Answer> {
  if (slow) await new Promise(() => undefined);
  if (!online) throw new TypeError("no network");
  const gone = /assets\/(.*)-(\w+)\.js$/.exec(url)?.[2];
  return gone && gone !== build ? { text: "not found", ok: false } : { text: `${build} ${url}`, ok: true };
}

/** A worker of a build, with its events to be sent. */
function workerIn(digest: string) {
  const listeners = new Map<string, Listener>();
  const skipped: string[] = [];
  const self = {
    registration: { scope: kScope }, clients: { claim: async () => undefined },
    addEventListener: (name: string, listener: Listener) => listeners.set(name, listener),
    skipWaiting: () => skipped.push(digest),
  };
  const fetching = (request: { url: string }, options: RequestInit = {}) => {
    asked.push(`${options.cache ?? "default"} ${request.url}`);
    return network(request.url);
  };
  const files = ["./", "./index.html", "./models/a.bin", `./assets/view-${digest}.js`];
  new Function("self", "caches", "fetch", workerOf(digest, files))(self, caches, fetching);
  const send = async (name: string) => {
    let work: Promise<unknown> | undefined;
    listeners.get(name)!({ waitUntil: (promise: Promise<unknown>) => (work = promise) });
    await work;
  };
  const get = (path: string, method = "GET"): Promise<Answer> | null => {
    let answer: Promise<Answer> | null = null;
    const request = { url: kScope + path, method };
    listeners.get("fetch")!({ request, respondWith: (promise: Promise<Answer>) => (answer = promise) });
    return answer;
  };
  return { send, get, skipped };
}

beforeEach(() => {
  kept.clear();
  asked.length = 0;
  build = "old";
  online = true;
  slow = false;
});

describe("the page without a network", () => {
  it("is fetched past the browser's own cache, and opens offline", async () => {
    const worker = workerIn("old");
    await worker.send("install");
    expect(asked).toHaveLength(4);
    expect(asked.every((line) => line.startsWith("reload "))).toBe(true);
    await worker.send("activate");
    online = false;
    for (const path of ["", "index.html", "#v=1", "?x=1", "models/a.bin", "assets/view-old.js"]) {
      expect((await worker.get(path))?.text).toMatch(/^old /);
    }
  });
  it("asks the network first for what keeps its name, and not for what does not", async () => {
    const worker = workerIn("old");
    await worker.send("install");
    build = "new";
    asked.length = 0;
    expect((await worker.get(""))?.text).toBe(`new ${kScope}`);
    expect((await worker.get("models/a.bin"))?.text).toMatch(/^new /);
    expect(asked).toEqual([`no-cache ${kScope}`, `no-cache ${kScope}models/a.bin`]); // no browser's guess of freshness
    expect((await worker.get("assets/view-old.js"))?.text).toMatch(/^old /);
    expect(asked).toHaveLength(2);
  });
  it("does not wait for a network that does not answer", async () => {
    vi.useFakeTimers();
    const worker = workerIn("old");
    await worker.send("install");
    slow = true;
    const answer = worker.get("");
    await vi.advanceTimersByTimeAsync(5000);
    expect((await answer)?.text).toMatch(/^old /);
    vi.useRealTimers();
  });
  it("leaves own runs and what is no GET to the network", async () => {
    const worker = workerIn("old");
    await worker.send("install");
    expect(worker.get("runs/index.json")).toBeNull();
    expect(worker.get("", "POST")).toBeNull();
  });
});

describe("an update", () => {
  it("waits while a page of the old build is open, which keeps its files", async () => {
    const old = workerIn("old");
    await old.send("install");
    await old.send("activate");
    build = "new"; // the server has another page now
    const next = workerIn("new");
    await next.send("install");
    expect(next.skipped).toEqual([]);
    expect((await old.get("assets/view-old.js"))?.text).toMatch(/^old /);
    expect(old.get("assets/view-new.js")).toBeNull(); // a page of the new build gets it from the network
  });
  it("drops the old build's cache when it takes over, and no other page's", async () => {
    const old = workerIn("old");
    await old.send("install");
    kept.set("murmuration https://host/other/ old", new Map());
    kept.set("a neighbour", new Map());
    build = "new";
    const next = workerIn("new");
    await next.send("install");
    await next.send("activate");
    const names = ["murmuration https://host/other/ old", "a neighbour", `murmuration ${kScope} new`];
    expect([...kept.keys()].sort()).toEqual(names.sort());
    online = false;
    expect((await next.get("assets/view-new.js"))?.text).toMatch(/^new /);
  });
});

describe("what is kept", () => {
  it("has no list of own runs: the local server's changes", () => {
    expect(["sw.js", "card.png", "runs/index.json"].every((path) => kElsewhere.test(path))).toBe(true);
    expect(["models/index.json", "index.html"].some((path) => kElsewhere.test(path))).toBe(false);
  });
});
