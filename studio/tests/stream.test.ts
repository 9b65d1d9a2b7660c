// stream.test.ts: files that come as streams: counted on the way, whole in the end, called off when they are not wanted.
import { afterEach, describe, expect, it, vi } from "vitest";
import { statSync } from "node:fs";
import { readBytes, isCancelled, onLoadProgress, fetchBytes, type LoadProgress } from "../src/core/stream";
import { kModel, kModelBytes } from "../src/core/words_client";

const told: (LoadProgress | null)[] = [];
onLoadProgress((coming) => told.push(coming));
afterEach(() => {
  told.length = 0;
  vi.unstubAllGlobals();
});

/** An answer whose parts come one by one. */
function answerOf(parts: number[][]): Response {
  const coming = [...parts];
  return new Response(new ReadableStream({
    pull(control) {
      const part = coming.shift();
      if (part) control.enqueue(Uint8Array.from(part));
      else control.close();
    },
  }));
}

describe("a stream", () => {
  it("is whole, and counted as it comes", async () => {
    const bytes = new Uint8Array(await readBytes(answerOf([[1, 2, 3], [4, 5]]), 5));
    expect([...bytes]).toEqual([1, 2, 3, 4, 5]);
    expect(told).toEqual([{ got: 0, all: 5 }, { got: 3, all: 5 }, { got: 5, all: 5 }, null]);
  });
  it("may be longer or shorter than was said", async () => {
    expect([...new Uint8Array(await readBytes(answerOf([[1, 2, 3], [4]]), 2))]).toEqual([1, 2, 3, 4]);
    expect([...new Uint8Array(await readBytes(answerOf([[1]]), 9))]).toEqual([1]);
    expect([...new Uint8Array(await readBytes(answerOf([[1, 2], [3]])))]).toEqual([1, 2, 3]);
    expect(told.at(-1)).toBeNull();
  });
  it("is counted with the others that come", async () => {
    await Promise.all([readBytes(answerOf([[1], [2]]), 2), readBytes(answerOf([[1, 2, 3]]), 3)]);
    expect(Math.max(...told.map((one) => one?.all ?? 0))).toBe(5);
    expect(told.at(-1)).toBeNull();
  });
  it("that is called off counts no more, and is no fault", async () => {
    const off = new AbortController();
    vi.stubGlobal("fetch", async (_: string, { signal }: { signal: AbortSignal }) => {
      const stream = new ReadableStream({
        start(control) {
          control.enqueue(Uint8Array.of(1));
          signal.addEventListener("abort", () => control.error(signal.reason));
        },
      });
      return new Response(stream);
    });
    const coming = fetchBytes("model.bin", 9, off.signal);
    await vi.waitFor(() => expect(told.at(-1)).toEqual({ got: 1, all: 9 }));
    off.abort();
    expect(isCancelled(await coming.catch((error: unknown) => error))).toBe(true);
    expect(told.at(-1)).toBeNull();
  });
  it("that is missing says so", async () => {
    vi.stubGlobal("fetch", async () => new Response("", { status: 404 }));
    await expect(fetchBytes("model.bin")).rejects.toThrow("model.bin: 404");
    expect(isCancelled(new Error("x"))).toBe(false);
  });
});

describe("the transformer of Words", () => {
  it("is as large as the page says", () => {
    expect(statSync(new URL(`../public/words/${kModel}.bin`, import.meta.url)).size).toBe(kModelBytes);
  });
});
