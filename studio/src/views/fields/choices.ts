// choices.ts: the visitor's choices in the view Fields, read from the recipe.
import { amount, change, word } from "../../state/recipe";
import { kAxes, type Axis, type Slice } from "./slice";

export const kFields = ["query", "key", "value", "will"] as const;
export type FieldName = (typeof kFields)[number];
export const kInks: Record<FieldName | "velocity", string> = {
  query: "--query", key: "--key", value: "--value", will: "--will", velocity: "--accent",
};
export const kLines = ["none", ...kFields, "velocity"] as const;
export type LineName = (typeof kLines)[number];

export const kMostDrops = 12;
export const kSlice: Slice = { axis: "z", offset: 0, half: 12, count: 9 };
export const kShown: readonly FieldName[] = ["value"]; // one first, the others on demand

export function sliceNow(): Slice {
  const axis = word("axis", kSlice.axis) as Axis;
  return {
    axis: kAxes.includes(axis) ? axis : kSlice.axis,
    offset: amount("offset", kSlice.offset, -40, 40),
    half: amount("half", kSlice.half, 4, 40),
    count: Math.round(amount("grid", kSlice.count, 3, 21)),
  };
}

/** The recipe's word `fields`: "query,value"; "none" for no field at all. */
export function shownNow(): FieldName[] {
  const text = word("fields", kShown.join());
  return kFields.filter((name) => text.split(",").includes(name));
}

export function show(name: FieldName, on: boolean): void {
  const next = kFields.filter((field) => (field === name ? on : shownNow().includes(field)));
  const text = next.length > 0 ? next.join() : "none";
  change({ fields: text === kShown.join() ? "" : text });
}

export function showAll(): void {
  change({ fields: kFields.join() });
}

export function scaleNow(): number {
  return amount("scale", 1, 0.1, 5);
}

export function linesNow(): LineName {
  const name = word("lines", "none") as LineName;
  return kLines.includes(name) ? name : "none";
}

/** The block asked for, from 0; with -1, the default, the block that the flock is about to fly through. */
export function blockNow(blocks: number, frame: number): number {
  const asked = Math.round(amount("block", -1, -1, blocks - 1));
  return asked >= 0 ? asked : Math.max(0, Math.min(blocks - 1, frame));
}
