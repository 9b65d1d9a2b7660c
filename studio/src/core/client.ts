// client.ts: starts the core's worker and calls it like a local object.

import type { Answer, Call, Core, Fault } from "./protocol";
import { core as words } from "../strings";

/** The core, and a function that stops its worker and refuses open calls. */
export interface RunningCore extends Core {
  stop(): void;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(fault: Fault): void;
}

function stopped(where: string): Fault {
  return { fault: 1, where, ...words.stopped };
}

const names: (keyof Core)[] = [
  "about", "flight", "trained", "centre", "flock", "flockOfPoints", "fly", "frame", "branch", "gaze", "dome", "groups", "nextWord",
  "fields", "velocity", "carry", "axes", "close", "release",
];

/** Calls a worker by messages; it answers in the order of asking. */
function connectCore(worker: Worker): RunningCore {
  const waiting = new Map<number, Waiting>();
  let next = 0;
  let end: Fault | null = null;

  const finish = (fault: Fault) => {
    end = fault;
    worker.terminate();
    for (const one of waiting.values()) one.reject(fault);
    waiting.clear();
  };
  worker.onmessage = (event: MessageEvent<Answer>) => {
    const { id, result, fault } = event.data;
    const one = waiting.get(id);
    waiting.delete(id);
    if (fault) one?.reject(fault);
    else one?.resolve(result);
  };
  worker.onerror = (event) => finish(stopped(event.message));

  const core: Record<string, unknown> = { stop: () => finish(stopped("stop")) };
  for (const name of names)
    core[name] = (...given: unknown[]) =>
      new Promise((resolve, reject) => {
        if (end) {
          reject(end);
          return;
        }
        const call: Call = { id: next++, name, given };
        waiting.set(call.id, { resolve, reject });
        worker.postMessage(call);
      });
  return core as unknown as RunningCore;
}

/** A core in a worker of its own, once it has answered. */
export async function startCore(): Promise<RunningCore> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  const core = connectCore(worker);
  await core.about();
  return core;
}
