// words.spec.ts: the view Words: a trained transformer's tokens, whom they hear, a text typed here, one's own trace.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "@playwright/test";
import { words } from "../src/strings/words";
import { strings } from "../src/strings";
import { dropFile, filmIsHere, frameOf, open, pause, test, timeline, unfold, windToEnd, wordOf } from "./hands";
import { kMurmur } from "./place";

const listener = ".controls [data-listener]";

test("two banks fly through the layers, and the listener and its hearing follow", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=words");
  const line = page.getByRole("radiogroup", { name: words.tokens });
  await expect(line.getByRole("radio", { checked: true })).toHaveText("bank");
  await expect(page.locator(listener)).toHaveAttribute("data-layer", "1");
  const first = await page.locator(`${listener} .num`).first().textContent();
  expect(await windToEnd(page)).toBe(6);
  await expect(page.locator(listener)).toHaveAttribute("data-layer", "6");
  expect(await page.locator(`${listener} .num`).first().textContent()).not.toBe(first);
  await expect(page.locator(".story [data-explained]")).toHaveAttribute("data-explained", /^-?0\.\d+/);
  await expect(page.locator(`${listener} li`).first()).toContainText("[CLS]");
  await page.getByLabel(words.marksHeard).uncheck();
  await expect(page.locator(`${listener} li`).first()).not.toContainText("[CLS]");
  await line.getByRole("radio", { name: "river" }).click();
  await expect(page.locator(listener)).toHaveAttribute("data-listener", "river");
  await page.getByLabel(words.text, { exact: true }).selectOption("2");
  await expect(line).toContainText("money");
  await expect(timeline(page)).toHaveAttribute("data-frame", "6"); // the other sentence goes on where this one stood
  await expect(page.getByRole("link", { name: strings.storyTitles[4] })).toBeVisible();
});

test("a click on the scene chooses a token, keys choose the next and let go", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=words&boid=none&twin=false&trail=false");
  await expect(page.locator(listener)).toHaveCount(0);
  const label = page.locator(".scene-label.token", { hasText: /^river$/ });
  await expect(label).toBeVisible();
  await expect(async () => { // labels are laid out again while the scene comes to rest
    const box = (await label.boundingBox())!;
    await page.mouse.click(box.x + box.width / 2, box.y + box.height + 8); // the token is below its label
    await expect(page.locator(listener)).toHaveAttribute("data-listener", "river", { timeout: 2_000 });
  }).toPass({ timeout: 120_000 });
  await page.locator("#scene").focus();
  await page.keyboard.press("]");
  await expect(page.locator(listener)).toHaveAttribute("data-listener", ".");
  await page.keyboard.press("[");
  await expect(page.locator(listener)).toHaveAttribute("data-listener", "river");
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => frameOf(page)).toBe(1);
  await page.keyboard.press("Escape");
  await expect(page.locator(listener)).toHaveCount(0);
});

test("who hears the token stands beside whom it hears, and the map of all is walked by keys and by clicks", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=words&boid=5");
  const heard = page.locator(".controls [data-heard]");
  const name = (await page.locator(listener).getAttribute("data-listener"))!;
  await expect(heard).toHaveAttribute("data-heard", name);
  await expect(heard.getByRole("list", { name: words.isHeard(name) }).getByRole("listitem").first()).toBeVisible();
  const map = page.getByRole("application", { name: /./ });
  const cell = page.locator(".cell");
  await map.focus();
  await expect(cell).toContainText(`“${name}”`);
  const before = await cell.textContent();
  await page.keyboard.press("ArrowRight");
  await expect(cell).not.toHaveText(before!);
  await expect(page.locator(listener)).toHaveAttribute("data-listener", name); // along a row the listener stays
  expect(await frameOf(page)).toBe(0); // and so does the layer
  await page.keyboard.press("ArrowDown");
  await expect(page.locator(listener)).not.toHaveAttribute("data-listener", name);
  const box = (await map.locator("canvas").boundingBox())!;
  await page.mouse.click(box.x + box.width - 3, box.y + 3); // [CLS] hears [SEP]
  await expect(page.locator(listener)).toHaveAttribute("data-listener", "[CLS]");
  await expect(cell).toContainText("[SEP]");
});

