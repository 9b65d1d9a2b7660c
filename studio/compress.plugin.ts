// compress.plugin.ts: leaves compressed copies (br, gzip) beside the files of the built page, for servers that hand them out.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin } from "vite";

/** What shrinks; fonts and pictures are compressed already. */
const kShrinks = /\.(html|js|mjs|css|json|svg|wasm|bin|safetensors|txt)$/;
const kLeast = 1024; // bytes: below, a copy gains nothing
const kWorth = 0.95; // of the size: above, neither

/** The copies of a file by how their names end; none where it does not shrink. */
export function copiesOf(name: string, content: Uint8Array): { ending: ".br" | ".gz"; content: Uint8Array }[] {
  if (!kShrinks.test(name) || content.length < kLeast) return [];
  const { BROTLI_PARAM_QUALITY: quality, BROTLI_PARAM_SIZE_HINT: hint, BROTLI_PARAM_LGWIN: window } = constants;
  const br = brotliCompressSync(content, { params: { [quality]: 11, [hint]: content.length, [window]: 22 } });
  const gz = gzipSync(content, { level: 9 });
  const copies = [{ ending: ".br" as const, content: br }, { ending: ".gz" as const, content: gz }];
  return copies.filter((copy) => copy.content.length < kWorth * content.length);
}

/** Whether a name is that of a copy. */
export function isCopy(name: string): boolean {
  return /\.(br|gz)$/.test(name);
}

export function compress(): Plugin {
  let folder = "";
  return {
    name: "compress",
    apply: "build",
    enforce: "post",
    configResolved: (config) => void (folder = resolve(config.root, config.build.outDir)),
    closeBundle: {
      sequential: true,
      order: "post", // after the service worker, which is compressed as well and lists no copies
      handler() {
        for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
          if (!kShrinks.test(entry)) continue;
          const path = join(folder, entry);
          for (const copy of copiesOf(entry, readFileSync(path))) writeFileSync(path + copy.ending, copy.content);
        }
      },
    },
  };
}
