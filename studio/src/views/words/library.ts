// library.ts: the trace on stage: a bundled one, a text typed here and read by the second core, or the visitor's own.
import { effect, signal, untracked } from "@preact/signals";
import { isCancelled } from "../../core/stream";
import { TextReader } from "../../core/words_client";
import { opening } from "../../state/moment";
import { Player } from "../../state/player";
import { amount, change, flag, followed, word } from "../../state/recipe";
import { isFault, notice, showError } from "../../state/session";
import { words } from "../../strings/words";
import { farthestOf, parseWords, spelled, type TracedText, WordsFilm, type WordsTrace } from "./file";
import { amongWords, type AttentionChoice, layerAt, sharesOf } from "./matrix";

export const kBundled = ["bank", "nail"] as const;
type Bundled = (typeof kBundled)[number];
export type TraceName = Bundled | "live" | "own";
export const kMostMore = 24;
export const kMore = 12;
const kRate = 0.8; // layers a second

/** A trace that was dropped, for as long as the page is open. */
const own = signal<WordsTrace | null>(null);
let reader: TextReader | null = null;

export function ownTrace(): WordsTrace | null {
  return own.value;
}

export function traceNow(): TraceName {
  const name = word("trace", "bank");
  if (name === "live" || (name === "own" && own.value)) return name;
  return kBundled.find((one) => one === name) ?? "bank";
}
export function textNow(trace: WordsTrace): number {
  return Math.round(amount("text", 1, 1, trace.texts.length)) - 1;
}
export function sayNow(): string {
  return word("say", words.initial);
}
export function moreNow(): number {
  return Math.round(amount("more", kMore, 0, kMostMore));
}
export function headNow(heads: number): number | null {
  const head = Math.round(Number(word("head", "")));
  return word("head", "") !== "" && head >= 1 && head <= heads ? head - 1 : null;
}

/** (n) attention weights of a token in the layer of a frame, as the recipe chooses them; null where that is not kept. */
export function sharesNow(trace: WordsTrace, text: TracedText, frame: number, token: number | null): Float64Array | null {
  if (token === null) return null;
  const shares = sharesOf(text, trace.heads, layerAt(frame, text), token, headNow(trace.heads));
  return shares && !flag("marks", true) ? amongWords(text, shares) : shares;
}

/** How the layer of a frame is listened to, as the recipe wishes it. */
export function earNow(trace: WordsTrace, text: TracedText, frame: number): AttentionChoice {
  return { layer: layerAt(frame, text), head: headNow(trace.heads), marks: flag("marks", true) };
}

/** The listener: the token in the recipe; else the word that both sentences share, or the last token. */
export function tokenNow(trace: WordsTrace, text: number): number | null {
  const { tokens } = trace.texts[text];
  const asked = word("boid", "");
  if (asked === "none") return null;
  const token = Number(asked);
  if (asked !== "" && Number.isInteger(token) && token >= 0 && token < tokens.length) return token;
  const shared = tokens.findIndex((one) => kBundled.some((name) => name === spelled(one)));
  return shared >= 0 ? shared : tokens.length - 1;
}

/** Shows a file that was dropped or chosen. */
export async function openFile(file: File): Promise<void> {
  own.value = parseWords(await file.text());
  change({ trace: "own", text: "", boid: "", head: "", say: "", more: "" });
}

async function bundled(name: Bundled): Promise<string> {
  const answer = await fetch(`./words/${name}.json`);
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.text();
}

/** Lets go of the reader of texts, of which nothing stays in memory. */
function closeReader(): void {
  reader?.stop();
  reader = null;
}

/** Streamed once a visit to the view; after a failure the next wish streams again. */
async function live(text: string, more: number): Promise<string> {
  reader ??= new TextReader();
  try {
    return await reader.read(text, more);
  } catch (error) {
    if (!isFault(error) && !isCancelled(error)) closeReader();
    throw error;
  }
}

export class Library {
  readonly player = new Player(kRate);
  readonly trace = signal<WordsTrace | null>(null);
  readonly busy = signal(false);
  private asked = "";
  private farthest = 1;
  private links = -1;

  /** Follows the recipe until the function it gives is called. */
  follow(): () => void {
    const stop = effect(() => {
      const name = traceNow();
      const wish = name === "live" ? JSON.stringify([name, sayNow(), moreNow()]) : name;
      const fresh = name === "own" ? own.value : null;
      untracked(() => void this.load(name, wish, fresh));
    });
    const stopText = effect(() => {
      const trace = this.trace.value;
      const text = trace ? textNow(trace) : 0;
      if (trace) untracked(() => this.show(trace, text));
    });
    return () => {
      stop();
      stopText();
      this.asked = "";
      this.player.close();
      closeReader();
    };
  }

  private async load(name: TraceName, wish: string, fresh: WordsTrace | null): Promise<void> {
    if (wish === this.asked && !fresh) return;
    this.asked = wish;
    if (fresh) return this.take(fresh);
    this.busy.value = true;
    try {
      const json = name === "live" ? await live(sayNow(), moreNow()) : await bundled(name as Bundled);
      if (this.asked === wish) this.take(parseWords(json));
    } catch (error) {
      if (this.asked !== wish || isCancelled(error)) return;
      this.asked = "";
      if (name === "live") change({ trace: "" }); // the text stays in its box, to be mended
      if (isFault(error)) showError(error);
      else if (name === "live") notice.value = { kind: "fault", text: words.readerFailed, hint: words.readerFailedHint };
      else notice.value = { kind: "fault", text: words.failed, hint: words.failedHint };
    } finally {
      if (this.asked === wish || this.asked === "") this.busy.value = false;
    }
  }

  private take(trace: WordsTrace): void {
    this.farthest = farthestOf(trace.texts);
    this.busy.value = false;
    this.trace.value = trace;
  }

  /** Another sentence of the same trace goes on at the same layer. */
  private show(trace: WordsTrace, text: number): void {
    const shown = this.player.film.value as WordsFilm | null;
    if (shown?.text === trace.texts[text]) return;
    const film = new WordsFilm(trace.texts[text], this.farthest);
    const same = shown !== null && trace.texts.includes(shown.text);
    const linked = this.links !== followed.value;
    this.links = followed.value;
    if (same && !linked) this.player.load(film, { at: this.player.at.value });
    else this.player.load(film, opening());
  }
}
