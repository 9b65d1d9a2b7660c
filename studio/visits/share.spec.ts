// share.spec.ts: the address is the whole state: a link in a stranger's browser and a reload show the same.
import { expect, type Page } from "@playwright/test";
import { strings } from "../src/strings";
import { filmIsHere, frameOf, open, pause, takeFile, test, timeline, windToEnd, wordOf } from "./hands";

const words = strings.common;

/** Presses Copy link and tells what the clipboard then holds. */
async function copiedLink(page: Page): Promise<string> {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: words.share }).click();
  await expect(page.locator(".notice")).toContainText(words.shared);
  return page.evaluate(() => navigator.clipboard.readText());
}

test("a link to a flock at a moment shows the same flock to a stranger", async ({ page, browser }) => {
  await open(page, "#v=1&view=flock&n=40&seed=11&beta=5&T=8&save=every:T/60");
  await pause(page);
  await windToEnd(page);
  const scrub = page.getByRole("slider", { name: words.time });
  for (let k = 0; k < 3; ++k) await scrub.press("PageDown");
  await expect.poll(() => frameOf(page)).toBe(30);
  await expect.poll(() => wordOf(page, "at")).toBe("30");
  const link = await copiedLink(page);
  expect(link).toBe(page.url());
  const mine = await takeFile(page, words.exportNpy);

  const stranger = await browser.newContext({ viewport: { width: 1000, height: 700 } });
  const other = await stranger.newPage();
  await other.goto(link);
  await filmIsHere(other);
  await expect(timeline(other)).toHaveAttribute("data-frame", "30");
  await expect(timeline(other)).toHaveAttribute("data-playing", "false");
  await expect(other.locator(".moment")).toHaveText(await page.locator(".moment").innerText());
  await windToEnd(other);
  const theirs = await takeFile(other, words.exportNpy);
  expect(theirs.bytes.equals(mine.bytes)).toBe(true);
  await stranger.close();

  await page.reload();
  await filmIsHere(page);
  await expect(timeline(page)).toHaveAttribute("data-frame", "30");
  expect(wordOf(page, "seed")).toBe("11");
});

test("a link to a digit with a hand in it shows both verdicts to a stranger", async ({ page, browser }) => {
  await open(page, "#v=1&view=digits&digit=301&edit=3:4:9,9,0;3:5:9,8,0");
  await expect(page.locator(".verdict")).toHaveCount(2);
  await windToEnd(page);
  const said = (where: Page) =>
    where.locator(".verdict").evaluateAll((all) => all.map((one) => ({ ...(one as HTMLElement).dataset })));
  const table = await takeFile(page, words.exportCsv);
  const link = await copiedLink(page);

  const stranger = await browser.newContext();
  const other = await stranger.newPage();
  await other.goto(link);
  await filmIsHere(other);
  await expect(other.locator(".verdict")).toHaveCount(2);
  await windToEnd(other);
  expect(await said(other)).toEqual(await said(page));
  const theirs = await takeFile(other, words.exportCsv);
  expect(theirs.bytes.toString()).toBe(table.bytes.toString());
  await stranger.close();
});
