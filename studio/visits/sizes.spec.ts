// sizes.spec.ts: every size of screen: scene and timeline within one screen, nothing over the edge, panels that fold.
import { expect, type Page } from "@playwright/test";
import { strings } from "../src/strings";
import { kViews, open, test, timeline, windToEnd } from "./hands";

const kSizes = [[1280, 800], [1024, 768], [768, 1024], [360, 740], [3840, 2160]] as const;

async function boxOf(page: Page, selector: string) {
  return (await page.locator(selector).first().boundingBox())!;
}

for (const [width, height] of kSizes) {
  test.describe(`${width} x ${height}`, () => {
    test.use({ viewport: { width, height } });
    for (const view of kViews) {
      test(`${view} shows scene and timeline in one screen`, async ({ page }) => {
        await page.emulateMedia({ reducedMotion: "reduce" });
        await open(page, `#v=1&view=${view}`);
        const wide = await page.evaluate(() => document.scrollingElement!.scrollWidth);
        expect(wide).toBeLessThanOrEqual(width);
        await expect(async () => {
          const [scene, line] = [await boxOf(page, ".scene"), await boxOf(page, ".timeline")];
          expect(scene.y + scene.height).toBeLessThanOrEqual(line.y + 1);
          expect(line.y + line.height).toBeLessThanOrEqual(height);
          expect(scene.height).toBeGreaterThan(200);
        }).toPass({ timeout: 120_000 }); // panels come one after another
      });
    }
    test("the menu holds what is in it, and lies within the window", async ({ page }) => {
      await page.emulateMedia({ reducedMotion: "reduce" });
      await open(page);
      await page.locator("details.menu summary").click();
      const menu = await boxOf(page, ".menu-body");
      expect(menu.x).toBeGreaterThanOrEqual(0);
      expect(menu.x + menu.width).toBeLessThanOrEqual(width);
      const over = await page.locator(".menu-body").evaluate((one) => one.scrollWidth - one.clientWidth);
      expect(over).toBeLessThanOrEqual(0);
    });
    test("the card and the line do not cover the flight", async ({ page }) => {
      await page.emulateMedia({ reducedMotion: "reduce" });
      await open(page);
      await windToEnd(page);
      const [card, stage, line] = await Promise.all([".verdicts", ".digit-stage", ".what"].map((one) => boxOf(page, one)));
      expect(card.y + card.height).toBeLessThanOrEqual(stage.y + 1);
      expect(stage.y + stage.height).toBeLessThanOrEqual(line.y + 1);
      expect(stage.height).toBeGreaterThan(width < 720 ? 180 : 250);
      const over = await page.locator(".verdict").evaluate((one) => one.scrollHeight - one.clientHeight);
      expect(over).toBeLessThanOrEqual(1); // its text fits
    });
  });
}

test("panels fold and stay folded in other views and after a reload", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page);
  const before = await boxOf(page, ".scene");
  for (const name of [strings.common.story, strings.common.controls, strings.common.plots]) {
    await page.getByRole("button", { name, expanded: true }).click();
    await expect(page.getByRole("button", { name, expanded: false })).toBeVisible();
  }
  const after = await boxOf(page, ".scene");
  expect(after.width).toBeGreaterThan(before.width + 400);
  expect(after.height).toBeGreaterThan(before.height + 60);
  await page.keyboard.press("2");
  await expect(page.locator("main.view-flock .plots")).toBeHidden();
  await page.reload();
  await expect(page.getByRole("button", { name: strings.common.controls, expanded: false })).toBeVisible();
});

test("the timeline keeps its width while the film plays", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=digits&digit=301&blocks=14");
  const width = async () => (await boxOf(page, ".scrub")).width;
  const first = await width();
  for (let k = 0; k < 12; ++k) await page.getByRole("button", { name: strings.common.stepOn }).click();
  await expect(timeline(page)).toHaveAttribute("data-frame", "12");
  expect(Math.abs((await width()) - first)).toBeLessThan(0.5);
});
