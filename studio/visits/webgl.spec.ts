// webgl.spec.ts: a browser without WebGL is told so, and still gets its verdicts and plots.
import { expect, test } from "@playwright/test";
import { strings } from "../src/strings";
import { kViews, open, timeline, windToEnd } from "./hands";
import { kChromium } from "./place";

test.use({ launchOptions: { executablePath: kChromium, args: ["--no-sandbox", "--disable-gpu", "--disable-3d-apis"] } });

test("without WebGL there is a clear message, and verdicts", async ({ page }) => {
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  await open(page, "#v=1&view=digits&digit=301");
  const missing = page.getByRole("alert");
  await expect(missing).toContainText(strings.common.noWebgl);
  await windToEnd(page);
  await expect(page.locator(".verdict")).toHaveAttribute("data-verdict", "6");
  await page.getByText(strings.common.more, { exact: true }).click();
  await expect(page.getByRole("button", { name: strings.common.screenshot })).toBeDisabled();
  await page.getByText(strings.common.more, { exact: true }).click();
  for (const view of kViews.slice(1)) {
    await page.getByRole("link", { name: strings.common.views[view], exact: true }).click();
    await expect(page.locator(`main.view-${view}`)).toBeVisible();
    await expect(missing).toContainText(strings.common.noWebgl);
    await expect(timeline(page)).toBeVisible();
  }
  expect(faults).toEqual([]);
});
