// page.mjs: how soon the page moves, how many bytes it takes until then, how long it ever stops listening, how fast it films.
//
//     MURMUR=../build/release/murmur node bench/page.mjs [LOADS] [FOLDER...]        dist must be built
//
// Several folders, as of the page before and after a change, are measured in turns and told side by side. First
// motion is the moment when the timeline first shows a later frame. Bytes are those of all answers until then as they
// came, trained swarms left out. Tasks are those of the main thread: by the clock, and by the time of the processor that
// the thread had, which others on the machine do not lengthen. A film is that of a digit, 241 pictures as large as the
// scene, from the click to the file; the seconds of the processor are those of all of the browser's processes.
import { spawn } from "node:child_process";
import { chromium } from "playwright-core";
import { launchOptions, machine, median, processorSeconds } from "./browser.mjs";

const murmur = process.env.MURMUR ?? "../build/release/murmur";
const loads = Number(process.argv[2] ?? 3);
const folders = process.argv.length > 3 ? process.argv.slice(3) : [process.env.STUDIO_PAGE ?? "dist"];
const kPlaySeconds = 10;

/** murmur studio on a free port: its process and its address. */
async function serve(folder) {
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

const kScreen = { viewport: { width: 1280, height: 800 }, serviceWorkers: "block", acceptDownloads: true };

async function firstMotion(browser, address) {
  const context = await browser.newContext(kScreen);
  const page = await context.newPage();
  const answers = [];
  page.on("response", (answer) => answers.push(answer));
  await page.goto(address, { waitUntil: "commit" });
  const moved = () => {
    const line = document.querySelector(".timeline");
    return line && Number(line.dataset.frame) > 0 ? performance.now() / 1000 : 0;
  };
  const seconds = await (await page.waitForFunction(moved, null, { polling: "raf", timeout: 60_000 })).jsonValue();
  const until = answers.filter((answer) => answer.ok() && !answer.url().endsWith(".safetensors"));
  const bytes = until.reduce((all, answer) => all + Number(answer.headers()["content-length"]), 0);
  await context.close();
  return { seconds, bytes, files: until.length };
}

/** What a task spent its time in: the longest parts that the trace tells of, with their ms of clock and processor. */
function partsOf(events, { key, ts, dur }) {
  const inside = events.filter((e) =>
    e.ph === "X" && `${e.pid} ${e.tid}` === key && !/RunTask$/.test(e.name) && e.ts >= ts && e.ts + (e.dur ?? 0) <= ts + dur);
  const longest = inside.sort((a, b) => (b.dur ?? 0) - (a.dur ?? 0)).slice(0, 4);
  return longest.map((e) => `${e.name} ${((e.dur ?? 0) / 1000).toFixed(0)} (${((e.tdur ?? 0) / 1000).toFixed(0)})`).join(", ");
}

/** The tasks of the busiest main thread in a trace, in ms: of the clock, and of the processor; and parts of the longest. */
function tasksOf(trace) {
  const { traceEvents } = JSON.parse(trace.toString("utf8"));
  const mains = new Set();
  for (const { name, args, pid, tid } of traceEvents) {
    if (name === "thread_name" && args?.name === "CrRendererMain") mains.add(`${pid} ${tid}`);
  }
  const threads = new Map();
  for (const { name, ph, pid, tid, ts, dur = 0, tdur = 0 } of traceEvents) {
    const key = `${pid} ${tid}`;
    if (ph !== "X" || !/RunTask$/.test(name) || !mains.has(key)) continue;
    if (!threads.has(key)) threads.set(key, []);
    threads.get(key).push({ clock: dur / 1000, processor: tdur / 1000, key, ts, dur });
  }
  const busy = (tasks) => tasks.reduce((all, task) => all + task.processor, 0);
  const tasks = [...threads.values()].sort((a, b) => busy(b) - busy(a))[0] ?? [];
  const slowest = tasks.reduce((most, task) => (task.clock > (most?.clock ?? -1) ? task : most), null);
  return { tasks, slowest: slowest && { ...slowest, parts: partsOf(traceEvents, slowest) } };
}

/** Drawings, frames and tasks of so many seconds of play. */
async function played(browser, address, hash) {
  const page = await browser.newPage(kScreen);
  await page.goto(`${address}${hash}`);
  const playing = ".timeline[data-playing=true]:not([data-frame='0'])";
  await page.waitForSelector(playing, { timeout: 60_000 });
  const before = processorSeconds();
  await browser.startTracing(page, { categories: ["toplevel", "disabled-by-default-devtools.timeline"] });
  const told = await page.evaluate(async (seconds) => {
    const frame = () => Number(document.querySelector(".timeline").dataset.frame);
    const first = frame();
    let drawn = 0;
    const end = performance.now() + 1000 * seconds;
    while (performance.now() < end) {
      await new Promise((done) => requestAnimationFrame(done));
      ++drawn;
    }
    return { drawn, passed: frame() - first };
  }, kPlaySeconds);
  const { tasks, slowest } = tasksOf(await browser.stopTracing());
  const processor = processorSeconds() - before;
  await page.close();
  return { ...told, tasks, slowest, processor };
}

async function filmed(browser, address) {
  const page = await browser.newPage(kScreen);
  await page.goto(`${address}#v=1&view=digits&digit=301&at=3`);
  await page.waitForSelector(".timeline:not([data-frame='0'])", { timeout: 60_000 });
  await page.locator("details.menu summary").click();
  const coming = page.waitForEvent("download", { timeout: 300_000 });
  const [began, before] = [performance.now(), processorSeconds()];
  await page.locator("details.menu").getByRole("button", { name: "Record", exact: true }).click();
  await coming;
  const told = { seconds: (performance.now() - began) / 1000, processor: processorSeconds() - before };
  await page.close();
  return told;
}

const longest = (tasks, by) => Math.max(0, ...tasks.map((task) => task[by])).toFixed(0);
const sites = [];
const browser = await chromium.launch(launchOptions);
try {
  for (const folder of folders) sites.push({ folder, ...(await serve(folder)), runs: [], rows: [], parts: [] });
  for (let k = 0; k < loads; ++k) {
    for (const site of sites) site.runs.push(await firstMotion(browser, site.address));
  }
  const plays = {
    "Flock, 500 boids": "#v=1&view=flock&n=500&T=200",
    "Digits, 16 a pixel": "#v=1&view=digits&digit=301&finer=4&blocks=40",
  };
  for (const site of sites) {
    const seconds = site.runs.map((run) => run.seconds);
    site.rows.push(
      ["first motion, seconds, median of " + loads, median(seconds).toFixed(2)],
      ["first motion, seconds, slowest", Math.max(...seconds).toFixed(2)],
      ["bytes until then, as they came", site.runs[0].bytes.toLocaleString("en")],
      ["files until then", site.runs[0].files],
    );
  }
  for (const [name, hash] of Object.entries(plays)) {
    for (const site of sites) {
      const { tasks, slowest, drawn, passed, processor } = await played(browser, site.address, hash);
      const main = tasks.reduce((all, task) => all + task.processor, 0);
      site.rows.push(
        [`${name}, ${kPlaySeconds} s: drawings a second`, (drawn / kPlaySeconds).toFixed(1)],
        ["  frames of the flight passed", passed],
        ["  main thread, ms of the processor a drawing", (main / drawn).toFixed(1)],
        ["  longest task, ms of the processor", longest(tasks, "processor")],
        ["  longest task, ms of the clock", longest(tasks, "clock")],
        ["    of which it had the processor", slowest?.processor.toFixed(0)],
        ["  browser, seconds of the processor", processor.toFixed(1)],
      );
      site.parts.push(`${name}: ${slowest?.parts}`);
    }
  }
  for (const site of sites) {
    const { seconds, processor } = await filmed(browser, site.address);
    site.rows.push(
      ["film of 241 pictures, seconds", seconds.toFixed(1)],
      ["  browser, seconds of the processor", processor.toFixed(1)],
    );
  }
  console.log(`${browser.version()}, ${machine()}, software rendering`);
  console.log(" ".repeat(48) + sites.map(({ folder }) => folder.slice(-16).padStart(18)).join(""));
  sites[0].rows.forEach(([name], k) => {
    console.log(name.padEnd(48) + sites.map(({ rows }) => String(rows[k][1]).padStart(18)).join(""));
  });
  for (const { folder, parts } of sites) {
    console.log(`\nlongest task by the clock in ${folder}, its parts in ms of the clock (of the processor)`);
    for (const one of parts) console.log(`  ${one}`);
  }
} finally {
  await browser.close();
  for (const { server } of sites) server.kill("SIGTERM");
}
