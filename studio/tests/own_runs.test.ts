// own_runs.test.ts: lists, settings and kept frames of own runs are read as murmur writes them, and nothing else.
import { existsSync, readFileSync } from "node:fs";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { coreOf } from "../src/core/core";
import type { Core, Fault } from "../src/core/protocol";
import { KeptFilm, keptOf, readNumbers } from "../src/state/kept_film";
import { PointsError } from "../src/export/read_points";
import {
  kNoRuns, mayHaveRuns, parseConfig, parseIndex, parseObservables, runNamed, type OwnRun,
} from "../src/state/own_runs";
import { digitsTitle, strings } from "../src/strings";
import { planOf } from "../src/views/flock/run_settings";
import { flockParameters, kParameters } from "../src/views/flock/parameters";

vi.mock("../src/core/client", () => ({ startCore: async () => ({}) }));
const { ownSwarms, swarmOptions } = await import("../src/views/digits/library");
const { entryOf, placesIn } = await import("../src/views/digits/flight");

const kRow = {
  name: "night", kind: "train", status: "done", n: 90, d: 3, frames: 11, digits: [3, 8], accuracy: 0.97,
  model: "/runs/night/model.safetensors", trajectory: "/runs/night/trajectory.npy", times: "/runs/night/times.npy",
  observables: "/runs/night/observables.csv", summary: null, config: "/runs/night/config.toml",
};
const kSimulate: OwnRun = { ...kRow, kind: "simulate", digits: null, accuracy: null, model: null, n: 2, d: 3, frames: 3 };

const listed = (...rows: unknown[]) => parseIndex(JSON.stringify(rows));

describe("parseIndex", () => {
  it("takes what the server lists", () => {
    const note = "the manifest cannot be read";
    const list = listed(kRow, { name: "torn", kind: "damaged", note }, { ...kRow, kind: "simulate", digits: null });
    expect(list.runs).toEqual([kRow, { ...kRow, kind: "simulate", digits: null }]);
    expect(list.damaged).toEqual([{ name: "torn", kind: "damaged", note }]);
    expect(runNamed(list, "night")).toEqual(kRow);
    expect(runNamed(list, "torn")).toBeNull();
  });

  it.each(["", "<!doctype html><title>page</title>", "{", "null", "3", '{"runs": []}', '"x"', "[]", '[null, 3, "x", []]'])(
    "finds no runs in %j", (text) => expect(parseIndex(text)).toEqual(kNoRuns),
  );

  it("calls runs it does not understand damaged, and leaves out those without a name", () => {
    const odd = [{ ...kRow, n: -1 }, { ...kRow, d: 2.5 }, { ...kRow, frames: "9" }, { ...kRow, kind: "sweep" }];
    for (const row of odd) {
      expect(listed(row)).toEqual({ runs: [], damaged: [{ name: "night", kind: "damaged", note: strings.runs.odd }] });
    }
    expect(listed({ ...kRow, name: "" }, { ...kRow, name: 4 })).toEqual(kNoRuns);
  });

  it("keeps to addresses of the server's own runs", () => {
    const wrong = ["//elsewhere.org/x", "https://elsewhere.org/runs/a/b", "/runs/../x", "/runs/a/b/c", "/runs/a/b?c", 4];
    for (const model of wrong) expect(listed({ ...kRow, model }).runs[0].model).toBeNull();
    expect(listed({ ...kRow, model: "/runs/two%20words/model.safetensors" }).runs[0].model).not.toBeNull();
  });

  it("keeps to digits and numbers", () => {
    for (const digits of [[3], [3, 11], [3, "8"], [3, 1.5], "3,8", {}]) {
      expect(listed({ ...kRow, digits }).runs[0].digits).toBeNull();
    }
    expect(listed({ ...kRow, accuracy: "high" }).runs[0].accuracy).toBeNull();
  });
});

