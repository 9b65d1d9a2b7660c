// map.spec.ts: a pixel of the map is flown again and shows what the map says of it.
import { readFileSync } from "node:fs";
import { expect, type Page } from "@playwright/test";
import { strings } from "../src/strings/all";
import { pixelAt, type PhaseMap } from "../src/views/map/phase_map";
import { addressRests, open, test, wordOf } from "./hands";

const atlas = JSON.parse(readFileSync("public/maps/circle.json", "utf8")) as PhaseMap;

/** Clusters of the pixel that the address names, as the map has them of its first flight. */
function keptAt(page: Page): number {
  const { row, column } = pixelAt(atlas, Number(wordOf(page, "beta")), Number(wordOf(page, "t")));
  return atlas.values.replica_0[row][column];
}

test("pixels flown again have as many clusters as on the map", async ({ page }) => {
  await open(page, "#v=1&view=map");
  const chart = page.getByRole("application", { name: strings.map.chart });
  const box = (await chart.boundingBox())!;
  for (const [u, v] of [[0.3, 0.2], [0.62, 0.45], [0.8, 0.75]]) {
    const before = page.url();
    await page.mouse.click(box.x + u * box.width, box.y + v * box.height);
    await expect.poll(() => page.url()).not.toBe(before);
    const found = page.locator(".found");
    await expect(found).toHaveAttribute("data-verdict", "same", { timeout: 240_000 });
    await addressRests(page);
    await expect(found).toHaveAttribute("data-measured", String(keptAt(page)));
  }
  await chart.press("Shift+ArrowLeft");
  await chart.press("ArrowUp");
  await chart.press("Enter");
  await expect(page.locator(".found")).toHaveAttribute("data-verdict", "same", { timeout: 240_000 });
  await addressRests(page);
  await expect(page.locator(".found")).toHaveAttribute("data-measured", String(keptAt(page)));

  const beta = wordOf(page, "beta");
  await page.getByRole("link", { name: strings.map.open }).click();
  await expect(page.locator("main.view-flock")).toBeVisible();
  await addressRests(page);
  expect(wordOf(page, "beta")).toBe(beta);
  expect(wordOf(page, "n")).toBe("32");
});

test("what this flight has now is counted at the moment of the scene", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=map&beta=6&t=12");
  const found = page.locator(".found");
  await expect(found).toHaveAttribute("data-verdict", "same", { timeout: 240_000 });
  const atPixel = (await found.getAttribute("data-measured"))!;
  await expect(found).toHaveAttribute("data-now", atPixel);
  await page.getByRole("slider", { name: strings.common.time, exact: true }).press("Home");
  await expect.poll(async () => Number(await found.getAttribute("data-now"))).toBeGreaterThan(Number(atPixel));
  await expect(found).toHaveAttribute("data-measured", atPixel);
});

test("the histogram is of the pixel's own time", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=map&beta=3.1&t=12");
  const counts = page.locator(".counts[data-counts]");
  await expect(counts).toHaveAttribute("data-time", "12");
  const meanOf = async () => {
    const said = (await counts.getAttribute("data-counts"))!;
    const pairs = [...said.matchAll(/(\d+) with (\d+)/g)].map(([, flights, clusters]) => [Number(flights), Number(clusters)]);
    expect(pairs.reduce((sum, [flights]) => sum + flights, 0)).toBe(256);
    return pairs.reduce((sum, [flights, clusters]) => sum + (flights * clusters) / 256, 0);
  };
  await expect(page.locator("#map-value")).toContainText((await meanOf()).toFixed(2));
  await page.getByRole("slider", { name: strings.map.time }).first().press("End");
  await expect(counts).toHaveAttribute("data-time", "30");
  await expect(page.locator("#map-value")).toContainText((await meanOf()).toFixed(2));
});

test("playback is never covered, however high the window is made", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.setViewportSize({ width: 1280, height: 900 });
  await open(page, "#v=1&view=map");
  for (const [width, height] of [[1280, 900], [1280, 720], [1280, 600], [1280, 800], [1000, 720]]) {
    await page.setViewportSize({ width, height });
    const boxes = async () => page.evaluate(() => {
      const box = (selector: string) => document.querySelector(selector)!.getBoundingClientRect();
      return {
        scene: box(".scene").bottom, chart: box(".chart").bottom, value: box("#map-value").bottom,
        stage: box(".map-stage").bottom, timeline: box(".timeline").top,
      };
    });
    await expect.poll(async () => {
      const { scene, chart, value, stage, timeline } = await boxes();
      return Math.max(scene, chart, value, stage) <= timeline + 0.5;
    }).toBe(true);
    await page.locator(".timeline .button.primary").click({ trial: true }); // nothing lies on it
  }
});
