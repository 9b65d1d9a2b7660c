// words_client.ts: fetches the small transformer, starts the core that reads by it, and hands texts over.
import type { Fault } from "./protocol";

export interface ReadCall {
  id: number;
  text: string;
  more: number;
  name: string;
  weights?: ArrayBuffer; // with the first call alone
  tokens?: ArrayBuffer;
}

/** The file of the view Words as text, or why there is none. */
export interface ReadAnswer {
  id: number;
  words?: string;
  fault?: Fault;
}

export const kModel = "stories260K";

async function bytesOf(path: string): Promise<ArrayBuffer> {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.arrayBuffer();
}

interface Waiting {
  resolve(words: string): void;
  reject(fault: Fault): void;
}

/** The reader of texts; it lives as long as the page, once it has been asked for. */
export class TextReader {
  private readonly waiting = new Map<number, Waiting>();
  private next = 0;

  private constructor(private readonly worker: Worker, private files: { weights: ArrayBuffer; tokens: ArrayBuffer } | null) {
    worker.onmessage = (event: MessageEvent<ReadAnswer>) => {
      const { id, words, fault } = event.data;
      const one = this.waiting.get(id);
      this.waiting.delete(id);
      if (fault) one?.reject(fault);
      else one?.resolve(words ?? "");
    };
    worker.onerror = (event) => {
      const fault: Fault = { fault: 1, what: event.message, where: "", remedy: "" };
      for (const one of this.waiting.values()) one.reject(fault);
      this.waiting.clear();
    };
  }

  static async start(): Promise<TextReader> {
    const [weights, tokens] = await Promise.all([bytesOf("./words/stories260K.bin"), bytesOf("./words/tok512.bin")]);
    const worker = new Worker(new URL("./words_worker.ts", import.meta.url), { type: "module" });
    return new TextReader(worker, { weights, tokens });
  }

  /** Reads a text and lets the model write up to `more` tokens behind it; rejects with a Fault. */
  read(text: string, more: number): Promise<string> {
    return new Promise((resolve, reject) => {
      const call: ReadCall = { id: this.next++, text, more, name: kModel, ...(this.files ?? {}) };
      this.files = null;
      this.waiting.set(call.id, { resolve, reject });
      this.worker.postMessage(call);
    });
  }
}
