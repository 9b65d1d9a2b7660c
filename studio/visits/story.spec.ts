// story.spec.ts: the stops by keys and by link, a question answered, knobs turned, the ladder, the next word.
import { expect, type Page } from "@playwright/test";
import { strings } from "../src/strings";
import { story as storyWords } from "../src/strings/story";
import { addressRests, frameOf, open, readNpy, takeFile, test, windToEnd, wordOf } from "./hands";

const words = storyWords;

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
    await expect(stop).toHaveAttribute("data-flown", "true");
    await expect.poll(() => frameOf(page)).toBeGreaterThan(0); // its scene flies
  }
  await addressRests(page);
  expect(wordOf(page, "stop")).toBe(String(words.stops.length));
  await page.keyboard.press("Enter");
  await expect(page.locator(".question")).toHaveAttribute("data-answered", "right");
  const right = words.stops.at(-1)!.choices.find((choice) => choice.right)!;
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

test("the ladder stands where digits are told of, and nowhere else; it has its errors, chance and bound", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  const ladder = page.locator(".ladder");
  await open(page, "#v=1&view=story&stop=1");
  for (let k = 2; k <= words.stops.length; ++k) {
    await expect(ladder).toHaveCount(0);
    await page.keyboard.press("n");
    await expect(page.locator("article.stop")).toHaveAttribute("data-stop", String(k));
  }
  const rungs = page.locator(".ladder .rung");
  for (let shown = 1; shown < 5; ++shown) { // guess before you look
    await expect(rungs).toHaveCount(shown);
    await expect(page.locator(".rung-none")).toHaveCount(0);
    await page.getByRole("button", { name: words.ladder.more }).click();
  }
  await expect(rungs).toHaveCount(5);
  await expect(page.getByRole("button", { name: words.ladder.more })).toHaveCount(0);
  await expect(page.locator(".rung-none")).toContainText("50.7");
  const listening = page.locator(".rung[data-reader=selected]");
  await expect(listening).toHaveAccessibleName(/96\.2 ± 0\.5/);
  await expect(listening.locator(".rung-error")).toBeVisible();
  await expect(listening.locator(".rung-bound")).toHaveAttribute("style", /75%/);
  await expect(listening.locator(".rung-chance")).toHaveAttribute("style", /50%/);
  await expect(page.locator(".depths polyline")).toHaveCount(5);
  await page.getByRole("slider", { name: words.knobs.rungs }).press("Home");
  await expect(rungs).toHaveCount(1);
  await expect(page.locator(".depths polyline")).toHaveCount(1);
});

test("another order is the same flight until places are written on", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=story&stop=7");
  await windToEnd(page);
  const reading = page.locator(".reading");
  await expect(reading).toHaveAttribute("data-apart", "0.0000");
  await page.getByRole("radio", { name: words.knobs.codesOn }).click();
  await expect.poll(() => wordOf(page, "placed")).toBe("true");
  await expect.poll(() => frameOf(page)).toBeLessThan(20);
  await windToEnd(page);
  await expect.poll(async () => Number(await reading.getAttribute("data-apart"))).toBeGreaterThan(0.2);
});

test("a guest is flown into a tight and a wide flock", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=story&stop=10");
  await page.getByRole("checkbox", { name: words.knobs.guest }).check();
  await expect(page.locator(".figures")).toHaveAttribute("data-moved", "here");
  for (const cell of await page.locator(".figures td").all()) expect(Number(await cell.innerText())).toBeGreaterThan(0.01);
  await page.getByRole("radio", { name: words.knobs.tight }).click();
  await expect.poll(() => wordOf(page, "wide")).toBe("false");
});

test("the chances of the next word follow the playhead, the sentence and kappa", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=story&stop=11");
  const reading = page.locator(".reading");
  const outcomes = async () => Number(await reading.getAttribute("data-outcomes"));
  const first = await outcomes();
  await windToEnd(page);
  await expect.poll(outcomes).toBeLessThan(0.6 * first);
  await expect(reading).toHaveAttribute("data-best", "sea");
  await page.getByRole("slider", { name: words.nextWord.kappa }).press("Home");
  await expect.poll(outcomes).toBeCloseTo(8, 3); // at kappa 0 all eight words are alike
  await page.getByRole("radio", { name: words.nextWord.money }).click();
  await page.getByRole("slider", { name: words.nextWord.kappa }).press("End");
  await expect.poll(() => frameOf(page)).toBeLessThan(20); // the other sentence is another flight
  await windToEnd(page);
  await expect(reading).toHaveAttribute("data-best", "vault");
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  test("the chances of the next word stand below the scene", async ({ page }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await open(page, "#v=1&view=story&stop=11");
    const reading = (await page.locator(".reading").boundingBox())!;
    const story = (await page.locator("article.stop").boundingBox())!;
    expect(reading.y).toBeLessThan(story.y);
    expect(await page.evaluate(() => document.scrollingElement!.scrollWidth)).toBeLessThanOrEqual(360);
  });
});
