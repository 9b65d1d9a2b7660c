// dome.ts: the words of the dome of gaze and message.
import { figure, percent } from "./figures";

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
    (_: number, n: number) => `The keys of all ${n} tokens: the places where their messages are to be found.`,
    (_: number, __: number, attended: number, loudest: number, share: number) =>
      `The closer a place is to the gaze, the more it is heard: this token attends to about ${figure(attended)}, ` +
      `most of all to token ${loudest}, with ${percent(share)}.`,
    (length: number) => `What they say, weighed and summed, arrives as one message of length ${figure(length)}.`,
    (length: number) => `Its own will, the feed-forward, adds a push of length ${figure(length)}.`,
    (length: number, layers: boolean) =>
      layers
        ? `Together they carry it ${figure(length)} far.`
        : `Together they give it the velocity ${figure(length)}.`,
  ] as const,
  noWill: "This flock has no will of its own: there is no feed-forward.",
  sameForAll: "All are heard alike: the gaze plays no part.",
  corrected: (length: number, layers: boolean) =>
    layers
      ? `Dashes: back onto the sphere, ${figure(length)}.`
      : `Dashes: what the sphere takes off, ${figure(length)}.`,
  exact: "Exact: attention, and the angle between gaze and places.",
  lengths: "Not drawn: how long the keys are, which counts too.",
  around: (k: number, share: number) =>
    `Gaze and places have ${k} coordinates: how the places lie around the gaze is seen along two axes, ` +
    `${percent(share)} of it.`,
  arrows: (d: number, share: number) => `Arrows of ${d} coordinates are seen along three, ${percent(share)} of them.`,
  ownAxes: "Dome and arrows have axes of their own.",
  noise: "Gusts are left out.",
  scale: (radius: number) => `The dome's radius stands for ${figure(radius)} of the arrows.`,
  percent,
} as const;
