// calls.ts: the messages that carry calls of the core to its worker and the answers back.

import type { Core, Fault } from "./protocol";

export interface Call {
  id: number;
  name: keyof Core;
  given: unknown[];
}

/** Either the result or, where there is a fault, the refusal. */
export interface Answer {
  id: number;
  result?: unknown;
  fault?: Fault;
}
