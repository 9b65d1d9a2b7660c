// dome.ts: texts of the dome that shows query, keys and messages around a token.
import { degrees, figure, percent } from "./figures";

export const dome = {
  title: "Dome of query and message",
  shown: "Draw the dome around the token",
  none: (touch: boolean) => `${touch ? "Tap" : "Click"} a token in the scene to see what moves it.`,
  kept: "A saved run shows no dome: run it again.",
  waiting: "Loading the parts.",
  centre: "Centre it",
  part: "Part of the move",
  parts: ["Query", "Keys", "Attention", "Message", "Feed-forward", "Move"],
  back: "Previous part",
  on: "Next part",
  head: "Head",
  headOf: (h: number) => String(h + 1),
  allHeads: "all",
  tell: [
    (boid: number) => `Token ${boid} looks along its query: the ring on the dome.`,
    (_: number, n: number) =>
      `The keys of all ${n} tokens: where their messages are found. A number counts keys that lie together.`,
    (_: number, __: number, attended: number, loudest: number, share: number) =>
      `The closer a key is to the query, the larger its share: this token attends to about ${figure(attended)}, ` +
      `most of all to token ${loudest}, with ${percent(share)}.`,
    (length: number) =>
      `The diamonds are their values, larger where more of the message comes from them. Weighted and summed, they are one message of length ${figure(length)}.`,
    (length: number) => `The feed-forward (MLP) adds a push of length ${figure(length)}.`,
    (length: number, layers: boolean) =>
      layers
        ? `Together they move it by ${figure(length)}.`
        : `Together they give it the velocity ${figure(length)}.`,
  ] as const,
  vision: (angle: number) =>
    `The shade is its field of vision: at the line, ${degrees(angle)} from the query, a key counts half as much as at the query.`,
  allVision: "Its field of vision is the whole dome: everywhere a key counts at least half as much as at the query.",
  far: (angle: number, factor: number) =>
    `That token's key is ${degrees(angle)} from the query, outside the field of vision, but ${figure(factor)} times as long as ` +
    "the mean: that is why it counts.",
  noWill: "This flock has no feed-forward.",
  sameForAll: "All tokens count alike: the query plays no part.",
  corrected: (length: number, layers: boolean) =>
    layers
      ? `Dashes: back onto the sphere, ${figure(length)}.`
      : `Dashes: removed to stay on the sphere, ${figure(length)}.`,
  exact: "Exact: attention, and the angle between query and keys.",
  lengths: (longest: number) => `Stems: the lengths of the keys, which matter too; the longest is ${figure(longest)}.`,
  around: (k: number, share: number) =>
    `Query and keys have ${k} coordinates: two axes show how the keys lie around the query, ` +
    `${percent(share)} of it.`,
  values: (d: number) => `Values of ${d} coordinates are drawn along the axes of the arrows.`,
  arrows: (d: number, share: number) => `Arrows of ${d} coordinates are drawn along three axes, ${percent(share)} of them.`,
  ownAxes: "Dome and arrows have axes of their own.",
  noise: "Noise is left out.",
  scale: (radius: number) => `On the scale of the arrows the dome's radius is ${figure(radius)}.`,
  percent,
} as const;
