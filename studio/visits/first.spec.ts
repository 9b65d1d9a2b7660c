// first.spec.ts: a stranger's first minute in Digits: one line, a drawing on the stage, and an honest answer.
import { expect, type Page } from "@playwright/test";
import { strings } from "../src/strings";
import {
  addressRests, drawOnPad, drawOnStage, followHash, frameOf, landed, open, pause, six, test, timeline, unfold, windToEnd, wordOf,
  type Stroke,
} from "./hands";

const words = strings.digits;
const kCross: Stroke = [[0.2, 0.2], [0.8, 0.8], [0.8, 0.2], [0.2, 0.8]];

const sketching = (page: Page) => page.locator(".stage-pen[data-sketching=true]");

test("one line says what this is, and the vote is named where it flies", async ({ page }) => {
  await open(page);
  await expect(page.locator(".what")).toHaveText(words.what([5, 6], false));
  await expect(page.locator(".what")).toBeInViewport();
  await expect(page.locator(".scene-label.vote")).toHaveText(words.vote);
  await windToEnd(page);
  await expect(page.locator(".verdict")).toContainText(words.says);
  // The gate the vote flew to is nearer to it than the other one.
  const spots = await page.locator(".scene-label").evaluateAll((all) =>
    all.map((one) => ({ text: one.textContent, x: one.getBoundingClientRect().x + one.getBoundingClientRect().width / 2 })));
  const x = (text: string) => spots.find((spot) => spot.text === text)!.x;
  expect(Math.abs(x(words.vote) - x("5"))).toBeLessThan(Math.abs(x(words.vote) - x("6")));
});

/** Where a label of the scene stands, in pixels of the window. */
async function labelAt(page: Page, kind: string, text: string): Promise<{ x: number; y: number }> {
  const box = (await page.locator(`.scene-label.${kind}`, { hasText: new RegExp(`^${text}$`) }).boundingBox())!;
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

for (const [what, hash, name] of [
  ["a sure six", "#v=1&view=digits&digit=320", "6"],
  ["a sure five", "#v=1&view=digits&digit=263", "5"],
  ["two fives at the last stop", "#v=1&view=story&stop=12", "same"],
] as const) {
  test(`the vote of ${what} ends in the gate that the verdict names`, async ({ page }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await open(page, hash);
    await windToEnd(page);
    const verdict = page.locator("[data-verdict]");
    await expect(verdict).toHaveAttribute("data-verdict", name);
    await expect(verdict).toBeInViewport({ ratio: 1 }); // it is said in the scene
    expect(Number(await verdict.getAttribute("data-chance"))).toBeGreaterThan(0.98);
    await expect(page.locator(".scene-label.mean")).toHaveText(words.mean); // what is read stands elsewhere, and is named
    const gates = page.locator(".scene-label.gate");
    const other = (await gates.allInnerTexts()).find((text) => text !== name)!;
    const [own, away] = [await labelAt(page, "gate", name), await labelAt(page, "gate", other)];
    await expect.poll(async () => { // above or below its gate's name, and at a sixth of the way between the gates at most
      const { x } = await labelAt(page, "vote", words.vote);
      return Math.abs(x - own.x) / Math.abs(away.x - own.x);
    }).toBeLessThan(1 / 6);
  });
}

test("a six drawn on the stage takes off when the stroke ends, and is read", async ({ page }) => {
  await open(page);
  await drawOnStage(page, six(), false);
  await expect(sketching(page)).toBeVisible();
  await expect(page.locator(".verdict.so-far")).toHaveAttribute("data-so-far", "6"); // while the pen is down
  expect(wordOf(page, "ink")).toBeNull();
  await page.mouse.up();
  await expect(sketching(page)).toHaveCount(0);
  await expect.poll(() => wordOf(page, "ink")).toBeTruthy();
  const verdict = await landed(page);
  await expect(verdict).toHaveAttribute("data-verdict", "6");
  await expect(verdict).toHaveAttribute("data-neither", "false");
});

for (const [where, selector] of [["the answer", ".verdicts"], ["the line below", ".what"]] as const) {
  test(`a stroke that begins on ${where} is ink`, async ({ page }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await open(page);
    const around = (await page.locator(selector).boundingBox())!;
    const stage = (await page.locator(".digit-stage .stage canvas").boundingBox())!;
    await page.mouse.move(around.x + around.width / 2, around.y + around.height / 2);
    await page.mouse.down();
    await page.mouse.move(stage.x + stage.width / 2, stage.y + stage.height / 2, { steps: 8 });
    await expect(sketching(page)).toBeVisible();
    await page.mouse.up();
    await expect.poll(() => wordOf(page, "ink")).toBeTruthy();
    expect(await page.evaluate(() => getSelection()?.toString() ?? "")).toBe(""); // nothing was selected meanwhile
  });
}

test("the vote and what is said of dissent are of one moment, all through the flight", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=digits&digit=301");
  await page.getByRole("button", { name: strings.common.play, exact: true }).click();
  const said = await page.evaluate(async () => {
    const pairs = new Set<string>();
    const line = document.querySelector<HTMLElement>(".timeline")!;
    while (line.dataset.playing === "true") {
      const name = document.querySelector<HTMLElement>(".verdict")!.dataset.verdict;
      pairs.add(`${name}: ${document.querySelector(".verdict-why")!.textContent}`);
      await new Promise((done) => requestAnimationFrame(done));
    }
    return [...pairs];
  });
  expect(said.length).toBeGreaterThan(3);
  for (const one of said) {
    const parts = /^(\d): .*are nearest to (\d).*the vote is nearest to (\d)/.exec(one);
    if (parts) expect([parts[2] === parts[1], parts[3]], one).toEqual([false, parts[1]]);
  }
});

