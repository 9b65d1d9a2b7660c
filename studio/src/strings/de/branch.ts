// branch.ts: die Worte der Hand, die Token bewegt.
import type { branch as english } from "../branch";
import type { Translation } from "../translation";

export const branch: Translation<typeof english> = {
  title: "Deine Hand im Schwarm",
  move: "Token bewegen",
  moveHint: (touch) =>
    touch ? "Dann zieht ein Finger ein Token, oder er umfährt mehrere und zieht sie zusammen." :
    "Zieh ein Token, oder umfahre mehrere und zieh sie zusammen. Alt-Ziehen geht jederzeit.",
  moving: (touch) =>
    touch ? "Zieh ein Token mit einem Finger, oder umfahre erst mehrere." :
    "Zieh ein Token, oder umfahre erst mehrere. Tasten: [ und ] wählen, Pfeile bewegen, Enter lässt los.",
  letGo: "Zweig loslassen",
  apply: "Von hier weiterfliegen",
  putBack: "Zurücklegen",
  asItWas: "wie es war",
  afterHand: "nach deiner Hand",
  chosen: (n) => `${n} Token gewählt`,
  held: (n) => (n === 1 ? "1 Token liegt anderswo" : `${n} Token liegen anderswo`),
  moved: (n, frame) =>
    `${n === 1 ? "1 Token wurde" : `${n} Token wurden`} bewegt, zuerst bei Bild ${frame}. ` +
    "Blass siehst du den Flug, wie er war.",
  atEnd: "Der Flug ist zu Ende.",
  atEndHint: "Geh ein paar Bilder zurück, dann bewege ein Token.",
};
