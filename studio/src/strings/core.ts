// core.ts: what is said of a core that fails before it can say so itself; its own refusals bring their words.
export const core = {
  stopped: { what: "the core stopped", remedy: "load the page again" },
  crashed: { what: "the core stopped", remedy: "load the page again, and try other settings" },
  noMemory: { what: "there is not enough memory", remedy: "make n, d or the frames fewer, or load the page again" },
  missingArray: (index: number) => `array ${index} is missing`,
  cannotStart: {
    what: "the core cannot be started",
    remedy: "use a browser with WebAssembly SIMD and exceptions",
  },
};
