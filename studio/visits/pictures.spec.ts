// pictures.spec.ts: the scene of every view and of every stop of the Story looks as it is kept in pictures.json.
//
// A picture is the canvas of the scene at a given moment of its flight, without the words over it (fonts are the machine's),
// as a grid of mean colours. A cell may be off by kCell of 255 and all cells in the mean by kMean: what drivers and
// antialiasing change is below both, and a scene that is shifted by its fortieth part is not.
// STUDIO_PICTURES=write keeps the pictures of the visits that are made as they are now.
import { readFileSync, writeFileSync } from "node:fs";
import { expect, type Page } from "@playwright/test";
import { kStops } from "../src/views/story/stops";
import { open, test, timeline, windToEnd } from "./hands";

const kFile = new URL("./pictures.json", import.meta.url);
const [kColumns, kRows] = [40, 25];
const kCell = 48;
const kMean = 1.5;

interface Shot {
  name: string;
  hash: string;
  theme: "light" | "dark";
  canvas?: string;
  toEnd?: boolean; // a flight that no address lets rest elsewhere
}

const kShots: Shot[] = [
  { name: "digits", hash: "#v=1&view=digits&digit=301&at=6", theme: "light" },
  { name: "digits, dark", hash: "#v=1&view=digits&digit=301&at=6", theme: "dark" },
  { name: "flock", hash: "#v=1&view=flock&after=still&at=120", theme: "light" },
  { name: "fields", hash: "#v=1&view=fields&digit=301&at=6", theme: "light" },
  { name: "words", hash: "#v=1&view=words&at=3", theme: "light" },
  { name: "words, dark", hash: "#v=1&view=words&trace=nail&at=5", theme: "dark" },
  { name: "map", hash: "#v=1&view=map&beta=6&t=12", theme: "light", canvas: ".map-chart canvas" },
  { name: "map, the flight", hash: "#v=1&view=map&beta=6&t=12", theme: "light", toEnd: true },
  ...Array.from({ length: kStops }, (_, k): Shot => ({
    name: `stop ${k + 1}`, hash: `#v=1&view=story&stop=${k + 1}&at=${k + 1 === kStops ? 8 : 30}`, theme: "light",
  })),
];

/** The canvas as it is now: mean colours of (rows, columns), three bytes a cell, in base64. */
async function gridOf(page: Page, canvas: string): Promise<string> {
  const shown = page.locator(canvas).first();
  const png = (await shown.screenshot({ style: ".stage-overlay, .home, .digit-stage .what, .verdicts { visibility: hidden !important }" })).toString("base64");
  return page.evaluate(async ([data, columns, rows]) => {
    const bytes = Uint8Array.from(atob(data as string), (c) => c.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const sheet = new OffscreenCanvas(image.width, image.height).getContext("2d")!;
    sheet.drawImage(image, 0, 0);
    const { data: pixels } = sheet.getImageData(0, 0, image.width, image.height);
    let text = "";
    for (let r = 0; r < Number(rows); ++r) {
      for (let c = 0; c < Number(columns); ++c) {
        const edge = (k: number, all: number, size: number) => Math.floor((k * size) / all);
        const sum = [0, 0, 0];
        let count = 0;
        for (let y = edge(r, Number(rows), image.height); y < edge(r + 1, Number(rows), image.height); ++y) {
          for (let x = edge(c, Number(columns), image.width); x < edge(c + 1, Number(columns), image.width); ++x, ++count) {
            for (let i = 0; i < 3; ++i) sum[i] += pixels[4 * (y * image.width + x) + i];
          }
        }
        text += String.fromCharCode(...sum.map((one) => Math.round(one / count)));
      }
    }
    return btoa(text);
  }, [png, kColumns, kRows] as const);
}

/** The picture once it rests: two in a row are the same to the eye. */
async function restingGrid(page: Page, canvas: string): Promise<string> {
  let last = "";
  await expect.poll(async () => {
    const before = last;
    last = await gridOf(page, canvas);
    return before !== "" && apart(before, last).mean < 0.02;
  }, { timeout: 240_000, intervals: [200] }).toBe(true);
  return last;
}

/** How far two grids are apart: the mean over all bytes, and the cells that differ by more than may be. */
function apart(a: string, b: string): { mean: number; cells: string[] } {
  const [one, other] = [Buffer.from(a, "base64"), Buffer.from(b, "base64")];
  expect(one.length).toBe(3 * kColumns * kRows);
  expect(other.length).toBe(one.length);
  const off = Array.from(one, (value, k) => Math.abs(value - other[k]));
  const cells = off.flatMap((value, k) =>
    value > kCell ? [`row ${Math.floor(k / 3 / kColumns)}, column ${Math.floor(k / 3) % kColumns}: off by ${value}`] : [],
  );
  return { mean: off.reduce((sum, value) => sum + value, 0) / off.length, cells };
}

const isWriting = process.env.STUDIO_PICTURES === "write";
const kept: Record<string, string> = JSON.parse(readFileSync(kFile, "utf8"));

test.use({ viewport: { width: 800, height: 600 } });

for (const { name, hash, theme, canvas = ".stage canvas", toEnd } of kShots) {
  test(`${name} looks as it is kept`, async ({ page }, info) => {
    await page.emulateMedia({ reducedMotion: "reduce", colorScheme: theme });
    await open(page, hash);
    if (toEnd) await windToEnd(page);
    await expect(timeline(page)).toHaveAttribute("data-playing", "false");
    const grid = await restingGrid(page, canvas);
    if (isWriting) {
      kept[name] = grid;
      return writeFileSync(kFile, `${JSON.stringify(kept, null, 0).replaceAll('","', '",\n"')}\n`);
    }
    const { mean, cells } = apart(grid, kept[name]);
    if (mean > kMean || cells.length > 0) await info.attach(name, { body: await page.screenshot(), contentType: "image/png" });
    expect(cells).toEqual([]);
    expect(mean).toBeLessThanOrEqual(kMean);
  });
}

test("a scene that is turned a little is seen to be another", async ({ page }) => {
  test.skip(isWriting, "nothing is compared");
  await page.emulateMedia({ reducedMotion: "reduce", colorScheme: "light" });
  const { name, hash } = kShots[0];
  await open(page, hash);
  await restingGrid(page, ".stage canvas");
  await page.locator("#scene").focus();
  await page.keyboard.press("Shift+ArrowRight");
  const { mean, cells } = apart(await restingGrid(page, ".stage canvas"), kept[name]);
  expect(cells.length > 0 || mean > kMean).toBe(true);
});
