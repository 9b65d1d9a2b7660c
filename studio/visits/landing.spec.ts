// landing.spec.ts: the first seconds of a visit: motion by itself, none where less motion is wished.
import { expect } from "@playwright/test";
import { strings } from "../src/strings";
import { frameOf, kViews, open, test, timeline } from "./hands";

test("the first boids move without a click", async ({ page }) => {
  const start = Date.now();
  await page.goto("./");
  await expect.poll(() => timeline(page).count().then((n) => (n > 0 ? frameOf(page) : 0)), {
    timeout: 120_000, intervals: [50],
  }).toBeGreaterThan(0);
  console.log(`first motion after ${((Date.now() - start) / 1000).toFixed(2)} s`);
  const before = await frameOf(page);
  await expect.poll(() => frameOf(page)).toBeGreaterThan(before);
  await expect(page.locator(".verdict")).toHaveAttribute("data-verdict", /^[56]$/);
  await expect(page.locator("p[aria-live=polite]")).toContainText("the vote of");
});

test.describe("where less motion is wished", () => {
  for (const view of kViews) {
    test(`nothing plays by itself in ${view}`, async ({ page }) => {
      await page.emulateMedia({ reducedMotion: "reduce" });
      await open(page, `#v=1&view=${view}`);
      const seen = new Set<string>();
      const until = Date.now() + 2000;
      await expect.poll(async () => {
        const line = timeline(page);
        seen.add(`${await line.getAttribute("data-playing")} ${await line.getAttribute("data-frame")}`);
        return Date.now() > until;
      }, { intervals: [100] }).toBe(true);
      expect([...seen].filter((state) => state.startsWith("true"))).toEqual([]);
      expect([...seen].length).toBeLessThanOrEqual(2); // the map may go to its pixel's frame, at once
      const resting = await frameOf(page);
      if (view === "map") return;
      await page.getByRole("button", { name: strings.common.play, exact: true }).click();
      await expect.poll(() => frameOf(page)).toBeGreaterThan(resting);
    });
  }
});

test("a link of another version says so, and the page opens all the same", async ({ page }) => {
  await open(page, "#v=2&view=flock&n=9");
  await expect(page.locator(".notice")).toContainText(strings.common.otherVersion);
  await expect(page.locator("main.view-digits")).toBeVisible();
});
