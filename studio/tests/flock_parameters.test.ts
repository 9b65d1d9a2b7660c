// flock_parameters.test.ts: words of the view flock: conflicts settled, grids whole, links and commands readable.
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import {
  commandOf, flockParameters, gridOf, habitatOf, kMerge, kParameters, kPresets, mayMerge, mergeOf, methodOf, mostBeta,
  presetOf, withLinks,
} from "../src/views/flock/parameters";
import { formulasOf } from "../src/views/flock/story";
import { pointsWord, pointsWords, kMostLetters } from "../src/views/flock/own_points";
import { strings } from "../src/strings/all";
import equations from "../src/strings/equations.json";

describe("flockParameters", () => {
  it("gives the defaults for an empty recipe, and passes on what the command line knows", () => {
    expect(flockParameters({})).toEqual({
      dynamics: "SA", beta: 9, seed: 4, n: 200, d: 3, init: "uniform", T: 60, dt: 0.1, save: "log:240",
    });
    const words = flockParameters({ beta: "2", trail: "9", view: "flock", cluster_tol: "0.01" });
    expect(words).toMatchObject({ beta: "2", cluster_tol: "0.01" });
    expect(Object.keys(words).every((key) => (kParameters as readonly string[]).includes(key))).toBe(true);
  });

  it("takes a method that knows noise, with times on its grid and without merging", () => {
    const words = flockParameters({ noise: "0.1", T: "500", dt: "0.3", merge: "1e-6" });
    expect(words.method).toBe("strang");
    expect(words.merge).toBeUndefined();
    const dt = Number(words.dt);
    const every = Number(String(words.save).slice(6));
    expect(Math.abs(Number(words.T) / dt - Math.round(Number(words.T) / dt))).toBeLessThan(1e-9);
    expect(Math.abs(every / dt - Math.round(every / dt))).toBeLessThan(1e-9);
    expect(methodOf({ noise: "0.1", method: "layers" })).toBe("layers");
    expect(methodOf({ noise: "0.1", method: "rk4" })).toBe("strang");
    expect(methodOf({ noise: "0", method: "rk4" })).toBe("rk4");
  });

  it("merges long flights unless that is forbidden or unwanted", () => {
    expect(flockParameters({ T: "10000" }).merge).toBe("1e-6");
    expect(flockParameters({ T: "100" }).merge).toBeUndefined();
    expect(flockParameters({ T: "10000", merge: "0" }).merge).toBeUndefined();
    expect(flockParameters({ T: "10000", dynamics: "causal" }).merge).toBeUndefined();
    expect(mayMerge({ self: "false" })).toBe(false);
    expect(mayMerge({ reach: "past" })).toBe(false);
    expect(mergeOf({}, 199)).toBe("0");
    expect(mergeOf({}, 200)).toBe(kMerge);
    expect(mergeOf({ merge: "1e-3" }, 1)).toBe("1e-3");
    expect(mergeOf({ merge: "1e-3", self: "false" }, 1)).toBe("0");
  });

  it("keeps laws, clocks and norms where they belong", () => {
    expect(flockParameters({ init: "gaussian" }).init).toBe("uniform");
    expect(flockParameters({ init: "gaussian", dynamics: "euclidean" }).init).toBe("gaussian");
    expect(flockParameters({ clock: "U2" }).clock).toBeUndefined();
    expect(flockParameters({ clock: "U2", dynamics: "USA" }).clock).toBe("U2");
    expect(flockParameters({ init: "orthonormal", n: "500", d: "16" })).toMatchObject({ n: 16, d: 16 });
    expect(flockParameters({ init: "clusters:9:0.2", n: "4" }).init).toBe("clusters:4:0.2");
    expect(flockParameters({ normalisation: "ngpt", dynamics: "hardmax" }).normalisation).toBeUndefined();
    expect(flockParameters({ normalisation: "pre", habitat: "sphere" }).habitat).toBeUndefined();
    const points = flockParameters({ init: "points:1,0;0,1", n: "7", d: "3" });
    expect(points.n).toBeUndefined();
    expect(points.d).toBeUndefined();
  });

  it("begins each dynamics with what suits it", () => {
    expect(flockParameters({ dynamics: "hardmax" })).toMatchObject({ init: "box:1", T: 8 });
    expect(flockParameters({ dynamics: "hardmax", habitat: "sphere" }).init).toBe("uniform");
    expect(flockParameters({ dynamics: "sinkhorn" })).toMatchObject({ beta: 1, n: 40, rtol: 1e-5 });
    expect(flockParameters({ dynamics: "sinkhorn", n: "12", beta: "2" })).toMatchObject({ beta: "2", n: 12 });
    expect(mostBeta("sinkhorn")).toBeLessThan(mostBeta("SA"));
  });

  it("knows the habitat", () => {
    expect(habitatOf({})).toBe("sphere");
    expect(habitatOf({ dynamics: "hardmax" })).toBe("space");
    expect(habitatOf({ dynamics: "hardmax", habitat: "sphere" })).toBe("sphere");
    expect(habitatOf({ normalisation: "mix:2" })).toBe("space");
    expect(habitatOf({ dynamics: "rescaled", habitat: "sphere" })).toBe("space");
  });
});

