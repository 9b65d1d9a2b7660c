// record.ts: a run as a video, frame by frame: the same run gives the same frames on any machine.
import {
  BufferTarget,
  getFirstEncodableVideoCodec,
  Mp4OutputFormat,
  Output,
  QUALITY_HIGH,
  VideoSample,
  VideoSampleSource,
  WebMOutputFormat,
} from "mediabunny";
import type { OnStage } from "../state/session";
import { strings } from "../strings";
import { Composer } from "./compose";
import { film, type Taker, type Recording, type Report, type Wish } from "./record_film";

export const kFramesPerSecond = 30;

/**
 * The moments of a recording, as fractional frames: flights of few frames are drawn out to about
 * eight seconds, long ones go frame by frame.
 */
export function momentsOf(first: number, last: number): number[] {
  const frames = last - first;
  if (frames <= 0) return [first];
  const parts = Math.max(1, Math.round((8 * kFramesPerSecond) / frames));
  return Array.from({ length: frames * parts + 1 }, (_, k) => first + k / parts);
}

/**
 * Picture k as a frame for the encoder, by its pixels: a frame made of the canvas itself is read back by the encoder,
 * which without a graphics card takes several times as long as all else.
 */
function frameOf(canvas: HTMLCanvasElement, k: number): VideoFrame {
  const { width, height } = canvas;
  const { buffer } = canvas.getContext("2d")!.getImageData(0, 0, width, height).data;
  const look = {
    format: "RGBX", codedWidth: width, codedHeight: height, transfer: [buffer], // not copied
    timestamp: Math.round((1e6 * k) / kFramesPerSecond), duration: Math.round(1e6 / kFramesPerSecond),
  } as const;
  return new VideoFrame(buffer, look);
}

/** H.264 in MP4, or what else the browser encodes in WebM. */
async function videoTaker(composer: Composer, { size, recipe }: Wish): Promise<Taker & { type: "mp4" | "webm" }> {
  const [width, height] = size;
  const mp4 = await getFirstEncodableVideoCodec(["avc"], { width, height });
  const codec = mp4 ?? (await getFirstEncodableVideoCodec(["vp9", "vp8", "av1"], { width, height }));
  if (!codec) throw new Error(strings.common.noVideo);
  const target = new BufferTarget();
  const format = mp4 ? new Mp4OutputFormat({ fastStart: "in-memory" }) : new WebMOutputFormat();
  const output = new Output({ format, target });
  const source = new VideoSampleSource({ codec, quality: QUALITY_HIGH });
  output.addVideoTrack(source, { frameRate: kFramesPerSecond });
  output.setMetadataTags({ title: strings.common.title, comment: recipe });
  await output.start();
  let taken = 0;
  return {
    type: mp4 ? "mp4" : "webm",
    take: async () => {
      const sample = new VideoSample(frameOf(composer.canvas, taken++));
      try {
        await source.add(sample);
      } finally {
        sample.close();
      }
    },
    finish: async () => {
      await output.finalize();
      return new Blob([target.buffer!], { type: `video/${mp4 ? "mp4" : "webm"}` });
    },
    close: async () => {
      if (output.state !== "finalized") await output.cancel().catch(() => undefined);
    },
  };
}

/** The flight on stage as a video. */
export async function record(on: OnStage, wish: Wish, report: Report): Promise<Recording | null> {
  let extension = "";
  const make = async (): Promise<[Composer, Taker]> => {
    const composer = new Composer(on, wish.size, wish.address, true);
    const taker = await videoTaker(composer, wish).catch((error: unknown) => {
      composer.dispose();
      throw error;
    });
    extension = taker.type;
    return [composer, taker];
  };
  const made = await film(on, momentsOf, make, report);
  return made && { ...made, extension, plays: made.frames / kFramesPerSecond };
}
