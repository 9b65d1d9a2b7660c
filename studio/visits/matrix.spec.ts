// matrix.spec.ts: sizes, colours, hands, languages and the wish for less motion, together: every pair of them meets in
// one of the fast combinations; MURMUR_LONG=1 goes through all, in every view.
import { expect, type Browser, type Page } from "@playwright/test";
import { followHash, frameOf, kViews, open, test, timeline } from "./hands";

const kFactors = {
  size: [[360, 640], [768, 1024], [1024, 768], [1440, 900], [3840, 2160]],
  hand: ["mouse", "touch", "keyboard"],
  lang: ["en", "de", "fr"],
  theme: ["light", "dark"],
  motion: ["reduce", "no-preference"],
} as const;
type Factors = typeof kFactors;
type Combination = { [K in keyof Factors]: Factors[K][number] };

/** Each size with each hand; the other choices by sums of their numbers, so that all pairs meet. */
const kFast: Combination[] = kFactors.size.flatMap((size, s) =>
  kFactors.hand.map((hand, h) => ({
    size, hand, lang: kFactors.lang[(s + h) % 3], theme: kFactors.theme[(s + (h === 2 ? 1 : 0)) % 2],
    motion: kFactors.motion[(h + Math.floor(s / 2)) % 2],
  })),
);
const kHuge = 3000; // pixels: without a graphics card a picture takes seconds
const viewOf = (k: number) => kViews[(k + Math.floor(k / kViews.length)) % kViews.length];

/** What a combination asks of the browser before a page is opened. */
async function pageFor(browser: Browser, { size: [width, height], hand, theme, motion }: Combination): Promise<Page> {
  const touch = hand === "touch";
  const context = await browser.newContext({
    viewport: { width, height }, hasTouch: touch, isMobile: touch && width < 1000, colorScheme: theme, reducedMotion: motion,
    baseURL: test.info().project.use.baseURL, serviceWorkers: "block", locale: "en-US",
  });
  return context.newPage();
}

/** What is wrong with the screen as it stands: over its edges, under something else, or cut. */
function faultsOn(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const faults: string[] = [];
    const [scene, line] = [document.querySelector(".scene")!, document.querySelector(".timeline")!];
    const [a, b] = [scene.getBoundingClientRect(), line.getBoundingClientRect()];
    const say = (element: Element) => `${element.tagName}.${element.className} “${element.textContent!.trim().slice(0, 40)}”`;
    if (document.scrollingElement!.scrollWidth > innerWidth) faults.push("the page is wider than the screen");
    if (a.bottom > b.top + 1) faults.push(`the scene (${a.bottom}) reaches below the timeline's top (${b.top})`);
    if (b.bottom > innerHeight + 0.5) faults.push(`the timeline ends at ${b.bottom} of ${innerHeight}`);
    if (a.height < 180) faults.push(`the scene is ${a.height} high`);
    for (const control of line.querySelectorAll("button, input")) {
      const { x, y, width, height } = control.getBoundingClientRect();
      const hit = document.elementFromPoint(x + width / 2, y + height / 2);
      if (!hit || !(control === hit || control.contains(hit))) faults.push(`${say(control)} is under ${hit ? say(hit) : "nothing"}`);
    }
    const said = ".button, .segments button, nav a, summary, .fold, .verdict-word, h2, h3, .moment, .stop-place, figcaption, .switch";
    for (const element of document.querySelectorAll<HTMLElement>(said)) {
      if (!element.checkVisibility({ visibilityProperty: true })) continue;
      if (element.scrollWidth > element.clientWidth + 1) faults.push(`${say(element)} is cut`);
      if (element.getBoundingClientRect().right > innerWidth + 1 && !element.closest("nav")) faults.push(`${say(element)} hangs over`);
    }
    for (const select of document.querySelectorAll("select:not(.wide select)")) { // a whole sentence stands over its scene as well
      if (!select.checkVisibility({ visibilityProperty: true })) continue;
      const free = select.cloneNode(true) as HTMLSelectElement; // as wide as its longest word wants it
      free.style.cssText = "position: absolute; visibility: hidden; width: max-content; max-width: none; min-width: 0; flex: none";
      select.parentElement!.append(free);
      const wish = free.getBoundingClientRect().width;
      free.remove();
      const has = select.getBoundingClientRect().width;
      if (wish > has + 1) faults.push(`a choice is ${has} wide, its longest word needs ${wish}: ${say(select)}`);
    }
    if (document.documentElement.lang !== "en") {
      const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        const around = node.parentElement!;
        const told = node.textContent!.replace(/\d{4}\.\d{4,5}|(Theorem|Fig\.|Satz|Abb\.|[Tt]héorème|fig\.) \S+/g, ""); // papers and their theorems
        if (/\d\.\d/.test(told) && !around.closest("code, script, style, [lang=en]")) faults.push(`a decimal point: ${say(around)}`);
      }
    }
    return faults;
  });
}

