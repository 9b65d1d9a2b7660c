// recipe.test.ts: the address and the recipe are one another's inverse, and undo goes back exactly.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  amount, canRedo, canUndo, change, flag, flushAddress, follow, formatRecipe, parseRecipe, recipe, redo, undo, word,
} from "../src/state/recipe";
import { goTo, viewNow } from "../src/state/views";

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

describe("the moment", () => {
  it("is left behind by a step, which may begin another flight", () => {
    change({ beta: 2 });
    change({ at: 12 }, true);
    change({ n: 8 });
    expect(recipe.value).toEqual({ beta: "2", n: "8" });
    change({ at: 3 });
    expect(word("at", "")).toBe("3");
    change({ n: 8 }); // no step at all
    expect(word("at", "")).toBe("3");
  });
});

describe("the address bar", () => {
  const written: string[] = [];
  let refuses = false;
  const replaceState = (_: unknown, __: string, address: string) => {
    if (refuses) throw new Error("too often");
    written.push(address);
  };
  beforeEach(() => {
    vi.stubGlobal("history", { replaceState });
    written.length = 0;
    refuses = false;
  });
  afterEach(() => vi.unstubAllGlobals());

  it("is written seldom while a slider moves, and ends right", () => {
    for (let k = 0; k < 300; ++k) {
      change({ beta: k });
      expect(word("beta", "")).toBe(String(k));
      vi.advanceTimersByTime(10);
    }
    vi.advanceTimersByTime(1000);
    expect(written.length).toBeLessThan(10); // in 3 s; browsers allow 100 in 30 s
    expect(written.length).toBeGreaterThan(5);
    expect(written.at(-1)).toBe("#v=1&beta=299");
  });
  it("is written at once where it is wanted, and by undo", () => {
    change({ beta: 1 });
    change({ n: 2 });
    expect(written).toEqual(["#v=1&beta=1"]);
    flushAddress();
    expect(written.at(-1)).toBe("#v=1&beta=1&n=2");
    undo();
    expect(written.at(-1)).toBe("#v=1&beta=1");
    vi.advanceTimersByTime(1000);
    expect(written.length).toBe(3);
  });
  it("that the browser refuses is written later", () => {
    refuses = true;
    change({ beta: 7 });
    expect(word("beta", "")).toBe("7");
    refuses = false;
    vi.advanceTimersByTime(10_000);
    expect(written).toEqual(["#v=1&beta=7"]);
  });
});

describe("the view", () => {
  it("is the landing view unless one there is was named", () => {
    for (const name of ["constructor", "__proto__", "toString", "nowhere", ""]) {
      follow(`#v=1&view=${name}`);
      expect(viewNow()).toBe("digits");
    }
    follow("#v=1&view=map");
    expect(viewNow()).toBe("map");
  });
  it("drops its words when one goes to another, and keeps them when one stays", () => {
    follow("#v=1&view=flock&beta=3");
    goTo("flock");
    expect(recipe.value).toEqual({ view: "flock", beta: "3" });
    goTo("story");
    expect(recipe.value).toEqual({ view: "story" });
    goTo("digits");
    change({ digit: 7 });
    goTo("digits");
    expect(recipe.value).toEqual({ view: "digits", digit: "7" });
  });
});
