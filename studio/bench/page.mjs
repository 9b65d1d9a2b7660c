// page.mjs: how soon the page moves, how many bytes it takes until then, how long it ever stops listening.
//
//     MURMUR=../build/release/murmur node bench/page.mjs [LOADS]        dist must be built
//
// First motion is the moment when the timeline first shows a later frame. Bytes are the gzip -9 sizes of all
// answers until then, trained swarms left out. Long tasks are the browser's (50 ms and more on the main thread).
import { spawn } from "node:child_process";
import { cpus } from "node:os";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";

const murmur = process.env.MURMUR ?? "../build/release/murmur";
const folder = process.env.STUDIO_PAGE ?? "dist";
const loads = Number(process.argv[2] ?? 3);
const kArguments = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const kPlaySeconds = 10;

/** murmur studio on a free port: its process and its address. */
async function serve() {
  const server = spawn(murmur, ["studio", "--page", folder, "--port", "0", "--json", "-q"]);
  server.stderr.pipe(process.stderr);
  let said = "";
  const address = await new Promise((resolve, reject) => {
    server.once("exit", (code) => reject(new Error(`murmur studio ended with ${code}`)));
    server.stdout.on("data", (part) => {
      said += part;
      const found = /http:\/\/127\.0\.0\.1:\d+\//.exec(said);
      if (found) resolve(found[0]);
    });
  });
  return { server, address };
}

async function firstMotion(browser, address) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, serviceWorkers: "block" });
  const page = await context.newPage();
  const answers = [];
  page.on("response", (answer) => answers.push(answer));
  await page.goto(address, { waitUntil: "commit" });
  const moved = () => {
    const line = document.querySelector(".timeline");
    return line && Number(line.dataset.frame) > 0 ? performance.now() / 1000 : 0;
  };
  const seconds = await (await page.waitForFunction(moved, null, { polling: "raf", timeout: 60_000 })).jsonValue();
  const until = answers.filter((answer) => !answer.url().endsWith(".safetensors"));
  const bodies = await Promise.all(until.map((answer) => answer.body()));
  const bytes = bodies.reduce((all, body) => all + gzipSync(body, { level: 9 }).length, 0);
  await context.close();
  return { seconds, bytes, files: until.length };
}

async function longTasks(browser, address) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, serviceWorkers: "block" });
  await page.goto(`${address}#v=1&view=flock&n=500&T=200`);
  const playing = ".timeline[data-playing=true]:not([data-frame='0'])";
  await page.waitForSelector(playing, { timeout: 60_000 });
  const told = await page.evaluate(async (seconds) => {
    const tasks = [];
    const watch = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((e) => e.duration)));
    watch.observe({ type: "longtask" });
    const frame = () => Number(document.querySelector(".timeline").dataset.frame);
    const first = frame();
    let drawn = 0;
    const end = performance.now() + 1000 * seconds;
    while (performance.now() < end) {
      await new Promise((done) => requestAnimationFrame(done));
      ++drawn;
    }
    await new Promise((done) => setTimeout(done, 100)); // entries come a moment later
    watch.disconnect();
    return { tasks, drawn, passed: frame() - first };
  }, kPlaySeconds);
  await page.close();
  return told;
}

const { server, address } = await serve();
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: kArguments });
try {
  const runs = [];
  for (let k = 0; k < loads; ++k) runs.push(await firstMotion(browser, address));
  const seconds = runs.map((run) => run.seconds).sort((a, b) => a - b);
  const { tasks, drawn, passed } = await longTasks(browser, address);
  const rows = [
    ["first motion, seconds, median of " + loads, seconds[seconds.length >> 1].toFixed(2)],
    ["first motion, seconds, slowest", seconds.at(-1).toFixed(2)],
    ["bytes until then, gzip -9, without swarms", runs[0].bytes.toLocaleString("en")],
    ["files until then", runs[0].files],
    [`500 boids for ${kPlaySeconds} s: drawings a second`, (drawn / kPlaySeconds).toFixed(1)],
    ["frames of the flight passed", passed],
    ["long tasks of 50 ms and more", tasks.length],
    ["longest task, ms", tasks.length > 0 ? Math.max(...tasks).toFixed(0) : "under 50"],
  ];
  const { model } = cpus()[0];
  console.log(`${browser.version()}, ${model} x ${cpus().length}, software rendering`);
  for (const [name, value] of rows) console.log(`${name.padEnd(46)}${String(value).padStart(12)}`);
} finally {
  await browser.close();
  server.kill("SIGTERM");
}
