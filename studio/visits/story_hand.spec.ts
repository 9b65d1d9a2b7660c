// story_hand.spec.ts: every stop has something to turn and Next in sight; words are dragged and typed; what is asked,
// shown and said; spaces in turn; readers asked; the sheet for teachers on paper; all of it clean to axe.
import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";
import { strings } from "../src/strings";
import { story as storyWords } from "../src/strings/story";
import { frameOf, open, test, windToEnd, wordOf } from "./hands";

const words = storyWords;
const stops = words.stops.map((_, k) => k + 1);

async function goTo(page: Page, stop: number): Promise<void> {
  await page.getByRole("button", { name: words.dot(stop, words.stops[stop - 1].title) }).click();
  await expect(page.locator("article.stop")).toHaveAttribute("data-stop", String(stop));
  await flown(page);
}

/** Waits until the scene on stage is the stop's own. */
async function flown(page: Page): Promise<void> {
  await expect(page.locator("article.stop")).toHaveAttribute("data-flown", "true", { timeout: 240_000 });
}

for (const [width, height] of [[1280, 800], [1280, 640], [360, 740]]) {
  test(`every stop has something to turn, and Next is in sight at ${width} by ${height}`, async ({ page }) => {
    test.setTimeout(900_000);
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ reducedMotion: "reduce" });
    await open(page, "#v=1&view=story&stop=1");
    for (const stop of stops) {
      if (stop > 1) await page.locator(".stop-buttons .primary").click(); // Next itself leads on
      await expect(page.locator("article.stop")).toHaveAttribute("data-stop", String(stop));
      await expect(page.locator(".stop-buttons .primary")).toBeInViewport({ ratio: 1 });
      const knobs = page.locator(".controls .group-body").first().locator("input, [role=radio], button");
      expect(await knobs.count()).toBeGreaterThan(0);
      expect(await page.evaluate(() => document.scrollingElement!.scrollWidth)).toBeLessThanOrEqual(width);
    }
    await expect(page.getByRole("link", { name: words.toDigits })).toBeVisible();
  });
}

test("seven shares are shown as seven, and every word's label is whole", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=story&stop=3");
  const shares = page.locator(".listener .shares li");
  await expect(shares).toHaveCount(7);
  for (const share of await shares.locator("output").allInnerTexts()) expect(share).toBe("14.3 %");
  for (const stop of stops.slice(0, -1)) {
    await goTo(page, stop);
    await expect(page.locator(".scene-label.token").first()).toBeVisible();
    await windToEnd(page);
    const broken = () => page.evaluate(() => {
      const scene = document.querySelector(".stage")!.getBoundingClientRect();
      return [...document.querySelectorAll(".scene-label.token:not([hidden])")].flatMap((label) => {
        const box = label.getBoundingClientRect();
        const whole = box.left >= scene.left && box.right <= scene.right && box.top >= scene.top && box.bottom <= scene.bottom;
        return whole ? [] : [label.textContent];
      });
    });
    await expect.poll(broken).toEqual([]); // labels are laid out with the next drawing
  }
});

test("arrows are as long as they are, or longer by a number that is said", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  const sign = page.locator(".scene-label.axis", { hasText: new RegExp(words.arrows("[0-9.]+").replace("×", ".")) });
  const scrub = page.getByRole("slider", { name: strings.common.time, exact: true });
  await open(page, "#v=1&view=story&stop=3");
  for (const step of [0, 10, 30]) { // to the middle and no further, however near it is
    await scrub.fill(String(step));
    await expect.poll(() => frameOf(page)).toBe(step);
    await expect(sign).toBeHidden();
  }
  await open(page, "?8#v=1&view=story&stop=8");
  await expect(sign).toBeVisible();
  expect(Number(/[\d.]+/.exec(await sign.innerText())![0])).toBeGreaterThan(1.5);
});

for (const [width, height] of [[1280, 800], [360, 740]]) {
  test(`words that have met share a label of two lines at most, at ${width} by ${height}`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ reducedMotion: "reduce" });
    for (const stop of [3, 5]) {
      await open(page, `?${stop}#v=1&view=story&stop=${stop}`);
      await windToEnd(page);
      await expect.poll(() => page.evaluate(() => // labels are made anew with the next drawing
        Math.max(...[...document.querySelectorAll(".scene-label.token:not([hidden])")].map((one) => one.getBoundingClientRect().height)),
      )).toBeLessThan(36);
    }
    await open(page, "?met#v=1&view=story&stop=3");
    await windToEnd(page);
    await expect(page.locator(".scene-label.token:visible")).toHaveText(["bank + 6"]);
  });
}

