// plain_server.ts: a server of the page's plain files below /some/folder/, which may hand some of them out slowly.
import { createServer, type Server, type ServerResponse } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import type { AddressInfo } from "node:net";
import { kPage } from "./place";

const kTypes: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };
const kParts = 40; // of a file that comes slowly

export interface PlainServer {
  address: string;
  /** Names of slow files whose taker went away before their end. */
  broken: string[];
  close(): void;
}

/** A file in parts, with a pause before each. */
async function trickle(response: ServerResponse, content: Buffer, pause: number): Promise<void> {
  const size = Math.ceil(content.length / kParts);
  for (let at = 0; at < content.length && !response.destroyed; at += size) {
    await new Promise((done) => setTimeout(done, pause));
    response.write(content.subarray(at, at + size));
  }
  response.end();
}

/** Files of the built page and nothing else; what is no text has no type of its own. `slow`: those that come in parts, `pause` ms apart. */
export async function servePlain({ slow, pause = 50 }: { slow?: RegExp; pause?: number } = {}): Promise<PlainServer> {
  const broken: string[] = [];
  const server: Server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "", "http://x").pathname);
    const inside = normalize(path.replace(/^\/some\/folder\//, "") || "index.html");
    readFile(path.startsWith("/some/folder/") ? join(kPage, inside) : "").then(
      (content) => {
        response.writeHead(200, { "Content-Type": kTypes[extname(inside)] ?? "application/octet-stream" });
        response.on("close", () => void (response.writableFinished || broken.push(inside)));
        if (slow?.test(inside)) void trickle(response, content, pause);
        else response.end(content);
      },
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/some/folder/`,
    broken,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
