// axe.spec.ts: every view, light and dark, passes axe-core's rules.
import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";
import { strings } from "../src/strings";
import { kViews, open, test, unfold, windToEnd } from "./hands";

async function faultsOf(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, any, failureSummary }) => `${id}: ${target.join(" ")}: ${any[0]?.message ?? failureSummary}`),
  );
}

for (const colorScheme of ["light", "dark"] as const) {
  for (const view of kViews) {
    test(`${view} in ${colorScheme} is clean`, async ({ page }) => {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await open(page, `#v=1&view=${view}`);
      await windToEnd(page);
      await unfold(page);
      expect(await faultsOf(page)).toEqual([]);
    });
  }
  test(`a branch, the menu and the list of keys in ${colorScheme} are clean`, async ({ page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await open(page, "#v=1&view=digits&digit=301&edit=3:4:9,9,0&boid=4");
    await expect(page.locator(".verdict")).toHaveCount(2);
    await page.getByText(strings.common.more, { exact: true }).click();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: strings.common.keys }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    expect(await faultsOf(page)).toEqual([]);
  });
}
