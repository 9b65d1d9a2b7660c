// offline.spec.ts: after one visit the page works without a network.
import { expect } from "@playwright/test";
import { strings } from "../src/strings";
import { words } from "../src/strings/words";
import { filmIsHere, frameOf, open, test, unfold } from "./hands";

test.use({ serviceWorkers: "allow" });

test("after the first visit the page opens and flies offline", async ({ page, context }) => {
  await open(page);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await context.setOffline(true);
  const reached = await page.evaluate(() => fetch(`./nowhere-${Math.random()}`).then(() => true, () => false));
  expect(reached).toBe(false); // there is no network indeed
  await page.reload();
  await filmIsHere(page);
  await expect(page.locator(".verdict")).toBeVisible();
  for (const view of ["flock", "map", "fields", "story", "words"] as const) {
    await page.getByRole("link", { name: strings.common.views[view], exact: true }).click();
    await expect(page.locator(`main.view-${view}`)).toBeVisible();
    await filmIsHere(page);
    await expect.poll(() => frameOf(page)).toBeGreaterThan(0);
  }
  await unfold(page);
  await page.getByRole("button", { name: words.read }).click(); // the second core and its model are here too
  await expect(page.locator(".words-tokens")).toContainText("Once");
  await expect(page.locator(".notice.fault")).toHaveCount(0);
});
