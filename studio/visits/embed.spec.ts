// embed.spec.ts: a frame of the page in another page: scene and timeline alone, and the way to the whole.
import AxeBuilder from "@axe-core/playwright";
import { expect } from "@playwright/test";
import { strings } from "../src/strings";
import { kPort } from "./place";
import { filmIsHere, open, test } from "./hands";

const words = strings.share;

test("the HTML of a frame, put into a page, flies there", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await open(page, "#v=1&view=flock&n=40&seed=7&T=8&save=every:T/60");
  await page.locator("details.menu summary").click();
  await page.getByRole("button", { name: words.embed }).click();
  await expect(page.locator(".notice")).toContainText(words.embedded);
  const html = await page.evaluate(() => navigator.clipboard.readText());
  expect(html).toMatch(/^<iframe src="[^"]+&amp;embed=1" title="Murmuration: Flock"/);

  // Another page of the same server: any file of it will do as a host.
  await page.route("**/host.html", (route) => route.fulfill({ contentType: "text/html", body: `<h1>A post</h1>${html}` }));
  await page.goto(`http://127.0.0.1:${kPort}/host.html`);
  const frame = page.frameLocator("iframe");
  await expect(frame.getByRole("button", { name: /^(Play|Pause)$/ })).toBeEnabled({ timeout: 240_000 });
  await expect(frame.locator("header")).toHaveCount(0);
  await expect(frame.locator(".story")).toHaveCount(0);
  await expect(frame.locator(".plots")).toHaveCount(0);
  const moving = () => frame.locator(".timeline").getAttribute("data-frame").then(Number);
  await expect.poll(moving).toBeGreaterThan(0);
});

test("from a frame the whole page opens in a tab of its own", async ({ page, context }) => {
  await open(page, "#v=1&view=digits&digit=301&embed=1");
  await expect(page.locator(".verdict")).toBeVisible();
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations).toEqual([]);
  const opened = context.waitForEvent("page");
  await page.getByRole("link", { name: words.openWhole }).click();
  const whole = await opened;
  await filmIsHere(whole);
  await expect(whole.locator("header")).toBeVisible();
  expect(whole.url()).toContain("digit=301");
  expect(whole.url()).not.toContain("embed");
});

test("the title says which view is open", async ({ page }) => {
  await open(page, "#v=1&view=flock");
  await expect(page).toHaveTitle(words.pageTitle(strings.common.views.flock, strings.common.title));
  await page.getByRole("link", { name: strings.common.views.map }).click();
  await expect(page).toHaveTitle(words.pageTitle(strings.common.views.map, strings.common.title));
});
