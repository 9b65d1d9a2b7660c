// plain.spec.ts: any server of plain files is enough, in any folder: no headers of ours, no compressed copies asked for.
import { createServer, type Server } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import type { AddressInfo } from "node:net";
import { expect } from "@playwright/test";
import { filmIsHere, frameOf, test } from "./hands";
import { kPage } from "./place";

const kTypes: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };

/** Files of the built page below /some/folder/, and nothing else; what is no text has no type of its own. */
async function serve(): Promise<Server> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "", "http://x").pathname);
    const inside = normalize(path.replace(/^\/some\/folder\//, "") || "index.html");
    readFile(path.startsWith("/some/folder/") ? join(kPage, inside) : "").then(
      (content) => {
        response.writeHead(200, { "Content-Type": kTypes[extname(inside)] ?? "application/octet-stream" });
        response.end(content);
      },
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  return server;
}

test("from a plain file server, in a folder, the page flies", async ({ page }) => {
  const server = await serve();
  const asked: string[] = [];
  page.on("response", (answer) => void (answer.ok() || asked.push(answer.url())));
  try {
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/some/folder/#v=1&view=digits`);
    await filmIsHere(page);
    await expect.poll(() => frameOf(page)).toBeGreaterThan(0);
    await expect(page.locator(".verdict")).toBeVisible();
    expect(asked.filter((url) => !url.endsWith("/runs/index.json"))).toEqual([]); // own runs are murmur studio's
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("the head of the page names its card", async ({ page }) => {
  await page.goto("./");
  await expect(page.locator("meta[property='og:title']")).toHaveAttribute("content", /Murmuration/);
  const image = await page.locator("meta[property='og:image']").getAttribute("content");
  const answer = await page.request.get(new URL(image!, page.url()).href);
  expect([answer.status(), answer.headers()["content-type"]]).toEqual([200, "image/png"]);
});
