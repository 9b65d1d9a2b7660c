// map.test.ts: the bundled map: its file as the view reads it, pixels, frames and colours.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  betasOf, countsAt, frameOf, moved, nearest, paint, pixelAt, replayWords, share, ticksOf, timesOf, tone, viridis,
  type PhaseMap,
} from "../src/views/map/phase_map";

const file = fileURLToPath(new URL("../public/maps/circle.json", import.meta.url));
const atlas = JSON.parse(readFileSync(file, "utf8")) as PhaseMap;
const betas = betasOf(atlas);
const times = timesOf(atlas);

describe("the file", () => {
  it("has a row for every beta and a column for every time", () => {
    for (const name of ["clusters", "clusters_se", "close_pairs", "replica_0"] as const) {
      expect(atlas.values[name]).toHaveLength(betas.length);
      expect(atlas.values[name].every((row) => row.length === times.length)).toBe(true);
    }
    expect(atlas.last_counts).toHaveLength(betas.length);
    for (const counts of atlas.last_counts) {
      expect(Object.values(counts).reduce((sum, many) => sum + many, 0)).toBe(atlas.replicas);
    }
  });

  it("has of every pixel but the start how many flights have how many clusters, with the pixel's own mean", () => {
    const path = fileURLToPath(new URL("../public/maps/circle_counts.json", import.meta.url));
    const lists = JSON.parse(readFileSync(path, "utf8")) as string[];
    expect(lists).toHaveLength(betas.length);
    betas.forEach((_, row) => {
      expect(countsAt(lists, { row, column: 0 })).toBeNull();
      for (let column = 1; column < times.length; ++column) {
        const counts = countsAt(lists, { row, column })!;
        expect(counts.reduce((sum, [, flights]) => sum + flights, 0)).toBe(atlas.replicas);
        const mean = counts.reduce((sum, [clusters, flights]) => sum + clusters * flights, 0) / atlas.replicas;
        expect(Math.abs(mean - atlas.values.clusters[row][column])).toBeLessThan(6e-4); // as rounded on the map
      }
    });
    expect(countsAt(null, { row: 0, column: 5 })).toBeNull();
  });

  it("rises on both axes, and its lines of theory lie on it", () => {
    for (const axis of [betas, times]) expect(axis.every((v, k) => k === 0 || v > axis[k - 1])).toBe(true);
    for (const beta of atlas.fastest_mode.switches) expect(beta > betas[0] && beta < betas.at(-1)!).toBe(true);
  });

  it("has every pixel as a frame of the flight that is replayed", () => {
    const words = replayWords(atlas, 4, 7);
    expect(words).toMatchObject({ n: 32, d: 2, method: "layers", beta: 4, replica: 7, T: times.at(-1) });
    const every = Number(String(words.save).slice(6));
    times.forEach((t, column) => expect(frameOf(atlas, column) * every).toBeCloseTo(t, 9));
  });
});

describe("pixels", () => {
  it("are the nearest, and never off the map", () => {
    expect(nearest([0, 1, 2], 1.4)).toBe(1);
    expect(nearest([0, 1, 2], -5)).toBe(0);
    const pixel = pixelAt(atlas, 4.12, 12.1);
    expect(betas[pixel.row]).toBeCloseTo(4.1, 9);
    expect(times[pixel.column]).toBeCloseTo(12, 9);
    expect(moved(atlas, pixel, 1, -2)).toEqual({ row: pixel.row + 1, column: pixel.column - 2 });
    expect(moved(atlas, pixel, -1000, 1000)).toEqual({ row: 0, column: times.length - 1 });
  });

  it("are painted with beta upwards", () => {
    const { pixels, width, height } = paint(atlas, "clusters");
    expect([width, height]).toEqual([times.length, betas.length]);
    const top = atlas.values.clusters[betas.length - 1][width - 1];
    expect(Array.from(pixels.subarray(4 * (width - 1), 4 * width))).toEqual([...viridis(tone("clusters", top)), 255]);
  });
});

describe("colours", () => {
  it("grow lighter all the way", () => {
    let before = -1;
    for (let k = 0; k <= 50; ++k) {
      const [r, g, b] = viridis(k / 50);
      const light = 0.2126 * (r / 255) ** 2.2 + 0.7152 * (g / 255) ** 2.2 + 0.0722 * (b / 255) ** 2.2;
      expect(light).toBeGreaterThanOrEqual(before);
      before = light;
    }
    expect(viridis(-1)).toEqual(viridis(0));
    expect(viridis(NaN)).toEqual(viridis(0));
  });

  it("have gathered flocks bright, and marks in order on the bar", () => {
    expect(tone("clusters", 1)).toBe(1);
    expect(tone("clusters", 32)).toBe(0);
    expect(tone("close_pairs", 1)).toBe(1);
    expect(share("clusters", 1)).toBe(0);
    for (const quantity of ["clusters", "close_pairs"] as const) {
      const places = ticksOf(quantity).map((tick) => tick.place);
      expect(places[0]).toBe(0);
      expect(places.at(-1)).toBe(1);
      expect(places.every((p, k) => k === 0 || p > places[k - 1])).toBe(true);
    }
  });
});

describe("what is said of the dashed lines", () => {
  it("holds on the map: in the end there are in the mean no more clusters than there were crests", () => {
    betas.forEach((beta, row) => {
      const crests = 1 + atlas.fastest_mode.switches.filter((one) => beta > one).length;
      expect(Number(atlas.values.clusters[row].at(-1)!.toFixed(2))).toBeLessThanOrEqual(crests); // as the page says means
    });
  });
});

describe("where trained transformers live", () => {
  it("is what the traces of Words say", () => {
    for (const name of ["bank", "nail"]) {
      const trace = JSON.parse(readFileSync(fileURLToPath(new URL(`../public/words/${name}.json`, import.meta.url)), "utf8"));
      expect(trace.model).toBe("minilm");
      for (const { twin } of trace.texts as { twin: { beta: number[]; tau: number[] } }[]) {
        const betas = twin.beta.slice(1); // frame 0 is before the first layer
        expect(Math.max(...betas)).toBeLessThan(0.4);
        expect(Math.min(...betas)).toBeGreaterThan(-1.75);
        expect(Math.round(10 * twin.tau.reduce((sum, one) => sum + one, 0)) / 10).toBeLessThanOrEqual(0.3);
        expect(Math.round(10 * twin.tau.reduce((sum, one) => sum + one, 0)) / 10).toBeGreaterThanOrEqual(0.2);
      }
    }
  });
});
