// keyboard.spec.ts: a visit without a mouse, from the first Tab to a branch and back.
import { expect, type Page } from "@playwright/test";
import { strings } from "../src/strings/all";
import { filmIsHere, frameOf, open, test, timeline, wordOf } from "./hands";

/** Tabs on until the control of this name has the focus. */
async function tabTo(page: Page, name: string, most = 80): Promise<void> {
  for (let k = 0; k < most; ++k) {
    await page.keyboard.press("Tab");
    const found = await page.evaluate((wanted) => {
      const now = document.activeElement as (HTMLElement & { labels?: NodeListOf<HTMLElement> }) | null;
      const names = [now?.getAttribute("aria-label"), now?.textContent, now?.labels?.[0]?.textContent];
      return names.some((text) => text?.trim() === wanted);
    }, name);
    if (found) return;
  }
  throw new Error(`${most} Tabs did not reach ${name}`);
}

async function toScene(page: Page): Promise<void> {
  await tabTo(page, strings.common.skip);
  await page.keyboard.press("Enter");
  await expect(page.locator("#scene")).toBeFocused();
}

test("play, branch, undo, another view and its slider, all by keys", async ({ page }) => {
  await open(page);
  await toScene(page);
  await expect.poll(() => frameOf(page)).toBeGreaterThan(0);
  if ((await timeline(page).getAttribute("data-playing")) === "true") await page.keyboard.press("Space");
  await expect(timeline(page)).toHaveAttribute("data-playing", "false");
  await page.keyboard.press("Home");
  await expect.poll(() => frameOf(page)).toBe(0);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => frameOf(page)).toBe(2);
  await page.keyboard.press("ArrowLeft");
  await expect.poll(() => frameOf(page)).toBe(1);

  const branch = page.locator(".branch");
  await page.keyboard.press("]");
  await page.keyboard.press("]");
  await expect(branch).toHaveAttribute("data-chosen", "1");
  await page.keyboard.press("m");
  for (const key of ["ArrowRight", "ArrowRight", "ArrowUp", "Shift+ArrowDown"]) await page.keyboard.press(key);
  await expect(branch).toHaveAttribute("data-held", "1");
  expect(await frameOf(page)).toBe(1);
  await page.keyboard.press("Enter");
  await expect.poll(() => wordOf(page, "edit")).toMatch(/^1:1:/);
  await expect(page.locator(".verdict")).toHaveCount(2);
  await page.keyboard.press("z");
  await expect(page.locator(".verdict")).toHaveCount(1);
  await page.keyboard.press("Shift+Z");
  await expect(page.locator(".verdict")).toHaveCount(2);

  await page.keyboard.press("2");
  await expect(page.locator("main.view-flock")).toBeVisible();
  await filmIsHere(page);
  await tabTo(page, strings.flock.beta);
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => Number(wordOf(page, "beta"))).toBeGreaterThan(9);
  await tabTo(page, strings.common.pause);
  await page.keyboard.press("Enter");
  await expect(timeline(page)).toHaveAttribute("data-playing", "false");
});

test("a digit is drawn with the keys", async ({ page }) => {
  await open(page);
  await tabTo(page, strings.digits.padLabel);
  await page.keyboard.press("Space");
  for (let k = 0; k < 18; ++k) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Space");
  await expect.poll(() => wordOf(page, "ink")).toBeTruthy();
  await expect(page.locator(".verdict")).toBeVisible();
});

test("the list of keys opens and closes by keys", async ({ page }) => {
  await open(page);
  await tabTo(page, strings.common.more);
  await page.keyboard.press("Enter");
  await tabTo(page, strings.common.keys);
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: strings.common.keys });
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(page.locator("details.menu")).toHaveAttribute("open");
  await page.keyboard.press("Escape");
  await expect(page.locator("details.menu")).not.toHaveAttribute("open");
  await expect(page.locator("details.menu summary")).toBeFocused();
});