test("a typed text is read here, goes on as the program's, and its link brings it back", async ({ page }) => {
  await open(page, "#v=1&view=words&trace=nail");
  await unfold(page);
  await page.getByLabel(words.typedLabel, { exact: true }).fill("The dog ran");
  await page.getByRole("slider", { name: words.more }).fill("6");
  await page.getByRole("button", { name: words.read }).click();
  const line = page.getByRole("radiogroup", { name: words.tokens });
  await expect(line).toContainText("<s>");
  const model = join(process.cwd(), "public/words/stories260K.bin");
  const told = execFileSync(kMurmur, [
    "trace", model, "The dog ran", "--continue", "6", "--engine", "reference", "--json", "-q", "-o", test.info().outputPath("run"),
  ], { encoding: "utf8" });
  const { tokens } = JSON.parse(told).texts[0];
  await expect(line.getByRole("radio")).toHaveCount(tokens.length);
  expect((await line.getByRole("radio").allTextContents()).join("")).toBe(tokens.map((one: string) => one.replace(/^ /, "␣")).join(""));
  await pause(page);
  await expect(page.locator(".said li")).toHaveCount(5);
  await expect.poll(() => wordOf(page, "say")).toBe("The dog ran");
  await page.reload();
  await filmIsHere(page);
  await expect(line.getByRole("radio")).toHaveCount(tokens.length);
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  for (const more of ["6", "24"]) {
    test(`what the model wrote is whole in sight, with ${more} tokens`, async ({ page }) => {
      await open(page, "#v=1&view=words&trace=nail");
      await unfold(page);
      await page.getByLabel(words.typedLabel, { exact: true }).fill("Once upon a time there was a little dog");
      await page.getByRole("slider", { name: words.more }).fill(more);
      await page.getByRole("button", { name: words.read }).tap();
      const written = page.locator(".words-written");
      await expect(written).toBeInViewport({ ratio: 1 });
      const hidden = () => page.evaluate(() => { // lines that something lies upon, or that are scrolled away
        const range = document.createRange();
        const sentence = document.querySelector(".words-written")!;
        range.selectNodeContents(sentence);
        const lines = [...range.getClientRects()];
        const off = lines.filter(({ left, top, width, height }) => {
          const hit = document.elementFromPoint(left + width / 2, top + height / 2);
          return !hit || !sentence.contains(hit);
        });
        return { lines: new Set(lines.map(({ top }) => Math.round(top))).size, off: off.length };
      });
      await expect.poll(hidden).toEqual({ lines: expect.any(Number), off: 0 });
      expect((await hidden()).lines).toBeGreaterThan(1);
      await page.getByRole("radiogroup", { name: words.tokens }).getByRole("radio").last().tap();
      await expect.poll(async () => (await hidden()).off).toBe(0); // whoever listens
    });
  }
});

test("the program's file is taken by drop, anything else is refused", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=words");
  const [run, file] = ["run", "words.json"].map((name) => test.info().outputPath(name));
  const model = join(process.cwd(), "../tests/fixtures/families/llama");
  execFileSync(kMurmur, ["trace", model, "--ids", "5,17,3,42,8", "-q", "-o", run]);
  execFileSync(kMurmur, ["export", run, "-q", "-o", file]);
  await dropFile(page, "words.json", readFileSync(file));
  const line = page.getByRole("radiogroup", { name: words.tokens });
  await expect(line.getByRole("radio")).toHaveText(["5", "17", "3", "42", "8"]);
  expect(await windToEnd(page)).toBe(3);
  await dropFile(page, "other.json", Buffer.from("{}"));
  await expect(page.locator(".notice.fault")).toContainText(words.notWords);
  await expect(line.getByRole("radio")).toHaveCount(5); // what was there stays
});

test("a text too long for the model is refused, the sentences stand, and the text stays to be mended", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  const long = "zq".repeat(95); // a token a letter: more than the model reads
  await open(page, `#v=1&view=words&trace=live&say=${long}`);
  await expect(page.locator(".notice.fault")).toContainText("96");
  await expect(page.getByRole("radiogroup", { name: words.tokens })).toContainText("bank");
  await expect(page.getByLabel(words.typedLabel, { exact: true })).toHaveValue(long);
});