test("a drag turns the view once Turn is chosen, a click picks a boid either way", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=digits&digit=301");
  await page.getByRole("radio", { name: words.dragNames[1].label }).click();
  const gate = page.locator(".scene-label.gate").first();
  const before = await gate.getAttribute("style");
  await drawOnStage(page, [[0.3, 0.5], [0.7, 0.6]]);
  await expect(gate).not.toHaveAttribute("style", before!);
  expect(wordOf(page, "ink")).toBeNull();
  await page.getByRole("button", { name: strings.common.home }).click();
  await expect(gate).toHaveAttribute("style", before!);
});

test("a digit is drawn on the stage with the keys", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page);
  await page.getByRole("application", { name: words.stageLabel }).focus();
  await page.keyboard.press("Space");
  for (let k = 0; k < 18; ++k) await page.keyboard.press("ArrowDown");
  await expect(sketching(page)).toBeVisible();
  await page.keyboard.press("Space");
  await expect.poll(() => wordOf(page, "ink")).toBeTruthy();
  expect(await frameOf(page)).toBe(0); // the arrows were the pen's
});

test.describe("with a finger", () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  test("a stroke on the stage of a phone is ink", async ({ page }) => {
    await open(page);
    const box = (await page.locator(".digit-stage .stage canvas").boundingBox())!;
    const touch = await page.context().newCDPSession(page);
    const at = ([x, y]: [number, number]) => [{ x: box.x + box.width * (0.25 + 0.5 * x), y: box.y + box.height * y }];
    const [first, ...rest] = six();
    await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at(first) });
    for (const place of rest) await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at(place) });
    await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await expect.poll(() => wordOf(page, "ink")).toBeTruthy();
    await expect(await landed(page)).toHaveAttribute("data-verdict", "6");
  });
});

test("what is no digit is refused, and said why", async ({ page }) => {
  await open(page);
  await drawOnStage(page, kCross);
  await expect.poll(() => wordOf(page, "ink")).toBeTruthy();
  const verdict = await landed(page);
  await expect(verdict).toHaveAttribute("data-neither", "true");
  await expect(verdict).toContainText(words.neither);
  await expect(verdict).toContainText(words.neitherWhy((await verdict.getAttribute("data-verdict"))!));
  await expect(page.locator("p[aria-live=polite]")).toContainText(words.neither);
});

test("after a flight a stroke begins a fresh sheet, in mid-flight or on top it does not", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page);
  const drawn = async (stroke: Stroke) => {
    const before = wordOf(page, "ink");
    await drawOnPad(page, stroke);
    await expect.poll(() => wordOf(page, "ink")).not.toBe(before);
    await addressRests(page);
    return wordOf(page, "ink")!;
  };
  const bar: Stroke = [[0.3, 0.5], [0.7, 0.5]];
  const alone = await drawn(six());
  const both = await drawn(bar); // nothing has flown: it goes on
  await landed(page);
  const fresh = await drawn(six());
  expect(fresh).toBe(alone);
  await unfold(page);
  await page.getByRole("checkbox", { name: words.onTop }).check();
  await landed(page);
  expect(await drawn(bar)).toBe(both);
  // The last stroke is erased, and the verdict is that of what is left.
  await page.getByRole("button", { name: words.takeBack }).click();
  await expect.poll(() => wordOf(page, "ink")).toBe(alone);
});

test("the eraser takes ink away, and the card says what the vote was before", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=digits&digit=301");
  await landed(page);
  await unfold(page);
  await page.getByRole("radio", { name: words.toolNames[1].label }).click();
  await drawOnPad(page, [[0.3, 0.75], [0.7, 0.75]], false);
  await expect(page.locator(".verdict.so-far")).toHaveAttribute("data-so-far", /^[56]$/);
  await page.mouse.up();
  await expect.poll(() => wordOf(page, "ink")).toBeTruthy();
  await landed(page);
  await page.getByRole("slider", { name: strings.common.time, exact: true }).press("ArrowLeft");
  await expect(page.locator(".verdict-why")).toContainText(words.wasBefore("").slice(0, 18));
});

