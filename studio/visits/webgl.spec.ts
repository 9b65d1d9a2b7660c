// webgl.spec.ts: a browser without WebGL is told so, and still gets its verdicts and plots.
import { expect } from "@playwright/test";
import { strings } from "../src/strings";
import { kViews, open, test, timeline, windToEnd } from "./hands";
import { kChromium } from "./place";

const kArguments = ["--no-sandbox", "--disable-gpu", "--disable-3d-apis"];
test.use({ launchOptions: { executablePath: kChromium, args: kArguments } });

test("without WebGL there is a clear message, and verdicts", async ({ page }) => {
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
});
