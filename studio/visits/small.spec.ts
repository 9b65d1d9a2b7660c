// small.spec.ts: small things that visitors stumbled over: names of both gates, meters, hints of one size, a stylus.
import { expect } from "@playwright/test";
import { strings } from "../src/strings";
import { landed, kViews, open, six, test, unfold, windToEnd, wordOf } from "./hands";

const words = strings.digits;

test("the task names both digits, and the losing gate's name is whole however little it has", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=digits&digit=301");
  await expect(page.locator(".story")).toContainText(words.task([5, 6]));
  await expect(page.locator(".story")).toContainText("5 and 6");
  await windToEnd(page);
  const bar = page.locator(".chance-pair");
  await expect(bar.locator("b")).toHaveText(["5", "6"]);
  const card = (await page.locator(".verdict").boundingBox())!;
  for (const name of await bar.locator("b").all()) {
    const box = (await name.boundingBox())!;
    expect(box.width).toBeGreaterThan(4);
    expect(box.x).toBeGreaterThanOrEqual(card.x);
    expect(box.x + box.width).toBeLessThanOrEqual(card.x + card.width);
  }
});

test("a meter is as full as its share of what a whole one is said to be", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=digits&digit=301&boid=40&at=5");
  await unfold(page);
  const meters = page.locator(".heard meter");
  await expect(meters.first()).toBeVisible();
  const told = await meters.evaluateAll((all) =>
    all.map((one) => ({ full: (one as HTMLMeterElement).max, value: (one as HTMLMeterElement).value })));
  expect(new Set(told.map(({ full }) => full)).size).toBe(1);
  await expect(page.locator(".gaze")).toContainText(words.gazeFull(told[0].full));
  for (const { full, value } of told) expect(value).toBeLessThanOrEqual(full);
  expect(told[0].value).toBeGreaterThan(0.2 * told[0].full); // the loudest is seen
});

test("hints are of one size in all views", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  const sizes = new Set<string>();
  for (const view of kViews) {
    await open(page, `?${view}#v=1&view=${view}`);
    await unfold(page);
    const found = await page.locator(".hint").evaluateAll((all) => all.map((one) => getComputedStyle(one).fontSize));
    for (const size of found) sizes.add(size);
  }
  expect([...sizes]).toEqual(["13px"]);
});

test("whether layers share their numbers is said where they are counted", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=digits&digit=301");
  await expect(page.locator("[data-accuracy]")).toContainText("one layer used 10 times");
  await open(page, "?ten#v=1&view=digits&model=ten&digit=301");
  await expect(page.locator("[data-accuracy]")).toContainText("each with its own numbers");
  await open(page, "?story#v=1&view=story&stop=8");
  await expect(page.locator("article.stop")).toContainText("Here every layer is the same one");
});

test("ten digits have a legend: each its own colour, above its name", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "#v=1&view=digits&model=ten&digit=301");
  await windToEnd(page);
  const names = page.locator(".chance-ten b");
  await expect(names).toHaveText(["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
  const swatches = await names.evaluateAll((all) => all.map((one) => {
    const { borderTopColor, borderTopWidth } = getComputedStyle(one);
    return { colour: borderTopColor, wide: parseFloat(borderTopWidth) };
  }));
  expect(new Set(swatches.map(({ colour }) => colour)).size).toBe(10);
  for (const { wide } of swatches) expect(wide).toBeGreaterThanOrEqual(3);
  const classes = await page.evaluate(() => [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((c) => {
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.color = `var(--class-${c})`;
    const colour = getComputedStyle(probe).color;
    probe.remove();
    return colour;
  }));
  expect(swatches.map(({ colour }) => colour)).toEqual(classes); // as tokens and gates have it
  await expect(page.locator(".story")).toContainText(words.tellPick(false));
});

test("a stylus draws, thicker where it is pressed harder", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page);
  const box = (await page.locator(".digit-stage .stage canvas").boundingBox())!;
  const side = 0.75 * Math.min(box.width, box.height);
  const pen = await page.context().newCDPSession(page);
  const put = (type: "mousePressed" | "mouseMoved" | "mouseReleased", [x, y]: [number, number], force: number) =>
    pen.send("Input.dispatchMouseEvent", {
      type, x: box.x + (box.width - side) / 2 + side * x, y: box.y + (box.height - side) / 2 + side * y,
      button: "left", buttons: type === "mouseReleased" ? 0 : 1, clickCount: 1, pointerType: "pen", force,
    });
  const drawn: number[] = [];
  for (const force of [0.2, 0.9]) {
    const before = wordOf(page, "ink");
    const [first, ...rest] = six();
    await put("mousePressed", first, force);
    for (const place of rest) await put("mouseMoved", place, force);
    await put("mouseReleased", rest.at(-1)!, force);
    await expect.poll(() => wordOf(page, "ink")).not.toBe(before);
    await expect(page.locator(".stage-pen[data-sketching=true]")).toHaveCount(0);
    await expect(await landed(page)).toHaveAttribute("data-verdict", "6");
    drawn.push(Number(/(\d+) tokens/.exec(await page.locator("p[aria-live=polite]").innerText())?.[1]));
  }
  expect(drawn[1]).toBeGreaterThan(drawn[0]);
});
