// worker.ts: runs the core in its own thread, answering one request after another.

import { coreOf, faultOf } from "./core";
import type { Answer, Call, Core } from "./protocol";
import factory from "./wasm/murmur.mjs";

const wasm = new URL("./wasm/murmur.wasm", import.meta.url).href;
const core: Promise<Core> = factory({ locateFile: () => wasm }).then(coreOf);

/** The buffers of a result, which move to the page instead of being copied. */
function buffersOf(result: unknown): ArrayBuffer[] {
  const parts = ArrayBuffer.isView(result)
    ? [result]
    : Object.values((result ?? {}) as Record<string, unknown>);
  const buffers = new Set<ArrayBuffer>();
  for (const part of parts)
    if (ArrayBuffer.isView(part) && part.buffer instanceof ArrayBuffer) buffers.add(part.buffer);
  return [...buffers];
}

async function answer(call: Call): Promise<[Answer, ArrayBuffer[]]> {
  try {
    const method = (await core)[call.name] as (...given: unknown[]) => Promise<unknown>;
    const result = await method(...call.given);
    return [{ id: call.id, result }, buffersOf(result)];
  } catch (error) {
    return [{ id: call.id, fault: faultOf(error) }, []];
  }
}

self.onmessage = async (event: MessageEvent<Call>) => {
  const [reply, buffers] = await answer(event.data);
  self.postMessage(reply, { transfer: buffers });
};
