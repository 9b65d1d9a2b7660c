// plain.spec.ts: any server of plain files is enough, in any folder: no headers of ours, no compressed copies asked for.
import { spawn } from "node:child_process";
import { basename, dirname } from "node:path";
import { expect } from "@playwright/test";
import { strings } from "../src/strings";
import { filmIsHere, frameOf, kViews, test } from "./hands";
import { kPage } from "./place";
import { servePlain } from "./plain_server";

test("from a plain file server, in a folder, the page flies", async ({ page }) => {
  const server = await servePlain();
  const asked: string[] = [];
  page.on("response", (answer) => void (answer.ok() || asked.push(answer.url())));
  try {
    await page.goto(`${server.address}#v=1&view=digits`);
    await filmIsHere(page);
    await expect.poll(() => frameOf(page)).toBeGreaterThan(0);
    await expect(page.locator(".verdict")).toBeVisible();
    expect(asked).toEqual([]); // not even for own runs, which are murmur studio's
  } finally {
    server.close();
  }
});

test.describe("from python3 -m http.server", () => {
  test.use({ serviceWorkers: "allow" });
  test("every view flies, and without a network after the first load", async ({ page, context }) => {
    const server = spawn("python3", ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", dirname(kPage)]);
    try {
      const port = await new Promise<string>((done) => {
        server.stdout.on("data", (said) => /port (\d+)/.exec(String(said)) && done(/port (\d+)/.exec(String(said))![1]));
      });
      const visit = async () => {
        for (const view of kViews) {
          await page.getByRole("link", { name: strings.common.views[view], exact: true }).click();
          await expect(page.locator(`main.view-${view}`)).toBeVisible();
          await filmIsHere(page);
          await expect.poll(() => frameOf(page)).toBeGreaterThan(0);
        }
        await expect(page.locator(".notice.fault")).toHaveCount(0);
      };
      await page.goto(`http://127.0.0.1:${port}/${basename(kPage)}/`);
      await filmIsHere(page);
      await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined)); // it has kept every file
      server.kill("SIGTERM");
      await new Promise((done) => server.once("exit", done));
      await context.setOffline(true);
      await page.reload();
      await filmIsHere(page);
      await visit();
    } finally {
      server.kill("SIGTERM");
    }
  });
});

test("the head of the page names its card", async ({ page }) => {
  await page.goto("./");
  await expect(page.locator("meta[property='og:title']")).toHaveAttribute("content", /Murmuration/);
  const image = await page.locator("meta[property='og:image']").getAttribute("content");
  const answer = await page.request.get(new URL(image!, page.url()).href);
  expect([answer.status(), answer.headers()["content-type"]]).toEqual([200, "image/png"]);
});
