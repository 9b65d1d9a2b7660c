// core.ts: was von einem Rechenkern gesagt wird, der ausfällt, bevor er es selbst sagen kann.
import type { core as english } from "../core";
import type { Translation } from "../translation";

export const core: Translation<typeof english> = {
  stopped: { what: "der Rechenkern ist stehen geblieben", remedy: "lade die Seite neu" },
  crashed: { what: "der Rechenkern ist stehen geblieben", remedy: "lade die Seite neu und versuche andere Einstellungen" },
  noMemory: { what: "der Speicher reicht nicht", remedy: "nimm weniger n, d oder Bilder, oder lade die Seite neu" },
  missingArray: (index) => `das Feld ${index} fehlt`,
  cannotStart: {
    what: "der Rechenkern lässt sich nicht starten",
    remedy: "nimm einen Browser mit SIMD und Ausnahmen in WebAssembly",
  },
};
