// record.test.ts: a recording leaves the film as it was and the encoder closed, however it ends.
import { effect } from "@preact/signals";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Core, FlightInfo } from "../src/core/protocol";
import type { OnStage } from "../src/state/session";

const made: { state: string; frames: number[] }[] = [];
let failsAt = Infinity;
vi.mock("mediabunny", () => {
  class Output {
    state = "pending";
    frames: number[] = [];
    constructor() {
      made.push(this);
    }
    addVideoTrack(source: { output: Output }) {
      source.output = this;
    }
    setMetadataTags() {}
    start = async () => void (this.state = "started");
    cancel = async () => void (this.state = "canceled");
    finalize = async () => void (this.state = "finalized");
  }
  class VideoSample {
    constructor(readonly frame: { timestamp: number; close(): void }) {}
    close = () => this.frame.close();
  }
  class VideoSampleSource {
    output!: Output;
    add = async ({ frame }: VideoSample) => {
      if (this.output.frames.length >= failsAt) throw new Error("the encoder broke");
      this.output.frames.push(frame.timestamp / 1e6);
    };
  }
  class Plain {
    buffer = new ArrayBuffer(4);
  }
  return {
    Output, VideoSample, VideoSampleSource, BufferTarget: Plain, Mp4OutputFormat: Plain, WebMOutputFormat: Plain, QUALITY_HIGH: 1,
    getFirstEncodableVideoCodec: async () => "avc",
  };
});
let open = 0; // frames that nobody has closed
vi.stubGlobal("VideoFrame", class {
  readonly timestamp: number;
  constructor(pixels: ArrayBuffer, { timestamp, codedWidth, codedHeight }: VideoFrameBufferInit) {
    expect(pixels.byteLength).toBe(4 * codedWidth * codedHeight);
    this.timestamp = timestamp;
    ++open;
  }
  close = () => void --open;
});
const drawn: number[] = [];
let disposed = 0;
vi.mock("../src/export/compose", () => ({
  Composer: class {
    canvas = { width: 2, height: 2, getContext: () => ({ getImageData: () => ({ data: new Uint8ClampedArray(16) }) }) };
    constructor(private readonly on: OnStage) {}
    draw() {
      drawn.push(this.on.player.at.value);
      return this.canvas;
    }
    dispose() {
      ++disposed;
    }
  },
}));
const kWish = { size: [2, 2] as const, recipe: "#v=1", address: "" };

const { record } = await import("../src/export/record");
const { Film } = await import("../src/state/film");
const { Player } = await import("../src/state/player");

function stage() {
  const info = { id: 1, n: 1, d: 1, frames: 5, first: 0, columns: [], digits: [], classes: [] } as unknown as FlightInfo;
  const fly = async () => ({
    flight: 1, first: 0, count: 5, times: new Float64Array(5), positions: new Float32Array(5),
    observables: new Float64Array(), cosines: new Float64Array(), scores: new Float64Array(),
    verdicts: new Int8Array(), ended: { ok: true, what: "", remedy: "" },
  });
  const player = new Player();
  player.load(new Film({ fly, close: async () => undefined } as unknown as Core, info), { play: true });
  const scene = { lent: false, touch: () => undefined };
  return { view: "flock", player, stage: scene, draw: () => undefined } as unknown as OnStage;
}

beforeEach(() => {
  made.length = 0;
  drawn.length = 0;
  disposed = 0;
  failsAt = Infinity;
});

describe("a recording", () => {
  it("goes to the end, and the film goes on as before", async () => {
    const on = stage();
    const got = await record(on, kWish, () => true);
    expect([got?.extension, got?.frames, made[0].frames.length]).toEqual(["mp4", 241, 241]);
    expect([made[0].state, on.player.at.value, on.player.playing.value]).toEqual(["finalized", 0, true]);
  });
  it("draws every moment, and shows none of them to the page", async () => {
    const on = stage();
    const seen = new Set<number>();
    const stop = effect(() => void seen.add(on.player.at.value));
    await record(on, kWish, () => {
      expect(on.stage!.lent).toBe(true);
      return true;
    });
    stop();
    expect([drawn[0], drawn.at(-1), new Set(drawn).size]).toEqual([0, 4, 241]);
    expect([...seen]).toEqual([0]);
    expect([on.stage!.lent, disposed]).toEqual([false, 1]);
  });
  it("shows them where something on stage follows the frames", async () => {
    const on = { ...stage(), asks: () => true };
    const seen = new Set<number>();
    const stop = effect(() => void seen.add(on.player.at.value));
    await record(on, kWish, () => true);
    stop();
    expect(seen.size).toBe(241);
    expect([on.player.at.value, on.player.playing.value]).toEqual([0, true]);
  });
  it("that is stopped is cancelled, and the film goes on as before", async () => {
    const on = stage();
    expect(await record(on, kWish, (done) => done < 9)).toBeNull();
    expect([made[0].state, made[0].frames.length]).toEqual(["canceled", 9]);
    expect([on.player.at.value, on.player.playing.value]).toEqual([0, true]);
  });
  it("of a film that was taken off the stage is cancelled", async () => {
    const on = stage();
    const got = await record(on, kWish, (done) => {
      if (done === 3) on.player.close();
      return true;
    });
    expect([got, made[0].state, made[0].frames.length]).toEqual([null, "canceled", 3]);
  });
  it("that breaks says so, is cancelled, and the film goes on as before", async () => {
    failsAt = 5;
    const on = stage();
    await expect(record(on, kWish, () => true)).rejects.toThrow("the encoder broke");
    expect([made[0].state, on.player.at.value, on.player.playing.value]).toEqual(["canceled", 0, true]);
  });
});
