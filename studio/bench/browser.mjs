// browser.mjs: what the benches of the page share: how the browser is started, and what it takes of the processor.
import { readdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";

const kTicks = 100; // of /proc a second

export const launchOptions = {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
};

export const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

/** The machine in words. */
export function machine() {
  return `${cpus()[0].model} x ${cpus().length}`;
}

/** Seconds of the processor that this process's browser has taken, with all that it started. */
export function processorSeconds() {
  const parents = new Map();
  const taken = new Map();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const cells = readFileSync(`/proc/${name}/stat`, "utf8").replace(/^.*\) /s, "").split(" ");
      parents.set(Number(name), Number(cells[1]));
      taken.set(Number(name), (Number(cells[11]) + Number(cells[12])) / kTicks);
    } catch {
      // it has ended meanwhile
    }
  }
  const isOurs = (id) => id === process.pid || (parents.has(id) && id > 1 && isOurs(parents.get(id)));
  let all = 0;
  for (const [id, seconds] of taken) if (id !== process.pid && isOurs(id)) all += seconds;
  return all;
}
