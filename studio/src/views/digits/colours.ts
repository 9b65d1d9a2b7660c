// colours.ts: one colour a class, read off the page's style.

export type Rgb = [number, number, number]; // 0 to 1, as on screen

/** The names of the classes' colours: two sides, or ten hues. */
export function classColours(classes: number): string[] {
  return classes === 2 ? ["--left", "--right"] : Array.from({ length: classes }, (_, c) => `--class-${c % 10}`);
}

/** "#rrggbb" or "#rgb" to shares; grey for anything else. */
export function rgbOf(text: string): Rgb {
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text.trim())?.[1];
  if (!hex) return [0.5, 0.5, 0.5];
  const wide = hex.length === 3 ? [...hex].map((h) => h + h).join("") : hex;
  return [0, 2, 4].map((k) => parseInt(wide.slice(k, k + 2), 16) / 255) as Rgb;
}

/** Linear light of a colour on screen, as lines want it. */
export function linear([r, g, b]: Rgb): Rgb {
  const one = (x: number) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
  return [one(r), one(g), one(b)];
}

export function mix(a: Rgb, b: Rgb, share: number): Rgb {
  return [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]), a[2] + share * (b[2] - a[2])];
}

/** What the scene paints with. */
export interface Paints {
  classes: Rgb[];
  ink: Rgb;
  paper: Rgb;
  query: Rgb;
  key: Rgb;
  value: Rgb;
  will: Rgb;
  accent: Rgb;
}

export function readPaints(classes: number): Paints {
  const style = getComputedStyle(document.documentElement);
  const paint = (name: string) => rgbOf(style.getPropertyValue(name));
  return {
    classes: classColours(classes).map(paint),
    ink: paint("--ink"),
    paper: paint("--paper"),
    query: paint("--query"),
    key: paint("--key"),
    value: paint("--value"),
    will: paint("--will"),
    accent: paint("--accent"),
  };
}
