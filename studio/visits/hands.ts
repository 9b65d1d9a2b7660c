// hands.ts: what every visitor does: opens a view, watches the film, takes and drops files.
import { readFile } from "node:fs/promises";
import { expect, test as plain, type Locator, type Page } from "@playwright/test";
import { strings } from "../src/strings";

export const kViews = ["digits", "flock", "story", "fields", "map", "words"] as const;

/** A visit; one during which the page throws anything has failed. */
export const test = plain.extend<{ thrown: string[] }>({
  thrown: [
    async ({ page }, use) => {
      const thrown: string[] = [];
      page.on("pageerror", (error) => thrown.push(error.message));
      await use(thrown);
      expect(thrown).toEqual([]);
    },
    { auto: true },
  ],
});

export function timeline(page: Page): Locator {
  return page.locator(".timeline");
}

/** Opens an address of the page and waits until its film is there. */
export async function open(page: Page, hash = ""): Promise<void> {
  await page.goto(`./${hash}`);
  await filmIsHere(page);
}

export async function filmIsHere(page: Page): Promise<void> {
  await expect(timeline(page).locator("button.primary")).toBeEnabled({ timeout: 240_000 }); // whatever the language
}

/** Follows a link on the page that is open. */
export async function followHash(page: Page, hash: string): Promise<void> {
  await page.evaluate((next) => void (location.hash = next), hash);
}

export async function frameOf(page: Page): Promise<number> {
  return Number(await timeline(page).getAttribute("data-frame"));
}

/** Winds the film to its last frame, which is flown to, and tells its number. */
export async function windToEnd(page: Page): Promise<number> {
  const scrub = page.getByRole("slider", { name: strings.common.time, exact: true });
  const last = Number(await scrub.getAttribute("max"));
  await scrub.press("End");
  await expect.poll(() => frameOf(page), { timeout: 240_000 }).toBe(last);
  return last;
}

export async function pause(page: Page): Promise<void> {
  const button = page.getByRole("button", { name: strings.common.pause, exact: true });
  if (await button.isVisible()) await button.click();
  await expect(timeline(page)).toHaveAttribute("data-playing", "false");
}

/** Opens every group of controls that is folded. */
export async function unfold(page: Page): Promise<void> {
  const folded = page.locator(".controls details:not([open]) > summary");
  for (let left = await folded.count(); left > 0; --left) await folded.first().click();
  await expect(folded).toHaveCount(0);
}

/** Waits until the address says what the page shows: it is written at leisure. */
export async function addressRests(page: Page): Promise<void> {
  for (let before = ""; before !== page.url(); ) {
    before = page.url();
    await page.waitForTimeout(600);
  }
}

/** A stroke in shares of a square, y down. */
export type Stroke = [number, number][];

/** A six as one stroke. */
export function six(): Stroke {
  const stem = Array.from({ length: 12 }, (_, k) => k / 11).map((s): [number, number] => [
    0.62 - 0.26 * Math.sin((Math.PI / 2) * s), 0.14 + 0.5 * s,
  ]);
  const turns = Array.from({ length: 24 }, (_, k) => Math.PI - (2 * Math.PI * (k + 1)) / 24);
  const bowl = turns.map((a): [number, number] => [0.5 + 0.14 * Math.cos(a), 0.68 + 0.14 * Math.sin(a)]);
  return [...stem, ...bowl];
}

/** Draws one stroke with the mouse within a square of the window; `lift`: whether the pen goes up at its end. */
async function drawIn(page: Page, square: { x: number; y: number; side: number }, stroke: Stroke, lift = true): Promise<void> {
  const at = ([x, y]: [number, number]) => [square.x + x * square.side, square.y + y * square.side] as const;
  await page.mouse.move(...at(stroke[0]));
  await page.mouse.down();
  for (const place of stroke) await page.mouse.move(...at(place));
  if (lift) await page.mouse.up();
}

export async function drawOnPad(page: Page, stroke: Stroke, lift = true): Promise<void> {
  const pad = page.getByRole("application", { name: strings.digits.padLabel });
  await pad.scrollIntoViewIfNeeded();
  const box = (await pad.boundingBox())!;
  await drawIn(page, { x: box.x, y: box.y, side: box.width }, stroke, lift);
}