describe("asking for runs", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("goes to this machine alone, once, and takes a missing list for none", async () => {
    expect(["localhost", "127.0.0.1", "[::1]"].every(mayHaveRuns)).toBe(true);
    expect(["", "murmuration.org", "127.0.0.1.evil.org", "10.0.0.1"].some(mayHaveRuns)).toBe(false);
    for (const [hostname, times] of [["murmuration.org", 0], ["127.0.0.1", 1]] as const) {
      vi.resetModules();
      const fetch = vi.fn(async () => new Response("not found", { status: 404 }));
      vi.stubGlobal("fetch", fetch);
      vi.stubGlobal("location", { hostname });
      vi.stubGlobal("document", { baseURI: "http://127.0.0.1:8/" });
      const fresh = await import("../src/state/own_runs");
      expect(await fresh.askRuns()).toEqual(kNoRuns);
      expect(await fresh.askRuns()).toEqual(kNoRuns);
      expect(fetch).toHaveBeenCalledTimes(times);
    }
  });

  it("goes on without a server that is gone, and keeps the list of one that answers", async () => {
    const answers = [() => Promise.reject(new TypeError("gone")), async () => new Response(JSON.stringify([kRow]))];
    for (const [k, answer] of answers.entries()) {
      vi.resetModules();
      vi.stubGlobal("fetch", vi.fn(answer));
      vi.stubGlobal("location", { hostname: "localhost" });
      vi.stubGlobal("document", { baseURI: "http://localhost:8/" });
      const fresh = await import("../src/state/own_runs");
      expect((await fresh.askRuns()).runs).toHaveLength(k);
      expect(fresh.ownRuns.value.runs).toHaveLength(k);
    }
  });
});

describe("parseConfig", () => {
  it("reads words, numbers and flags", () => {
    const text = '# all of it\r\n\nname = "a \\"b\\" \\\\ \\u0041"\nbeta = 9.0\nrtol = 1e-08\nself = true\nseed = 3 # why\n';
    expect(parseConfig(text)).toEqual({ name: 'a "b" \\ A', beta: "9", rtol: "1e-8", self: "true", seed: "3" });
    expect(parseConfig('hash = "#1"')).toEqual({ hash: "#1" });
    expect(parseConfig("")).toEqual({});
  });

  it.each([
    "beta", "= 4", "beta 4", "beta = ", "beta = four", "beta = nan", "beta = inf", "beta = 1e999", "beta = 0x4",
    'name = "open', 'name = "a" "b"', 'name = "\\q"', "name = 'x'", "[table]", "init = [[1, 0], [0, 1]]", "be-ta = 4",
    "beta = 4\nbeta = 5", "__proto__.x = 4", "<!doctype html>",
  ])("refuses %j and names the line", (text) => {
    const line = 2 + text.split("\n").length - 1;
    const caught = (() => {
      try {
        return parseConfig(`# one\n${text}\n`, "night/config.toml");
      } catch (error) {
        return error as Fault;
      }
    })();
    expect(caught).toMatchObject({ fault: 2, where: `night/config.toml:${line}` });
  });

  it("takes names of objects for names", () => {
    expect(Object.keys(parseConfig("constructor = 4\n__proto__ = 5"))).toContain("constructor");
  });
});

describe("own swarms", () => {
  it("are trained runs with a model, beside those of the page", () => {
    const { runs } = listed(
      kRow, { ...kRow, name: "no model", model: null }, { ...kRow, name: "flown", kind: "simulate" },
      { ...kRow, name: "three", digits: [1, 4, 7], accuracy: null, d: 16 },
    );
    const own = ownSwarms(runs);
    expect(own.map((entry) => entry.name)).toEqual(["run:night", "run:three"]);
    const shipped = { ...own[0], name: "5-6", title: "5 or 6", own: undefined };
    const options = swarmOptions([shipped, ...own]);
    expect(options.map((option) => option.label)).toEqual(["5 or 6", "night: 3 or 8, 97.0 %", "three: 1, 4 or 7"]);
    expect(options.map((option) => option.group)).toEqual([strings.runs.shipped, "Your runs", "Your runs"]);
    expect(swarmOptions([shipped])[0].group).toBeUndefined();
    expect(entryOf([shipped, ...own], "run:night")!.file).toBe(kRow.model);
    expect(entryOf([shipped, ...own], "run:gone")).toBe(shipped);
    expect(digitsTitle([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])).toBe("ten digits");
  });

  it("of other dimensions take places as far as these go", () => {
    const places = Float64Array.of(1, 2, 3, 4, 5, 6);
    expect([...placesIn(places, 3)]).toEqual([1, 2, 3, 4, 5, 6]);
    expect([...placesIn(places, 2)]).toEqual([1, 2, 4, 5]);
    expect([...placesIn(places, 4)]).toEqual([1, 2, 3, 0, 4, 5, 6, 0]);
  });
});

