// phone.spec.ts: 360 pixels wide: nothing hangs over the edge, and every control can be touched.
import { expect, type Page } from "@playwright/test";
import { strings } from "../src/strings";
import { kViews, open, test, unfold } from "./hands";

test.use({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });

// Fingers go through the sheet on the stage to the stage itself.
const kControls =
  "button:enabled, input:not([type=file]), select, summary, a[href]:not(.skip, p a, li a), " +
  "[role=application]:not(.stage-pen canvas)";

/** Controls in `within` that a finger does not get hold of, each with the reason; 32 pixels are the least. */
function outOfReach(page: Page, within: string): Promise<string[]> {
  return page.evaluate(([root, controls]) => {
    const out: string[] = [];
    for (const element of document.querySelector(root)!.querySelectorAll<HTMLElement>(controls)) {
      if (!element.checkVisibility({ visibilityProperty: true })) continue;
      element.scrollIntoView({ block: "center" });
      const label = (element as HTMLInputElement).labels?.[0];
      const around = label?.contains(element) ? label : element; // a finger may touch the whole label
      const box = element.getBoundingClientRect();
      const name = element.getAttribute("aria-label") ?? (label ?? element).textContent?.trim().slice(0, 40);
      const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
      const high = around.getBoundingClientRect().height;
      if (high < 31.5) out.push(`${name}: ${high} high`);
      if (box.left < -0.5 || box.right > innerWidth + 0.5) out.push(`${name}: hangs over`);
      else if (!hit || !around.contains(hit)) out.push(`${name}: under ${hit?.tagName}.${hit?.className}`);
    }
    return out;
  }, [within, kControls]);
}

for (const view of kViews) {
  test(`${view} fits a phone`, async ({ page }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await open(page, `#v=1&view=${view}`);
    await unfold(page);
    const width = await page.evaluate(() => document.scrollingElement!.scrollWidth);
    expect(width).toBeLessThanOrEqual(360);
    expect(await outOfReach(page, "body")).toEqual([]);
  });
}

/** What no finger does. */
const kKeys = /\b(click|clicks|alt-drag|arrow keys|enter|shift)\b|\[ (or|and) \]|press \]/i;

for (const view of kViews) {
  test(`${view} tells what a finger does, not what mouse and keys do`, async ({ page }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await open(page, `#v=1&view=${view}`);
    await unfold(page);
    const told = await page.locator("main").evaluate((main) =>
      [...main.querySelectorAll<HTMLElement>("p, li, summary, label, span")]
        .filter((one) => one.checkVisibility() && !one.classList.contains("visually-hidden"))
        .map((one) => one.innerText));
    expect(told.filter((text) => kKeys.test(text))).toEqual([]);
    expect(told.join(" ").length).toBeGreaterThan(200);
  });
}

test("the menu fits a phone, and a touch elsewhere closes it", async ({ page }) => {
  await open(page);
  const menu = page.locator("details.menu");
  await menu.locator("summary").tap();
  await expect(menu.getByRole("button", { name: strings.common.record })).toBeVisible();
  expect(await outOfReach(page, ".menu-body")).toEqual([]);
  await page.getByRole("heading", { name: strings.digits.title }).tap();
  await expect(menu).not.toHaveAttribute("open");
});
