// compress.test.ts: compressed copies hold their file, and are made only where they gain.
import { randomBytes } from "node:crypto";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { copiesOf, isCopy } from "../compress.plugin";

describe("copies", () => {
  it("hold the bytes of their file, the better one first", () => {
    const text = Buffer.from(Array.from({ length: 4000 }, (_, k) => `line ${k % 97}\n`).join(""));
    const [br, gz] = copiesOf("page.js", text);
    expect([br.ending, gz.ending]).toEqual([".br", ".gz"]);
    expect(brotliDecompressSync(br.content).equals(text)).toBe(true);
    expect(gunzipSync(gz.content).equals(text)).toBe(true);
    expect(br.content.length).toBeLessThanOrEqual(gz.content.length);
  });
  it("are not made of what is small, random or compressed already", () => {
    expect(copiesOf("page.js", Buffer.from("short"))).toEqual([]);
    expect(copiesOf("digits.bin", randomBytes(5000))).toEqual([]);
    expect(copiesOf("font.woff2", Buffer.alloc(5000))).toEqual([]);
  });
  it("are told from files by their names", () => {
    expect(["a.js.br", "a.gz", "a.js", "gz"].map(isCopy)).toEqual([true, true, false, false]);
  });
});
