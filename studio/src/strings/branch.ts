// branch.ts: the words of the hand that moves tokens.
export const branch = {
  title: "Your hand in the flock",
  move: "Move tokens",
  moveHint: (touch: boolean) =>
    touch ? "Then a finger drags a token, or draws round several and drags them." :
    "Drag a token, or draw round several and drag them. Alt-drag does the same at any time.",
  moving: (touch: boolean) =>
    touch ? "Drag a token with one finger, or draw round several first." :
    "Drag a token, or draw round several first. Keys: [ and ] choose, arrows move, Enter lets go.",
  letGo: "Let go of the branch",
  apply: "Fly on from here",
  putBack: "Put back",
  asItWas: "as it was",
  afterHand: "after your hand",
  chosen: (n: number) => (n === 1 ? "1 token chosen" : `${n} tokens chosen`),
  held: (n: number) => (n === 1 ? "1 token is held elsewhere" : `${n} tokens are held elsewhere`),
  moved: (n: number, frame: number) =>
    `${n === 1 ? "1 token was" : `${n} tokens were`} moved, first at frame ${frame}. ` +
    "The ghost shows the flight as it was.",
  atEnd: "The flight is at its end.",
  atEndHint: "Step back a few frames, then move a token.",
} as const;
