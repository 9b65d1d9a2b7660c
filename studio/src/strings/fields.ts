// fields.ts: texts of the view Fields.
import { coordinate as figure, times, vector } from "./numbers";

export const fields = {
  title: "Four fields, one at a time",
  lead:
    "A trained layer is four maps of space into itself. For every place they give where a token there looks " +
    "(query), where its message is found (key), what it says (value), and how it moves without the others " +
    "(feed-forward).",
  tellSlice:
    "The arrows are on a slice through space: at first those of the value, what a token would say there. Add the other fields " +
    "on the right, move the slice, turn the scene. " +
    "Each field is drawn to its own scale, so that most of its arrows fit.",
  tellLinear:
    "Query, key and value are linear maps: their arrows change evenly from place to place. Only the feed-forward " +
    "is nonlinear: that is where a token's own judgement lies.",
  tellDrop: (touch: boolean) =>
    `${touch ? "Tap" : "Click"} on the slice to drop a test token. It attends to the flock, the flock does not attend to it. ` +
    `${touch ? "Tap" : "Click"} a token to see its own four vectors and what it attends to.`,
  tellSource: "All vectors come from the trained transformer's own numbers; lines are drawn in small steps along them.",

  swarm: "Transformer",
  block: "Layer",
  blockFollows: "the current one",
  blockOf: (k: number, blocks: number) => `${k + 1} of ${blocks}`,
  blockShared: (blocks: number) => `All ${blocks} layers share one set of fields.`,
  shown: "Fields",
  allFour: "Show all four",
  names: {
    query: "Query: where it looks",
    key: "Key: where its message is",
    value: "Value: what it says",
    will: "Feed-forward: its own move",
  },
  short: {
    query: "query", key: "key", value: "value", will: "feed-forward", velocity: "velocity", none: "none",
  },
  times,
  slice: "Slice",
  axis: "Across",
  axes: { x: "x", y: "y", z: "z" },
  sides: { x: "x: right", y: "y: up", z: "z" },
  offset: "Offset",
  half: "Half width",
  grid: "Arrows per side",
  scale: "Length of arrows",
  lines: "Streamlines",
  drop: "Test tokens",
  dropMiddle: "Drop one in the middle",
  dropNone: "Remove them",
  dropped: (count: number) => (count === 1 ? "One test token moves along." : `${count} test tokens move along.`),
  dropHint: (touch: boolean) => `Or ${touch ? "tap" : "click"} on the slice.`,
  flock: "Flock",
  flockShown: "Show the flock",
  digit: "Another digit",
  boid: "Token",
  noBoid: "none",
  boidHint: (touch: boolean) => `Or ${touch ? "tap" : "click"} one in the scene.`,
  vectors: "Its four vectors",
  vector,
  length: figure,
  moment: (frame: number, last: number) => `layer ${frame} of ${last}`,
  canvas: "A slice through space with arrows of the transformer's four fields, and a flock",
  waiting: "Loading the transformer.",
  strength: "Length of the arrows on the slice",
  meanLongest: (mean: number, longest: number) => `mean ${figure(mean)}, longest ${figure(longest)}`,
  scene: (fields: string, axis: string, offset: number, frame: number, n: number) =>
    `${fields || "no field"} on the slice ${axis} = ${figure(offset)}; a flock of ${n} tokens at layer ${frame}.`,
  sceneBoid: (boid: number, value: string) => ` Token ${boid} says ${value}.`,
} as const;
