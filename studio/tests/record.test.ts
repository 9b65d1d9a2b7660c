// record.test.ts: a recording leaves the film as it was and the encoder closed, however it ends.
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
  class CanvasSource {
    output!: Output;
    add = async (time: number) => {
      if (this.output.frames.length >= failsAt) throw new Error("the encoder broke");
      this.output.frames.push(time);
    };
  }
  class Plain {
    buffer = new ArrayBuffer(4);
  }
  return {
    Output, CanvasSource, BufferTarget: Plain, Mp4OutputFormat: Plain, WebMOutputFormat: Plain, QUALITY_HIGH: 1,
    getFirstEncodableVideoCodec: async () => "avc",
  };
});
vi.mock("../src/export/compose", () => ({ compose: () => undefined, captionOf: () => "" }));
vi.stubGlobal("document", { createElement: () => ({ width: 2, height: 2 }) });

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
  return { view: "flock", player } as unknown as OnStage;
}

beforeEach(() => {
  made.length = 0;
  failsAt = Infinity;
});

describe("a recording", () => {
  it("goes to the end, and the film goes on as before", async () => {
    const on = stage();
    const got = await record(on, "#v=1", () => true);
    expect([got?.extension, got?.frames, made[0].frames.length]).toEqual(["mp4", 241, 241]);
    expect([made[0].state, on.player.at.value, on.player.playing.value]).toEqual(["finalized", 0, true]);
  });
  it("that is stopped is cancelled, and the film goes on as before", async () => {
    const on = stage();
    expect(await record(on, "#v=1", (done) => done < 9)).toBeNull();
    expect([made[0].state, made[0].frames.length]).toEqual(["canceled", 9]);
    expect([on.player.at.value, on.player.playing.value]).toEqual([0, true]);
  });
  it("of a film that was taken off the stage is cancelled", async () => {
    const on = stage();
    const got = await record(on, "#v=1", (done) => {
      if (done === 3) on.player.close();
      return true;
    });
    expect([got, made[0].state, made[0].frames.length]).toEqual([null, "canceled", 3]);
  });
  it("that breaks says so, is cancelled, and the film goes on as before", async () => {
    failsAt = 5;
    const on = stage();
    await expect(record(on, "#v=1", () => true)).rejects.toThrow("the encoder broke");
    expect([made[0].state, on.player.at.value, on.player.playing.value]).toEqual(["canceled", 0, true]);
  });
});