export async function drawOnStage(page: Page, stroke: Stroke, lift = true): Promise<void> {
  const box = (await page.locator(".digit-stage .stage canvas").boundingBox())!;
  const side = 0.75 * Math.min(box.width, box.height);
  const [x, y] = [box.x + (box.width - side) / 2, box.y + (box.height - side) / 2];
  await drawIn(page, { x, y, side }, stroke, lift);
}

/** Winds the flight of the drawing of the recipe to its end, once it is known what it comes to. */
export async function landed(page: Page): Promise<Locator> {
  const verdict = page.locator(".verdict[data-neither]");
  await expect(verdict).toBeVisible();
  await windToEnd(page);
  return verdict;
}

/** A word of the address. */
export function wordOf(page: Page, key: string): string | null {
  return new URLSearchParams(new URL(page.url()).hash.replace(/^#/, "")).get(key);
}

/** Presses a button of the menu More that hands out a file. */
export async function takeFile(
  page: Page, button: string, timeout = 240_000,
): Promise<{ name: string; bytes: Buffer }> {
  const menu = page.locator("details.menu");
  if ((await menu.getAttribute("open")) === null) await menu.locator("summary").click();
  const coming = page.waitForEvent("download", { timeout });
  await menu.getByRole("button", { name: button, exact: true }).click();
  const file = await coming;
  if ((await menu.getAttribute("open")) !== null) await menu.locator("summary").click();
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
}

/** Drops a file on the page as a hand would. */
export async function dropFile(page: Page, name: string, bytes: Uint8Array): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([called, text]) => {
      const data = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
      const all = new DataTransfer();
      all.items.add(new File([data], called));
      return all;
    },
    [name, Buffer.from(bytes).toString("base64")] as const,
  );
  await page.dispatchEvent("#scene", "drop", { dataTransfer: transfer });
}

/** A table of the page: names of the columns, and rows of numbers (empty cells are NaN). */
export function readTable(bytes: Buffer): { names: string[]; rows: number[][] } {
  const [head, ...lines] = bytes.toString("utf8").trimEnd().split("\n");
  const number = (cell: string) => (cell === "" ? NaN : Number(cell));
  return { names: head.split(","), rows: lines.map((line) => line.split(",").map(number)) };
}

/** Shape and numbers of an npy file of little-endian float32, read as NumPy's format says. */
export function readNpy(bytes: Buffer): { shape: number[]; values: Float32Array } {
  expect(bytes.subarray(0, 6).toString("latin1")).toBe("\x93NUMPY");
  const start = 10 + bytes.readUInt16LE(8);
  const head = bytes.subarray(10, start).toString("latin1");
  expect(head).toMatch(/'descr': '<f4', 'fortran_order': False/);
  const shape = /'shape': \(([\d, ]+)\)/.exec(head)![1].split(",").map(Number);
  const count = (bytes.length - start) / 4;
  const values = Float32Array.from({ length: count }, (_, k) => bytes.readFloatLE(start + 4 * k));
  expect(values.length).toBe(shape.reduce((all, size) => all * size, 1));
  return { shape, values };
}

/** Clicks on the scene until a boid is under the pointer; tells where that was, in pixels of the window. */
export async function findBoid(page: Page): Promise<{ x: number; y: number; boid: number }> {
  const box = (await page.locator(".stage canvas").boundingBox())!;
  const chosen = page.locator(".branch");
  for (let ring = 0; ring < 12; ++ring) {
    for (let k = 0; k < Math.max(1, 6 * ring); ++k) {
      const angle = (2 * Math.PI * k) / Math.max(1, 6 * ring);
      const x = box.x + box.width / 2 + 16 * ring * Math.cos(angle);
      const y = box.y + box.height / 2 + 16 * ring * Math.sin(angle);
      await page.mouse.click(x, y);
      const boid = await chosen.getAttribute("data-chosen");
      if (boid) return { x, y, boid: Number(boid) };
    }
  }
  throw new Error("no boid near the middle of the scene");
}