/** A flight plays by itself, or when the hand starts it; the hand opens the menu, which is whole on the screen. */
async function use(page: Page, { hand, motion, size: [width, height] }: Combination): Promise<void> {
  const press = async (selector: string, key: string) => {
    const control = page.locator(selector);
    if (hand === "mouse") await control.click();
    else if (hand === "touch") await control.tap();
    else {
      await control.focus();
      await page.keyboard.press(key);
    }
  };
  if (width < kHuge || process.env.MURMUR_LONG) {
    if (motion === "reduce") await press(".timeline button.primary", "Space");
    await expect.poll(() => frameOf(page), { timeout: 240_000 }).toBeGreaterThan(0);
  }
  await press("details.menu > summary", "Enter");
  const menu = page.locator(".menu-body");
  await expect(menu).toBeVisible();
  const box = (await menu.boundingBox())!;
  expect(box.x).toBeGreaterThanOrEqual(0);
  expect(box.x + box.width).toBeLessThanOrEqual(width);
  expect(box.y + box.height).toBeLessThanOrEqual(Math.max(height, 720)); // a low screen scrolls to its end
}

const nameOf = ({ size, hand, lang, theme, motion }: Combination) =>
  `${size.join(" x ")}, ${hand}, ${lang}, ${theme}, motion: ${motion}`;

test("the fast combinations hold every pair of choices", () => {
  const names = Object.keys(kFactors) as (keyof Factors)[];
  for (const one of names) {
    for (const other of names.slice(names.indexOf(one) + 1)) {
      const met = new Set(kFast.map((combination) => JSON.stringify([combination[one], combination[other]])));
      expect(met.size, `${one} and ${other}`).toBe(kFactors[one].length * kFactors[other].length);
    }
  }
  expect(new Set(kFast.map((_, k) => viewOf(k))).size).toBe(kViews.length);
});

for (const [k, combination] of kFast.entries()) {
  test(`${viewOf(k)}: ${nameOf(combination)}`, async ({ browser }) => {
    const page = await pageFor(browser, combination);
    await open(page, `#v=1&view=${viewOf(k)}&lang=${combination.lang}`);
    await expect.poll(() => faultsOn(page), { timeout: 120_000 }).toEqual([]);
    await use(page, combination);
    await page.context().close();
  });
}

test.describe("in full", () => {
  test.skip(!process.env.MURMUR_LONG, "MURMUR_LONG=1 goes through all combinations");
  for (const size of kFactors.size) {
    for (const hand of kFactors.hand) {
      for (const motion of kFactors.motion) {
        test(`${size.join(" x ")}, ${hand}, motion: ${motion}`, async ({ browser }) => {
          test.setTimeout(1_800_000);
          const page = await pageFor(browser, { size, hand, motion, theme: "light", lang: "en" });
          await open(page);
          for (const view of kViews) {
            for (const lang of kFactors.lang) {
              await followHash(page, `#v=1&view=${view}&lang=${lang}`);
              await expect(page.locator(`main.view-${view}`)).toBeVisible();
              await expect(page.locator("html")).toHaveAttribute("lang", lang);
              await expect(timeline(page).locator("button.primary")).toBeEnabled({ timeout: 240_000 });
              for (const theme of kFactors.theme) {
                await page.emulateMedia({ colorScheme: theme, reducedMotion: motion });
                await expect(page.locator("html")).toHaveAttribute("data-theme", theme);
                const at = `${view}, ${lang}, ${theme}`;
                await expect.poll(() => faultsOn(page), { message: at, timeout: 120_000 }).toEqual([]);
              }
            }
          }
          await use(page, { size, hand, motion, theme: "dark", lang: "fr" });
          await page.context().close();
        });
      }
    }
  }
});
