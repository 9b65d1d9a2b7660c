// language.spec.ts: the page in other languages: by address, by the browser, by its menu; words come only when spoken.
import AxeBuilder from "@axe-core/playwright";
import { expect } from "@playwright/test";
import { strings } from "../src/strings/all";
import { words as german } from "../src/strings/de";
import { story as germanStory } from "../src/strings/de/story";
import { words as french } from "../src/strings/fr";
import { story as frenchStory } from "../src/strings/fr/story";
import { frameOf, kViews, open, test, wordOf } from "./hands";

const titlesOf = ({ page, flock, fields, map, words }: typeof german | typeof french) => ({
  digits: page.digits.title, flock: flock.title, fields: fields.title, map: map.title, words: words.title,
});
const headings = { de: titlesOf(german), fr: titlesOf(french) } as const;

for (const lang of ["de", "fr"] as const) {
  test(`every view speaks ${lang} when the address says so`, async ({ page }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    const { common, share } = (lang === "de" ? german : french).page;
    const story = lang === "de" ? germanStory : frenchStory;
    await open(page, `#v=1&view=digits&lang=${lang}`);
    await expect(page.locator("html")).toHaveAttribute("lang", lang);
    for (const view of kViews) {
      await page.getByRole("link", { name: common.views[view], exact: true }).click();
      await expect(page.locator(`main.view-${view}`)).toBeVisible();
      await expect(page).toHaveTitle(share.pageTitle(common.views[view], common.title));
      const title = view === "story" ? story.stops[0].title : headings[lang][view];
      await expect(page.locator(".story h2")).toContainText(title);
      expect(wordOf(page, "lang")).toBe(lang); // the language goes along
    }
  });

  test(`a view in ${lang} is clean by axe's rules`, async ({ page }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await open(page, `#v=1&view=${lang === "de" ? "story&stop=5" : "flock"}&lang=${lang}`);
    await page.locator("details.menu > summary").click();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`)).toEqual([]);
  });
}

test.describe("with a French browser", () => {
  test.use({ locale: "fr-CA" });
  test("the page speaks French, unless it is told otherwise", async ({ page }) => {
    await open(page, "");
    await expect(page.locator("html")).toHaveAttribute("lang", "fr");
    await expect(page.locator(".what")).toHaveText(french.page.digits.what([5, 6], false));
    await open(page, "?#v=1&view=flock&lang=de");
    await expect(page.locator(".story h2")).toHaveText(german.flock.title);
  });
});

test("the menu changes the language of what is on stage, and it is remembered", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=story&stop=5&bank=money&at=20");
  await page.locator("details.menu > summary").click();
  await page.getByLabel(strings.common.language.label).selectOption("de");
  await expect(page.locator(".stop h2")).toContainText(germanStory.stops[4].title);
  await expect(page.locator(".scene-label.token", { hasText: /^Geld$/ })).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("lang", "de");
  await expect.poll(() => wordOf(page, "lang")).toBe("de");
  expect(wordOf(page, "bank")).toBe("money");
  await expect.poll(() => frameOf(page)).toBe(20); // where it was
  await open(page, "?#v=1&view=map");
  await expect(page.locator(".story h2")).toHaveText(german.map.title);
  await page.locator("details.menu > summary").click();
  await page.getByLabel(german.page.common.language.label).selectOption("");
  await expect(page.locator(".story h2")).toHaveText(strings.map.title); // the browser's is English
});

test("an English visitor fetches no other language", async ({ page }) => {
  const scripts: string[] = [];
  page.on("response", async (answer) => {
    if (answer.url().endsWith(".js")) scripts.push(await answer.text().catch(() => ""));
  });
  await open(page, "");
  await expect.poll(() => frameOf(page)).toBeGreaterThan(0);
  const said = (text: string) => scripts.some((script) => script.includes(text));
  expect(said(strings.digits.title)).toBe(true);
  expect(said(german.page.digits.title)).toBe(false);
  expect(said(french.page.digits.title)).toBe(false);
  expect(said(strings.flock.title)).toBe(false); // nor words of views that are not open
});

test.describe("a sheet for teachers", () => {
  test("is there in every language", async ({ page }) => {
    for (const [lang, story] of [["de", germanStory], ["fr", frenchStory]] as const) {
      await page.goto(`./?${lang}#v=1&view=story&sheet=1&lang=${lang}`);
      await expect(page.locator(".sheet h2")).toHaveText(story.lesson.title);
      await expect(page.locator(".sheet .learners li h4").nth(7)).toContainText(story.stops[7].title);
    }
  });
});
