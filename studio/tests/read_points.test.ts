// read_points.test.ts: npy of every order and width, csv of every habit, and what is refused.
import { describe, expect, it } from "vitest";
import { checkPoints, kMostPoints, parseCsv, parseNpy, readPoints } from "../src/export/read_points";

function npy(descr: string, fortran: boolean, shape: string, data: Uint8Array, version = 1): Uint8Array {
  const text = `{'descr': '${descr}', 'fortran_order': ${fortran ? "True" : "False"}, 'shape': ${shape}, }`;
  const opening = version === 1 ? 10 : 12;
  const head = text.padEnd(Math.ceil((opening + text.length + 1) / 64) * 64 - opening - 1) + "\n";
  const out = new Uint8Array(opening + head.length + data.length);
  out.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, version, 0, head.length & 255, head.length >> 8]);
  out.set(new TextEncoder().encode(head), opening);
  out.set(data, opening + head.length);
  return out;
}
const bytes = (array: ArrayBufferView) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

describe("npy", () => {
  it("reads doubles in C order", () => {
    const points = parseNpy(npy("<f8", false, "(2, 3)", bytes(Float64Array.of(1, 2, 3, 4, 5, 6))));
    expect(points).toEqual({ rows: Float64Array.of(1, 2, 3, 4, 5, 6), n: 2, d: 3 });
  });
  it("reads singles in Fortran order", () => {
    const points = parseNpy(npy("<f4", true, "(3, 2)", bytes(Float32Array.of(1, 3, 5, 2, 4, 6))));
    expect([...points.rows]).toEqual([1, 2, 3, 4, 5, 6]);
  });
  it("reads big-endian whole numbers and version 2", () => {
    const data = new Uint8Array([0, 1, 255, 254]);
    expect([...parseNpy(npy(">i2", false, "(1, 2)", data, 2)).rows]).toEqual([1, -2]);
  });
  it.each([
    ["another file", new Uint8Array(64), /first bytes/],
    ["one axis", npy("<f8", false, "(2,)", bytes(Float64Array.of(1, 2))), /shape \(2\)/],
    ["complex numbers", npy("<c16", false, "(1, 2)", new Uint8Array(32)), /type c16/],
    ["missing numbers", npy("<f8", false, "(2, 2)", bytes(Float64Array.of(1, 2))), /32 bytes of numbers and has 16/],
    ["a cut header", npy("<f8", false, "(2, 2)", new Uint8Array(32)).subarray(0, 40), /ends inside/],
  ])("refuses %s", (_, file, message) => {
    expect(() => parseNpy(file)).toThrow(message);
  });
});

describe("csv", () => {
  it("lets names, remarks and empty lines pass", () => {
    const points = parseCsv("x,y\n# a remark\n1, 2\r\n\n-3.5,4e-1\n");
    expect(points).toEqual({ rows: Float64Array.of(1, 2, -3.5, 0.4), n: 2, d: 2 });
  });
  it("takes tabs, blanks and semicolons", () => {
    expect([...parseCsv("1\t2\t3").rows, ...parseCsv("1 2 3").rows, ...parseCsv("1;2;3").rows]).toEqual(
      [1, 2, 3, 1, 2, 3, 1, 2, 3],
    );
  });
  it("names the line that is wrong", () => {
    expect(() => parseCsv("1,2\n3,zwei\n")).toThrow(/line 2 has 'zwei'/);
    expect(() => parseCsv("1,2\n3,4,5\n")).toThrow(/line 2 has 3 numbers, those before have 2/);
    expect(() => parseCsv("1,2\n3,\n")).toThrow(/line 2/);
  });
});

describe("what cannot fly", () => {
  const points = (n: number, d: number, fill = 0) => ({ rows: new Float64Array(n * d).fill(fill), n, d });
  it("is refused with a remedy", () => {
    expect(() => checkPoints(points(0, 2), [2, 3], "f")).toThrow(/no points/);
    expect(() => checkPoints(points(4, 4), [2, 3], "f")).toThrow(/4 coordinates/);
    expect(() => checkPoints(points(kMostPoints + 1, 2), [2, 3], "f")).toThrow(/2001 points/);
    expect(() => checkPoints(points(3, 3, Infinity), [2, 3], "f")).toThrow(/point 0 is not finite/);
  });
  it("comes out of a file by its name", async () => {
    const read = await readPoints(new File(["1,2\n3,4"], "own.csv"));
    expect(read.n).toBe(2);
    await expect(readPoints(new File(["1,2"], "own.npy"))).rejects.toThrow(/not an npy/);
  });
});