describe("gridOf", () => {
  it("makes T and frames whole multiples of dt, about 240 frames when none are asked for", () => {
    expect(gridOf(30, 0.1, "every:0.1")).toEqual({ T: 30, save: "every:0.1" });
    expect(gridOf(24, 0.05, "log:240")).toEqual({ T: 24, save: "every:0.1" });
    const { T, save } = gridOf(10.04, 0.1, "every:0.25");
    expect(save).toBe("every:0.3");
    expect(T).toBe(10.2);
  });
});

describe("presets", () => {
  it("are told by name, hint and recipe", () => {
    for (const { name, words } of kPresets) {
      expect(strings.flock.preset[name]).toBeTruthy();
      expect(strings.flock.hints[name]).toBeTruthy();
      expect(presetOf({ view: "flock", trail: "3", ...words })).toBe(name);
      const known = [...kParameters, "colour", "boid"] as readonly string[];
      expect(Object.keys(words).every((key) => known.includes(key))).toBe(true);
    }
    expect(presetOf({ beta: "3.3" })).toBe("");
    const { words } = kPresets.find(({ name }) => name === "heads")!;
    expect(presetOf({ ...words, boid: "3", colour: "order" })).toBe("heads"); // another token is the same flight
  });

  it("of the program have its settings, without those that the view shows by itself", () => {
    const wordsOf = (preset: string) => kPresets.find(({ name }) => name === preset)!.words;
    expect(wordsOf("circle")).toEqual({ n: "32", d: "2", T: "30", seed: "0" });
    expect(wordsOf("repulsion")).toEqual({
      dynamics: "USA", value: "minus-identity", init: "cap:0.4", beta: "2", T: "40", seed: "0",
    });
    expect(presetOf({ n: "32", d: "2", beta: "9", T: "30", save: "log:240", seed: "0" })).toBe("circle"); // a link of old
  });

  it("have an equation", () => {
    for (const dynamics of Object.keys(strings.flock.dynamicsNames)) {
      const words = { dynamics, noise: "1", method: "layers", perceptron: "gradient:4", value: "psd" };
      for (const habitat of ["sphere", "space"] as const) {
        for (const name of formulasOf(words, habitat)) expect(equations).toHaveProperty(name);
      }
    }
    for (const norm of Object.keys(strings.flock.normalisations)) {
      for (const name of formulasOf({ normalisation: norm }, "sphere")) expect(equations).toHaveProperty(name);
    }
    expect(formulasOf({}, "space")).toEqual(["SA", "flock_space"]);
    expect(formulasOf({ dynamics: "hardmax" }, "sphere")).toEqual(["hardmax_sphere"]);
    expect(formulasOf({ dynamics: "hardmax" }, "space")).toEqual(["hardmax"]);
    const heads = kPresets.find(({ name }) => name === "heads")!.words;
    expect(formulasOf(flockParameters(heads), "sphere")).toEqual(["SA", "flock_heads", "flock_qkv_heads"]);
    expect(formulasOf({ heads: 2 }, "sphere")).toEqual(["SA", "flock_heads"]);
    expect(formulasOf({ heads: 2, head_scale: "mean" }, "sphere")).toEqual(["SA", "flock_heads_mean"]);
    expect(formulasOf({ heads: 1, value: "goe" }, "sphere")).toEqual(["SA", "flock_qkv"]);
    expect(formulasOf(flockParameters({ noise: "0.1", method: "rk4" }), "sphere")).toEqual(["SA", "flock_noise"]);
    expect(formulasOf(flockParameters({ method: "layers" }), "sphere")).toEqual(["SA", "flock_layers"]);
  });
});

