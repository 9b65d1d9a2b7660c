// core_flight.test.ts: the compiled core behind its TypeScript face: patience, and what is gone.
import { existsSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { coreOf } from "../src/core/core";
import type { Core } from "../src/core/protocol";

const wasm = new URL("../src/core/wasm/murmur.wasm", import.meta.url);
const glue = new URL("../src/core/wasm/murmur.mjs", import.meta.url);

describe.skipIf(!existsSync(wasm))("the core", () => {
  let core: Core;
  beforeAll(async () => {
    const { default: factory } = await import(/* @vite-ignore */ glue.href);
    core = coreOf(await factory({ wasmBinary: readFileSync(wasm) }));
  });

  it("comes back from a long flight before its next frame is there", async () => {
    const info = await core.flight({ n: 400, d: 3, beta: 4, method: "rk4", dt: 0.001, T: 1000, save: "final" });
    const first = await core.fly(info.id, 1);
    expect([first.count, first.ended]).toEqual([info.frames - 1, null]);
    const before = process.cpuUsage();
    const second = await core.fly(info.id, 1);
    expect(process.cpuUsage(before).user).toBeLessThan(60e6); // microseconds; the whole takes hours
    expect([second.first, second.count, second.ended]).toEqual([first.count, 0, null]);
    await core.close(info.id);
  });

  it("gives the same frames in whatever pieces", async () => {
    const words = { n: 300, d: 3, beta: 4, method: "rk4", dt: 0.05, T: 4, save: "every:2" };
    const [whole, pieces] = await Promise.all([core.flight(words), core.flight(words)]);
    for (let ended = null; ended === null; ) ended = (await core.fly(whole.id, 100)).ended;
    for (let ended = null; ended === null; ) ended = (await core.fly(pieces.id, 1)).ended;
    for (let frame = 0; frame < whole.frames; ++frame) {
      expect(await core.frame(pieces.id, frame)).toEqual(await core.frame(whole.id, frame));
    }
  });

  it("tells a flight that is gone from every other refusal", async () => {
    const info = await core.flight({ n: 3, d: 2, T: 1 });
    await core.close(info.id);
    await expect(core.fly(info.id, 1)).rejects.toMatchObject({ fault: 3, gone: true });
    await expect(core.fields(999, 0, Float64Array.of(0))).rejects.toMatchObject({ gone: true });
    const refusal = await core.flight({ beta: "x" }).catch((fault: unknown) => fault);
    expect(refusal).toMatchObject({ fault: 3 });
    expect(refusal).not.toHaveProperty("gone");
  });
});
