// page_pictures.mjs: the pictures of the page in docs/pictures: `node scripts/page_pictures.mjs ADDRESS`, with the page served there.
import { createRequire } from "node:module";

const { chromium } = createRequire(new URL("../studio/package.json", import.meta.url))("playwright-core");
const address = process.argv[2] ?? "http://127.0.0.1:8127/";
const kPictures = [
  { name: "digits", hash: "view=digits&digit=263", at: 10, height: 760 },
  { name: "flock", hash: "view=flock&after=still", at: 239, height: 760 },
  { name: "dome", hash: "view=digits&digit=301&boid=40&dome=1", at: 5, height: 800 },
  { name: "words", hash: "view=words", at: 3, height: 800 },
];
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const args = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const browser = await chromium.launch({ executablePath, args });
for (const { name, hash, at, height } of kPictures) {
  const page = await browser.newPage({
    viewport: { width: 1280, height }, serviceWorkers: "block", reducedMotion: "reduce", colorScheme: "light", locale: "en-US",
  });
  await page.goto(`${address}#v=1&${hash}&at=${at}`);
  await page.waitForSelector(`.timeline[data-frame="${at}"]`, { timeout: 120_000 });
  await page.waitForTimeout(4000); // plots and labels come to rest
  await page.screenshot({ path: new URL(`../docs/pictures/studio-${name}.png`, import.meta.url).pathname });
  await page.close();
}
await browser.close();
