// streamed.spec.ts: transformers come as streams: counted while they come, flown when they are here, let go with their view.
import { expect, type Page } from "@playwright/test";
import { strings } from "../src/strings";
import { words } from "../src/strings/words";
import { kModelBytes } from "../src/core/words_client";
import { filmIsHere, frameOf, test, unfold } from "./hands";
import { servePlain, type PlainServer } from "./plain_server";

const coming = (page: Page) => page.locator(".coming");
const got = async (page: Page) => Number((await coming(page).getAttribute("data-got")) ?? 0);

/** Does something with a server that hands some files out slowly. */
async function slowly(slow: RegExp, pause: number, visit: (server: PlainServer) => Promise<void>): Promise<void> {
  const server = await servePlain({ slow, pause });
  try {
    await visit(server);
  } finally {
    server.close();
  }
}

test("the transformer of Words is counted on its way, reads when it is here, and is let go with the view", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await slowly(/stories260K/, 100, async ({ address }) => {
    await page.goto(`${address}#v=1&view=words`);
    await filmIsHere(page); // the bundled sentences need no model
    await expect(coming(page)).toHaveCount(0);
    const before = page.workers().length;
    await unfold(page);
    await page.getByRole("button", { name: words.read }).click();
    await expect(coming(page)).toHaveAttribute("data-all", String(kModelBytes));
    await expect(coming(page)).toContainText("1057 kB");
    expect(page.workers().length).toBe(before + 1); // its core starts meanwhile
    const early = await got(page);
    await expect.poll(() => got(page)).toBeGreaterThan(early);
    await expect(page.locator(".words-tokens")).toContainText("Once", { timeout: 240_000 });
    await expect(coming(page)).toHaveCount(0);
    await page.getByRole("link", { name: strings.common.views.map, exact: true }).click();
    await filmIsHere(page);
    await expect.poll(() => page.workers().length).toBe(before);
  });
});

test("a transformer that is left before it is here comes no further, and that is no fault", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await slowly(/stories260K/, 1000, async ({ address, broken }) => {
    await page.goto(`${address}#v=1&view=words`);
    await filmIsHere(page);
    await unfold(page);
    await page.getByRole("button", { name: words.read }).click();
    await expect(coming(page)).toBeVisible();
    await page.getByRole("link", { name: strings.common.views.flock, exact: true }).click();
    await expect(coming(page)).toHaveCount(0);
    await expect.poll(() => broken).toContain("words/stories260K.bin");
    await filmIsHere(page);
    await expect(page.locator(".notice.fault")).toHaveCount(0);
    await page.goBack(); // there again, it can be asked for again
    await filmIsHere(page);
    await expect(page.getByRole("button", { name: words.read })).toBeEnabled();
  });
});

test("a swarm of the Digits is counted on its way and flies when it is here; left, it comes no further", async ({ page }) => {
  await slowly(/ten\.safetensors/, 60, async ({ address, broken }) => {
    await page.goto(`${address}#v=1&view=digits&model=ten`);
    await expect(coming(page)).toBeVisible();
    const early = await got(page);
    await expect.poll(() => got(page)).toBeGreaterThan(early);
    await filmIsHere(page);
    await expect(page.locator(".chance-ten")).toBeVisible();
    await expect(coming(page)).toHaveCount(0);
    expect(broken).toEqual([]);
  });
  await slowly(/ten\.safetensors/, 1000, async ({ address, broken }) => {
    await page.goto(`${address}#v=1&view=digits&model=ten`);
    await expect(coming(page)).toBeVisible();
    await page.getByRole("link", { name: strings.common.views.flock, exact: true }).click();
    await expect.poll(() => broken).toContain("models/ten.safetensors");
    await expect.poll(() => frameOf(page)).toBeGreaterThan(0);
    await expect(page.locator(".notice.fault")).toHaveCount(0);
  });
});
