// core.ts: texts for a core that fails before it can report an error itself; its own errors bring their texts.
export const core = {
  stopped: { what: "the core stopped", remedy: "load the page again" },
  crashed: { what: "the core stopped", remedy: "load the page again, and try other settings" },
  noMemory: { what: "there is not enough memory", remedy: "choose smaller n or d or fewer frames, or load the page again" },
  missingArray: (index: number) => `array ${index} is missing`,
  cannotStart: {
    what: "the core cannot be started",
    remedy: "use a browser with WebAssembly SIMD and exceptions",
  },
};
