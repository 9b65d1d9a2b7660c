// record.ts: a flight as a video, frame by frame: the same flight gives the same frames on any machine.
import {
  BufferTarget,
  CanvasSource,
  getFirstEncodableVideoCodec,
  Mp4OutputFormat,
  Output,
  QUALITY_HIGH,
  WebMOutputFormat,
} from "mediabunny";
import type { OnStage } from "../state/session";
import { strings } from "../strings";
import { captionOf, compose } from "./compose";

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

export interface Recording {
  blob: Blob;
  extension: string;
  frames: number;
}

interface Encoder {
  output: Output;
  source: CanvasSource;
  target: BufferTarget;
  type: "mp4" | "webm";
}

/** H.264 in MP4, or what else the browser encodes in WebM. */
async function encoderFor(canvas: HTMLCanvasElement, recipe: string): Promise<Encoder> {
  const size = { width: canvas.width, height: canvas.height };
  const mp4 = await getFirstEncodableVideoCodec(["avc"], size);
  const codec = mp4 ?? (await getFirstEncodableVideoCodec(["vp9", "vp8", "av1"], size));
  if (!codec) throw new Error(strings.common.noVideo);
  const format = mp4 ? new Mp4OutputFormat({ fastStart: "in-memory" }) : new WebMOutputFormat();
  const target = new BufferTarget();
  const output = new Output({ format, target });
  const source = new CanvasSource(canvas, { codec, quality: QUALITY_HIGH, sizeChangeBehavior: "contain" });
  output.addVideoTrack(source, { frameRate: kFramesPerSecond });
  output.setMetadataTags({ title: strings.common.title, comment: recipe });
  return { output, source, target, type: mp4 ? "mp4" : "webm" };
}

/** Flies to the end, then draws every moment once. `report` is told how far it is; false stops it. */
export async function record(
  on: OnStage,
  recipe: string,
  report: (done: number, all: number) => boolean,
): Promise<Recording | null> {
  const { player } = on;
  const film = player.film.value;
  if (!film) return null;
  const was = { at: player.at.value, playing: player.playing.value };
  const canvas = document.createElement("canvas");
  let encoder: Encoder | null = null;
  try {
    player.put(was.at);
    compose(on, canvas, captionOf(on));
    encoder = await encoderFor(canvas, recipe);
    const { output, source, target, type } = encoder;
    await film.need(film.last);
    await player.ghost.value?.need(film.last);
    const moments = momentsOf(film.first, film.end);
    await output.start();
    for (const [k, at] of moments.entries()) {
      if (!report(k, moments.length) || player.film.value !== film) return null;
      player.put(at);
      compose(on, canvas, captionOf(on));
      await source.add(k / kFramesPerSecond, 1 / kFramesPerSecond);
    }
    await output.finalize();
    return { blob: new Blob([target.buffer!], { type: `video/${type}` }), extension: type, frames: moments.length };
  } finally {
    if (encoder && encoder.output.state !== "finalized") await encoder.output.cancel().catch(() => undefined);
    if (player.film.value === film) player.put(was.at, was.playing);
  }
}
