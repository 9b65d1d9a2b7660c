// film.spec.ts: films for a screen, a feed and a phone, and GIFs: their sizes, their frames, what they carry.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { expect, type Page, type TestInfo } from "@playwright/test";
import { carriedBy } from "../src/export/file_recipe";
import { strings } from "../src/strings";
import { addressRests, dropFile, filmIsHere, followHash, frameOf, open, pause, takeFile, test, timeline, wordOf } from "./hands";

const words = strings.share;

async function choose(page: Page, format: keyof typeof words.formats): Promise<void> {
  const menu = page.locator("details.menu");
  if ((await menu.getAttribute("open")) === null) await menu.locator("summary").click();
  await menu.getByLabel(words.format).selectOption(format);
}

/** What ffprobe says of a file, its frames counted. */
function probed(path: string): { width: number; height: number; frames: number; seconds: number } {
  const asked = ["-v", "error", "-count_frames", "-select_streams", "v:0", "-show_streams", "-show_format"];
  const { streams, format } = JSON.parse(execFileSync("ffprobe", [...asked, "-of", "json", path], { encoding: "utf8" }));
  const [{ width, height, nb_read_frames }] = streams;
  return { width, height, frames: Number(nb_read_frames), seconds: Number(format.duration) };
}

async function filmed(page: Page, info: TestInfo, button: string) {
  const file = await takeFile(page, button, 200_000);
  const told = (await page.locator(".notice").textContent()) ?? ""; // before it goes, eight seconds on
  const path = info.outputPath(file.name);
  writeFileSync(path, file.bytes);
  return { ...file, path, told, ...probed(path) };
}

const kSizes = { wide: [1920, 1080], square: [1080, 1080], portrait: [1080, 1920] } as const;
for (const [format, size] of Object.entries(kSizes)) {
  test(`a film of a digit is ${size.join(" by ")}, and leaves the page as it was`, async ({ page }, info) => {
    test.setTimeout(900_000);
    await open(page, "#v=1&view=digits&digit=301&at=3");
    await expect.poll(() => frameOf(page)).toBe(3);
    await choose(page, format as keyof typeof kSizes);
    const film = await filmed(page, info, strings.common.record);
    expect([film.width, film.height]).toEqual(size);
    expect(film.frames).toBe(241);
    expect(film.seconds).toBeCloseTo(241 / 30, 1);
    expect(film.told).toContain("241");
    expect(film.told).toContain(film.name);
    await expect(page.locator("details.menu")).not.toHaveAttribute("open"); // it folds when a film is asked for
    await expect(timeline(page)).toHaveAttribute("data-frame", "3");
    await expect(page.locator(".film-bar")).toHaveCount(0);
  });
}

test("a GIF is small, goes on for ever, and dropped on the page it is a door", async ({ page }, info) => {
  test.setTimeout(900_000);
  await open(page, "#v=1&view=flock&n=40&seed=7&beta=6&T=8&save=every:T/60");
  await pause(page);
  await choose(page, "square");
  const gif = await filmed(page, info, words.gif);
  expect(gif.name).toBe("murmuration-flock.gif");
  expect([gif.width, gif.height, gif.frames]).toEqual([540, 540, 100]);
  expect(gif.bytes.length).toBeLessThan(4_000_000);
  expect(gif.bytes.toString("latin1")).toContain("NETSCAPE2.0");
  await addressRests(page);
  expect(carriedBy(gif.bytes)).toBe(new URL(page.url()).hash);
  await page.getByRole("link", { name: strings.common.views.digits }).click();
  await expect(page.locator(".verdict")).toBeVisible();
  await dropFile(page, gif.name, gif.bytes);
  await expect.poll(() => wordOf(page, "view")).toBe("flock");
  await filmIsHere(page);
  expect(wordOf(page, "seed")).toBe("7");
});

test("a film of the Story is of the words as they were put and typed", async ({ page }, info) => {
  test.setTimeout(900_000);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=story&stop=5");
  await followHash(page, "#v=1&view=story&stop=5&bank=own&own=Otters+doze+on+the+bank&put=0:-0.8,0.6");
  await expect(page.locator(".scene-label.token", { hasText: "otters" })).toBeVisible();
  await choose(page, "square");
  const gif = await filmed(page, info, words.gif);
  const cut = ["-v", "error", "-i", gif.path, "-vf", "crop=iw:ih*0.6:0:ih*0.2", "-f", "framemd5", "-"]; // no clock, no address
  const sums = execFileSync("ffmpeg", cut, { encoding: "utf8" }).split("\n").filter((line) => /^0,/.test(line));
  expect(sums.length).toBe(gif.frames);
  expect(new Set(sums.map((line) => line.split(",").at(-1))).size).toBeGreaterThan(gif.frames / 2);
});

for (const [view, hash, label] of [
  ["Digits", "#v=1&view=digits&digit=301&at=3", ".scene-label.vote"],
  ["Flock", "#v=1&view=flock&n=60&T=20&save=every:T/200&at=199&after=still", ".scene-label.mass"],
  ["the Story", "#v=1&view=story&stop=5&at=30", ".scene-label.token"],
]) {
  test(`the words of ${view} stay where they are while a film is made`, async ({ page }) => {
    test.setTimeout(900_000);
    await page.emulateMedia({ reducedMotion: "reduce" });
    await open(page, hash);
    await expect(page.locator(label).first()).toBeVisible();
    const places = () => page.locator(".scene-label").evaluateAll((all) => all.map((one) => [one.textContent, (one as HTMLElement).style.transform]));
    let rests = "";
    await expect.poll(async () => rests === (rests = JSON.stringify(await places()))).toBe(true);
    await choose(page, "square");
    await page.getByRole("button", { name: strings.common.record, exact: true }).click();
    const progress = page.locator(".film-bar progress");
    await expect(progress).toBeVisible();
    for (let seen = 0, last = ""; seen < 4 && (await progress.count()) > 0; ) { // at four moments of its making
      const at = await progress.getAttribute("value", { timeout: 1000 }).catch(() => last);
      if (at !== last) {
        expect(JSON.stringify(await places())).toBe(rests);
        ++seen;
      }
      last = at ?? last;
      await page.waitForTimeout(150);
    }
    await page.locator(".film-bar").getByRole("button", { name: strings.common.stopRecording }).click({ timeout: 5000 }).catch(() => undefined);
    await expect(page.locator(".film-bar")).toHaveCount(0, { timeout: 120_000 }); // stopped, or made meanwhile
    await expect.poll(async () => JSON.stringify(await places())).toBe(rests);
  });
}

test("a film that is stopped hands out nothing, and the flight goes on", async ({ page }) => {
  await open(page, "#v=1&view=flock&n=30&T=20&save=every:T/400");
  await page.getByRole("radio", { name: "¼×" }).click(); // not to be over while a busy machine films
  await choose(page, "wide");
  await page.getByRole("button", { name: strings.common.record, exact: true }).click();
  await page.locator(".film-bar").getByRole("button", { name: strings.common.stopRecording }).click();
  await expect(page.locator(".film-bar")).toHaveCount(0);
  await expect(page.locator(".notice")).toHaveCount(0);
  const before = await frameOf(page);
  await expect.poll(() => frameOf(page)).not.toBe(before);
});
