// branch.spec.ts: a hand in the flock: a boid dragged, a lasso, two verdicts, and undo.
import { expect } from "@playwright/test";
import { strings } from "../src/strings";
import { parseMoves } from "../src/state/moves";
import { addressRests, findBoid, frameOf, open, pause, test, wordOf } from "./hands";

const words = strings.branch;

test("an Alt-drag of one boid splits the flight, undo joins it", async ({ page }) => {
  await open(page, "#v=1&view=digits&digit=301");
  await expect.poll(() => frameOf(page)).toBeGreaterThan(0);
  await pause(page);
  const frame = await frameOf(page);
  const { x, y, boid } = await findBoid(page);
  await page.keyboard.down("Alt");
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 30, y - 25, { steps: 4 });
  await page.mouse.move(x + 60, y - 50, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Alt");
  await expect.poll(() => wordOf(page, "edit")).toBeTruthy();
  await addressRests(page);
  const moves = parseMoves(wordOf(page, "edit")!);
  expect(moves.map((m) => [m.frame, m.boid])).toEqual([[frame, boid]]);
  await expect(page.locator(".branch")).toHaveAttribute("data-branched", "true");
  const verdicts = page.locator(".verdict");
  await expect(verdicts).toHaveCount(2);
  await expect(verdicts.nth(0)).toHaveAttribute("data-of", words.asItWas);
  await expect(verdicts.nth(1)).toHaveAttribute("data-of", words.afterHand);
  await expect.poll(() => frameOf(page)).toBeGreaterThan(frame); // both fly on
  await page.getByRole("button", { name: strings.common.undo }).click();
  await expect(verdicts).toHaveCount(1);
  await expect(page.locator(".branch")).toHaveAttribute("data-branched", "false");
  await addressRests(page);
  expect(wordOf(page, "edit")).toBeNull();
});

test("a lasso chooses many, and all of them are dragged", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=digits&digit=301");
  const seed = await findBoid(page);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: words.move }).click();
  const box = (await page.locator(".stage canvas").boundingBox())!;
  const reach = 0.42 * Math.min(box.width, box.height);
  const middle = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(middle[0] + reach, middle[1]);
  await page.mouse.down();
  for (let k = 1; k <= 24; ++k) {
    const a = (2 * Math.PI * k) / 24;
    await page.mouse.move(middle[0] + reach * Math.cos(a), middle[1] + reach * Math.sin(a));
  }
  await page.mouse.up();
  const picked = page.locator(".branch");
  const many = async () => ((await picked.getAttribute("data-chosen")) || "-1").split(",").map(Number);
  await expect.poll(async () => (await many()).length).toBeGreaterThan(20);
  const chosen = await many();
  expect(chosen).toContain(seed.boid);
  await page.mouse.move(seed.x, seed.y);
  await page.mouse.down();
  await page.mouse.move(seed.x - 70, seed.y, { steps: 6 });
  await page.mouse.up();
  await expect.poll(() => parseMoves(wordOf(page, "edit") ?? "").length).toBe(chosen.length);
  await expect(page.locator(".verdict")).toHaveCount(2);
  await page.getByRole("button", { name: words.letGo }).click();
  await expect(page.locator(".verdict")).toHaveCount(1);
});