/** An npy file as murmur writes it: a header of 128 bytes, the first side padded. */
function npy(kind: "f4" | "f8", shape: number[], values: number[], order = "False"): ArrayBuffer {
  const sides = shape.map((side, k) => (k === 0 ? String(side).padStart(20) : String(side))).join(", ");
  const head = `{'descr': '<${kind}', 'fortran_order': ${order}, 'shape': (${sides}${shape.length === 1 ? "," : ""}), }`;
  const array = kind === "f4" ? Float32Array.from(values) : Float64Array.from(values);
  const bytes = new Uint8Array(128 + array.byteLength);
  bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, 118, 0]);
  bytes.set(new TextEncoder().encode(`${head.padEnd(117)}\n`), 10);
  bytes.set(new Uint8Array(array.buffer), 128);
  return bytes.buffer;
}

describe("kept frames", () => {
  const places = Array.from({ length: 18 }, (_, e) => e / 4);
  const table = "t,energy,order\n0,1,\n1,2,0.5\n2,3\n";

  it("are read in both precisions", () => {
    for (const kind of ["f4", "f8"] as const) {
      const { shape, values } = readNumbers(npy(kind, [3, 2, 3], places), "x.npy");
      expect(shape).toEqual([3, 2, 3]);
      expect([...values]).toEqual(places);
    }
    expect([...readNumbers(npy("f8", [3, 2, 3], places).slice(0, 128 + 48), "x.npy", 6).values]).toEqual(places.slice(0, 6));
  });

  it("are refused where numbers are missing or of another kind", () => {
    const whole = npy("f8", [3, 2, 3], places);
    expect(() => readNumbers(whole.slice(0, -8), "x.npy")).toThrow(PointsError);
    expect(() => readNumbers(whole.slice(0, 100), "x.npy")).toThrow(PointsError);
    expect(() => readNumbers(npy("f8", [3, 2, 3], places, "True"), "x.npy")).toThrow(PointsError);
    expect(() => readNumbers(new TextEncoder().encode("404 there is no such file").buffer, "x.npy")).toThrow(PointsError);
  });

  it("become a film that is whole at once, as far as times and places both go", async () => {
    const files = { places: npy("f8", [3, 2, 3], places), times: npy("f8", [2], [0, 1]), table };
    const film = new KeptFilm(kSimulate, keptOf(kSimulate, files), { habitat: "sphere", why: ["method = bdf"] });
    await film.need(0);
    expect(film.flown.value).toBe(2);
    expect(film.last).toBe(1);
    expect(film.ended.value?.ok).toBe(true);
    expect([...film.frame(1)]).toEqual(places.slice(6, 12));
    expect([...film.column("energy")]).toEqual([1, 2]);
    expect([...film.column("order")]).toEqual([NaN, 0.5]);
    expect(film.cosines).toHaveLength(0);
    film.close();
  });

  it("are refused where their shape is not the run's", () => {
    const times = npy("f8", [3], [0, 1, 2]);
    for (const shape of [[3, 3, 2], [18], [9, 2]]) {
      const wrong = { places: npy("f8", shape, places), times, table };
      expect(() => keptOf(kSimulate, wrong)).toThrow(expect.objectContaining({ fault: 2 }));
    }
  });

  it("come with what was observed, gaps left open", () => {
    expect(parseObservables(table)).toEqual({ columns: ["energy", "order"], rows: [[1, NaN], [2, 0.5], [NaN, NaN]] });
    expect(parseObservables("")).toEqual({ columns: [], rows: [] });
    expect(parseObservables("<html>")).toEqual({ columns: [], rows: [] });
  });
});

const kInitials = { habitat: "sphere", heads: "1", noise: "0", method: "dopri5", self: "true", rtol: "1e-8" };
const kConfig = {
  n: "48", d: "3", beta: "6", dynamics: "SA", habitat: "sphere", init: "uniform", T: "8", dt: "0.1", method: "dopri5",
  save: "every:0.08", seed: "3", heads: "1", noise: "0", self: "true", masses: "equal", engine: "simd", rtol: "1e-8",
};
const plan = (words: Record<string, string>, frames = 101) =>
  planOf({ ...kConfig, ...words }, kInitials, { frames, most: 12_800 });

