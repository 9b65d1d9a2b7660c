// colours.ts: one colour per class, read from the page's style.
import { inkOf, type Rgb } from "../../scene/ink";

/** The names of the classes' colours: two sides, or ten hues. */
export function classColours(classes: number): string[] {
  return classes === 2 ? ["--left", "--right"] : Array.from({ length: classes }, (_, c) => `--class-${c % 10}`);
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
  return {
    classes: classColours(classes).map(inkOf),
    ink: inkOf("--ink"),
    paper: inkOf("--paper"),
    query: inkOf("--query"),
    key: inkOf("--key"),
    value: inkOf("--value"),
    will: inkOf("--will"),
    accent: inkOf("--accent"),
  };
}
