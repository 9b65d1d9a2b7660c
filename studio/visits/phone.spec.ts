// phone.spec.ts: 360 pixels wide: nothing hangs over the edge, and every control can be touched.
import { expect, test } from "@playwright/test";
import { kViews, open } from "./hands";

test.use({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });

const kControls = "button, input:not([type=file]), select, summary, a[href]:not(.skip), [role=application]";

for (const view of kViews) {
  test(`${view} fits a phone`, async ({ page }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await open(page, `#v=1&view=${view}`);
    for (const fold of await page.locator(".controls details:not([open]) > summary").all()) await fold.click();
    const width = await page.evaluate(() => document.scrollingElement!.scrollWidth);
    expect(width).toBeLessThanOrEqual(360);
    const lost = await page.evaluate((controls) => {
      const out: string[] = [];
      for (const element of document.querySelectorAll<HTMLElement>(controls)) {
        if (!element.checkVisibility({ visibilityProperty: true }) || element.closest(".katex")) continue;
        if (element.matches(":disabled")) continue;
        element.scrollIntoView({ block: "center" });
        const box = element.getBoundingClientRect();
        const name = `${element.tagName} ${element.getAttribute("aria-label") ?? element.textContent?.trim() ?? ""}`;
        const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
        const label = (element as HTMLInputElement).labels?.[0];
        if (box.left < -0.5 || box.right > innerWidth + 0.5) out.push(`${name} hangs over`);
        else if (!hit || !(element.contains(hit) || label?.contains(hit))) out.push(`${name} is under ${hit?.className}`);
      }
      return out;
    }, kControls);
    expect(lost).toEqual([]);
  });
}
