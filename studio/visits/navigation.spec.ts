// navigation.spec.ts: Back and Forward, what a view remembers, the way into the Story and back, and addresses that lead nowhere.
import { expect } from "@playwright/test";
import { strings } from "../src/strings";
import { story } from "../src/strings/story";
import { drawOnPad, filmIsHere, frameOf, kViews, open, six, test, timeline, wordOf } from "./hands";

const words = strings.common;

test("Back and Forward walk through views and stops", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page);
  const view = (name: string) => expect(page.locator(`main.view-${name}`)).toBeVisible();
  await page.getByRole("link", { name: words.views.flock, exact: true }).click();
  await view("flock");
  await page.getByRole("link", { name: words.views.story, exact: true }).click();
  await view("story");
  const stop = (k: number) => expect(page.locator(".stop")).toHaveAttribute("data-stop", String(k));
  await page.getByRole("button", { name: `${story.next} →` }).click();
  await stop(2);
  await page.getByRole("button", { name: `${story.next} →` }).click();
  await stop(3);
  await page.goBack();
  await stop(2);
  await page.goBack();
  await stop(1);
  await page.goBack();
  await view("flock");
  await page.goBack();
  await view("digits");
  await page.goForward();
  await view("flock");
  await page.goForward();
  await page.goForward();
  await stop(2);
  await filmIsHere(page);
});

test("a view comes back with its recipe and its drawing", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page);
  await drawOnPad(page, six());
  await expect.poll(() => wordOf(page, "ink")).toBeTruthy();
  const ink = wordOf(page, "ink");
  await page.keyboard.press("2");
  await expect(page.locator("main.view-flock")).toBeVisible();
  expect(wordOf(page, "ink")).toBeNull();
  await page.keyboard.press("1");
  await expect(page.locator("main.view-digits")).toBeVisible();
  await expect.poll(() => wordOf(page, "ink")).toBe(ink);
});

test("every view leads into the Story, and the Story back to it", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  for (const name of kViews.filter((view) => view !== "story")) {
    await open(page, `#v=1&view=${name}`);
    await page.locator(".path a").click();
    await expect(page.locator("main.view-story")).toBeVisible();
    const back = page.locator(".path a");
    await expect(back).toHaveText(words.backTo(words.views[name]));
    await back.click();
    await expect(page.locator(`main.view-${name}`)).toBeVisible();
  }
});

test("an unknown address says so", async ({ page }) => {
  const said = page.locator(".notice");
  await open(page, "#v=1&view=nowhere");
  await expect(said).toContainText(words.noSuchView("nowhere"));
  await page.goto("about:blank");
  await open(page, "#v=1&view=story&stop=42");
  await expect(said).toContainText(words.noSuchStop("42", strings.storyTitles.length));
  await page.goto("about:blank");
  await open(page, "#birds");
  await expect(said).toContainText(words.noSuchPlace("#birds"));
});

test("a shared branch waits at its edit, with both flights", async ({ page }) => {
  await open(page, "#v=1&view=digits&digit=301&edit=3:4:9,9,0");
  await expect(page.locator(".verdict")).toHaveCount(2);
  await expect(timeline(page)).toHaveAttribute("data-frame", "3");
  await expect(timeline(page)).toHaveAttribute("data-playing", "false");
  await page.getByRole("button", { name: words.play, exact: true }).click();
  await expect.poll(() => frameOf(page)).toBeGreaterThan(3);
});

test("keys turn the view, bring it nearer and back", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=digits&digit=301");
  const gate = page.locator(".scene-label.gate").first();
  await expect(gate).toHaveAttribute("style", /translate/);
  const home = await gate.getAttribute("style");
  for (const keys of [["Shift+ArrowLeft", "Shift+ArrowUp"], ["+"], ["-", "-"]]) {
    for (const key of keys) await page.keyboard.press(key);
    await expect(gate).not.toHaveAttribute("style", home!);
    await page.keyboard.press("0");
    await expect(gate).toHaveAttribute("style", home!);
  }
  expect(await frameOf(page)).toBe(0); // no arrow stepped the film
});