describe("sentences and commands", () => {
  it("makes papers links and raises powers", () => {
    expect(withLinks("As e^(-t) (1 - e^(beta (1 - cos))) (2407.01602, 2508.09628).")).toEqual([
      { text: "As e" }, { text: "-t", sup: true }, { text: " (1 - e" }, { text: "β (1 - cos)", sup: true },
      { text: ") (" },
      { text: "2407.01602", href: "https://arxiv.org/abs/2407.01602" }, { text: ", " },
      { text: "2508.09628", href: "https://arxiv.org/abs/2508.09628" }, { text: ")." },
    ]);
    expect(withLinks("kappa_c >= 0.123456")).toEqual([{ text: "κ_c ≥ 0.123456" }]);
  });

  it("quotes what a shell would take apart", () => {
    expect(commandOf({ beta: 9, init: "points:1,0;0,1" })).toBe("murmur simulate beta=9 init='points:1,0;0,1'");
    expect(commandOf({ save: "every:T/240", merge: "1e-6" })).toBe("murmur simulate save=every:T/240 merge=1e-6");
  });

  it("gives a shell every word as it is, whatever is in it", () => {
    for (const value of ["`id`", "$(id)", "a'b", 'a"b', "a\nb", "a\\b", "~", "!1", "#", "{a,b}", "", "x\n"]) {
      const shell = spawnSync("sh", ["-c", `murmur() { printf '%s|' "$@"; }; ${commandOf({ init: value })}`]);
      expect(shell.stdout.toString()).toBe(`simulate|init=${value}|`);
    }
  });
});

describe("own points", () => {
  const points = { rows: Float64Array.from([3, 4, 0, 2]), n: 2, d: 2 };
  it("become a word, on the sphere when asked", () => {
    expect(pointsWord(points)).toBe("points:3,4;0,2");
    expect(pointsWords(points, true)).toEqual({ init: "points:0.6,0.8;0,1", n: "", d: "", habitat: "" });
    expect(pointsWords(points, false)).toEqual({ init: "points:3,4;0,2", n: "", d: "", habitat: "space" });
    expect(Array.from(points.rows)).toEqual([3, 4, 0, 2]);
  });
  it("refuses what a link cannot carry", () => {
    const points = (n: number, x: number) => ({ rows: new Float64Array(2 * n).fill(x), n, d: 2 });
    const most = (kMostLetters - "points:".length + 1) / 16; // "1.23456;" and "1.23456," a point
    expect(pointsWords(points(Math.floor(most), 1.23456), false).init.length).toBeLessThanOrEqual(kMostLetters);
    expect(() => pointsWords(points(Math.floor(most) + 1, 1.23456), false)).toThrow(/characters/);
    expect(() => pointsWords(points(Math.floor(most) + 1, 1), false)).not.toThrow(); // the word counts, not the numbers
  });
});
