// picture.ts: pictures and files from the visitor, converted to parameters of the recipe.
import { holdsPoints } from "../../export/holds_points";
import { change, follow, word } from "../../state/recipe";
import { core, notice } from "../../state/session";
import { strings } from "../../strings";
import type { Ink } from "../../core/protocol";
import type { PadName } from "./flight";
import { fitPlaces, hasInk, kNoInk, inkOfGrey, encodeInk, encodePlaces } from "./ink";

const kMostSide = 400;
const kPictures = ["png", "jpg", "jpeg", "webp", "gif", "bmp", "svg", "avif"];
const kOfProgram = ["safetensors", "toml", "jsonl"]; // files of a run

/** Words that begin another flight: whatever else was drawn on this pad, and the hand's branch, are gone. */
export function begin(words: Record<string, string | number>, pad: PadName = ""): void {
  if (notice.value?.kind === "fault") notice.value = null;
  change({ [`ink${pad}`]: "", [`digit${pad}`]: "", points: "", edit: "", ...words });
}

/** The core's 28 x 28 of some ink, as a word; null where there is none. */
export async function centred(ink: Ink): Promise<string | null> {
  return hasInk(ink) ? encodeInk(await (await core).centre(ink)) : null;
}

/** A picture file in grey, laid over white, 400 pixels a side at most. */
async function greyOf(file: File): Promise<{ grey: Float32Array; height: number; width: number }> {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, kMostSide / Math.max(bitmap.width, bitmap.height));
  const width = Math.max(2, Math.round(scale * bitmap.width));
  const height = Math.max(2, Math.round(scale * bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const ctx = canvas.getContext("2d", { willReadFrequently: true })!;
  ctx.fillStyle = "white";
  ctx.fillRect(0, 0, width, height);
  ctx.drawImage(bitmap, 0, 0, width, height);
  bitmap.close();
  const { data } = ctx.getImageData(0, 0, width, height);
  const grey = new Float32Array(width * height);
  for (let k = 0; k < grey.length; ++k) {
    grey[k] = 0.2126 * data[4 * k] + 0.7152 * data[4 * k + 1] + 0.0722 * data[4 * k + 2];
  }
  return { grey, height, width };
}

/** Why a file is no picture: nothing in it, a file of the program, of another kind, or a picture that is damaged. */
async function unreadableReason(file: File): Promise<{ text: string; hint: string }> {
  const words = strings.digits;
  const ending = /\.([a-z0-9]{1,12})$/i.exec(file.name)?.[1].toLowerCase() ?? "";
  if (file.size === 0) return { text: words.emptyFile(file.name), hint: words.badPictureHint };
  if (kOfProgram.includes(ending)) return { text: words.programFile(file.name), hint: words.programFileHint };
  const head = new TextDecoder("latin1").decode(await file.slice(0, 12).arrayBuffer());
  const named = file.type.startsWith("image/") || kPictures.includes(ending);
  return named || /^(\x89PNG|GIF8|\xff\xd8|RIFF)/.test(head)
    ? { text: words.badPicture(file.name), hint: words.badPictureHint }
    : { text: words.noPicture(file.name), hint: words.badPictureHint };
}

/** Takes the first file: the recipe in a picture of the page is opened, positions become tokens, any other picture becomes ink. */
export async function take(files: readonly File[]): Promise<boolean> {
  const words = strings.digits;
  const file = files[0];
  if (!file) return false;
  const { recipeOfFile } = await import("../../export/file_recipe");
  const carried = await recipeOfFile(file);
  if (carried && follow(carried)) return true; // a picture of the page opens its recipe
  if (holdsPoints(file.name)) {
    const { readPoints } = await import("../../export/read_points");
    const points = await readPoints(file);
    const { rows, scaled } = fitPlaces(points.rows, points.d);
    begin({ points: encodePlaces(rows) });
    if (scaled) notice.value = { kind: "info", text: words.fitted };
    return true;
  }
  let picture;
  try {
    picture = await greyOf(file);
  } catch {
    notice.value = { kind: "fault", ...(await unreadableReason(file)) };
    return false;
  }
  const text = await centred(inkOfGrey(picture.grey, picture.height, picture.width));
  if (text === null) notice.value = { kind: "fault", text: words.noInk, hint: words.noInkHint };
  else {
    const pad = word("ink2", "") === kNoInk ? "2" : ""; // the right pad waits for a picture
    begin({ [`ink${pad}`]: text }, pad);
  }
  return text !== null;
}
