// question.ts: questions to the core that follow what is on stage: one at a time, the last wish answered.
import { signal } from "@preact/signals";
import type { Core } from "../core/protocol";
import { core, isFault } from "./session";

/** `current` says whether this is still what is wanted. */
type Ask<T> = (awake: Core, current: () => boolean) => Promise<T | null>;

/** One kind of question: asked when its key changes. The answer stays until the next one comes. */
export class Question<T> {
  readonly answer = signal<T | null>(null);
  private asked = "";
  private running: Promise<void> | null = null;
  private waiting: { key: string; ask: Ask<T> } | null = null;

  /** `failed` receives refusals, but not those of runs that were closed while a question was open. */
  constructor(private readonly failed: (error: unknown) => void = () => undefined) {}

  want(key: string, ask: Ask<T>): void {
    if (key === this.asked) return;
    this.asked = key;
    this.waiting = { key, ask };
    this.running ??= this.run();
  }

  /** Nothing is wanted any more. */
  drop(): void {
    this.asked = "";
    this.waiting = null;
    this.answer.value = null;
  }

  /** When the last wish has been answered. */
  async settled(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    while (this.waiting) {
      const { key, ask } = this.waiting;
      this.waiting = null;
      const current = () => this.asked === key;
      try {
        const answer = await ask(await core, current);
        if (current()) this.answer.value = answer;
      } catch (error) {
        const gone = isFault(error) && error.gone === true;
        if (!gone) this.failed(error);
        if (current()) this.answer.value = null;
        if (current() && gone) this.asked = ""; // the same may be asked again
      }
    }
    this.running = null;
  }
}
