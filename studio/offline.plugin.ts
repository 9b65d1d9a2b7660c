// offline.plugin.ts: writes the service worker that keeps the built page for when there is no network.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import type { Plugin } from "vite";

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesUnder(path) : [path];
  });
}

/**
 * Everything in the folder is fetched once after the first visit and then served from the cache;
 * the cache's name is a digest of all bytes, so a new build replaces the old one whole. Addresses
 * outside the build (own runs of the local server) always go to the network.
 */
const worker = (name: string, files: string[]) => `// sw.js: the page without a network.
const NAME = ${JSON.stringify(name)};
const FILES = ${JSON.stringify(files)};
const known = new Set(FILES.map((file) => new URL(file, self.registration.scope).href));
self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(FILES)).then(() => self.skipWaiting()));
});
self.addEventListener("activate", (event) => {
  const old = caches.keys().then((names) => Promise.all(names.filter((n) => n !== NAME).map((n) => caches.delete(n))));
  event.waitUntil(old.then(() => self.clients.claim()));
});
self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  url.hash = url.search = "";
  if (event.request.method !== "GET" || !known.has(url.href)) return;
  event.respondWith(
    caches.open(NAME).then((cache) => cache.match(url.href)).then((kept) => kept ?? fetch(event.request)),
  );
});
`;

export function offline(): Plugin {
  let folder = "";
  return {
    name: "offline",
    apply: "build",
    configResolved: (config) => void (folder = resolve(config.root, config.build.outDir)),
    closeBundle() {
      const paths = filesUnder(folder).filter((path) => !path.endsWith("sw.js")).sort();
      const digest = createHash("sha256");
      for (const path of paths) digest.update(relative(folder, path)).update(readFileSync(path));
      const files = paths.map((path) => `./${relative(folder, path).split(sep).join("/")}`);
      writeFileSync(
        join(folder, "sw.js"),
        worker(`murmuration-${digest.digest("hex").slice(0, 16)}`, ["./", ...files]),
      );
    },
  };
}
