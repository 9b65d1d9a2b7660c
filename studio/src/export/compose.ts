// compose.ts: one flat picture of the stage: scene, digit, verdict, moment and address, in any size.
import { Lens } from "../scene/lens";
import type { Card, OnStage } from "../state/session";
import { strings } from "../strings";
import { layoutOf, writtenAddress, type Box, type Layout } from "./layout";
import { decimal } from "../strings/numbers";

const kFont = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";
const kWord = 24; // size of the scene's words, in units of the layout
const kPageWord = 13; // and in CSS pixels on the page
const kInRing = 32; // CSS pixels of the page that a gate's name may be high to be within its ring
type Ink = NonNullable<Card["inks"]>[number];

/** The colours of the page, asked once: "--ink" or a colour itself. */
class Colours {
  private readonly style = getComputedStyle(document.documentElement);
  private readonly known = new Map<string, string>();

  of(name: string): string {
    const before = this.known.get(name);
    if (before !== undefined) return before;
    const colour = name.startsWith("--") ? this.style.getPropertyValue(name).trim() : name;
    this.known.set(name, colour);
    return colour;
  }
}

/** A drawing as a picture of its own size in the colour of ink. */
function drawnInk({ width, height, pixels }: Ink, colour: string): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const ctx = canvas.getContext("2d")!;
  ctx.fillStyle = colour;
  ctx.fillRect(0, 0, width, height);
  const image = ctx.getImageData(0, 0, width, height);
  for (let k = 0; k < pixels.length; ++k) image.data[4 * k + 3] = pixels[k];
  ctx.putImageData(image, 0, 0);
  return canvas;
}

/** "t = 3.2", or as the view names its moments. */
export function momentOf(on: OnStage): string {
  return on.card?.()?.moment ?? `t = ${decimal(String(Number(on.player.time.value.toPrecision(4))))}`;
}

/** Makes pictures of one size of what is on stage; `dispose` when they are made. */
export class Composer {
  readonly canvas = document.createElement("canvas");
  private readonly ctx: CanvasRenderingContext2D;
  private readonly colours = new Colours();
  private readonly layout: Layout;
  private readonly lens: Lens;
  private readonly inks = new Map<Ink, HTMLCanvasElement>();

  /** `read`: pixels will be read back, as a GIF needs them. */
  constructor(
    private readonly on: OnStage, size: readonly [number, number], private readonly address: string, read = false,
  ) {
    const { stage } = on;
    if (!stage) throw new Error(strings.common.noWebgl);
    [this.canvas.width, this.canvas.height] = size;
    this.ctx = this.canvas.getContext("2d", { alpha: false, willReadFrequently: read })!;
    const card = on.card?.();
    this.layout = layoutOf(size[0], size[1], card ? (card.chances ? "card" : "line") : null);
    const { w, h } = this.layout.scene;
    this.lens = new Lens(stage, w, h, 1.6 * this.layout.unit);
  }

  /** Draws what the player is at. */
  draw(): HTMLCanvasElement {
    const { ctx, canvas, layout, colours } = this;
    this.on.draw();
    ctx.fillStyle = colours.of("--paper");
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    ctx.drawImage(this.lens.paint(), layout.scene.x, layout.scene.y);
    this.drawWords();
    this.drawHead();
    const card = this.on.card?.();
    if (card && layout.card) this.drawCard(card, layout.card);
    this.drawFoot();
    return canvas;
  }

  private font(size: number, weight = 400): string {
    return `${weight} ${Math.round(size * this.layout.unit)}px ${kFont}`;
  }

  private write(text: string, x: number, y: number, look: { font: string; colour: string; align?: CanvasTextAlign }) {
    const { ctx } = this;
    ctx.font = look.font;
    ctx.fillStyle = this.colours.of(look.colour);
    ctx.textAlign = look.align ?? "left";
    ctx.textBaseline = "middle";
    ctx.fillText(text, x, y);
    return ctx.measureText(text).width;
  }

  private drawWords(): void {
    const { ctx, layout } = this;
    ctx.lineJoin = "round";
    const gate = Math.min(46, (kInRing * this.lens.scale) / layout.unit);
    for (const word of this.lens.words((kWord * layout.unit) / kPageWord)) {
      const size = { gate, badge: 20, asking: 20 }[word.kind] ?? kWord;
      const font = this.font(size, word.kind === "gate" ? 700 : 600);
      const lines = word.text.split("\n");
      lines.forEach((text, k) => {
        const x = layout.scene.x + word.x;
        const y = layout.scene.y + word.y + 1.3 * size * layout.unit * (k - (lines.length - 1) / 2);
        ctx.font = font;
        ctx.textAlign = "center";
        ctx.textBaseline = "middle";
        ctx.lineWidth = 6 * layout.unit;
        ctx.strokeStyle = this.colours.of("--paper");
        const ink = ctx.measureText(text);
        const low = word.kind === "gate" ? (ink.actualBoundingBoxAscent - ink.actualBoundingBoxDescent) / 2 : 0;
        ctx.strokeText(text, x, y + low); // what is inked of a gate's name is in the middle of its ring
        this.write(text, x, y + low, { font, colour: word.kind === "axis" ? "--ink-soft" : "--ink", align: "center" });
      });
    }
  }

