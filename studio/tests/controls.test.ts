// controls.test.ts: the keys of a group of radios lead where a visitor expects.
import { describe, expect, it } from "vitest";
import { optionAt } from "../src/parts/controls";

describe("optionAt", () => {
  it("goes round with the arrows, and to the ends", () => {
    expect([optionAt("ArrowRight", 0, 3), optionAt("ArrowDown", 2, 3)]).toEqual([1, 0]);
    expect([optionAt("ArrowLeft", 0, 3), optionAt("ArrowUp", 2, 3)]).toEqual([2, 1]);
    expect([optionAt("Home", 2, 3), optionAt("End", 0, 3)]).toEqual([0, 2]);
  });
  it("leaves all other keys to the page", () => {
    for (const key of [" ", "Enter", "Tab", "z", "1", "PageUp"]) expect(optionAt(key, 1, 3)).toBeNull();
  });
});
