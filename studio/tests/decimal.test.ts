// decimal.test.ts: numbers that are read have the decimal sign of the language; addresses, commands and files keep the point.
import { afterEach, describe, expect, it } from "vitest";
import {
  between, chance, coordinate, decimal, figure, fixed, percent, percentFine, readDecimalsWith, times, vector, written,
} from "../src/strings/numbers";
import { known as german } from "../src/strings/de/known";
import { known as french } from "../src/strings/fr/known";
import { writeKnown } from "../src/strings/known";
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
  it.each([["de", german], ["fr", french]] as const)("has commas in values and points in papers and formulas: %s", (_, texts) => {
    readDecimalsWith(",");
    const source = "2501.12345, Theorem 2.1";
    const written = writeKnown({ name: "noise-threshold", source, sentence: "", values: ["3.25", "0.31", "5.5"] }, texts);
    expect(written).toMatch(/= 3,25.*= 5,5 \(2501\.12345, Theorem 2\.1\)\.$/);
    expect(writeKnown({ name: "normalised-late-rate", source, sentence: "", values: ["t^(-2.5)"] }, texts)).toContain("t^(-2.5)");
    expect(writeKnown({ name: "exact-flow", source: "", sentence: "", values: ["0.1"] }, texts)).toMatch(/0,1[^()]*\.$/);
  });
});

describe("texts of other languages", () => {
  const kPoint = /\d\.\d/;
  const kPapers = /\d{4}\.\d{4,5}|(?:Satz|théorème) \d\.\d/g;
  it.each(["de/", "fr/"])("hold no decimal point: %s", (folder) => {
    const found = filesOf(folder).flatMap((name) =>
      literalsOf(folder + name).filter(({ text }) => kPoint.test(text.replace(kPapers, ""))).map(({ text, line }) => `${name}:${line} ${text}`));
    expect(found).toEqual([]);
  });
});
