// offline.plugin.ts: writes the service worker that keeps the built page for when there is no network.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import type { Plugin } from "vite";
import { isCopy } from "./compress.plugin.ts";

/**
 * What is not kept: the worker itself, the card that others show of the page, and the list of own runs, which is empty
 * in the build, so that servers of plain files have one, and which the local server answers itself.
 */
export const kElsewhere = /(sw\.js|card\.png|runs.index\.json)$/;

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesUnder(path) : [path];
  });
}

/**
 * Everything in the folder is fetched once after the first visit into a cache of this build; `digest` is of all
 * bytes. Files whose names change with their content (assets/) come from the cache; the page itself and files that
 * keep their names come from the network while there is one that answers in time. A newer build waits, beside the
 * old one's cache, until the last tab of the old one is closed: no open page loses files it has yet to ask for.
 * Addresses outside the build (own runs of the local server) always go to the network.
 */
export const workerOf = (digest: string, files: string[]) => `// sw.js: the page without a network.
const OURS = "murmuration " + self.registration.scope + " ";
const NAME = OURS + ${JSON.stringify(digest)};
const FILES = ${JSON.stringify(files)};
const PATIENCE = 3000; // ms
const known = new Set(FILES.map((file) => new URL(file, self.registration.scope).href));
const assets = new URL("./assets/", self.registration.scope).href;
self.addEventListener("install", (event) => {
  const fresh = FILES.map((file) => new Request(new URL(file, self.registration.scope), { cache: "reload" }));
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(fresh)));
});
self.addEventListener("activate", (event) => {
  const drop = (names) => names.filter((n) => n.startsWith(OURS) && n !== NAME).map((n) => caches.delete(n));
  event.waitUntil(caches.keys().then((names) => Promise.all(drop(names))).then(() => self.clients.claim()));
});
async function answer(request, address) {
  const kept = await caches.open(NAME).then((cache) => cache.match(address));
  if (!kept) return fetch(request);
  if (address.startsWith(assets)) return kept;
  const late = new Promise((done) => setTimeout(() => done(kept), PATIENCE));
  const asked = fetch(request, { cache: "no-cache" }).then((got) => (got.ok ? got : kept), () => kept);
  return Promise.race([asked, late]);
}
self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  url.hash = url.search = "";
  if (event.request.method === "GET" && known.has(url.href)) event.respondWith(answer(event.request, url.href));
});
`;

export function offline(): Plugin {
  let folder = "";
  return {
    name: "offline",
    apply: "build",
    configResolved: (config) => void (folder = resolve(config.root, config.build.outDir)),
    closeBundle() {
      const paths = filesUnder(folder).filter((path) => !kElsewhere.test(path) && !isCopy(path)).sort();
      const digest = createHash("sha256");
      for (const path of paths) digest.update(relative(folder, path)).update(readFileSync(path));
      const files = paths.map((path) => `./${relative(folder, path).split(sep).join("/")}`);
      writeFileSync(join(folder, "sw.js"), workerOf(digest.digest("hex").slice(0, 16), ["./", ...files]));
    },
  };
}
