// live_verdict.ts: the verdict on a drawing while the visitor draws or erases.
import { signal } from "@preact/signals";
import { core } from "../../state/session";
import type { DigitFlights } from "./flight";
import { opinionOf, type Opinion } from "./opinions";
import type { Sheet } from "./sheet";
import { hasInk } from "./ink";

/** One question at a time, each about the sheet as it is then. */
export class LiveVerdict {
  readonly said = signal<Opinion | null>(null);
  private asking = false;
  private again = false;

  constructor(private readonly flights: DigitFlights, private readonly sheet: Sheet) {}

  async ask(): Promise<void> {
    this.again = true;
    if (this.asking) return;
    this.asking = true;
    try {
      while (this.again && this.sheet.drawing) {
        this.again = false;
        const trained = this.flights.trained.value;
        const ink = this.sheet.ink();
        if (!trained || trained.task !== "digits" || !hasInk(ink)) break;
        const awake = await core;
        const opinion = await opinionOf(awake, trained, await awake.centre(ink)).catch(() => null);
        this.said.value = this.sheet.drawing ? opinion : null;
      }
    } finally {
      this.asking = false;
    }
  }
}
