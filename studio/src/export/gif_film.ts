// gif_film.ts: a run as a GIF for chats: a hundred small pictures, made in a worker.
import type { OnStage } from "../state/session";
import { Composer } from "./compose";
import type { GifAnswer, GifCall } from "./gif_worker";
import { within } from "./layout";
import { film, type Taker, type Recording, type Report, type Wish } from "./record_film";

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
