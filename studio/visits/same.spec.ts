// same.spec.ts: two pictures side by side: same or different, by boids that listen and by boids that do not.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";
import { strings } from "../src/strings";
import { followHash, open, test, unfold, windToEnd, wordOf } from "./hands";
import { kMurmur } from "./place";

const words = strings.digits;
const kPairs = "#v=1&view=digits&model=same";

test("two pads, one flight, a verdict; a drawing on one pad leaves the other", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page);
  await page.getByRole("radio", { name: words.taskNames[1].label }).click();
  await expect.poll(() => wordOf(page, "model")).toBe("same");
  await windToEnd(page);
  await expect(page.locator(".verdict")).toHaveAttribute("data-verdict", "same");
  await expect(page.locator(".verdict")).toContainText(words.truth("same", true, true));
  const pads = page.locator(".pad-canvas"); // the stage is drawn on too
  await expect(pads).toHaveCount(2);

  const box = (await pads.nth(1).boundingBox())!;
  await page.mouse.move(box.x + 0.6 * box.width, box.y + 0.15 * box.height);
  await page.mouse.down();
  for (let k = 0; k <= 20; ++k) await page.mouse.move(box.x + (0.6 - 0.01 * k) * box.width, box.y + (0.15 + 0.035 * k) * box.height);
  await page.mouse.up();
  await expect.poll(() => wordOf(page, "ink2")).toBeTruthy();
  expect(wordOf(page, "ink")).toBeNull();
  await expect(page.locator(".verdict")).not.toContainText("they are"); // what was drawn is not known
  await page.getByRole("button", { name: `${words.sides[0]}: ${words.clear}` }).click();
  await expect(page.locator(".scene-empty")).toHaveText(words.emptyPair);
  await page.getByRole("button", { name: words.randomPair }).click();
  await expect.poll(() => wordOf(page, "digit2")).toMatch(/^(2[5-9]\d|3[0-4]\d)$/);
  await expect.poll(() => wordOf(page, "ink2")).toBeNull();
  await windToEnd(page);
  await expect(page.locator(".verdict")).toContainText("they are");
});

test("of a hundred pairs those who listen have most, the others no more than three quarters", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, kPairs);
  await page.getByRole("button", { name: words.askBoth }).click();
  await expect(page.locator(".opinions")).toHaveAttribute("data-done", "100", { timeout: 120_000 });
  const right = async (name: string) =>
    Number(await page.locator(`[data-asked=${name}]`).getAttribute("data-right"));
  expect(await right("same")).toBeGreaterThanOrEqual(90);
  expect(await right("alone")).toBeLessThanOrEqual(75);
  expect(await right("alone")).toBeGreaterThanOrEqual(25);
  await page.getByRole("radio", { name: words.listenNames[1].label }).click();
  await expect.poll(() => wordOf(page, "model")).toBe("alone");
  await windToEnd(page);
  const asked = page.locator("[data-asked=alone]");
  await expect(asked).toHaveAttribute("data-said", /./); // it is asked again when the model changes
  const said = await asked.getAttribute("data-said");
  await expect(page.locator(".verdict")).toHaveAttribute("data-verdict", said!);
});

/** A grey PNG of 28 x 28 pixels. */
function pngOf(pixels: Uint8Array): Buffer {
  const rows = Buffer.concat(Array.from({ length: 28 }, (_, y) => Buffer.from([0, ...pixels.subarray(28 * y, 28 * y + 28)])));
  const piece = (name: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
    const out = Buffer.alloc(body.length + 8);
    out.writeUInt32BE(data.length, 0);
    body.copy(out, 4);
    out.writeUInt32BE(crc32(body), body.length + 4);
    return out;
  };
  const head = Buffer.from([0, 0, 0, 28, 0, 0, 0, 28, 8, 0, 0, 0, 0]);
  const start = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([start, piece("IHDR", head), piece("IDAT", deflateSync(rows)), piece("IEND", Buffer.alloc(0))]);
}

async function verdictOf(page: Page): Promise<{ verdict: string; chance: number }> {
  await windToEnd(page);
  const bar = page.locator(".verdict");
  return {
    verdict: (await bar.getAttribute("data-verdict"))!, chance: Number(await bar.getAttribute("data-chance")),
  };
}

test("verdicts of pairs are those of the command line", async ({ page }) => {
  const digits = readFileSync("public/digits.bin");
  const folder = mkdtempSync(join(tmpdir(), "pairs-"));
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, kPairs);
  try {
    for (const [left, right] of [[251, 276], [253, 328], [310, 285], [316, 341]]) {
      const files = [left, right].map((k) => join(folder, `${k}.png`));
      [left, right].forEach((k, f) => writeFileSync(files[f], pngOf(digits.subarray(784 * k, 784 * k + 784))));
      const given = ["classify", "public/models/same.safetensors", `images=${files.join("+")}`, "--json", "-q"];
      const [told] = JSON.parse(execFileSync(kMurmur, given, { encoding: "utf8" }));
      await followHash(page, `${kPairs}&digit=${left}&digit2=${right}`);
      await expect(page.locator(".timeline")).toHaveAttribute("data-frame", "0");
      const seen = await verdictOf(page);
      expect(seen.verdict).toBe(String(told.verdict));
      expect(Math.abs(seen.chance - told.chance)).toBeLessThan(2e-3);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`the two pads are clean in ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await open(page, `${kPairs}&tally=true`);
    await windToEnd(page);
    await expect(page.locator(".opinions")).toHaveAttribute("data-done", "100", { timeout: 120_000 });
    await unfold(page);
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0].target.join(" ")}`)).toEqual([]);
  });
}

test.describe("on a phone", () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  test("both pads can be drawn on", async ({ page }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await open(page, kPairs);
    expect(await page.evaluate(() => document.scrollingElement!.scrollWidth)).toBeLessThanOrEqual(360);
    for (const pad of await page.getByRole("application").all()) {
      const box = (await pad.boundingBox())!;
      expect(Math.min(box.width, box.height)).toBeGreaterThan(130);
    }
  });
});
