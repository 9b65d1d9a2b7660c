// dome.ts: the words of the dome of gaze and message.
import { degrees, figure, percent } from "./figures";

export const dome = {
  title: "Dome of gaze and message",
  shown: "Draw the dome around the token",
  none: (touch: boolean) => `${touch ? "Tap" : "Click"} a token in the scene to see what moves it.`,
  kept: "A run as it was kept shows no dome: fly it anew.",
  waiting: "The parts are on their way.",
  centre: "Bring it to the middle",
  part: "Part of the move",
  parts: ["Gaze", "Places", "Attention", "Message", "Own will", "Move"],
  back: "Part before",
  on: "Next part",
  head: "Head",
  headOf: (h: number) => String(h + 1),
  allHeads: "all",
  tell: [
    (boid: number) => `Token ${boid} looks out along its query: the ring on the dome.`,
    (_: number, n: number) =>
      `The keys of all ${n} tokens: the places where their messages are to be found. A number: so many lie together.`,
    (_: number, __: number, attended: number, loudest: number, share: number) =>
      `The closer a place is to the gaze, the more it is heard: this token attends to about ${figure(attended)}, ` +
      `most of all to token ${loudest}, with ${percent(share)}.`,
    (length: number) =>
      `The diamonds are what they say, their values, larger where more of the message comes from them. Weighed and summed, they arrive as one message of length ${figure(length)}.`,
    (length: number) => `Its own will, the feed-forward, adds a push of length ${figure(length)}.`,
    (length: number, layers: boolean) =>
      layers
        ? `Together they carry it ${figure(length)} far.`
        : `Together they give it the velocity ${figure(length)}.`,
  ] as const,
  vision: (angle: number) =>
    `The shade is its field of vision: at the line, ${degrees(angle)} from the gaze, a key is heard half as much as at the gaze.`,
  allVision: "Its field of vision is the whole dome: nowhere is a key heard less than half as much as at the gaze.",
  far: (angle: number, factor: number) =>
    `The key of that one is ${degrees(angle)} from the gaze, outside the field of vision, but ${figure(factor)} times as long as ` +
    "the mean: that is why it is heard.",
  noWill: "This flock has no will of its own: there is no feed-forward.",
  sameForAll: "All are heard alike: the gaze plays no part.",
  corrected: (length: number, layers: boolean) =>
    layers
      ? `Dashes: back onto the sphere, ${figure(length)}.`
      : `Dashes: what the sphere takes off, ${figure(length)}.`,
  exact: "Exact: attention, and the angle between gaze and places.",
  lengths: (longest: number) => `Stems: how long the keys are, which counts too; the longest is ${figure(longest)}.`,
  around: (k: number, share: number) =>
    `Gaze and places have ${k} coordinates: how the places lie around the gaze is seen along two axes, ` +
    `${percent(share)} of it.`,
  values: (d: number) => `Values of ${d} coordinates are seen along the axes of the arrows.`,
  arrows: (d: number, share: number) => `Arrows of ${d} coordinates are seen along three, ${percent(share)} of them.`,
  ownAxes: "Dome and arrows have axes of their own.",
  noise: "Gusts are left out.",
  scale: (radius: number) => `The dome's radius stands for ${figure(radius)} of the arrows.`,
  percent,
} as const;
