// branch.ts: texts of the controls that move tokens by hand.
export const branch = {
  title: "Edit the flock",
  move: "Move tokens",
  moveHint: (touch: boolean) =>
    touch ? "Then drag a token with a finger, or draw round several and drag them." :
    "Drag a token, or draw round several and drag them. Alt-drag does the same at any time.",
  moving: (touch: boolean) =>
    touch ? "Drag a token with one finger, or draw round several first." :
    "Drag a token, or draw round several first. Keys: [ and ] choose, arrows move, Enter continues.",
  letGo: "Discard the edit",
  apply: "Continue from here",
  putBack: "Put back",
  asItWas: "as it was",
  afterHand: "after your edit",
  chosen: (n: number) => (n === 1 ? "1 token chosen" : `${n} tokens chosen`),
  held: (n: number) => (n === 1 ? "1 token is in a new place" : `${n} tokens are in new places`),
  moved: (n: number, frame: number) =>
    `${n === 1 ? "1 token was" : `${n} tokens were`} moved, first at frame ${frame}. ` +
    "The ghost shows the original run.",
  atEnd: "The run is at its end.",
  atEndHint: "Step back a few frames, then move a token.",
} as const;
