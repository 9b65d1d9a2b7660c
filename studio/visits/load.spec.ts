// load.spec.ts: how much the first visit fetches until something moves: compressed, and without what was learned.
import { expect, type Response } from "@playwright/test";
import { filmIsHere, frameOf, open, test } from "./hands";

const kMost = 470_000; // bytes; decision 0063

test("the first flight needs no more than 470 kB, compressed, beside its models", async ({ page }) => {
  const answers: Response[] = [];
  page.on("response", (answer) => answers.push(answer));
  await open(page);
  await expect.poll(() => frameOf(page)).toBeGreaterThan(0);
  const files = answers
    .filter((answer, k) => answers.findIndex((one) => one.url() === answer.url()) === k) // each once
    .filter((answer) => answer.ok() && !answer.url().includes("/models/"))
    .map((answer) => ({ name: answer.url().split("/").at(-1) ?? "", headers: answer.headers() }));
  const core = files.find(({ name }) => name.endsWith(".wasm"));
  expect(core?.headers["content-encoding"]).toBe("br");
  const bytes = files.map(({ headers }) => Number(headers["content-length"]));
  const all = bytes.reduce((sum, one) => sum + one, 0);
  console.log(`first load: ${all} bytes in ${files.length} files`);
  expect(all, files.map(({ name }, k) => `${bytes[k]} ${name}`).join("\n")).toBeLessThanOrEqual(kMost);
  expect(all).toBeGreaterThan(200_000); // they were all counted
});

test("swarms are fetched when they are chosen, and not before", async ({ page }) => {
  const swarms: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith(".safetensors")) swarms.push(request.url().split("/").at(-1)!);
  });
  await open(page);
  expect(swarms).toHaveLength(1);
  await open(page, "#v=1&view=digits&model=3-8");
  await filmIsHere(page);
  await expect.poll(() => swarms.at(-1)).toBe("3-8.safetensors");
});
