// fields.spec.ts: the slice moves, test particles fly along, a boid shows its four vectors.
import { expect, type Page } from "@playwright/test";
import { strings } from "../src/strings/all";
import { open, test, wordOf } from "./hands";

const words = strings.fields;

/** Waits until the scene looks otherwise (or again) than it did. */
async function sceneIs(page: Page, seen: Buffer, same: boolean): Promise<void> {
  const scene = page.locator(".stage canvas");
  await expect.poll(async () => (await scene.screenshot()).equals(seen), { timeout: 240_000 }).toBe(same);
}

test("the slice moves and the core answers for it", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=fields");
  const value = page.locator(".strength [data-field=value] output");
  await expect(value).toContainText("mean");
  const before = await value.innerText();
  const seen = await page.locator(".stage canvas").screenshot();
  const offset = page.getByRole("slider", { name: words.offset, exact: true });
  await offset.press("End");
  await expect.poll(() => wordOf(page, "offset")).toBe("12");
  await expect(value).not.toHaveText(before);
  await sceneIs(page, seen, false);
  await page.getByRole("radio", { name: words.axes.x, exact: true }).click();
  await expect.poll(() => wordOf(page, "axis")).toBe("x");
  await page.getByRole("checkbox", { name: words.names.query }).check();
  await expect.poll(() => wordOf(page, "fields")).toBe("query,value");
});

test("test particles are dropped by button and by click, and taken away", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=fields&flock=false");
  await expect(page.locator(".strength [data-field=value] output")).toContainText("mean");
  const empty = await page.locator(".stage canvas").screenshot();
  await sceneIs(page, empty, true);
  const told = page.locator("[data-drops]");
  await page.getByRole("button", { name: words.dropMiddle }).click();
  await expect(told).toHaveAttribute("data-drops", "1");
  await sceneIs(page, empty, false);
  const box = (await page.locator(".stage canvas").boundingBox())!;
  await page.mouse.click(box.x + 0.45 * box.width, box.y + 0.55 * box.height);
  await expect(told).toHaveAttribute("data-drops", "2");
  await page.getByRole("button", { name: words.dropNone }).click();
  await expect(told).toHaveAttribute("data-drops", "0");
  await sceneIs(page, empty, true);
});

test("a boid chosen by its slider tells its vectors", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=fields");
  const boid = page.getByRole("slider", { name: words.boid, exact: true });
  await boid.press("ArrowRight");
  await boid.press("ArrowRight");
  const vectors = page.locator(".vectors");
  await expect(vectors).toHaveAttribute("data-boid", "1");
  await expect(vectors.locator("dd")).toHaveCount(4);
  await expect(vectors.locator("dd").first()).toHaveText(/^\(.+, .+, .+\)$/);
});

test("one field is shown first, the others on demand, and no label runs into its figures", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=fields&boid=3&dome=false");
  const on = page.locator(".field-list input:checked");
  await expect(on).toHaveCount(1);
  await expect(page.getByRole("checkbox", { name: words.names.value })).toBeChecked();
  await page.getByRole("button", { name: words.allFour }).click();
  await expect(on).toHaveCount(4);
  await expect(page.locator(".vectors dd")).toHaveCount(4);
  const collisions = await page.evaluate(() =>
    [...document.querySelectorAll(".vectors > div, .strength li")].flatMap((row) => {
      const [first, ...rest] = [...row.children].map((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return { text: cell.textContent, box: range.getBoundingClientRect() };
      });
      return rest.some(({ box }) => box.width > 0 && first.box.right > box.left && first.box.bottom > box.top && first.box.top < box.bottom)
        ? [first.text] : [];
    }));
  expect(collisions).toEqual([]);
});
