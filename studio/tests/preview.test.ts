// preview.test.ts: the card of a link: whole addresses where the page's is known, a picture of the size it says.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { tagsOf } from "../preview.plugin";

const said = (address: string) =>
  Object.fromEntries(tagsOf(address).map(({ attrs }) => [attrs!.property ?? attrs!.name, attrs!.content]));

describe("the card of a link", () => {
  it("has a title, a sentence and a picture of the size it says", () => {
    const tags = said("");
    expect(tags["og:title"]).toContain("Murmuration");
    expect(String(tags["og:description"]).length).toBeLessThan(200);
    const png = readFileSync(new URL("../public/card.png", import.meta.url));
    expect([png.readUInt32BE(16), png.readUInt32BE(20)].map(String)).toEqual([
      tags["og:image:width"], tags["og:image:height"],
    ]);
  });
  it("has whole addresses where it is known where the page will stand", () => {
    expect(said("")["og:image"]).toBe("./card.png");
    expect(said("")["og:url"]).toBeUndefined();
    for (const address of ["https://host/folder", "https://host/folder/"]) {
      expect(said(address)["og:image"]).toBe("https://host/folder/card.png");
      expect(said(address)["og:url"]).toBe("https://host/folder/");
    }
  });
});
