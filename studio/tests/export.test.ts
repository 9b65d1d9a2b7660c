// export.test.ts: pictures carry their recipe, tables read back, recordings have the frames they say.
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { parseProgramRecipe, programRecipeOfFile, recipeOfFile, recipeTextOf } from "../src/export/file_recipe";
import { crc32, recipeOf, withRecipe } from "../src/export/png_recipe";
import { momentsOf } from "../src/export/record";
import { npyOf } from "../src/export/tables";

function chunk(kind: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(kind), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), 4 + body.length);
  return out;
}
const header = Buffer.alloc(13);
header.writeUInt32BE(1, 0);
header.writeUInt32BE(1, 4);
header[8] = 8;
const png = new Uint8Array(
  Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.from([0, 7]))),
    chunk("IEND", new Uint8Array()),
  ]),
);

describe("a picture", () => {
  it("has the checksum the format's own empty end chunk has", () => {
    expect(crc32(new TextEncoder().encode("IEND"))).toBe(0xae426082);
  });
  it("carries its recipe and gives it back", () => {
    const words = "#v=1&view=flock&beta=4&init=points:1,0;0,1";
    expect(recipeOf(withRecipe(png, words))).toBe(words);
  });
  it("carries a recipe as long as own points make it, and other files are not read", async () => {
    const words = `#v=1&view=flock&init=points:${"0.123456,0.654321;".repeat(5000)}`;
    expect(words.length).toBeGreaterThan(65_536);
    expect(await recipeOfFile(new Blob([withRecipe(png, words)]))).toBe(words);
    const film = new Blob(["a film of many bytes, none of them a picture's"]);
    film.arrayBuffer = () => Promise.reject(new Error("read to its end"));
    expect(await recipeOfFile(film)).toBeNull();
  });
  it("of someone else has none, and damaged ones do no harm", () => {
    expect(recipeOf(png)).toBeNull();
    const carried = withRecipe(png, "#v=1&beta=4");
    for (let cut = 0; cut < carried.length; ++cut) expect(() => recipeOf(carried.subarray(0, cut))).not.toThrow();
    const torn = carried.slice();
    torn[33] = 255; // a chunk that claims to be larger than the file
    expect(recipeOf(torn)).toBeNull();
  });
});

/** The chunk that the program writes after the header of its PNGs. */
function programPng(text: string): Uint8Array {
  const data = Buffer.from(`murmur\0\0\0\0\0${text}`);
  return new Uint8Array(Buffer.concat([png.subarray(0, 33), chunk("iTXt", data), png.subarray(33)]));
}
function box(name: string, inside: Uint8Array): Buffer {
  const out = Buffer.alloc(8 + inside.length);
  out.writeUInt32BE(out.length, 0);
  out.write(name, 4, "latin1");
  out.set(inside, 8);
  return out;
}

describe("a picture of the program", () => {
  const told = { murmur: "0.1.0", command: "murmur render flock-0-1", config: "n = 8\n", make: [["simulate", "@config"]] };
  const text = JSON.stringify(told);
  const data = box("data", Buffer.concat([Buffer.alloc(8), Buffer.from(text)]));
  const list = box("meta", Buffer.concat([Buffer.alloc(4), box("ilst", box("\u00a9cmt", data))]));
  const mp4 = Buffer.concat([box("ftyp", Buffer.from("isom")), box("moov", box("udta", list))]);
  const svg = Buffer.from(`<?xml version="1.0"?><svg>\n<metadata id="murmur"><![CDATA[${text}]]></metadata></svg>`);

  it("tells what made it, whatever its kind", async () => {
    for (const file of [programPng(text), mp4, svg]) {
      const made = await programRecipeOfFile(new Blob([new Uint8Array(file)]));
      expect(made).toEqual({ kind: "simulate", config: "n = 8\n", command: told.command });
    }
  });
  it("that is damaged does no harm, and other files are not read", async () => {
    for (const file of [programPng(text), new Uint8Array(mp4), new Uint8Array(svg)]) {
      for (let cut = 0; cut < file.length; ++cut) expect(() => recipeTextOf(file.subarray(0, cut))).not.toThrow();
    }
    for (const bad of ["", "{}", "[1]", "null", '{"murmur":1}', '{"murmur":"1","command":"c","config":3}']) {
      expect(parseProgramRecipe(bad)).toBeNull();
    }
    const other = new Blob(["points, many of them"]);
    other.arrayBuffer = () => Promise.reject(new Error("read to its end"));
    expect(await programRecipeOfFile(other)).toBeNull();
  });
});

describe("a recording", () => {
  it("draws out short flights and goes frame by frame through long ones", () => {
    expect(momentsOf(0, 10)).toHaveLength(241);
    expect(momentsOf(0, 10).at(-1)).toBe(10);
    expect(momentsOf(3, 1003)).toHaveLength(1001);
    expect(momentsOf(5, 5)).toEqual([5]);
  });
});

describe("npy", () => {
  it("has a header of whole 64 bytes and little-endian numbers", () => {
    const bytes = npyOf(new Float32Array([1, 2, 3, 4, 5, 6]), [1, 2, 3]);
    expect(new TextDecoder("latin1").decode(bytes.subarray(0, 6))).toBe("\u0093NUMPY");
    const room = 10 + new DataView(bytes.buffer).getUint16(8, true);
    expect(room % 64).toBe(0);
    expect(new TextDecoder().decode(bytes.subarray(10, room))).toContain("'shape': (1, 2, 3)");
    expect(new DataView(bytes.buffer).getFloat32(room + 8, true)).toBe(3);
    expect(bytes.length).toBe(room + 24);
  });
});
