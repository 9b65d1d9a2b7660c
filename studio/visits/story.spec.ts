// story.spec.ts: the seven stops by keys and by link, a question answered, a knob turned.
import { expect, type Page } from "@playwright/test";
import { strings } from "../src/strings";
import { addressRests, filmIsHere, frameOf, open, readNpy, takeFile, test, windToEnd, wordOf } from "./hands";

const words = strings.story;

test("a link opens its stop; keys go through all stops and answer", async ({ page }) => {
  await open(page, "#v=1&view=story&stop=3");
  const stop = page.locator("article.stop");
  await expect(stop).toHaveAttribute("data-stop", "3");
  await expect(page.locator(".stop h2")).toContainText(words.stops[2].title);
  await page.keyboard.press("p");
  await expect(stop).toHaveAttribute("data-stop", "2");
  await page.keyboard.press("ArrowLeft");
  await expect(stop).toHaveAttribute("data-stop", "1");
  await page.keyboard.press("ArrowLeft");
  for (let k = 2; k <= words.stops.length; ++k) {
    await page.keyboard.press("ArrowRight");
    await expect(stop).toHaveAttribute("data-stop", String(k));
    await expect(page.locator(".stop h2")).toContainText(words.stops[k - 1].title);
    await filmIsHere(page);
    await expect.poll(() => frameOf(page)).toBeGreaterThan(0); // its scene flies
  }
  await addressRests(page);
  expect(wordOf(page, "stop")).toBe("7");
  await page.keyboard.press("Enter");
  await expect(page.locator(".question")).toHaveAttribute("data-answered", "right");
  const right = words.stops[6].choices.find((choice) => choice.right)!;
  await expect(page.locator(".reply")).toContainText(right.answer.slice(0, 40));
});

/** How far the word has gone to the right when the scene ends: below zero is the water's side. */
async function endOf(page: Page, boid: number): Promise<number> {
  await windToEnd(page);
  const { shape, values } = readNpy((await takeFile(page, strings.common.exportNpy)).bytes);
  const [frames, n, d] = shape;
  return values[((frames - 1) * n + boid) * d] - values[boid * d];
}

test("another sentence sends the same bank the other way", async ({ page }) => {
  await open(page, "#v=1&view=story&stop=5");
  const ear = page.getByRole("combobox", { name: words.ear });
  await expect(ear).toBeVisible();
  const river = await endOf(page, Number(await ear.inputValue()));
  await page.getByRole("radio", { name: words.knobs.money }).click();
  await expect.poll(() => wordOf(page, "bank")).toBe("money");
  await expect.poll(() => frameOf(page)).toBeLessThan(20); // its own film
  const money = await endOf(page, Number(await ear.inputValue()));
  expect(river).toBeLessThan(-0.1);
  expect(money).toBeGreaterThan(0.1);
  await page.getByRole("button", { name: strings.common.undo }).click();
  await expect(page.getByRole("radio", { name: words.knobs.river })).toBeChecked();
});
