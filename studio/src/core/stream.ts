// stream.ts: fetches a file as a stream: counts its parts as they arrive; can be cancelled.

/** How much of the streams that are on their way is here: bytes so far, and of how many in all; null: nothing is coming. */
export interface LoadProgress {
  got: number;
  all: number;
}

type Listener = (coming: LoadProgress | null) => void;
let listener: Listener = () => undefined;
const streams = new Map<object, LoadProgress>();

/** Hears from now on how much of all streams is here. */
export function onLoadProgress(hear: Listener): void {
  listener = hear;
}

function reportProgress(): void {
  const sum = { got: 0, all: 0 };
  for (const { got, all } of streams.values()) {
    sum.got += got;
    sum.all += Math.max(got, all);
  }
  listener(streams.size === 0 ? null : sum);
}

/** An array of `old`'s bytes with room for `size`. */
function grown(old: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> {
  const more = new Uint8Array(Math.max(size, 2 * old.length));
  more.set(old);
  return more;
}

/** The bytes of an answer; `size`: how many there will be, where that is known. They are read into one array as they come. */
export async function readBytes(answer: Response, size = 0): Promise<ArrayBuffer> {
  if (!answer.body) return answer.arrayBuffer();
  const key = {};
  const reader = answer.body.getReader();
  let bytes = new Uint8Array(size);
  let got = 0;
  try {
    for (;;) {
      streams.set(key, { got, all: size });
      reportProgress();
      const { value, done } = await reader.read();
      if (done) break;
      if (got + value.length > bytes.length) bytes = grown(bytes, got + value.length);
      bytes.set(value, got);
      got += value.length;
    }
  } finally {
    streams.delete(key);
    reportProgress();
  }
  return got === bytes.length ? bytes.buffer : bytes.buffer.slice(0, got);
}

/** Fetches a file as a stream; `off` calls it off, and then it rejects with an AbortError. */
export async function fetchBytes(path: string | URL, size = 0, off?: AbortSignal): Promise<ArrayBuffer> {
  const answer = await fetch(path, { signal: off });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return readBytes(answer, size);
}

/** Whether something was cancelled, which is not a fault. */
export function isCancelled(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
