// file.ts: reads the file of a traced transformer, schema murmur-words-2 or -1, refuses any other, and shows its layers as a film.
import type { Fault, Frames } from "../../core/protocol";
import { Film } from "../../state/film";
import { words } from "../../strings/words";

export interface Said {
  token: string;
  probability: number;
}

/** One text as the transformer read it; frame 0 is the dictionary, frame k is behind layer k. */
export interface TracedText {
  text: string;
  given: number; // tokens that were given; those behind it the model wrote
  tokens: string[]; // (n)
  frames: number;
  places: Float32Array; // (frames, n, 3)
  attention: Float32Array | null; // (frames - 1, heads, n, n) shares from 0 to 1
  cosine: number[]; // (frames) mean over the pairs
  lens: Said[][]; // (frames) the likeliest next tokens, or none
  twin: { places: Float32Array; distance: number[]; still: number[] };
}

/** A token that the first two texts both have, and the cosine of the two by frame. */
export interface Shared {
  token: string;
  first: number;
  second: number;
  cosine: number[]; // (frames)
}

export interface WordsTrace {
  model: string;
  d: number;
  heads: number;
  axes: number[]; // shares of the spread that the three axes show
  texts: TracedText[];
  shared: Shared[];
}

type Raw = Record<string, unknown>;

function refuse(where: string): never {
  const fault: Fault = { fault: 3, what: words.notWords, where, remedy: words.notWordsHint };
  throw fault;
}

function object(value: unknown, where: string): Raw {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Raw) : refuse(where);
}
function list(value: unknown, where: string): unknown[] {
  return Array.isArray(value) ? value : refuse(where);
}
function whole(value: unknown, where: string): number {
  return Number.isInteger(value) && (value as number) >= 0 ? (value as number) : refuse(where);
}
function text(value: unknown, where: string): string {
  return typeof value === "string" ? value : refuse(where);
}
/** As many numbers as asked for; what is not known is null in the file. */
function numbers(value: unknown, count: number, where: string): number[] {
  const all = list(value, where);
  if (all.length !== count) refuse(where);
  return all.map((one) => (typeof one === "number" ? one : one === null ? NaN : refuse(where)));
}

function bytes(value: unknown, where: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text(value, where)), (letter) => letter.charCodeAt(0));
  } catch {
    return refuse(where);
  }
}
function floats(value: unknown, count: number, where: string): Float32Array {
  const read = bytes(value, where);
  if (read.length !== 4 * count) refuse(where);
  const places = new Float32Array(read.buffer);
  return places.every(Number.isFinite) ? places : refuse(where);
}

/** A number of half precision, from its 16 bits. */
export function halfOf(bits: number): number {
  const [exponent, part] = [(bits >> 10) & 31, bits & 1023];
  const size = exponent === 0 ? part * 2 ** -24 : exponent === 31 ? (part ? NaN : Infinity) : (1024 + part) * 2 ** (exponent - 25);
  return bits & 0x8000 ? -size : size;
}

/** Shares of half precision; in files of the first schema a byte each, 255 a share of 1. */
function sharesIn(value: unknown, count: number, halves: boolean): Float32Array {
  const read = bytes(value, "attention");
  if (read.length !== count * (halves ? 2 : 1)) refuse("attention");
  const shares = new Float32Array(count);
  for (let e = 0; e < count; ++e) shares[e] = halves ? halfOf(read[2 * e] | (read[2 * e + 1] << 8)) : read[e] / 255;
  return shares.every((share) => share >= 0 && share <= 1) ? shares : refuse("attention");
}

function textOf(value: unknown, heads: number, halves: boolean): TracedText {
  const raw = object(value, "texts");
  const tokens = list(raw.tokens, "tokens").map((token) => text(token, "tokens"));
  const n = tokens.length;
  const frames = list(raw.mean_cos, "mean_cos").length;
  if (n === 0 || frames < 2) refuse("tokens");
  const twin = object(raw.twin, "twin");
  const attention = raw.attention === null ? null : sharesIn(raw.attention, (frames - 1) * heads * n * n, halves);
  const lens = list(raw.lens, "lens").map((row) =>
    list(row, "lens").map((one) => {
      const { token, probability } = object(one, "lens");
      return { token: text(token, "lens"), probability: numbers([probability], 1, "lens")[0] };
    }),
  );
  if (lens.length !== 0 && lens.length !== frames) refuse("lens");
  return {
    text: text(raw.text, "text"),
    given: whole(raw.given, "given"),
    tokens,
    frames,
    places: floats(raw.places, frames * n * 3, "places"),
    attention,
    cosine: numbers(raw.mean_cos, frames, "mean_cos"),
    lens,
    twin: {
      places: floats(twin.places, frames * n * 3, "twin.places"),
      distance: numbers(twin.distance, frames, "twin.distance"),
      still: numbers(twin.still, frames, "twin.still"),
    },
  };
}

