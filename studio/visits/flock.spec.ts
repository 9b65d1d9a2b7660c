// flock.spec.ts: sliders make another flight; own points dropped on the page fly; groups are counted; the end is alive.
import { expect } from "@playwright/test";
import { npyOf } from "../src/export/tables";
import { strings } from "../src/strings/all";
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

test("discs and plot count the same groups, by a tolerance that is said; peaks are another way", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=flock");
  await windToEnd(page);
  const groups = page.locator("[data-groups]");
  await expect(groups).toHaveAttribute("data-groups", "4");
  const plot = page.locator(".plots figcaption", { hasText: words.clustersBy(words.degrees(2.6)) });
  await expect(plot).toContainText(": 4");
  const masses = page.locator(".scene-label.mass");
  await expect(masses).toHaveCount(4);
  const counts = (await masses.allInnerTexts()).map(Number);
  expect(counts.reduce((sum, k) => sum + k, 0)).toBe(200);
  const touch = page.getByRole("slider", { name: words.tolAngle });
  await touch.press("End"); // all within thirty degrees of the next
  await expect.poll(() => wordOf(page, "cluster_tol")).toBe("0.134");
  await expect(page.locator("code.command")).toContainText("cluster_tol=0.134"); // its own film
  await windToEnd(page);
  await expect(page.locator(".plots figcaption", { hasText: words.clustersBy(words.degrees(30)) })).toBeVisible();
  await page.getByRole("radio", { name: words.counts.modes }).click();
  await expect(groups).toHaveAttribute("data-groups", "4"); // four peaks at the flock's own beta
  await page.getByRole("checkbox", { name: words.masses }).uncheck();
  await expect(masses).toHaveCount(0);
});

test("plots are revealed with the playhead", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, kSmall);
  await windToEnd(page);
  /** How many pixels of the plot's right half have the colour of its line, more or less. */
  const drawn = () => page.locator(".plots .plot canvas").first().evaluate((canvas: HTMLCanvasElement) => {
    const { width, height } = canvas;
    const half = canvas.getContext("2d")!.getImageData(width / 2, 0, width / 2 - 30, height).data;
    let count = 0;
    for (let e = 0; e < half.length; e += 4) if (half[e + 3] > 200 && half[e] - half[e + 2] > 80) ++count;
    return count;
  });
  await expect.poll(drawn).toBeGreaterThan(20);
  await page.getByRole("button", { name: strings.common.reset }).click();
  await expect.poll(drawn).toBe(0);
});

test("a hardmax flock has its hull and its leaders", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=flock");
  await page.getByRole("button", { name: words.preset.hardmax }).click();
  await expect.poll(async () => Number(await page.locator("[data-leaders]").getAttribute("data-leaders"))).toBeGreaterThan(2);
  await expect(page.getByRole("checkbox", { name: words.hull })).toBeChecked();
  const last = await windToEnd(page);
  const counts = page.locator("[data-counted]");
  await expect(counts).toHaveAttribute("data-counted", String(last)); // they are counted at the next drawing
  const groups = Number(await counts.getAttribute("data-groups"));
  expect(groups).toBe(Number(await counts.getAttribute("data-leaders"))); // everybody has come to a leader, as the eye sees it
});

test("three heads are three colours at first sight: a token listens, and its heads are named", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=flock");
  await page.getByRole("button", { name: words.preset.heads }).click();
  await expect(page.locator(".branch")).toHaveAttribute("data-chosen", "40");
  const heads = page.getByRole("radiogroup", { name: strings.dome.head }).getByRole("radio");
  await expect(heads).toHaveText([strings.dome.allHeads, "1", "2", "3"]);
  await expect(page.getByRole("button", { name: words.preset.heads })).toHaveAttribute("aria-pressed", "true");
  await expect(page.locator(".look-for")).toContainText(words.hints.heads);
  const canvas = page.locator(".stage canvas");
  /** How many pixels of the scene have the colour of a head, more or less. */
  const drawn = async () => {
    const png = (await canvas.screenshot()).toString("base64");
    return page.evaluate(async (data) => {
      const inks = [0, 1, 2].map((h) => getComputedStyle(document.documentElement).getPropertyValue(`--head-${h}`).trim())
        .map((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));
      const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
      const sheet = new OffscreenCanvas(image.width, image.height).getContext("2d")!;
      sheet.drawImage(image, 0, 0);
      const { data: pixels } = sheet.getImageData(0, 0, image.width, image.height);
      const count = [0, 0, 0];
      for (let e = 0; e < pixels.length; e += 4) {
        inks.forEach((ink, h) => {
          if (ink.every((c, k) => Math.abs(c - pixels[e + k]) < 24)) ++count[h];
        });
      }
      return count;
    }, png);
  };
  await expect.poll(async () => Math.min(...(await drawn()))).toBeGreaterThan(400);
  const all = await drawn();
  await heads.nth(2).click();
  await expect.poll(async () => { // one alone: the others' lines are gone, what is left are tokens of such a colour
    const one = await drawn();
    return Math.max(one[0] / all[0], one[2] / all[2]);
  }).toBeLessThan(0.5);
});

test("what to look for follows the sliders", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=flock");
  const look = page.locator(".look-for");
  await expect(look).toContainText(words.hints.flagship);
  await page.getByRole("slider", { name: words.beta }).press("Home");
  await expect(look).toContainText(words.look_for.one(0.1));
  await page.getByRole("button", { name: words.preset.noise }).click();
  await expect(look).toContainText(words.hints.noise);
  await page.getByRole("slider", { name: words.beta }).press("End");
  await expect(look).toContainText("one cluster forms");
});

test("the largest flock flies; one that cannot be kept is refused in the page's own words", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=flock&n=1000&d=64");
  await expect(page.locator("code.command")).toContainText("save=log:130");
  await expect(page.locator(".notice")).toHaveCount(0);
  await page.goto("about:blank");
  await page.goto("./#v=1&view=flock&n=1000&d=64&save=every:0.1");
  const notice = page.locator(".notice");
  await expect(notice).toContainText(words.faults.tooLarge(1000, 64, 601));
  await expect(notice).not.toContainText("save=");
  await page.goto("about:blank");
  await page.goto("./#v=1&view=flock&beta=abc");
  await expect(notice).toContainText(words.faults.noValue("abc", words.beta));
});

test("at its end a flock is alive: the view drifts, a flat one flies again, and less motion is kept still", async ({ page }) => {
  await open(page, "#v=1&view=flock&n=24&T=1&save=every:T/4&linger=false");
  const mass = () => page.evaluate(() => document.querySelector(".stage")!.getAttribute("data-turned"));
  await expect(page.locator(".timeline")).toHaveAttribute("data-playing", "false");
  const before = await mass();
  await expect.poll(mass).not.toBe(before); // the camera turns by itself
  await page.goto("about:blank");
  await open(page, "#v=1&view=flock&n=24&d=2&T=1&save=every:T/12&linger=false");
  const frames: number[] = [];
  await expect.poll(async () => {
    frames.push(Number(await page.locator(".timeline").getAttribute("data-frame")));
    const last = frames.indexOf(12);
    return last >= 0 && frames.slice(last).some((frame) => frame < 6);
  }, { intervals: [100] }).toBe(true);
  await page.getByRole("radio", { name: words.afters.still }).click();
  await expect.poll(() => wordOf(page, "after")).toBe("still");
  await expect(page.locator(".timeline")).toHaveAttribute("data-playing", "false");
});
