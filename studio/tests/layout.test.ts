// layout.test.ts: films have even sides, nothing lies over the scene, and long addresses are cut.
import { describe, expect, it } from "vitest";
import { frameOf, kFormats, layoutOf, sizeOf, within, writtenAddress } from "../src/export/layout";

describe("formats", () => {
  it("have even sides, the page's own cut to them", () => {
    expect(kFormats.map((format) => sizeOf(format, [681, 423]))).toEqual([[680, 422], [1920, 1080], [1080, 1080], [1080, 1920]]);
    expect(within([1080, 1920], 540)).toEqual([304, 540]);
    expect(within([300, 200], 540)).toEqual([300, 200]);
  });
  it.each(kFormats)("%s: head, scene, card and foot follow each other", (format) => {
    const [width, height] = sizeOf(format, [680, 422]);
    for (const has of ["card", "line", null] as const) {
      const { head, scene, card, foot, margin } = layoutOf(width, height, has);
      expect(head).toBeLessThan(scene.y);
      expect(scene.h).toBeGreaterThan(height / 3);
      expect(scene.y + scene.h).toBeLessThanOrEqual(card?.y ?? foot);
      if (card) expect(card.y + card.h).toBeLessThan(foot);
      expect(foot).toBeLessThan(height - margin / 4);
    }
  });
});

describe("addresses", () => {
  it("are written without what everyone knows, and cut where they are long", () => {
    expect(writtenAddress("https://host/page/#v=1&view=flock", 80)).toBe("host/page#v=1&view=flock");
    expect(writtenAddress("http://127.0.0.1:8127/", 80)).toBe("127.0.0.1:8127");
    expect(writtenAddress("https://host/#v=1&ink=AAAAAAAAAA", 12)).toBe("host#v=1&in…");
  });
  it("become frames in which no sign ends the attribute", () => {
    const html = frameOf('https://host/#v=1&view=flock&run="x"', "Murmuration: Flock");
    expect(html).toMatch(/^<iframe src="https:\/\/host\/#v=1&amp;view=flock&amp;run=&quot;x&quot;" title=/);
  });
});