function sharedOf(value: unknown, texts: TracedText[]): Shared {
  const raw = object(value, "shared");
  const [first, second] = [whole(raw.first, "shared"), whole(raw.second, "shared")];
  if (texts.length < 2 || first >= texts[0].tokens.length || second >= texts[1].tokens.length) refuse("shared");
  return { token: text(raw.token, "shared"), first, second, cosine: numbers(raw.cosine, texts[0].frames, "shared") };
}

/** The trace of a file's text; throws a Fault for anything else. */
export function parseWords(json: string): WordsTrace {
  let raw: Raw;
  try {
    raw = object(JSON.parse(json), "{}");
  } catch {
    return refuse("{}");
  }
  if (raw.schema !== "murmur-words-1" && raw.schema !== "murmur-words-2") refuse("schema");
  const heads = whole(raw.heads, "heads");
  const texts = list(raw.texts, "texts").map((one) => textOf(one, heads, raw.schema === "murmur-words-2"));
  if (texts.length === 0) refuse("texts");
  return {
    model: text(raw.model, "model"),
    d: whole(raw.d, "d"),
    heads,
    axes: numbers(raw.axes, 3, "axes"),
    texts,
    shared: list(raw.shared, "shared").map((one) => sharedOf(one, texts)),
  };
}

/** A token as readers know it: without the sign of a space before it; line ends and bare spaces as signs. */
export function spelled(token: string): string {
  const bare = token.replace(/^[\u0120\u2581 ]+/, "");
  if (bare === "\n" || bare === "<0x0A>" || bare === "\u010a") return "⏎";
  return bare === "" ? "␣" : bare;
}

/** As `spelled`, with a sign for the space that begins it. */
export function spaced(token: string): string {
  const bare = spelled(token);
  return /^[\u0120\u2581 ]/.test(token) && bare !== "␣" ? `␣${bare}` : bare;
}

/** What was given to the model and what it wrote behind it, each as plain text. */
export function distinctLabels({ tokens, given }: Pick<TracedText, "tokens" | "given">): { given: string; written: string } {
  const plain = (some: readonly string[]) =>
    some.filter((one) => !isSpecial(one)).map((one) => one.replace(/[\u0120\u2581]/g, " ").replace(/^(<0x0A>|\u010a)$/, "\n")).join("");
  return { given: plain(tokens.slice(0, given)).trimStart(), written: plain(tokens.slice(given)) };
}

/** Whether a token is special: begin, end, separation. */
export function isSpecial(token: string): boolean {
  return /^(\[[A-Z]+\]|<\/?[a-z|_]+>)$/.test(token);
}

const kColumns = ["mean_cos", "twin_distance", "start_distance"];

export class WordsFilm extends Film {
  override readonly cosines = new Float64Array(0);
  /** What places are multiplied by: the farthest state of any layer, or of the twin, is at distance 1. */
  readonly scale: number;

  constructor(readonly text: TracedText, farthest: number) {
    const { frames, tokens } = text;
    const scale = farthest > 0 ? 1 / farthest : 1;
    const observables = new Float64Array(frames * kColumns.length);
    for (let k = 0; k < frames; ++k) {
      observables.set([text.cosine[k], text.twin.distance[k], text.twin.still[k]], k * kColumns.length);
    }
    const all: Frames = {
      flight: -1, first: 0, count: frames, times: Float64Array.from({ length: frames }, (_, k) => k),
      positions: text.places.map((x) => scale * x), observables, cosines: new Float64Array(0),
      scores: new Float64Array(0), verdicts: new Int8Array(0), ended: { ok: true, what: "", remedy: "" },
    };
    super(
      { fly: async () => all, close: async () => undefined },
      {
        id: -1, n: tokens.length, d: 3, habitat: "space", frames, first: 0, T: frames - 1, columns: kColumns,
        digits: [], classes: [], known: [], config: "",
      },
    );
    this.scale = scale;
  }
}

/** How far from the middle anything of these texts ever is. */
export function farthestOf(texts: readonly TracedText[]): number {
  let most = 0;
  for (const { places, twin } of texts) {
    for (const rows of [places, twin.places]) {
      for (let e = 0; e < rows.length; e += 3) most = Math.max(most, Math.hypot(rows[e], rows[e + 1], rows[e + 2]));
    }
  }
  return most;
}

/** Where token `i` is in rows (frames, n, 3) at a fractional frame, times `scale`. */
export function placeAt(rows: Float32Array, n: number, i: number, at: number, scale: number): [number, number, number] {
  const last = rows.length / (3 * n) - 1;
  const k = Math.max(0, Math.min(Math.floor(at), last));
  const share = Math.max(0, Math.min(1, at - k));
  const next = Math.min(k + 1, last);
  const entry = (c: number) => {
    const [a, b] = [rows[(k * n + i) * 3 + c], rows[(next * n + i) * 3 + c]];
    return scale * (a + share * (b - a));
  };
  return [entry(0), entry(1), entry(2)];
}
