// recipe.test.ts: the address and the recipe are one another's inverse, and undo goes back exactly.
import { beforeEach, describe, expect, it, vi } from "vitest";
import { amount, canRedo, canUndo, change, flag, follow, formatRecipe, parseRecipe, recipe, redo, undo, word } from "../src/state/recipe";

beforeEach(() => {
  vi.useFakeTimers();
  follow("#v=1");
  vi.advanceTimersByTime(10_000);
});

describe("the address", () => {
  it("comes back as it was, whatever the words hold", () => {
    const words = { view: "flock", beta: "4.5", init: "points:1,0;0,1", ink: "a-b_c", odd: "a&b=c #%é" };
    expect(parseRecipe(formatRecipe(words))).toEqual(words);
  });
  it("begins with version and view", () => {
    expect(formatRecipe({ n: "64", view: "flock", beta: "4" })).toBe("#v=1&view=flock&n=64&beta=4");
  });
  it("of another version is refused, and leaves the page as it is", () => {
    change({ beta: 3 });
    expect(parseRecipe("#v=2&view=flock")).toBeNull();
    expect(follow("#v=2&beta=9")).toBe(false);
    expect(word("beta", "4")).toBe("3");
  });
  it("drops names that are no words", () => {
    expect(parseRecipe("#v=1&__proto__ x=1&9a=2&beta=4")).toEqual({ beta: "4" });
  });
});

describe("words", () => {
  it("are read with defaults and within bounds", () => {
    change({ beta: 400, self: false, n: "many" });
    expect(amount("beta", 4, 0, 30)).toBe(30);
    expect(amount("n", 64)).toBe(64);
    expect(amount("d", 3)).toBe(3);
    expect(flag("self", true)).toBe(false);
    expect(flag("trails", true)).toBe(true);
  });
});

describe("undo", () => {
  it("takes back step by step, and redo gives again", () => {
    change({ beta: 1 });
    vi.advanceTimersByTime(1000);
    change({ beta: 2 });
    change({ n: 8 });
    undo();
    expect(recipe.value).toEqual({ beta: "2" });
    undo();
    undo();
    expect(recipe.value).toEqual({});
    redo();
    redo();
    redo();
    expect(recipe.value).toEqual({ beta: "2", n: "8" });
    expect(canRedo.value).toBe(false);
  });
  it("takes one drag of a slider as one step", () => {
    change({ n: 8 });
    for (const beta of [1, 2, 3, 4]) change({ beta });
    undo();
    expect(recipe.value).toEqual({ n: "8" });
  });
  it("takes what changes another word as a step of its own, however soon", () => {
    change({ ink: "abc", digit: "", edit: "" });
    change({ ink: "", digit: 7, edit: "" });
    undo();
    expect(recipe.value).toEqual({ ink: "abc" });
  });
  it("does not count quiet changes", () => {
    const before = canUndo.value;
    change({ at: 12 }, true);
    expect(canUndo.value).toBe(before);
  });
});