for (const [width, height] of [[1366, 768], [1280, 640], [360, 740]]) {
  test(`the question is whole above the bar, or one press away, at ${width} by ${height}`, async ({ page }) => {
    test.setTimeout(900_000);
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ reducedMotion: "reduce" });
    await open(page, "#v=1&view=story&stop=1");
    for (const stop of stops) {
      if (stop > 1) await page.locator(".stop-buttons .primary").click();
      await expect(page.locator("article.stop")).toHaveAttribute("data-stop", String(stop));
      const covered = () => page.evaluate(() => { // answers that the bar, or the window's edge, hides
        const answers = [...document.querySelectorAll<HTMLElement>(".question h3, .question .answer")];
        return answers.flatMap((one) => {
          const { left, top, width: w, height: h } = one.getBoundingClientRect();
          const seen = [top + 3, top + h - 3].every((y) => one.contains(document.elementFromPoint(left + w / 2, y)));
          return seen ? [] : [one.innerText];
        });
      });
      await page.waitForTimeout(100); // the bar follows what is in sight
      const ask = page.locator(".stop-buttons").getByRole("button", { name: words.toQuestion });
      if ((await covered()).length === 0) continue;
      const box = (await ask.boundingBox())!;
      await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2); // where it is: nothing is scrolled for the press
      await expect.poll(covered).toEqual([]);
      await expect(ask).toHaveCount(0);
    }
  });
}

/** Where a word's label stands, in pixels of the window. */
async function labelOf(page: Page, text: string): Promise<{ x: number; y: number }> {
  const box = (await page.locator(".scene-label.token", { hasText: new RegExp(`^${text}$`) }).boundingBox())!;
  return { x: box.x + box.width / 2, y: box.y + box.height };
}

test("a word is dragged elsewhere, by hand and by keys, and put back", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=story&stop=3");
  const from = await labelOf(page, "river");
  await page.mouse.move(from.x, from.y + 10); // the boid is below its label
  await page.mouse.down();
  await page.mouse.move(from.x + 60, from.y + 60, { steps: 4 });
  await page.mouse.move(from.x + 120, from.y + 110, { steps: 4 });
  await page.mouse.up();
  await expect.poll(() => wordOf(page, "put")).toMatch(/^0:-?[\d.]+,-?[\d.]+$/);
  const [x, y] = wordOf(page, "put")!.slice(2).split(",").map(Number);
  expect(x).toBeGreaterThan(-0.6); // from -0.9
  expect(y).toBeLessThan(0.2); // from 0.5
  await page.getByRole("combobox", { name: words.dragWord }).selectOption("1");
  await page.getByRole("button", { name: words.dragTo.right }).click();
  await expect.poll(() => wordOf(page, "put")).toContain("1:0.15,0.55");
  await page.getByRole("button", { name: words.dragBack }).click();
  await expect.poll(() => wordOf(page, "put")).toBeNull();
});

test("the two banks part once they are put apart", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=story&stop=1");
  const together = page.locator(".scene-label.token", { hasText: "bank = bank" });
  await windToEnd(page);
  await expect(together).toBeVisible();
  await page.getByRole("slider", { name: words.knobs.apart }).press("End");
  await expect(together).toHaveCount(0);
});

test("a typed sentence flies, and a word that the page does not know can be told where it belongs", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=story&stop=5");
  await page.getByRole("radio", { name: words.knobs.own }).click();
  const field = page.getByRole("textbox", { name: words.knobs.ownLabel });
  await field.fill("Otters doze on the bank");
  await field.press("Enter");
  await expect.poll(() => wordOf(page, "own")).toBe("Otters doze on the bank");
  await expect(page.locator(".scene-label.token", { hasText: "otters" })).toBeVisible();
  await expect(page.locator(".listener .shares li")).toHaveCount(5);
  const ear = page.getByRole("combobox", { name: words.ear });
  await ear.selectOption({ label: "bank" });
  await expect(page.locator(".listener .shares")).toContainText("otters");
});

test("puppy asks for size and colour, and shows neither; with K = Q it hears itself", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=story&stop=6");
  await expect(page.locator(".scene-label.asking")).toContainText("asks size? colour?");
  await expect(page.locator(".scene-label.asking")).toContainText("shows who");
  await expect(page.locator(".scene-label.badge")).toHaveCount(4);
  const first = page.locator(".listener .shares li").first();
  await expect(first).toContainText(/small|brown/);
  const row = page.locator(".asked tr", { hasText: "puppy" });
  await expect(row).toContainText("cute");
  await page.getByRole("radio", { name: words.knobs.keySame }).click();
  await expect(first).toContainText(words.itself);
  await page.getByRole("combobox", { name: words.ear }).selectOption({ label: "sleeps" });
  await expect(page.locator(".scene-label.asking")).toContainText("asks who?");
});

