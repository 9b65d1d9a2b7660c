// digits.spec.ts: a digit is drawn, taken back, drawn by chance; verdicts are those of the command line.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, type Page } from "@playwright/test";
import { strings } from "../src/strings";
import { addressRests, drawOnPad, followHash, open, six, test, timeline, windToEnd, wordOf } from "./hands";
import { kMurmur } from "./place";

const words = strings.digits;

/** Ink of the 28 x 28 preview and its centre of mass. */
async function preview(page: Page): Promise<{ size: number[]; ink: number; x: number; y: number }> {
  return page.getByRole("img", { name: words.seenLabel }).evaluate((canvas: HTMLCanvasElement) => {
    const { width, height } = canvas;
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, width, height);
    let ink = 0;
    let x = 0;
    let y = 0;
    for (let k = 0; k < width * height; ++k) {
      ink += data[4 * k + 3];
      x += data[4 * k + 3] * (k % width);
      y += data[4 * k + 3] * Math.floor(k / width);
    }
    return { size: [width, height], ink, x: x / ink, y: y / ink };
  });
}

test("a six drawn by hand is read as a six, and undo takes it back", async ({ page }) => {
  await open(page);
  await windToEnd(page);
  await expect(page.locator(".verdict")).toHaveAttribute("data-verdict", "5");
  await drawOnPad(page, six());
  await expect.poll(() => wordOf(page, "ink")).toBeTruthy();
  await expect(timeline(page)).toHaveAttribute("data-frame", /^[0-9]$/);
  await windToEnd(page);
  await expect(page.locator(".verdict")).toHaveAttribute("data-verdict", "6");
  const seen = await preview(page);
  expect(seen.size).toEqual([28, 28]);
  expect(seen.ink).toBeGreaterThan(10 * 255);
  expect(Math.abs(seen.x - 14)).toBeLessThan(1.5); // centred by its mass, as MNIST's digits are
  expect(Math.abs(seen.y - 14)).toBeLessThan(1.5);

  await page.getByRole("button", { name: words.random }).click();
  await expect.poll(() => wordOf(page, "digit")).toMatch(/^(2[5-9]\d|3[0-4]\d)$/); // fives and sixes
  await addressRests(page);
  expect(wordOf(page, "ink")).toBeNull();
  await page.getByRole("button", { name: strings.common.undo }).click();
  await expect.poll(() => wordOf(page, "ink")).toBeTruthy();
  await page.getByRole("button", { name: strings.common.undo }).click();
  await expect.poll(() => wordOf(page, "ink")).toBeNull();
  await windToEnd(page);
  await expect(page.locator(".verdict")).toHaveAttribute("data-verdict", "5");
});

interface Reading {
  verdict: number;
  chance: number;
}

/** What the page says of its digit `k`: the new flight starts at frame 0, and is wound to its end. */
async function readOnPage(page: Page, model: string, k: number): Promise<Reading> {
  await followHash(page, `#v=1&view=digits&model=${model}&digit=${k}`);
  await page.waitForFunction(() => document.querySelector<HTMLElement>(".timeline")?.dataset.frame === "0");
  return page.evaluate(async () => {
    const element = <T extends HTMLElement>(name: string) => document.querySelector<T>(name)!;
    const scrub = element<HTMLInputElement>(".scrub");
    scrub.value = scrub.max;
    scrub.dispatchEvent(new InputEvent("input", { bubbles: true }));
    const next = () => new Promise((done) => requestAnimationFrame(done));
    while (element(".timeline").dataset.frame !== scrub.max) await next();
    await next();
    const { verdict, chance } = element(".verdict").dataset;
    return { verdict: Number(verdict), chance: Number(chance) };
  });
}

/** What the command line says of the pictures `index` of the test set. */
function readByCommand(model: string, index: number[]): Reading[] {
  const last = Math.max(...index);
  const given = [`public/models/${model}.safetensors`, `images=test:0-${last}`, "data=../data/mnist"];
  const options = { encoding: "utf8", maxBuffer: 1 << 26 } as const;
  const told = JSON.parse(execFileSync(kMurmur, ["classify", ...given, "--json", "-q"], options));
  const readings = new Map<number, Reading>();
  for (const one of told as (Reading & { index: number })[]) readings.set(one.index, one);
  return index.map((k) => readings.get(k)!);
}

test("verdicts of 240 test digits by six swarms are those of the command line", async ({ page }) => {
  test.setTimeout(900_000);
  const read = (path: string) => JSON.parse(readFileSync(`public/${path}`, "utf8"));
  const about: { labels: number[]; index: number[] } = read("digits.json");
  const all: { name: string; digits: number[]; task: string }[] = read("models/index.json");
  const list = all.filter(({ task }) => task === "digits");
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page);
  await windToEnd(page);
  let compared = 0;
  const wrong: string[] = [];
  for (const { name, digits } of list) {
    const fitting = about.labels.flatMap((label, k) => (digits.includes(label) ? [k] : []));
    const chosen = Array.from({ length: 40 }, (_, i) => fitting[Math.floor((i * fitting.length) / 40)]);
    const told = readByCommand(name, chosen.map((k) => about.index[k]));
    for (const [i, k] of chosen.entries()) {
      const seen = await readOnPage(page, name, k);
      const same = seen.verdict === told[i].verdict && Math.abs(seen.chance - told[i].chance) < 2e-3;
      if (!same) wrong.push(`${name}, digit ${k}: ${JSON.stringify(seen)}, not ${JSON.stringify(told[i])}`);
      ++compared;
    }
  }
  expect(compared).toBe(240);
  expect(wrong).toEqual([]);
});
