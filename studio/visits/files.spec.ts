// files.spec.ts: videos that decode to the frames they promise, and pictures that are doors.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { expect } from "@playwright/test";
import { recipeOf } from "../src/export/png_recipe";
import { strings } from "../src/strings";
import { kMurmur } from "./place";
import { addressRests, dropFile, filmIsHere, frameOf, open, takeFile, test, timeline, windToEnd, wordOf } from "./hands";

const words = strings.common;

test.describe("video", () => {
  test.use({ viewport: { width: 760, height: 640 } });

  test("a recording decodes to exactly the frames of its flight", async ({ page }, info) => {
    test.setTimeout(900_000);
    await open(page, "#v=1&view=flock&n=30&T=6&save=every:T/170");
    expect(await windToEnd(page)).toBe(170);
    const video = await takeFile(page, words.record, 200_000);
    expect(video.name).toMatch(/^murmuration-flock\.(mp4|webm)$/);
    const path = info.outputPath(video.name);
    writeFileSync(path, video.bytes);
    const asked = ["-v", "error", "-count_frames", "-select_streams", "v:0", "-show_streams", "-show_format"];
    const told = execFileSync("ffprobe", [...asked, "-of", "json", path], { encoding: "utf8" });
    const { streams, format } = JSON.parse(told);
    expect(Number(streams[0].nb_read_frames)).toBe(171); // long flights go frame by frame, both ends counted
    const hashes = execFileSync("ffmpeg", ["-v", "error", "-i", path, "-f", "framemd5", "-"], { encoding: "utf8" });
    const pictures = hashes.split("\n").filter((line) => /^\d/.test(line)).map((line) => line.split(",").at(-1));
    expect(new Set(pictures).size).toBeGreaterThan(150); // the flock moves in it
    expect(streams[0].width % 2).toBe(0);
    expect(streams[0].height % 2).toBe(0);
    expect(Number(format.duration)).toBeCloseTo(171 / 30, 1);
    const tags = Object.entries(format.tags as Record<string, string>);
    const comment = tags.find(([key]) => key.toLowerCase() === "comment")?.[1];
    expect(comment).toContain("view=flock");
    await expect(timeline(page)).toHaveAttribute("data-frame", "170"); // the film stands where it stood
  });
});

test("a saved picture carries its recipe, and dropped on the page it brings the view back", async ({ page }) => {
  await open(page, "#v=1&view=flock&n=33&seed=5&beta=3&T=4&save=every:T/20&at=12");
  await expect(timeline(page)).toHaveAttribute("data-frame", "12");
  const picture = await takeFile(page, words.screenshot);
  expect(picture.name).toBe("murmuration-flock.png");
  await addressRests(page);
  expect(recipeOf(picture.bytes)).toBe(new URL(page.url()).hash);
  const size = await page.evaluate(async (text) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    return [bitmap.width, bitmap.height];
  }, picture.bytes.toString("base64"));
  expect(Math.min(...size)).toBeGreaterThan(200);

  await page.getByRole("link", { name: words.views.digits }).click();
  await expect(page.locator(".verdict")).toBeVisible();
  await dropFile(page, picture.name, picture.bytes);
  await expect.poll(() => wordOf(page, "view")).toBe("flock");
  await filmIsHere(page);
  await addressRests(page);
  expect(wordOf(page, "n")).toBe("33");
  expect(wordOf(page, "seed")).toBe("5");
  await expect.poll(() => frameOf(page)).toBe(12);
});

test("places dropped on Digits fly between the gates", async ({ page }) => {
  await open(page);
  const rows = Array.from({ length: 60 }, (_, k) => `${Math.cos(k / 9)},${Math.sin(k / 9)}`).join("\n");
  await dropFile(page, "ring.csv", Buffer.from(rows));
  await expect.poll(() => wordOf(page, "points")).toBeTruthy();
  await windToEnd(page);
  await expect(page.locator(".verdict")).toHaveAttribute("data-verdict", /^[56]$/);
});

test("a file that a view cannot use is told so", async ({ page }) => {
  await open(page, "#v=1&view=map");
  await dropFile(page, "letter.txt", Buffer.from("dear flock"));
  await expect(page.locator(".notice")).toContainText(words.noUse);
});

test("a picture that the program drew, dropped on the page, is flown there", async ({ page }, info) => {
  const run = info.outputPath("swarm");
  const picture = info.outputPath("scene.png");
  execFileSync(kMurmur, ["simulate", "-q", "n=21", "beta=3", "seed=9", "T=4", "save=every:0.2", "-o", run]);
  execFileSync(kMurmur, ["render", run, "-o", picture, "--size", "320x320"]);
  await open(page, "#v=1&view=digits");
  await dropFile(page, "scene.png", readFileSync(picture));
  await expect.poll(() => wordOf(page, "view")).toBe("flock");
  await filmIsHere(page);
  await addressRests(page);
  expect([wordOf(page, "n"), wordOf(page, "beta"), wordOf(page, "seed")]).toEqual(["21", "3", "9"]);
});