  /** Name of the page and of the view; the moment at the right. */
  private drawHead(): void {
    const { margin, head } = this.layout;
    const { title, views } = strings.common;
    const used = this.write(title, margin, head, { font: this.font(34, 700), colour: "--ink" });
    const soft = { font: this.font(30), colour: "--ink-soft" };
    this.write(` · ${views[this.on.view]}`, margin + used, head, soft);
    this.write(momentOf(this.on), this.canvas.width - margin, head, { ...soft, align: "right" });
  }

  private drawFoot(): void {
    const { margin, foot } = this.layout;
    const font = this.font(22);
    this.ctx.font = font;
    const sign = this.ctx.measureText("0").width;
    const most = Math.floor((this.canvas.width - 2 * margin) / sign);
    this.write(writtenAddress(this.address, most), margin, foot, { font, colour: "--ink-soft" });
  }

  private drawCard(card: Card, box: Box): void {
    const { unit } = this.layout;
    let x = box.x;
    for (const ink of card.inks ?? []) {
      this.drawInk(ink, { x, y: box.y, w: box.h - 16 * unit, h: box.h - 16 * unit });
      x += box.h + 8 * unit;
    }
    const line = box.y + (card.chances ? 0.27 : 0.4) * box.h;
    const font = this.fitted(card.headline, box.x + box.w - x, card.chances ? 48 : 34);
    this.write(card.headline, x, line, { font, colour: card.colour });
    const below = { x, y: box.y + 0.52 * box.h, w: box.x + box.w - x, h: 0.36 * box.h };
    if (card.chances) this.drawChances(card.chances, below);
  }

  /** The largest font, no larger than `size`, in which a text is no wider than it may be. */
  private fitted(text: string, width: number, size: number): string {
    this.ctx.font = this.font(size, 700);
    const wide = this.ctx.measureText(text).width;
    return this.font(wide > width ? (size * width) / wide : size, 700);
  }

  private drawInk(ink: Ink, { x, y, w, h }: Box): void {
    const { ctx, colours } = this;
    let picture = this.inks.get(ink);
    if (!picture) this.inks.set(ink, (picture = drawnInk(ink, colours.of("--ink"))));
    ctx.fillStyle = colours.of("--panel");
    ctx.fillRect(x, y, w, h);
    ctx.imageSmoothingEnabled = false;
    ctx.drawImage(picture, x, y, w, h);
    ctx.imageSmoothingEnabled = true;
    ctx.strokeStyle = colours.of("--line");
    ctx.lineWidth = Math.max(1, 2 * this.layout.unit);
    ctx.strokeRect(x, y, w, h);
  }

  /** Two chances share one bar; more are columns above their names. */
  private drawChances(chances: NonNullable<Card["chances"]>, { x, y, w, h }: Box): void {
    const { ctx, colours } = this;
    const wide = Math.min(w, 900 * this.layout.unit);
    if (chances.length === 2) {
      const split = wide * Math.min(0.96, Math.max(0.04, chances[0].share));
      const bars = [{ from: 0, to: split }, { from: split, to: wide }];
      bars.forEach(({ from, to }, k) => {
        ctx.fillStyle = colours.of(chances[k].colour);
        ctx.fillRect(x + from, y, to - from, 0.7 * h);
        const name = { font: this.font(24, 700), colour: "--paper", align: k === 0 ? "left" : "right" } as const;
        ctx.font = name.font;
        if (ctx.measureText(chances[k].name).width + 20 * this.layout.unit > to - from) return;
        const inside = 10 * this.layout.unit;
        this.write(chances[k].name, x + (k === 0 ? from + inside : to - inside), y + 0.36 * h, name);
      });
      return;
    }
    const step = wide / chances.length;
    const high = 0.62 * h;
    chances.forEach(({ name, share, colour }, k) => {
      ctx.fillStyle = colours.of("--line");
      ctx.fillRect(x + k * step, y + high - 1, 0.72 * step, Math.max(1, 2 * this.layout.unit));
      ctx.fillStyle = colours.of(colour);
      ctx.fillRect(x + k * step, y + high * (1 - share), 0.72 * step, high * share);
      const look = { font: this.font(22, 600), colour: "--ink-soft", align: "center" } as const;
      this.write(name, x + (k + 0.36) * step, y + 0.86 * h, look);
    });
  }

  dispose(): void {
    this.lens.dispose();
  }
}
