// webgl.spec.ts: in a browser without WebGL the flock is drawn flat, and flies, turns and is filmed all the same.
import { createHash } from "node:crypto";
import { expect, type Page } from "@playwright/test";
import { strings } from "../src/strings";
import { filmIsHere, frameOf, kViews, open, takeFile, test, timeline, windToEnd } from "./hands";
import { kChromium } from "./place";

const kArguments = ["--no-sandbox", "--disable-gpu", "--disable-3d-apis"];
test.use({ launchOptions: { executablePath: kChromium, args: kArguments } });

/** A digest of what is on the scene's canvas. */
async function picture(page: Page): Promise<string> {
  const address = await page.locator(".stage canvas").evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
  return createHash("sha256").update(address).digest("hex");
}

test("without WebGL every view flies, drawn flat", async ({ page }) => {
  await open(page, "#v=1&view=digits&digit=301");
  await expect(page.locator(".stage-flat")).toHaveText(strings.share.flat);
  const early = await picture(page);
  await windToEnd(page);
  await expect(page.locator(".verdict")).toHaveAttribute("data-verdict", "6");
  await expect.poll(() => picture(page)).not.toBe(early);
  const still = await takeFile(page, strings.common.screenshot);
  expect(still.bytes.length).toBeGreaterThan(5000);
  for (const view of kViews.slice(1)) {
    await page.getByRole("link", { name: strings.common.views[view], exact: true }).click();
    await expect(page.locator(`main.view-${view}`)).toBeVisible();
    await filmIsHere(page);
    await expect(page.locator(".stage-flat")).toBeVisible();
    const first = await picture(page);
    await expect.poll(() => frameOf(page)).toBeGreaterThan(0);
    await expect.poll(() => picture(page)).not.toBe(first);
    await expect(timeline(page)).toBeVisible();
  }
});

test("without WebGL a hand turns the scene", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=flock&n=30");
  const before = await picture(page);
  const box = (await page.locator(".stage canvas").boundingBox())!;
  await page.mouse.move(box.x + 20, box.y + box.height - 20);
  await page.mouse.down();
  await page.mouse.move(box.x + 120, box.y + box.height - 40, { steps: 4 });
  await page.mouse.up();
  await expect.poll(() => picture(page)).not.toBe(before);
});