test("the flock is fooled, and the flip is counted once", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=digits&digit=301");
  await unfold(page);
  const game = page.locator(".fool");
  await expect(game).toHaveAttribute("data-flips", "0");
  await page.getByRole("button", { name: words.foolStart }).click();
  await expect.poll(() => wordOf(page, "fool")).toBe("301");
  await expect(game).toContainText(words.foolNot("6", 1).slice(0, 12));
  // A drawing that flips, put in as a link would: a five that the game says was a six.
  const five = await page.evaluate(async () => {
    const about = await (await fetch("./digits.json")).json();
    return (about.labels as number[]).indexOf(5);
  });
  await drawOnPad(page, [[0.5, 0.5], [0.52, 0.5]]); // a dot: still a six
  await expect.poll(() => wordOf(page, "ink")).toBeTruthy();
  await expect(game).toHaveAttribute("data-won", "false");
  const ink = await inkOfDigit(page, five);
  await followHash(page, `#v=1&view=digits&fool=301&ink=${ink}`);
  await expect(game).toHaveAttribute("data-won", "true");
  await expect(game).toHaveAttribute("data-flips", "1");
  await followHash(page, "#v=1&view=digits&fool=301&digit=301");
  await expect(game).toHaveAttribute("data-won", "false");
  await followHash(page, `#v=1&view=digits&fool=301&ink=${ink}`);
  await expect(game).toHaveAttribute("data-won", "true");
  await expect(game).toHaveAttribute("data-flips", "1");
});

/** A test digit of the page as the word of a drawing, by way of Undo: the page itself never makes one of it. */
async function inkOfDigit(page: Page, k: number): Promise<string> {
  const pixels = await page.evaluate(async (index) => {
    const bytes = await (await fetch("./digits.bin")).arrayBuffer();
    return [...new Uint8Array(bytes, 784 * index, 784)];
  }, k);
  const { encodeInk: textOfInk } = await import("../src/views/digits/ink");
  return textOfInk({ height: 28, width: 28, pixels: Uint8Array.from(pixels) });
}

test("attention off flies beside attention on, with a verdict of its own", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=digits&digit=301");
  await unfold(page);
  await page.getByRole("checkbox", { name: words.deaf }).check();
  const cards = page.locator(".verdict");
  await expect(cards).toHaveCount(2);
  await windToEnd(page);
  await expect(cards.nth(0)).toHaveAttribute("data-of", words.deafNow);
  await expect(cards.nth(1)).toHaveAttribute("data-of", words.listenNow);
  await expect(cards.nth(1)).toHaveAttribute("data-verdict", "6");
  const chances = await cards.evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.chance));
  expect(chances[0]).not.toBe(chances[1]);
  await page.getByRole("button", { name: strings.common.undo }).click();
  await expect(cards).toHaveCount(1);
});

test("a majority that the mean outweighs is explained", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=digits&digit=301");
  const why = page.locator(".verdict-why");
  await expect(why).toContainText("their mean decides the vote");
  await windToEnd(page);
  await expect(why).toHaveText(/tokens dissent|weights them by distance|tokens agree/);
});

test("the card of a boid stands beside it, and closes", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=digits&digit=301&boid=40&at=5");
  const card = page.locator(".inspector");
  await expect(card).toContainText(words.gazeOf(40));
  await expect(card).toBeInViewport({ ratio: 1 });
  await card.getByRole("button", { name: words.letBoidGo }).click();
  await expect(card).toHaveCount(0);
});

test("wrong files are told apart", async ({ page }) => {
  const { dropFile } = await import("./hands");
  await open(page);
  const said = page.locator(".notice");
  const tries: [string, string, string][] = [
    ["empty.png", "", words.emptyFile("empty.png")],
    ["model.safetensors", "xxxxxxxx", words.programFile("model.safetensors")],
    ["letter.doc", "dear flock", words.noPicture("letter.doc")],
    ["broken.png", "\x89PNG broken", words.badPicture("broken.png")],
  ];
  for (const [name, text, sentence] of tries) {
    await dropFile(page, name, Buffer.from(text, "latin1"));
    await expect(said).toContainText(sentence);
  }
});

test("a dragged boid stays near the flock, a group keeps its shape", async ({ page }) => {
  const { findBoid } = await import("./hands");
  const { parseMoves } = await import("../src/state/moves");
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=digits&digit=301&at=8");
  await expect(timeline(page)).toHaveAttribute("data-frame", "8");
  await pause(page);
  const { x, y } = await findBoid(page);
  await page.keyboard.down("Alt");
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 120, y - 116, { steps: 6 });
  await page.mouse.up();
  await page.keyboard.up("Alt");
  await expect.poll(() => wordOf(page, "edit")).toBeTruthy();
  await addressRests(page);
  const [move] = parseMoves(wordOf(page, "edit")!);
  expect(Math.hypot(...move.place)).toBeLessThan(150); // it was thrown 4,394 units off once
});
