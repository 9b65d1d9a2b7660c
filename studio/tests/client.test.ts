// client.test.ts: a worker that breaks refuses what was asked and what is asked later.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Answer, Call } from "../src/core/protocol";
import { startCore } from "../src/core/client";

/** A worker that answers `about`, and anything else when it is told to. */
class TestWorker {
  static made: TestWorker;
  onmessage: ((event: { data: Answer }) => void) | null = null;
  onerror: ((event: { message: string }) => void) | null = null;
  readonly calls: Call[] = [];
  terminated = false;
  constructor() {
    TestWorker.made = this;
  }
  postMessage(call: Call): void {
    this.calls.push(call);
    if (call.name === "about") queueMicrotask(() => this.answer({ id: call.id, result: {} }));
  }
  answer(data: Answer): void {
    this.onmessage?.({ data });
  }
  terminate(): void {
    this.terminated = true;
  }
}

beforeEach(() => vi.stubGlobal("Worker", TestWorker));
afterEach(() => vi.unstubAllGlobals());

describe("the core's worker", () => {
  it("answers calls by their number, whatever the order", async () => {
    const core = await startCore();
    const [one, two] = [core.close(1), core.close(2)];
    const [, first, second] = TestWorker.made.calls;
    TestWorker.made.answer({ id: second.id, fault: { fault: 2, what: "no such flight", where: "", remedy: "" } });
    TestWorker.made.answer({ id: first.id, result: undefined });
    await expect(one).resolves.toBeUndefined();
    await expect(two).rejects.toMatchObject({ what: "no such flight" });
  });
  it("that breaks refuses what waits and what comes", async () => {
    const core = await startCore();
    const waits = core.fly(1, 5);
    TestWorker.made.onerror?.({ message: "out of memory" });
    await expect(waits).rejects.toMatchObject({ fault: 1, where: "out of memory" });
    await expect(core.fly(1, 5)).rejects.toMatchObject({ fault: 1 });
    expect(TestWorker.made.terminated).toBe(true);
  });
});
