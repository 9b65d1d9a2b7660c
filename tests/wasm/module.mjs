// module.mjs: the compiled core in Node, asked as the page's worker asks it.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const root = resolve(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "../..");
export const inRoot = (path) => resolve(root, path);

const folder = process.env.MURMUR_WASM ?? inRoot("build/wasm");

/** A core of the page by its name, as the function that asks it. */
export async function coreOf(name) {
  const { default: factory } = await import(pathToFileURL(`${folder}/${name}.mjs`).href);
  const module = await factory({ wasmBinary: readFileSync(`${folder}/${name}.wasm`) });

  function put(bytes) {
    const pointer = module._malloc(bytes.byteLength);
    module.HEAPU8.set(bytes, pointer);
    return pointer;
  }

  /** The reply's text and arrays; throws the refusal of a request that was refused. */
  return function ask(request, data) {
    const text = put(new TextEncoder().encode(JSON.stringify(request) + "\0"));
    const bytes = data ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(0);
    const at = put(bytes);
    const fault = module._murmur_ask(text, at, bytes.byteLength);
    module._free(text);
    module._free(at);
    const reply = JSON.parse(module.UTF8ToString(module._murmur_text()));
    if (fault !== 0) throw Object.assign(new Error(reply.what), reply);
    const arrays = [];
    for (let k = 0; k < module._murmur_arrays(); ++k) {
      const from = module._murmur_array(k);
      arrays.push(module.HEAPU8.slice(from, from + module._murmur_array_bytes(k)));
    }
    return { text: reply, arrays };
  };
}

export const ask = await coreOf("murmur");

/** The bytes of every frame of a flight, flown `chunk` frames at a time. */
export function fly(flight, chunk = 1e6) {
  const times = [];
  let first = null;
  let count = 0;
  for (let ended = null; ended === null; ) {
    const { text, arrays } = ask({ do: "fly", flight, count: chunk });
    first ??= text.first;
    count += text.count;
    times.push(arrays[0]);
    ended = text.ended;
  }
  const frames = [];
  for (let frame = first; frame < first + count; ++frame)
    frames.push(ask({ do: "frame", flight, frame }).arrays[0]);
  return { first, times: Buffer.concat(times), frames };
}