test("three spaces are flown one after another; without the second the wedding stays sure", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=story&stop=9");
  const spaces = page.locator(".spaces");
  await expect(spaces).toHaveAttribute("data-space", "1");
  await expect(page.locator(".scene-label.axis", { hasText: words.signs.phrases[0] })).toBeVisible();
  await page.getByRole("button", { name: words.levels.go(2, words.levels.names[1]) }).click();
  await expect(spaces).toHaveAttribute("data-space", "2");
  await expect(page.locator(".scene-label.axis", { hasText: words.signs.senses[0] })).toBeVisible();
  await windToEnd(page);
  await expect(spaces).toHaveAttribute("data-space", "3");
  await expect(spaces).toContainText("in doubt");
  expect(Number(await spaces.getAttribute("data-end"))).toBeGreaterThan(0.3);
  await page.getByRole("checkbox", { name: words.knobs.skip }).check();
  await flown(page);
  await expect.poll(async () => Number(await spaces.getAttribute("data-end"))).toBeLessThan(-0.15);
});

test("both trained readers are asked about four pairs; who hears nobody has at most three", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=story&stop=12");
  await expect(page.locator(".scene-label.gate")).toHaveCount(2);
  await page.getByRole("button", { name: words.four.ask }).click();
  await expect(page.locator("[data-four=here]")).toBeVisible({ timeout: 240_000 });
  expect(Number(await page.locator("[data-sum=same]").innerText())).toBe(4);
  expect(Number(await page.locator("[data-sum=alone]").innerText())).toBeLessThanOrEqual(3);
  await page.getByRole("radio", { name: words.knobs.readers.alone }).click();
  await expect.poll(() => wordOf(page, "reader")).toBe("alone");
  await flown(page);
  expect(await frameOf(page)).toBe(0);
  const four = page.getByRole("slider", { name: words.knobs.four });
  await four.press("Home"); // the first four
  await flown(page);
  await page.getByRole("button", { name: words.four.ask }).click();
  await expect(page.locator("[data-four=here]")).toBeVisible({ timeout: 240_000 });
  expect(Number(await page.locator("[data-sum=same]").innerText())).toBe(3); // it errs, too
  expect(Number(await page.locator("[data-sum=alone]").innerText())).toBeLessThanOrEqual(3);
  await goTo(page, 5); // from dots back to words
  await expect(page.locator(".scene-label.gate")).toHaveCount(0);
  await expect(page.locator(".scene-label.token").first()).toBeVisible();
});

test("the sheet for teachers has goals, questions and answers, and prints on paper of its own", async ({ page }) => {
  await open(page, "#v=1&view=story&stop=4");
  await page.getByRole("link", { name: words.sheet }).click();
  await expect(page.getByRole("heading", { name: words.lesson.title })).toBeVisible();
  await expect(page.locator(".learners .item")).toHaveCount(words.stops.length + 1);
  await expect(page.locator(".answers .item")).toHaveCount(words.stops.length);
  for (const { goal } of words.stops) await expect(page.locator(".answers")).toContainText(goal);
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await expect(page.locator("header")).toBeHidden();
  await expect(page.locator(".sheet-buttons")).toBeHidden();
  expect(await page.evaluate(() => getComputedStyle(document.querySelector(".sheet")!).color)).toBe("rgb(0, 0, 0)");
  const pages = (await page.pdf({ preferCSSPageSize: true })).toString("latin1").match(/\/Type \/Page\b/g)!.length;
  expect(pages).toBeGreaterThan(4);
  expect(pages).toBeLessThan(14);
  await page.emulateMedia({ media: "screen" });
  await page.getByRole("button", { name: words.lesson.back }).click();
  await expect(page.locator("article.stop")).toHaveAttribute("data-stop", "1");
});

for (const [colorScheme, width, height] of [["light", 1280, 800], ["dark", 360, 740]] as const) {
  test(`all stops and the sheet are clean to axe in ${colorScheme} at ${width}`, async ({ page }) => {
    test.setTimeout(600_000); // as many visits as stops
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await open(page, "#v=1&view=story&stop=1");
    const clean = async (where: string) => {
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id, nodes }) => `${where} ${id}: ${nodes[0].target.join(" ")}`)).toEqual([]);
    };
    for (const stop of stops) {
      await goTo(page, stop);
      await windToEnd(page);
      await clean(String(stop));
    }
    await page.goto("./#v=1&view=story&sheet=1");
    await expect(page.getByRole("heading", { name: words.lesson.title })).toBeVisible();
    await clean("sheet");
  });
}
