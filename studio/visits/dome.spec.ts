// dome.spec.ts: a boid's dome is drawn, stepped through by buttons and keys, in three views and on a phone.
import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";
import { strings } from "../src/strings";
import { frameOf, open, pause, test, unfold, windToEnd, wordOf } from "./hands";

const words = strings.dome;
const kFlock = "#v=1&view=flock&n=24&heads=3&query=gaussian&key=gaussian&method=layers&dt=0.2&T=2&save=every:0.2";

/** Waits until the dome is there, and gives its card. */
async function domeOf(page: Page) {
  const card = page.locator(".dome-parts");
  await expect(card).toBeVisible({ timeout: 240_000 });
  return card;
}

test("a picked boid of the fields has its dome, part by part", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=fields&boid=7");
  await pause(page);
  const card = await domeOf(page);
  await expect(card).toHaveAttribute("data-boid", "7");
  await expect(card).toHaveAttribute("data-part", "5");
  const scene = page.locator(".stage canvas");
  const before = await scene.screenshot();
  await page.getByRole("radio", { name: words.parts[0], exact: true }).click();
  await expect(card).toHaveAttribute("data-part", "0");
  await expect(card.locator(".dome-told")).toContainText("7");
  await expect(card.locator(".dome-told")).toContainText("°"); // how wide its field of vision is
  await expect.poll(async () => (await scene.screenshot()).equals(before)).toBe(false);
  await page.getByRole("button", { name: words.on, exact: true }).click();
  await expect(card).toHaveAttribute("data-part", "1");
  await page.locator("body").press(".");
  await expect(card).toHaveAttribute("data-part", "2");
  await expect(card.locator(".dome-told")).toContainText("%");
  await page.locator("body").press(",");
  await page.locator("body").press(",");
  await expect(card).toHaveAttribute("data-part", "0");
  await expect.poll(() => wordOf(page, "part")).toBe("0");
  await page.getByRole("checkbox", { name: words.shown }).uncheck();
  await expect(card).toHaveCount(0);
});

test("after the last part comes the next block", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=digits&digit=301&boid=4&dome=true");
  await pause(page);
  await page.getByRole("button", { name: strings.common.reset, exact: true }).click();
  await expect.poll(() => frameOf(page)).toBe(0);
  const card = await domeOf(page);
  await expect(card).toHaveAttribute("data-frame", "0");
  await page.locator("body").press(".");
  await expect.poll(() => frameOf(page)).toBe(1);
  await expect(card).toHaveAttribute("data-part", "0");
  await expect(card).toHaveAttribute("data-frame", "1");
  await page.locator("body").press(",");
  await expect.poll(() => frameOf(page)).toBe(0);
  await expect(card).toHaveAttribute("data-part", "5");
});

test("every head of an ideal flock has a gaze of its own", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, `${kFlock}&boid=3&dome=true&part=2`);
  await windToEnd(page);
  const card = await domeOf(page);
  const told = card.locator(".dome-told");
  const first = await told.innerText();
  await expect(page.locator(".scene-label.count").first()).toBeAttached(); // keys that overlap are counted
  await page.getByRole("radiogroup", { name: words.head }).getByRole("radio").nth(2).click();
  await expect(card).toHaveAttribute("data-head", "2");
  await expect(told).not.toHaveText(first);
  await expect.poll(() => wordOf(page, "head")).toBe("2");
});

test("a key and a switch are enough in the flock", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=flock&n=40&T=2&save=every:0.1&beta=4");
  await pause(page);
  await page.locator("body").press("]");
  await unfold(page);
  await page.getByRole("checkbox", { name: words.shown }).check();
  await domeOf(page);
  await expect.poll(() => wordOf(page, "dome")).toBe("true");
  const scene = page.locator(".stage canvas");
  const before = await scene.screenshot();
  await page.getByRole("button", { name: words.centre }).click();
  await expect.poll(async () => (await scene.screenshot()).equals(before)).toBe(false);
});

test("a head is picked, and its attention alone is drawn in its colour", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, kFlock.replace("heads=3", "heads=2") + "&boid=3&at=4");
  const choice = page.getByRole("radiogroup", { name: words.head });
  await expect(choice.getByRole("radio")).toHaveCount(3); // all, and one each
  await expect(choice.getByRole("radio", { name: words.allHeads })).toBeChecked();
  const scene = page.locator(".stage canvas");
  const seen: Buffer[] = [await scene.screenshot()];
  for (const head of [0, 1]) {
    await choice.getByRole("radio", { name: words.headOf(head), exact: true }).click();
    await expect.poll(() => wordOf(page, "head")).toBe(String(head));
    await expect.poll(async () => (await scene.screenshot()).equals(seen.at(-1)!)).toBe(false);
    seen.push(await scene.screenshot());
  }
  expect(seen[2].equals(seen[0])).toBe(false);
  const colours = await choice.getByRole("radio").evaluateAll((radios) =>
    radios.map((radio) => getComputedStyle(radio, "::before").backgroundColor),
  );
  expect(new Set(colours.slice(1)).size).toBe(2);
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`the card is clean in ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await open(page, `${kFlock}&boid=3&dome=true`);
    await windToEnd(page);
    await domeOf(page);
    const { violations } = await new AxeBuilder({ page }).include(".dome").analyze();
    expect(violations.map(({ id }) => id)).toEqual([]);
  });
}

test.describe("on a phone", () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  test("the dome is whole in the scene, and is stepped through beside it", async ({ page }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    for (const hash of ["#v=1&view=digits&digit=301&boid=4&dome=true&at=3", `${kFlock}&boid=3&dome=true&at=4`]) {
      await page.goto("about:blank");
      await open(page, hash);
      const card = await domeOf(page);
      const scene = (await page.locator(".stage canvas").boundingBox())!;
      const bar = page.locator(".dome-bar");
      const box = (await bar.boundingBox())!;
      const told = await page.locator(".stage canvas").getAttribute("data-dome");
      const [x, y, r] = told!.split(",").map(Number);
      expect(x - r).toBeGreaterThanOrEqual(0);
      expect(x + r).toBeLessThanOrEqual(scene.width);
      expect(y - r).toBeGreaterThanOrEqual(0);
      expect(scene.y + y + r).toBeLessThanOrEqual(box.y);
      expect(box.y).toBeGreaterThan(scene.y);
      expect(box.y + box.height).toBeLessThanOrEqual(scene.y + scene.height + 0.5);
      const on = bar.getByRole("button", { name: words.on, exact: true });
      expect((await on.boundingBox())!.height).toBeGreaterThanOrEqual(31.5);
      const before = await card.getAttribute("data-part");
      await bar.getByRole("button", { name: words.back, exact: true }).tap();
      await expect(card).not.toHaveAttribute("data-part", before!);
    }
  });

  test("the card fits, and its parts can be touched", async ({ page }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await open(page, `${kFlock}&boid=3&dome=true`);
    await windToEnd(page);
    const card = await domeOf(page);
    const width = await page.evaluate(() => document.scrollingElement!.scrollWidth);
    expect(width).toBeLessThanOrEqual(360);
    for (const name of words.parts) {
      const radio = card.getByRole("radio", { name, exact: true });
      await radio.scrollIntoViewIfNeeded();
      const box = (await radio.boundingBox())!;
      expect(box.height).toBeGreaterThanOrEqual(31.5);
      expect(box.x + box.width).toBeLessThanOrEqual(360.5);
      await radio.tap();
      await expect(radio).toHaveAttribute("aria-checked", "true");
    }
  });
});
