// decimal.test.ts: numbers that are read have the decimal sign of the language; addresses, commands and files keep the point.
import { afterEach, describe, expect, it } from "vitest";
import { between, decimal, fixed, readDecimalsWith, written } from "../src/strings/decimal";
import { chance, coordinate, figure, percent, percentFine, times, vector } from "../src/strings/figures";
import { told as germanTold } from "../src/strings/de/known";
import { told as frenchTold } from "../src/strings/fr/known";
import { formatRecipe } from "../src/state/recipe";
import { brief } from "../src/views/flock/plots";
import { commandOf } from "../src/views/flock/parameters";
import { filesOf, literalsOf } from "./literals";

afterEach(() => readDecimalsWith("."));

describe("a number that is read", () => {
  it("has a point in English", () => {
    expect([fixed(1.25, 1), written(0.5), decimal("2.0e-3"), between()]).toEqual(["1.3", "0.5", "2.0e-3", ", "]);
    expect(vector([1.5, -2])).toBe("(1.50, −2.00)");
  });
  it("has a comma in German and French, and lists are parted by semicolons", () => {
    readDecimalsWith(",");
    expect([fixed(1.25, 1), written(0.5), decimal("2.0e-3"), written(7)]).toEqual(["1,3", "0,5", "2,0e-3", "7"]);
    expect(vector([1.5, -2])).toBe("(1,50; −2,00)");
    expect([chance(0.9999, "über"), chance(0.981, ""), percent(0.05), percentFine(0.5)]).toEqual([
      "über 99,9 %", "98,1 %", "5,0 %", "50,0 %",
    ]);
    expect([figure(0.123), coordinate(12.34), times(1.5), brief(3.14159)]).toEqual(["0,123", "12,3", "× 1,5", "3,142"]);
  });
  it("in an address or a command has a point in every language", () => {
    readDecimalsWith(",");
    expect(formatRecipe({ view: "flock", beta: "2.5" })).toContain("beta=2.5");
    expect(commandOf({ beta: 2.5, T: 0.5 })).toMatch(/beta=2\.5.*T=0\.5/);
  });
});

describe("what the core knows, told in another language", () => {
  const sentence = "The uniform law of infinitely many tokens loses stability at kappa_c = 3.25, noise 0.31; here kappa = 5.5 (2501.12345, Theorem 2.1).";
  it.each([["de", germanTold], ["fr", frenchTold]] as const)("has commas in values and points in papers: %s", (_, told) => {
    expect(told(sentence)).toMatch(/= 3,25.*= 5,5 \(2501\.12345, Theorem 2\.1\)/);
    expect(told("Nobody knows 1.5 = 1.5 of this.")).toBe("Nobody knows 1.5 = 1.5 of this."); // it stays English
  });
});

describe("texts of other languages", () => {
  const kPoint = /\d\.\d/;
  const kPapers = /\d{4}\.\d{4,5}/g;
  it.each(["de/", "fr/"])("hold no decimal point: %s", (folder) => {
    const found = filesOf(folder).filter((name) => name !== "known.ts").flatMap((name) =>
      literalsOf(folder + name).filter(({ text }) => kPoint.test(text.replace(kPapers, ""))).map(({ text, line }) => `${name}:${line} ${text}`));
    expect(found).toEqual([]);
  });
});
