// record_film.ts: takes a run picture by picture, for any output format, and as a GIF for chats, made in a worker.
import type { OnStage } from "../state/session";
import { Composer } from "./compose";
import type { GifAnswer, GifCall } from "./gif_worker";
import { within } from "./layout";

export interface Recording {
  blob: Blob;
  extension: string;
  frames: number;
  plays: number; // seconds
}

/** What a film is made of: its size in pixels, the recipe it carries, the address it shows. */
export interface Wish {
  size: readonly [number, number];
  recipe: string;
  address: string;
}

export type Report = (done: number, all: number) => boolean;

/** Takes pictures one after another, and makes a file of them. */
export interface Taker {
  take(canvas: HTMLCanvasElement): Promise<void>;
  finish(): Promise<Blob>;
  /** Called however it ends. */
  close(): Promise<void>;
}

const kBreath = 30; // ms of work at most between two moments at which the page hears its visitor

/** Lets the page do what else waits. */
function yieldToPage(): Promise<void> {
  return new Promise((done) => {
    const { port1, port2 } = new MessageChannel(); // no timer, which waits at least 4 ms
    port1.onmessage = () => {
      port1.close();
      done();
    };
    port2.postMessage(null);
  });
}

/**
 * Runs to the end, then draws every moment once, and restores the stage. `report` receives how far it
 * is; false stops it, and then, as when another film comes on stage, there is none.
 */
export async function film(
  on: OnStage, moments: (first: number, end: number) => number[], make: () => Promise<[Composer, Taker]>,
  report: Report,
): Promise<{ blob: Blob; frames: number } | null> {
  const { player, stage } = on;
  const flight = player.film.value;
  if (!flight || !stage) return null;
  const was = { at: player.at.value, playing: player.playing.value };
  const follows = on.asks?.() ?? false;
  let made: [Composer, Taker] | null = null;
  try {
    await flight.need(flight.last);
    await player.ghost.value?.need(flight.last);
    stage.lent = true;
    if (follows) player.put(was.at);
    made = await make();
    const [composer, taker] = made;
    const all = moments(flight.first, flight.end);
    let breathed = performance.now();
    for (const [k, at] of all.entries()) {
      if (performance.now() - breathed > kBreath) {
        await yieldToPage();
        breathed = performance.now();
      }
      if (!report(k, all.length) || player.film.value !== flight) return null;
      if (follows) player.put(at);
      await on.settle?.(at);
      await taker.take(player.during(at, () => composer.draw()));
    }
    return { blob: await taker.finish(), frames: all.length };
  } finally {
    made?.[0].dispose();
    await made?.[1].close();
    stage.lent = false;
    if (player.film.value === flight) {
      if (follows) player.put(was.at, was.playing);
      on.draw();
      stage.touch();
    }
  }
}

const kPictures = 100;
const kDelay = 8; // hundredths of a second
const kRest = 160; // at the end
const kLongest = 540; // pixels

/** Evenly through the flight. */
function momentsOf(first: number, end: number): number[] {
  if (end <= first) return [first];
  return Array.from({ length: kPictures }, (_, k) => first + ((end - first) * k) / (kPictures - 1));
}

function gifTaker(size: readonly [number, number], comment: string): Taker {
  const worker = new Worker(new URL("./gif_worker.ts", import.meta.url), { type: "module" });
  const [width, height] = size;
  const post = (call: GifCall, transfer: Transferable[] = []) => worker.postMessage(call, transfer);
  const answer = () =>
    new Promise<GifAnswer>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<GifAnswer>) => resolve(data);
      worker.onerror = (event) => reject(new Error(event.message));
    });
  post({ options: { width, height, delay: kDelay, rest: kRest, comment } });
  let last: Promise<GifAnswer> | null = null;
  return {
    take: async (canvas) => {
      const { data } = canvas.getContext("2d")!.getImageData(0, 0, width, height);
      await last;
      last = answer();
      post({ picture: data.buffer as ArrayBuffer }, [data.buffer]);
    },
    finish: async () => {
      await last;
      const coming = answer();
      post({ finish: true });
      const made = await coming;
      return new Blob("gif" in made ? [made.gif] : [], { type: "image/gif" });
    },
    close: async () => worker.terminate(),
  };
}

/** The flight on stage as a GIF of the same shape as the wish, no side longer than 540 pixels. */
export async function recordGif(on: OnStage, wish: Wish, report: Report): Promise<Recording | null> {
  const size = within(wish.size, kLongest);
  const make = async (): Promise<[Composer, Taker]> => {
    const composer = new Composer(on, size, wish.address, true);
    return [composer, gifTaker(size, wish.recipe)];
  };
  const made = await film(on, momentsOf, make, report);
  return made && { ...made, extension: "gif", plays: (kDelay * (made.frames - 1) + kRest) / 100 };
}