describe("planOf", () => {
  it("says what must be said and no more", () => {
    const said = { n: "48", beta: "6", T: "8", save: "every:0.08", seed: "3" };
    expect(plan({})).toEqual({ words: said, why: [], points: false });
  });

  it("keeps the habitat where the dynamics would choose another", () => {
    expect(plan({ dynamics: "hardmax" }).words.habitat).toBe("sphere");
    expect(plan({ dynamics: "rescaled", habitat: "space" }).words.habitat).toBeUndefined();
  });

  it("takes the start of own points from the first frame", () => {
    const { words, why, points } = plan({ init: "inputs/points.npy", n: "5" });
    expect([why, points]).toEqual([[], true]);
    expect([words.init, words.n, words.d]).toEqual([undefined, undefined, undefined]);
  });

  it.each<[Record<string, string>, string[]]>([
    [{ value: "inputs/value.npy" }, ["value = inputs/value.npy"]],
    [{ perceptron: "inputs/perceptron_*.npy" }, ["perceptron = inputs/perceptron_*.npy"]],
    [{ masses: "inputs/masses.npy" }, ["masses = inputs/masses.npy"]],
    [{ model: "inputs/model.npy" }, ["model = inputs/model.npy"]],
    [{ method: "bdf" }, ["method = bdf"]],
    [{ n: "5000" }, ["n = 5000"]],
    [{ d: "128" }, ["d = 128"]],
    [{ init: "inputs/points.npy", n: "5000" }, ["init = inputs/points.npy", "n = 5000"]],
  ])("tells that %j cannot be flown", (words, why) => {
    expect(plan(words).why).toEqual(why);
    for (const key of Object.keys(words)) expect(plan(words).words[key] ?? "").not.toMatch(/inputs|bdf/);
  });

  it("leaves frames to the page where there is one, or too many", () => {
    expect(plan({ save: "final" }, 1).words.save).toBeUndefined();
    expect(plan({ save: "every:0.000001" }, 4).words.save).toBeUndefined();
    expect(plan({ save: "log:0.1:1.01" }, 500_000).words.save).toBeUndefined();
  });
});

describe.runIf(existsSync(new URL("../src/core/wasm/murmur.wasm", import.meta.url)))("settings of the core", () => {
  let core: Core;
  let initials: Record<string, string>;
  beforeAll(async () => {
    const glue = new URL("../src/core/wasm/murmur.mjs", import.meta.url);
    const { default: factory } = await import(glue.href);
    core = coreOf(await factory({ wasmBinary: readFileSync(new URL("murmur.wasm", glue)) }));
    initials = Object.fromEntries((await core.about()).parameters.map((row) => [row.name, row.initial]));
  });

  it.each<Record<string, string | number | boolean>>([
    {},
    { n: 20, d: 5, beta: 2, T: 300, seed: 8, save: "log:40" },
    { dynamics: "hardmax", habitat: "sphere", n: 12, T: 3 },
    { dynamics: "causal", d: 2, n: 9, T: 4, normalisation: "pre" },
    { dynamics: "rescaled", n: 9, T: 2, init: "box:3" },
    { dynamics: "USA", clock: "U2", noise: 0.1, method: "strang", dt: 0.05, T: 2, save: "every:0.5" },
    { dynamics: "sinkhorn", beta: 1, n: 8, T: 1 },
    { heads: 2, query: "gaussian", value: "query-key", redraw: 0.5, self: false, direction: "descent", n: 10, T: 2 },
    { perceptron: "gaussian:8", activation: "tanh", n: 10, T: 1, init: "cap:0.3", cluster_tol: 0.01 },
  ])("come back as the words that fly the same: %j", async (words) => {
    const first = await core.flight(words);
    const config = parseConfig(first.config);
    const { words: said, why } = planOf(config, initials, { frames: first.frames, most: 12_800 });
    expect(why).toEqual([]);
    const again = await core.flight(flockParameters(said));
    const back = parseConfig(again.config);
    for (const key of kParameters) expect([key, back[key]]).toEqual([key, config[key]]);
    expect(again.frames).toBe(first.frames);
  });
});
