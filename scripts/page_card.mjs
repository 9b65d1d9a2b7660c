// page_card.mjs: the picture that chats and feeds show of a link to the page, studio/public/card.png, 1200 by 630.
//
//     node scripts/page_card.mjs        after scripts/page.sh; needs chromium and ffmpeg
import { execFileSync, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const inRoot = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const { chromium } = createRequire(inRoot("studio/package.json"))("playwright-core");

const server = spawn(inRoot("build/release/murmur"), ["studio", "--page", inRoot("studio/dist"), "--port", "0"]);
const address = await new Promise((done) => server.stdout.once("data", (text) => done(String(text).trim())));
const args = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args });
try {
  const page = await browser.newPage({ colorScheme: "dark", viewport: { width: 1280, height: 800 } });
  await page.goto(`${address}#v=1&view=digits&digit=301&at=8.6`);
  await page.waitForSelector(".timeline[data-frame='8']", { timeout: 60_000 });
  await page.locator("details.menu summary").click();
  await page.locator("details.menu select").first().selectOption("wide");
  const coming = page.waitForEvent("download");
  await page.locator("details.menu").getByRole("button", { name: "Save picture" }).click();
  const still = await (await coming).path();
  // Without its last line, which holds the address of this machine: 1920 by 1008.
  const shape = ["-vf", "crop=1920:1008:0:0,scale=1200:630:flags=lanczos", "-pred", "mixed"];
  execFileSync("ffmpeg", ["-v", "error", "-y", "-i", still, ...shape, "-map_metadata", "-1", "-f", "image2", "-c:v", "png",
    inRoot("studio/public/card.png")]);
} finally {
  await browser.close();
  server.kill("SIGTERM");
}
