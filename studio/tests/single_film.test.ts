// single_film.test.ts: the player of a single film: its frames as they were written, and its script as it stands in the tree.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { filmOf } from "../src/player/film_data";

const kRoot = join(import.meta.dirname, "..");

/** As bindings/python/murmur/player.py writes them. */
function data(numbers: number[], frames: number, n: number, d: number) {
  const reach = Math.max(...numbers.map(Math.abs));
  const bytes = Buffer.alloc(2 * numbers.length);
  numbers.forEach((x, k) => bytes.writeInt16LE(Math.round((32767 * x) / reach), 2 * k));
  const times = Array.from({ length: frames }, (_, k) => k / 2);
  return { n, d, habitat: "space" as const, times, positions: bytes.toString("base64"), reach, caption: "" };
}

test("frames come back within half a step of what was written, in their order", async () => {
  const numbers = [0, -1, 2.5, 0.125, -2.5, 1, 0.3, -0.7, 2, 1.5, 0, -2];
  const film = filmOf(data(numbers, 3, 2, 2));
  await film.need(2);
  expect(film.flown.value).toBe(3);
  expect([...film.times]).toEqual([0, 0.5, 1]);
  film.positions.forEach((x, k) => expect(Math.abs(x - numbers[k])).toBeLessThan(2.5 / 65534 + 1e-6));
  expect([...film.frame(1)].map((x) => x.toFixed(2))).toEqual(["-2.50", "1.00", "0.30", "-0.70"]);
});

test("a film with too few numbers is refused", () => {
  expect(() => filmOf(data([1, 2, 3, 4], 3, 2, 2))).toThrow(RangeError);
});

test("the script in the tree is what the sources make; `npm run player` makes it anew", () => {
  const folder = mkdtempSync(join(tmpdir(), "player-"));
  const args = ["build", "--config", "player.config.ts", "--outDir", folder, "--logLevel", "silent"];
  execFileSync(join(kRoot, "node_modules/.bin/vite"), args, { cwd: kRoot, env: { ...process.env, NODE_ENV: "production" } });
  const [made, kept] = [folder, join(kRoot, "../bindings/python/murmur")].map((at) => readFileSync(join(at, "player.js"), "utf8"));
  rmSync(folder, { recursive: true });
  expect(made === kept).toBe(true); // a hundred thousand letters are not told apart in a report
}, 60_000);
