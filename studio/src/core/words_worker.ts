// words_worker.ts: runs the second core, which reads texts, in its own thread.
import { ask, faultOf } from "./core";
import type { ReadAnswer, ReadCall } from "./words_client";
import factory from "./wasm/murmur_words.mjs";

const wasm = new URL("./wasm/murmur_words.wasm", import.meta.url).href;
const module = factory({ locateFile: () => wasm });

/** Weights and tokeniser one after the other, as the core takes them. */
function joined(weights: ArrayBuffer, tokens: ArrayBuffer): Uint8Array {
  const all = new Uint8Array(weights.byteLength + tokens.byteLength);
  all.set(new Uint8Array(weights));
  all.set(new Uint8Array(tokens), weights.byteLength);
  return all;
}

async function answer(call: ReadCall): Promise<ReadAnswer> {
  try {
    const core = await module;
    if (call.weights && call.tokens) {
      ask(core, { do: "model", weights: call.weights.byteLength }, joined(call.weights, call.tokens));
    }
    const { text } = ask(core, { do: "read", text: call.text, more: call.more, name: call.name });
    return { id: call.id, words: (text as { words: string }).words };
  } catch (error) {
    return { id: call.id, fault: faultOf(error) };
  }
}

self.onmessage = async (event: MessageEvent<ReadCall>) => self.postMessage(await answer(event.data));
