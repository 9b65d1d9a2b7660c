// gif_worker.ts: makes a GIF in a worker: receives options first, then pictures, then the request for the file.
import { GifMaker, type GifOptions } from "./gif";

export type GifCall = { options: GifOptions } | { picture: ArrayBuffer } | { finish: true };
/** After every picture an empty answer, so that not too many wait; the file at the end. */
export type GifAnswer = { gif: Uint8Array<ArrayBuffer> } | { took: true };

let maker: GifMaker | null = null;

self.onmessage = ({ data }: MessageEvent<GifCall>) => {
  if ("options" in data) maker = new GifMaker(data.options);
  else if ("picture" in data) {
    maker!.add(new Uint8ClampedArray(data.picture));
    self.postMessage({ took: true } satisfies GifAnswer);
  } else {
    const gif = maker!.finish();
    self.postMessage({ gif } satisfies GifAnswer, { transfer: [gif.buffer] });
  }
};
