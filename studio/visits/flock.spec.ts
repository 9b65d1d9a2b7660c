// flock.spec.ts: sliders make another flight; own points dropped on the page fly.
import { expect } from "@playwright/test";
import { npyOf } from "../src/export/tables";
import { strings } from "../src/strings";
import { dropFile, filmIsHere, open, readNpy, readTable, takeFile, test, windToEnd, wordOf } from "./hands";

const kSmall = "#v=1&view=flock&n=24&T=6&save=every:T/40";
const words = strings.flock;

test("sliders change the flight", async ({ page }) => {
  await open(page, kSmall);
  expect(await windToEnd(page)).toBe(40);
  const before = readTable((await takeFile(page, strings.common.exportCsv)).bytes);
  const beta = page.getByRole("slider", { name: words.beta });
  for (let k = 0; k < 4; ++k) await beta.press("ArrowLeft");
  await expect.poll(() => Number(wordOf(page, "beta"))).toBeLessThan(9);
  await expect
    .poll(async () => (await page.locator("code.command").textContent())?.includes(`beta=${wordOf(page, "beta")} `))
    .toBe(true);
  await windToEnd(page);
  const after = readTable((await takeFile(page, strings.common.exportCsv)).bytes);
  expect(after.names).toEqual(before.names);
  expect(after.rows.length).toBe(before.rows.length);
  expect(after.rows).not.toEqual(before.rows);

  await page.getByRole("slider", { name: words.n }).press("End");
  await expect.poll(() => wordOf(page, "n")).toBe("1000");
  await page.getByRole("slider", { name: words.n }).press("Home");
  await expect.poll(() => wordOf(page, "n")).toBe("2");
  await expect.poll(async () => {
    await windToEnd(page);
    return readNpy((await takeFile(page, strings.common.exportNpy)).bytes).shape;
  }).toEqual([41, 2, 3]);
});

test("tables and trajectories read back and agree", async ({ page }) => {
  await open(page, kSmall);
  await windToEnd(page);
  const csv = await takeFile(page, strings.common.exportCsv);
  expect(csv.name).toBe("murmuration-flock.csv");
  const { names, rows } = readTable(csv.bytes);
  expect(names.slice(0, 1)).toEqual(["t"]);
  expect(names).toContain("clusters");
  expect(rows.length).toBe(41);
  expect(rows.at(-1)![0]).toBeCloseTo(6, 9);
  const npy = await takeFile(page, strings.common.exportNpy);
  expect(npy.name).toBe("murmuration-flock.npy");
  const { shape, values } = readNpy(npy.bytes);
  expect(shape).toEqual([41, 24, 3]);
  for (let row = 0; row < values.length; row += 3) {
    expect(Math.hypot(values[row], values[row + 1], values[row + 2])).toBeCloseTo(1, 5); // on the sphere
  }
});

/** The first places of the flight on stage, (n, d). */
async function startOf(page: Parameters<typeof takeFile>[0]): Promise<number[]> {
  const { shape, values } = readNpy((await takeFile(page, strings.common.exportNpy)).bytes);
  return Array.from(values.subarray(0, shape[1] * shape[2]));
}

test("own points fly: dropped as csv, dropped as npy", async ({ page }) => {
  await open(page, "#v=1&view=flock&T=2&save=every:T/20");
  await dropFile(page, "mine.csv", Buffer.from("x,y,z\n1,0,0\n0,1,0\n0,0,1\n0.6,0.8,0\n"));
  await expect.poll(() => wordOf(page, "init")).toBe("points:1,0,0;0,1,0;0,0,1;0.6,0.8,0");
  await filmIsHere(page);
  await expect.poll(async () => (await startOf(page)).length).toBe(12);
  const fromCsv = await startOf(page);
  [1, 0, 0, 0, 1, 0, 0, 0, 1, 0.6, 0.8, 0].forEach((x, k) => expect(fromCsv[k]).toBeCloseTo(x, 6));

  const circle = Float32Array.from([1, 0, 0, 1, -1, 0, 0, -1, 0.6, 0.8]);
  await dropFile(page, "mine.npy", npyOf(circle, [5, 2]));
  await expect.poll(() => wordOf(page, "init")).toBe("points:1,0;0,1;-1,0;0,-1;0.6,0.8");
  await expect.poll(async () => (await startOf(page)).length).toBe(10);
  await windToEnd(page);

  await dropFile(page, "broken.csv", Buffer.from("1,2\n3,what\n"));
  await expect(page.locator(".notice.fault")).toContainText("what");
});
