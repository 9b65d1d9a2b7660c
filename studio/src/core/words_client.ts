// words_client.ts: fetches the small transformer, starts the core that reads with it, and passes texts to it.
import type { Fault } from "./protocol";
import { fetchBytes } from "./stream";

export interface ReadCall {
  id: number;
  text: string;
  more: number;
  name: string;
  weights?: ArrayBuffer; // only with the first call
  tokens?: ArrayBuffer;
}

/** The file of the view Words as text, or why there is none. */
export interface ReadAnswer {
  id: number;
  words?: string;
  fault?: Fault;
}

export const kModel = "stories260K";
export const kModelBytes = 1_056_540; // of its file; the page tells how much of it is here

interface Waiting {
  resolve(words: string): void;
  reject(fault: unknown): void;
}

/** The reader of texts: its core starts while its files come; stopped, it holds nothing. */
export class TextReader {
  private readonly worker = new Worker(new URL("./words_worker.ts", import.meta.url), { type: "module" });
  private readonly waiting = new Map<number, Waiting>();
  private readonly off = new AbortController();
  private readonly files: Promise<Pick<ReadCall, "weights" | "tokens">>;
  private sent = false;
  private next = 0;

  constructor() {
    const { signal } = this.off;
    const [weights, tokens] = [fetchBytes(`./words/${kModel}.bin`, kModelBytes, signal), fetchBytes("./words/tok512.bin", 0, signal)];
    this.files = Promise.all([weights, tokens]).then((both) => ({ weights: both[0], tokens: both[1] }));
    this.files.catch(() => undefined); // reported to whoever reads
    this.worker.onmessage = (event: MessageEvent<ReadAnswer>) => {
      const { id, words, fault } = event.data;
      const one = this.waiting.get(id);
      this.waiting.delete(id);
      if (fault) one?.reject(fault);
      else one?.resolve(words ?? "");
    };
    this.worker.onerror = (event) => {
      const fault: Fault = { fault: 1, what: event.message, where: "", remedy: "" };
      this.refuse(fault);
    };
  }

  private refuse(why: unknown): void {
    for (const one of this.waiting.values()) one.reject(why);
    this.waiting.clear();
  }

  /** Reads a text and lets the model write up to `more` tokens behind it; rejects with a Fault. */
  async read(text: string, more: number): Promise<string> {
    const files = await this.files;
    this.off.signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const first = this.sent ? {} : files;
      this.sent = true;
      const call: ReadCall = { id: this.next++, text, more, name: kModel, ...first };
      this.waiting.set(call.id, { resolve, reject });
      this.worker.postMessage(call, Object.values(first)); // they are transferred to the core
    });
  }

  /** Lets go of core and files, whatever has come of them; what was asked is called off. */
  stop(): void {
    this.off.abort();
    this.worker.terminate();
    this.refuse(this.off.signal.reason);
  }
}
